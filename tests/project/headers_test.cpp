// Headers: each compiles alone and includes what it names of the standard library. Every rule is
// also shown a file that breaks it.
#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/project/findings.hpp"
#include "tests/project/source_file.hpp"

namespace lockstep::tests {
namespace {

bool is_header(const SourceFile& file) { return file.path.ends_with(".hpp"); }

// ---- a header compiles alone -------------------------------------------------------------------

/// A header that has a .cpp of its name is what that file includes first, so that compiling it
/// shows that the header needs nothing before it. For those that have none, cmake/rooms.cmake makes
/// such a file (target `headers`).
Findings headers_not_first(const Files& files) {
  std::map<std::string, std::string> first;  // of each .cpp
  Findings findings;
  for (const auto& file : files) {
    const auto includes = includes_of(file);
    first[file.path] = includes.empty() ? "" : includes.front().header;
  }
  for (const auto& file : files) {
    if (!is_header(file)) continue;
    const auto own = first.find(file.path.substr(0, file.path.size() - 4) + ".cpp");
    if (own != first.end() && own->second != file.path)
      findings.push_back(own->first + ": includes " + own->second + " before its own header");
  }
  return findings;
}

TEST_CASE("A file includes its own header first, which shows that the header compiles alone") {
  const auto findings = headers_not_first(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  const auto count = [](const std::string& code) {
    return headers_not_first({make_file("sim/a.hpp", "// What."), make_file("sim/a.cpp", code)})
        .size();
  };
  CHECK(count("#include <vector>\n#include \"sim/a.hpp\"") == 1);
  CHECK(count("int a;") == 1);
  CHECK(count("#include \"sim/a.hpp\"\n#include <vector>") == 0);
}

// ---- a header includes what it names -----------------------------------------------------------

/// Names of the standard library, and the headers that declare them; any one will do.
const std::vector<std::pair<std::string, std::set<std::string>>> kDeclaredIn{
    {"string", {"string"}},
    {"string_view", {"string_view"}},
    {"vector", {"vector"}},
    {"(multi)?map", {"map"}},
    {"(multi)?set", {"set"}},
    {"unordered_map", {"unordered_map"}},
    {"unordered_set", {"unordered_set"}},
    {"deque", {"deque"}},
    {"array", {"array"}},
    {"span", {"span"}},
    {"tuple", {"tuple"}},
    {"optional|nullopt", {"optional"}},
    {"variant", {"variant"}},
    {"function", {"functional"}},
    {"unique_ptr|shared_ptr|weak_ptr", {"memory"}},
    {"filesystem", {"filesystem"}},
    {"chrono", {"chrono"}},
    {"thread|jthread", {"thread"}},
    {"mutex", {"mutex"}},
    {"atomic", {"atomic"}},
    {"condition_variable", {"condition_variable"}},
    {"u?int(8|16|32|64)_t", {"cstdint"}},
    {"numeric_limits", {"limits"}},
    {"bit_cast", {"bit"}},
    {"initializer_list", {"initializer_list"}},
    {"strong_ordering", {"compare"}},
    {"runtime_error|logic_error", {"stdexcept"}},
    {"ostream", {"ostream", "iosfwd", "iostream"}},
    {"istream", {"istream", "iosfwd", "iostream"}},
};

Findings not_included(const Files& files) {
  Findings findings;
  static const std::regex name(R"(\bstd::(\w+))");
  for (const auto& file : files) {
    if (!is_header(file)) continue;
    std::set<std::string> included;
    for (const auto& include : includes_of(file)) included.insert(include.header);
    std::map<std::string, std::size_t> named;  // and the line
    for (std::size_t i = 0; i < file.lines.size(); i++) {
      const auto code = code_of(file.lines[i]);
      for (std::sregex_iterator each(code.begin(), code.end(), name), end; each != end; ++each)
        named.emplace((*each)[1], i + 1);
    }
    for (const auto& [pattern, headers] : kDeclaredIn) {
      const std::regex wanted(pattern);
      for (const auto& [word, line] : named) {
        if (!std::regex_match(word, wanted)) continue;
        bool found = false;
        for (const auto& header : headers) found = found || included.contains(header);
        if (!found)
          findings.push_back(at(file, line) + ": std::" + word + " without <" + *headers.begin() +
                             ">");
      }
    }
  }
  return findings;
}

TEST_CASE("A header includes what it names of the standard library") {
  const auto findings = not_included(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  const auto count = [](const std::string& text) {
    return not_included({make_file("sim/a.hpp", text)}).size();
  };
  CHECK(count("std::string a;") == 1);
  CHECK(count("#include <string>\nstd::string a;") == 0);
  CHECK(count("#include <string>\nstd::string_view a;") == 1);
  CHECK(count("#include <iosfwd>\nvoid print(std::ostream& out);") == 0);
  CHECK(count("std::uint8_t a; std::uint8_t b;") == 1);
  CHECK(count("// a std::string") == 0);
}

}  // namespace
}  // namespace lockstep::tests
