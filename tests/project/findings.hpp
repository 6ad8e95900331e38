// What a test of the source has found, and how it reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/project/source_file.hpp"

namespace lockstep::tests {

using Findings = std::vector<std::string>;
using Files = std::vector<SourceFile>;

inline std::string at(const SourceFile& file, std::size_t line) {
  return file.path + ":" + std::to_string(line);
}

inline std::string listed(const Findings& findings) {
  std::string text;
  for (const auto& finding : findings) text += "\n  " + finding;
  return text;
}

/// Every C++ file of the project.
inline const Files& cpp_files() {
  static const Files files =
      read_files({"sim", "checker", "scenarios", "live", "conform", "cli", "tests", "bench"},
                 {".hpp", ".cpp"});
  return files;
}

inline bool is_code(const SourceFile& file) {
  return file.folder() != "tests" && file.folder() != "bench";
}

}  // namespace lockstep::tests
