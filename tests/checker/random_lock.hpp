// Lock protocols and models that nobody thought of: from a seed, the same ones every time. Most of
// them are bad locks; they are there for two explorers to disagree on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/model/model.hpp"

namespace lockstep::test {

struct RandomLock {
  std::string protocol;  ///< the text of protocol.lua
  sim::Model model;      ///< without a program
};

RandomLock random_lock(std::uint32_t seed);

/// The text in a folder of its own, gone with this object.
class TemporaryProtocol {
 public:
  TemporaryProtocol(const std::string& name, const std::string& text);
  ~TemporaryProtocol();
  TemporaryProtocol(const TemporaryProtocol&) = delete;
  TemporaryProtocol& operator=(const TemporaryProtocol&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace lockstep::test
