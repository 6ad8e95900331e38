// What the fuzz targets share: the entry that libFuzzer calls, and a file for readers that want
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/temporary_folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lockstep::fuzz {

/// A file of this process that holds the input; gone when the process ends.
inline std::filesystem::path as_file(const std::uint8_t* data, std::size_t size, const char* name) {
  static const sim::TemporaryFolder folder;
  return folder.write(name, std::string(reinterpret_cast<const char*>(data), size));
}

/// A person is told on one line what is wrong.
inline void expect_one_line(const sim::BadInput& refusal) {
  const std::string text = refusal.what();
  LOCKSTEP_CHECK(!text.empty() && text.find_first_of("\r\n") == std::string::npos);
}

}  // namespace lockstep::fuzz
