// Lock protocols and models that nobody thought of: from a seed, the same ones every time. Most of
// them are bad locks; they are there for two explorers to disagree on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/model/model.hpp"
#include "tests/checker/dice.hpp"

namespace lockstep::test {

struct RandomLock {
  std::string protocol;  ///< the text of protocol.lua
  sim::Model model;      ///< without a program
};

RandomLock random_lock(std::uint32_t seed);

/// A lease of a few ms, and a round of locking, perhaps working or sleeping, and unlocking.
sim::ProcessSetup random_process(Dice& dice);
/// Any that needs nothing more of a model; `instead` of one that does.
sim::Property random_property(Dice& dice, sim::Property instead);

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
