// For tests of errors that a person can cause: the one line that they end in, and files to cause
// them with.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "sim/error.hpp"

namespace lockstep::tests {

/// The text of the BadInput that `action` throws, or "" if it throws none.
inline std::string bad_input(const std::function<void()>& action) {
  try {
    action();
  } catch (const sim::BadInput& error) {
    return error.what();
  }
  return "";
}

/// A folder of its own, gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::tests
