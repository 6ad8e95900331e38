// The project's own source as data for the tests of the source: files, lines, includes and
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::tests {

struct SourceFile {
  std::string path;  ///< relative to the project, with '/'
  std::vector<std::string> lines;

  std::string folder() const;  ///< the first part of the path: "sim", "tests", ...
};

struct Include {
  std::size_t line = 0;  ///< 1-based
  std::string header;    ///< "sim/base/time.hpp", "vector", "lua.h"
  bool quoted = false;   ///< "..." rather than <...>
};

struct Function {
  std::string name;
  std::size_t line = 0;  ///< of its opening, 1-based
  std::size_t length = 0;
};

SourceFile make_file(const std::string& path, const std::string& text);

/// One file, by its path from the top.
SourceFile read_file(const std::string& path);

/// Every file below `folders` whose name ends in one of `endings`, sorted by path.
std::vector<SourceFile> read_files(const std::vector<std::string>& folders,
                                   const std::vector<std::string>& endings);

std::vector<Include> includes_of(const SourceFile& file);

/// The functions of a C++ file that clang-format has laid out: a body ends at the `}` in the column
/// in which the function begins (0, or 2 inside a class). A block of a long function may be
/// reported beside it.
std::vector<Function> functions_of(const SourceFile& file);

/// The line without string literals and without its `//` comment.
std::string code_of(const std::string& line);

}  // namespace lockstep::tests
