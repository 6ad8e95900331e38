// What lies at a path that a person named. Unlike the functions of std::filesystem, these do not
// throw where nobody can tell (a name that is too long, a folder that may not be entered): nothing
// is there that could be used.
#pragma once

#include <filesystem>
#include <system_error>

namespace lockstep::sim {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

inline bool is_file(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}

}  // namespace lockstep::sim
