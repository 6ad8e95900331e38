// ARCHITECTURE.md, "To add ...", is put to the test: for each kind of thing a patch in
// tests/project/patches/ adds one. It has to apply, the page has to name every file that it
// touches, and it may touch only so many files of code.
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/project/findings.hpp"
#include "tests/project/source_file.hpp"

namespace lockstep::tests {
namespace {

using Paths = std::vector<std::string>;

/// What the page says on adding `thing`: the item of its list that begins with it.
std::string item_on(const std::string& thing, const SourceFile& page) {
  std::string item;
  bool inside = false;
  for (const auto& line : page.lines) {
    if (line.starts_with("- ") || line.starts_with("#"))
      inside = line.starts_with("- **a " + thing + "**");
    if (inside) item += line + "\n";
  }
  return item;
}

/// The paths between its backticks. A bare file name is in the folder of the path before it.
Paths named_in(const std::string& item) {
  static const std::regex quoted("`([^`]+)`");
  Paths paths;
  std::string folder;
  for (std::sregex_iterator each(item.begin(), item.end(), quoted), end; each != end; ++each) {
    const std::string word = (*each)[1];
    const auto slash = word.rfind('/');
    if (slash != std::string::npos) folder = word.substr(0, slash + 1);
    paths.push_back(
        slash == std::string::npos && word.find('.') != std::string::npos ? folder + word : word);
  }
  return paths;
}

/// Whether `named` means `path`: itself, a folder ("scenarios/") that it lies in, or the same with
/// a name in place of a word in capitals ("tests/data/mistakes/PROTOCOL.mistakes").
bool means(const std::string& named, const std::string& path) {
  if (named.ends_with('/')) return path.starts_with(named);
  static const std::regex stand_in("[A-Z]{3,}"), dot("\\.");
  const auto pattern =
      std::regex_replace(std::regex_replace(named, dot, "\\."), stand_in, "[a-z-]+");
  return std::regex_match(path, std::regex(pattern));
}

Paths touched_by(const SourceFile& patch) {
  Paths paths;
  for (const auto& line : patch.lines)
    if (line.starts_with("+++ b/")) paths.push_back(line.substr(6));
  return paths;
}

Findings unnamed(const SourceFile& patch, const std::string& thing, const SourceFile& page) {
  Findings findings;
  const auto named = named_in(item_on(thing, page));
  for (const auto& path : touched_by(patch)) {
    bool found = false;
    for (const auto& one : named) found = found || means(one, path);
    if (!found) findings.push_back(page.path + ", a " + thing + ": does not name " + path);
  }
  return findings;
}

std::size_t code_files(const SourceFile& patch) {
  std::size_t count = 0;
  for (const auto& path : touched_by(patch))
    if (!path.starts_with("tests/") && (path.ends_with(".cpp") || path.ends_with(".hpp"))) ++count;
  return count;
}

struct Addition {
  const char* thing;
  std::size_t most_code_files;
};

const std::vector<Addition> kAdditions{
    {"protocol", 0}, {"command", 3}, {"fault", 8}, {"property", 7}};

SourceFile patch_of(const Addition& addition) {
  return read_file(std::string("tests/project/patches/add-") + addition.thing + ".patch");
}

}  // namespace

TEST_CASE("The page on adding something names every file that doing it touches") {
  const auto page = read_file("ARCHITECTURE.md");
  for (const auto& addition : kAdditions) {
    const auto patch = patch_of(addition);
    REQUIRE(!touched_by(patch).empty());
    const auto findings = unnamed(patch, addition.thing, page);
    INFO(listed(findings));
    CHECK(findings.empty());
  }
}

TEST_CASE("What is added touches few files of code") {
  for (const auto& addition : kAdditions) {
    INFO(addition.thing);
    CHECK(code_files(patch_of(addition)) <= addition.most_code_files);
  }
}

TEST_CASE("The patches that add something apply to the source as it is") {
  for (const auto& addition : kAdditions) {
    const std::string command = "cd '" LOCKSTEP_SOURCE_DIR
                                "' && git apply --check tests/project/patches/add-" +
                                std::string(addition.thing) + ".patch";
    INFO(command);
    CHECK(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c): our own words
  }
}

TEST_CASE("The patches that plant a bug in the engine apply to the source as it is") {
  int patches = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(LOCKSTEP_SOURCE_DIR
                                                                        "/tests/checker/planted")) {
    if (file.path().extension() != ".patch") continue;
    ++patches;
    const std::string command =
        "cd '" LOCKSTEP_SOURCE_DIR "' && git apply --check '" + file.path().string() + "'";
    INFO(command);
    CHECK(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c): our own words
  }
  CHECK(patches >= 12);
}

TEST_CASE("A page that leaves a file out is found") {
  const auto patch =
      make_file("x.patch", "+++ b/sim/a.hpp\n+++ b/sim/b.cpp\n+++ b/data/red-fox.x\n");
  const auto page = [](const std::string& item) {
    return make_file("PAGE.md", "- **a color**: `sim/b.cpp`.\n- **a beast**: " + item +
                                    "\n## End\n`sim/b.cpp`\n");
  };
  CHECK(unnamed(patch, "beast", page("a row in `sim/a.hpp`, and `b.cpp`;\n  `data/BEAST.x`"))
            .empty());
  CHECK(unnamed(patch, "beast", page("`sim/` and `data/`")).empty());
  CHECK(unnamed(patch, "beast", page("a row in `sim/a.hpp`,\n  `data/BEAST.x`")) ==
        Findings{"PAGE.md, a beast: does not name sim/b.cpp"});
  CHECK(unnamed(patch, "beast", page("`sim/`, `data/BEAST.y`")).size() == 1);
  CHECK(unnamed(patch, "horse", page("`sim/`, `data/`")).size() == 3);
  CHECK(code_files(patch) == 2);
}

}  // namespace lockstep::tests
