// What people read: the files that comments and documents name are there, and a ruler is one line.
// Every rule is also shown a text that breaks it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/project/findings.hpp"
#include "tests/project/source_file.hpp"

namespace lockstep::tests {
namespace {

namespace fs = std::filesystem;

// ---- files that are named ----------------------------------------------------------------------

/// The folders of the project, and its documents and scripts.
const std::vector<std::string> kFolders{"sim",  "checker",   "scenarios", "live",  "conform",
                                        "cli",  "tests",     "bench",     "tools", "cmake",
                                        "docs", "protocols", "toy"};

/// The paths of all files and folders, and those of C++ files without their ending:
/// "sim/world/grid".
const std::set<std::string>& paths() {
  static const auto all = [] {
    const fs::path root = LOCKSTEP_SOURCE_DIR;
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(root))
      found.insert(entry.path().filename().string());
    for (const auto& folder : kFolders) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const auto path = entry.path().lexically_relative(root);
        found.insert(path.generic_string());
        found.insert((path.parent_path() / path.stem()).generic_string());
      }
    }
    return found;
  }();
  return all;
}

/// Whether a line of a file is a comment or a document's text, and which part of it.
std::string prose_of(const SourceFile& file, std::size_t line, bool& in_docstring) {
  const std::string& text = file.lines[line];
  if (file.path.ends_with(".md")) return text;
  if (file.path.ends_with(".cpp") || file.path.ends_with(".hpp")) {
    const auto comment = text.find("//");
    return comment == std::string::npos ? "" : text.substr(comment);
  }
  const bool was_in = in_docstring;
  for (auto quote = text.find("\"\"\""); quote != std::string::npos;
       quote = text.find("\"\"\"", quote + 3))
    in_docstring = !in_docstring;
  const auto first = text.find_first_not_of(' ');
  const bool hash = first != std::string::npos && text[first] == '#';
  return was_in || in_docstring || hash || text.starts_with("\"\"\"") ? text : "";
}

/// A file of ours: a path from the top, whole or without the ending, or the bare name of a
/// program's file. Patterns
/// ("tests/*.hpp") and stand-ins ("protocols/PROTOCOL") are not.
bool names_no_file(const std::string& word) {
  static const std::regex stand_in(R"(.*\*.*|(.*/)?[A-Z_]{3,}(/.*|\.mistakes|\.json)?)");
  static const std::regex program(R"([\w/-]+\.(cpp|hpp|sh|py|awk|cmake))");
  if (std::regex_match(word, stand_in) || paths().contains(word)) return false;
  const std::string top = word.substr(0, word.find('/'));
  if (top != word && std::find(kFolders.begin(), kFolders.end(), top) != kFolders.end())
    return true;
  if (!std::regex_match(word, program)) return false;
  return std::none_of(paths().begin(), paths().end(),
                      [&](const std::string& path) { return path.ends_with("/" + word); });
}

Findings missing_files(const Files& files) {
  // Not in the middle of a longer path, and not behind `std::` or inside <...>.
  static const std::regex word(R"((?:^|[^\w./<~:-])([\w-][\w./*-]*))");
  Findings findings;
  for (const auto& file : files) {
    bool in_docstring = false;
    for (std::size_t i = 0; i < file.lines.size(); i++) {
      const auto prose = prose_of(file, i, in_docstring);
      for (std::sregex_iterator each(prose.begin(), prose.end(), word), end; each != end; ++each) {
        std::string named = (*each)[1];
        while (!named.empty() && std::string("./-").find(named.back()) != std::string::npos)
          named.pop_back();
        if (names_no_file(named)) findings.push_back(at(file, i + 1) + ": there is no " + named);
      }
    }
  }
  return findings;
}

/// All text but the changelog, which tells of files that are gone, and the tests that name some to
/// show what is found.
Files texts() {
  Files files;
  for (const auto& file : cpp_files())
    if (!file.path.starts_with("tests/project/")) files.push_back(file);
  for (const auto& more :
       {read_files({"docs", "bench", "tests"}, {".md"}),
        read_files({"tools", "bench", "tests", "cmake", ".ci"}, {".sh", ".py", ".awk", ".cmake"})})
    files.insert(files.end(), more.begin(), more.end());
  for (const auto& entry : fs::directory_iterator(LOCKSTEP_SOURCE_DIR)) {
    const auto name = entry.path().filename().string();
    if (name != "CHANGELOG.md" &&
        (name.ends_with(".md") || name.ends_with(".sh") || name == "CMakeLists.txt"))
      files.push_back(read_file(name));
  }
  return files;
}

TEST_CASE("Comments and documents name files that are there") {
  const auto findings = missing_files(texts());
  INFO(listed(findings));
  CHECK(findings.empty());

  const auto count = [](const std::string& path, const std::string& text) {
    return missing_files({make_file(path, text)}).size();
  };
  CHECK(count("sim/a.hpp", "// As sim/base/no_such_file.hpp does.") == 1);
  CHECK(count("sim/a.hpp", "int a;  // no_such_file.cpp") == 1);
  CHECK(count("docs/a.md", "The part `sim/base/no_such_file` is gone.") == 1);
  CHECK(count("tools/a.sh", "# see tools/no_such_file.sh") == 1);
  CHECK(count("tools/a.py", "\"\"\"See\ntools/no_such_file.py.\"\"\"\nopen('no_such_other.py')") ==
        1);
  CHECK(count("sim/a.hpp",
              "// See sim/base/time.hpp, `sim/base/time`, time.hpp, tests/*, protocols/NAME.") ==
        0);
}

// ---- rulers ------------------------------------------------------------------------------------

/// The formatter breaks a comment that is too long, and leaves a line of nothing but dashes.
Findings broken_rulers(const Files& files) {
  static const std::regex dashes(R"(\s*// ?-{3,}\s*)");
  Findings findings;
  for (const auto& file : files)
    for (std::size_t i = 0; i < file.lines.size(); i++)
      if (std::regex_match(file.lines[i], dashes))
        findings.push_back(at(file, i + 1) + ": a broken ruler");
  return findings;
}

TEST_CASE("A ruler is one line") {
  const auto findings = broken_rulers(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  CHECK(broken_rulers({make_file("sim/a.cpp", "// ---- the resource\n// ------------")}).size() ==
        1);
  CHECK(broken_rulers({make_file("sim/a.cpp", "// ---- the resource ----------")}).empty());
}

// ---- the page on the whole ---------------------------------------------------------------------

TEST_CASE("ARCHITECTURE.md is a page of 100 columns") {
  constexpr std::size_t kMostLines = 140, kMostColumns = 100;
  const auto page = read_file("ARCHITECTURE.md");
  CHECK(page.lines.size() <= kMostLines);
  for (const auto& line : page.lines) {
    INFO(line);
    CHECK(line.size() <= kMostColumns);
  }
}

}  // namespace
}  // namespace lockstep::tests
