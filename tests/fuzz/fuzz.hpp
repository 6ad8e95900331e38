// What the fuzz targets share: the entry that libFuzzer calls, and a file for readers that want
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lockstep::fuzz {

/// A file of this process that holds the input.
inline std::filesystem::path as_file(const std::uint8_t* data, std::size_t size, const char* name) {
  static const auto folder = [] {
    auto pattern = (std::filesystem::temp_directory_path() / "lockstep-fuzz-XXXXXX").string();
    return std::filesystem::path(mkdtemp(pattern.data()));
  }();
  auto file = folder / name;
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return file;
}

}  // namespace lockstep::fuzz
