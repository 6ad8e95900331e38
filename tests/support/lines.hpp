// Test cases that are kept as lines of text, a folder of *.txt files each.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lockstep::test {

/// The *.txt of `folder` (below the source's tests/), in the order of their names.
inline std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/tests/" + folder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

/// Calls `visit(line)` for every line that is neither empty nor a comment; a failed check names the
/// line. A file without any is a failure.
template <class Visit>
void for_each_line(const std::filesystem::path& path, Visit visit) {
  std::ifstream file(path);
  int number = 0, visited = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with("# ")) continue;
    ++visited;
    INFO(path.filename().string() << ":" << number);
    visit(line);
  }
  CHECK(visited > 0);
}

}  // namespace lockstep::test
