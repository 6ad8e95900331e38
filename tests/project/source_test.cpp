// A unit test of the source itself: the arrows between folders, one home for each third-party
// header, nothing that could make two runs differ, and a page that can be read. Every rule is also
// shown a file that breaks it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/project/findings.hpp"
#include "tests/project/rooms.hpp"
#include "tests/project/source_file.hpp"

namespace lockstep::tests {
namespace {

constexpr std::size_t kMaxColumns = 120;
constexpr std::size_t kMaxFunctionLines = 70;

// ---- the arrows (ARCHITECTURE.md) --------------------------------------------------------------

/// The compiler sees to this, too; here it has a name, and so have paths that go round it.
Findings wrong_arrows(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    const std::string from = room_of(file.path, rooms());
    for (const auto& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string to = room_of(include.header, rooms());
      const bool outside = from.empty() && (!to.empty() || include.header.starts_with("tests/"));
      if (!outside && (from.empty() || !rooms().at(from).contains(to)))
        findings.push_back(at(file, include.line) + " may not include " + include.header);
    }
  }
  return findings;
}

TEST_CASE("Folders include each other only along the arrows") {
  const auto findings = wrong_arrows(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  const auto count = [](const std::string& path, const std::string& header) {
    return wrong_arrows({make_file(path, "#include \"" + header + "\"")}).size();
  };
  CHECK(count("sim/world/a.cpp", "checker/search/search.hpp") == 1);
  CHECK(count("live/a.cpp", "sim/world/world.hpp") == 1);
  CHECK(count("checker/naive/a.cpp", "sim/world/world.hpp") == 1);
  CHECK(count("sim/base/a.cpp", "sim/redis/reply.hpp") == 1);
  CHECK(count("sim/base/a.cpp", "time.hpp") == 1);
  CHECK(count("checker/naive/a.cpp", "../../sim/world/world.hpp") == 1);
  CHECK(count("cli/a.cpp", "sim/base/time.hpp") == 0);
  CHECK(count("checker/audit.cpp", "sim/world/world.hpp") == 0);
}

// ---- third-party headers -----------------------------------------------------------------------

struct Home {
  std::string header;  ///< a regular expression for the whole name
  std::set<std::string> folders;
};

/// Where each header that is not the standard library's may be included; the first line that fits
/// counts.
const std::vector<Home> kHomes{
    {R"(lua\.h|lauxlib\.h|lualib\.h|lua\.hpp)", {"sim", "tests"}},
    {R"(fmt/.*)", {"sim", "checker", "scenarios", "live", "cli", "tests", "bench"}},
    {R"(boost/.*)", {"checker"}},
    {R"(nlohmann/.*)", {"scenarios", "tests"}},
    {R"(CLI/.*)", {"cli"}},
    {R"(hiredis/.*)", {"live", "tests"}},
    {R"(catch2/.*)", {"tests"}},
    {R"(sys/mman\.h)", {"checker"}},  // huge pages for the visited set
    // POSIX: files, processes and terminals are no business of the simulated world.
    {R"([a-z_]+\.h|sys/[a-z]+\.h|netinet/[a-z]+\.h|arpa/[a-z]+\.h)",
     {"scenarios", "live", "conform", "cli", "tests"}},
};

Findings homeless_headers(const Files& files) {
  Findings findings;
  std::set<std::string> graph_files;
  for (const auto& file : files) {
    for (const auto& include : includes_of(file)) {
      const std::string& header = include.header;
      const bool standard = header.find_first_of("./") == std::string::npos;
      if (include.quoted || standard) continue;
      const auto home = std::find_if(kHomes.begin(), kHomes.end(), [&](const Home& h) {
        return std::regex_match(header, std::regex(h.header));
      });
      if (home == kHomes.end() || !home->folders.contains(file.folder()))
        findings.push_back(at(file, include.line) + ": <" + header + "> has its home elsewhere");
      if (header.starts_with("boost/graph/")) graph_files.insert(file.path);
    }
  }
  if (graph_files.size() > 1)
    findings.push_back("Boost.Graph is included in more than one file: " + *graph_files.begin() +
                       ", " + *graph_files.rbegin());
  return findings;
}

TEST_CASE("Each third-party header has one home") {
  const auto findings = homeless_headers(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  CHECK(homeless_headers({make_file("cli/a.cpp", "#include <lua.h>")}).size() == 1);
  CHECK(homeless_headers({make_file("sim/a.cpp", "#include <nlohmann/json.hpp>")}).size() == 1);
  CHECK(homeless_headers({make_file("sim/a.cpp", "#include <unistd.h>")}).size() == 1);
  CHECK(homeless_headers({make_file("sim/a.cpp", "#include <unknown/library.hpp>")}).size() == 1);
  CHECK(homeless_headers({make_file("checker/a.cpp", "#include <boost/graph/a.hpp>"),
                          make_file("checker/b.cpp", "#include <boost/graph/a.hpp>")})
            .size() == 1);
  CHECK(homeless_headers({make_file("sim/a.cpp", "#include <vector>\n#include <lua.h>")}).empty());
}

// ---- determinism -------------------------------------------------------------------------------

struct Forbidden {
  std::string pattern;
  std::string reason;
};

/// Never in sim/ and checker/: what could make two runs differ.
const std::vector<Forbidden> kForbidden{
    {R"(std::hash\b)", "std::hash may differ between libraries"},
    {R"(#\s*include\s*<random>)", "distributions differ between libraries"},
    {R"(\b(system_clock|gettimeofday|clock_gettime|getenv|random_device)\b)",
     "the run would depend on the machine"},
    {R"(\b(rand|srand|drand48)\()", "a generator without a stated state"},
    {R"(std::(map|set)<(const )?[\w:]+( const)?\s?\*)", "an order by address"},
    {R"(std::less<[^>]*\*>)", "an order by address"},
};

/// An unordered container is for look-ups: the line, or the one above, says `never iterated`; and
/// the file does not.
Findings unordered_iteration(const SourceFile& file) {
  static const std::regex declaration(R"(std::unordered_\w+<.*>\s+(\w+)\s*[;{=])");
  Findings findings;
  std::set<std::string> names;
  for (std::size_t i = 0; i < file.lines.size(); i++) {
    const std::string code = code_of(file.lines[i]);
    if (code.find("std::unordered_") == std::string::npos) continue;
    const bool says_so = file.lines[i].find("never iterated") != std::string::npos ||
                         (i > 0 && file.lines[i - 1].find("never iterated") != std::string::npos);
    if (!says_so)
      findings.push_back(at(file, i + 1) + ": say `never iterated`, or use an ordered one");
    std::smatch match;
    if (std::regex_search(code, match, declaration)) names.insert(match[1]);
  }
  for (const auto& name : names) {
    const std::regex loop("for \\(.*: (this->)?" + name + "\\)|\\b" + name + "\\.c?begin\\(");
    for (std::size_t i = 0; i < file.lines.size(); i++)
      if (std::regex_search(file.lines[i], loop))
        findings.push_back(at(file, i + 1) + ": iterates over the unordered " + name);
  }
  return findings;
}

Findings nondeterminism(const Files& files) {
  Findings findings;
  for (const auto& file : files) {
    if (file.folder() != "sim" && file.folder() != "checker") continue;
    for (const auto& [pattern, reason] : kForbidden) {
      const std::regex forbidden(pattern);
      for (std::size_t i = 0; i < file.lines.size(); i++)
        if (std::regex_search(code_of(file.lines[i]), forbidden))
          findings.push_back(at(file, i + 1) + ": " + reason);
    }
    const auto unordered = unordered_iteration(file);
    findings.insert(findings.end(), unordered.begin(), unordered.end());
  }
  return findings;
}

TEST_CASE("Nothing in the world or the checker can make two runs differ") {
  const auto findings = nondeterminism(cpp_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  const auto count = [](const std::string& text) {
    return nondeterminism({make_file("sim/a.cpp", text)}).size();
  };
  CHECK(count("auto h = std::hash<int>{}(3);") == 1);
  CHECK(count("#include <random>") == 1);
  CHECK(count("std::map<const Node*, int> order;") == 1);
  CHECK(count("std::unordered_map<int, int> seen;") == 1);
  CHECK(count("std::unordered_map<int, int> seen;  // never iterated\nfor (auto& s : seen) {") ==
        1);
  CHECK(count("std::unordered_map<int, int> seen;  // never iterated\nseen.find(3);") == 0);
  CHECK(count("// std::hash is forbidden") == 0);
  CHECK(nondeterminism({make_file("cli/a.cpp", "#include <random>")}).empty());
}

// ---- a page that can be read -------------------------------------------------------------------

/// Text that people write and read here; scripts are the world's, byte for byte, and not ours.
Files written_files() {
  Files files = cpp_files();
  const Files lua = read_files({"protocols", "tests"}, {"protocol.lua"});
  const Files scripts = read_files({"tools", "bench", "tests", ".ci"}, {".sh", ".py", ".awk"});
  files.insert(files.end(), lua.begin(), lua.end());
  files.insert(files.end(), scripts.begin(), scripts.end());
  return files;
}

/// Columns, not bytes: the continuation bytes of UTF-8 do not count.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

Findings unreadable(const Files& files) {
  static const std::regex left_open(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  Findings findings;
  for (const auto& file : files) {
    const bool has_shebang = !file.lines.empty() && file.lines[0].starts_with("#!");
    const std::string head = file.lines.size() > has_shebang ? file.lines[has_shebang] : "";
    if (!head.starts_with("//") && !head.starts_with("--") && !head.starts_with("# ") &&
        !head.starts_with("\"\"\""))
      findings.push_back(at(file, 1) + ": does not begin by saying what it is");
    for (std::size_t i = 0; i < file.lines.size(); i++) {
      if (columns(file.lines[i]) > kMaxColumns) findings.push_back(at(file, i + 1) + ": too long");
      if (std::regex_search(file.lines[i], left_open))
        findings.push_back(at(file, i + 1) + ": left open");
    }
  }
  return findings;
}

TEST_CASE(
    "Every file begins by saying what it is, in lines that fit a screen, with nothing left open") {
  const auto findings = unreadable(written_files());
  INFO(listed(findings));
  CHECK(findings.empty());

  CHECK(unreadable({make_file("sim/a.cpp", "#include <vector>")}).size() == 1);
  CHECK(unreadable({make_file("sim/a.cpp", "// What.\n" + std::string(kMaxColumns + 1, 'x'))})
            .size() == 1);
  CHECK(unreadable({make_file("sim/a.cpp",
                              "// What.\n// TO"
                              "DO: more")})
            .size() == 1);
  CHECK(unreadable({make_file("tools/a.sh", "#!/bin/sh\n# What.\nls")}).empty());
}

/// Functions that may be longer than a screen, each with the reason why cutting it would not help.
const std::map<std::string, std::string> kLongFunctions{};

Findings long_functions(const Files& files, const std::map<std::string, std::string>& allowed) {
  Findings findings;
  std::set<std::string> used;
  for (const auto& file : files) {
    if (!is_code(file)) continue;
    for (const auto& function : functions_of(file)) {
      if (function.length <= kMaxFunctionLines) continue;
      const std::string id = file.path + " " + function.name;
      const auto reason = allowed.find(id);
      if (reason == allowed.end())
        findings.push_back(at(file, function.line) + ": " + function.name + " has " +
                           std::to_string(function.length) + " lines");
      else if (reason->second.empty())
        findings.push_back(id + ": no reason given");
      used.insert(id);
    }
  }
  for (const auto& [id, reason] : allowed)
    if (!used.contains(id)) findings.push_back(id + ": is allowed to be long, and is not");
  return findings;
}

TEST_CASE("A function fits on a screen, or says why it does not") {
  const auto findings = long_functions(cpp_files(), kLongFunctions);
  INFO(listed(findings));
  CHECK(findings.empty());

  std::string text = "// What.\nint f(int a,\n      int b) {\n";
  for (std::size_t i = 0; i < kMaxFunctionLines; i++) text += "  a++;\n";
  text += "}\n";
  const Files files{make_file("sim/a.cpp", text)};
  CHECK(long_functions(files, {}).size() == 1);
  CHECK(long_functions(files, {{"sim/a.cpp f", ""}}).size() == 1);
  CHECK(long_functions(files, {{"sim/a.cpp f", "a table"}}).empty());
  CHECK(long_functions({}, {{"sim/a.cpp f", "a table"}}).size() == 1);
}

// ---- what is shipped ---------------------------------------------------------------------------

TEST_CASE("Every shipped scenario says where it comes from and what it expects") {
  for (const auto& file : read_files({"scenarios"}, {".json"})) {
    if (file.path.ends_with(".schema.json")) continue;
    INFO(file.path);
    std::ifstream in(std::string(LOCKSTEP_SOURCE_DIR) + "/" + file.path);
    const auto scenario = nlohmann::json::parse(in);
    CHECK(scenario.contains("expect"));
    REQUIRE(scenario.contains("source"));
    CHECK_FALSE(scenario["source"].get<std::string>().empty());
  }
}

TEST_CASE("Every shipped protocol says where it comes from") {
  const std::filesystem::path protocols = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "protocols";
  if (!std::filesystem::exists(protocols)) return;
  for (const auto& entry : std::filesystem::directory_iterator(protocols)) {
    if (!entry.is_directory() || entry.path().filename() == "libraries") continue;
    INFO(entry.path());
    std::ifstream in(entry.path() / "protocol.lua");
    REQUIRE(in.good());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(std::regex_search(text, std::regex(R"(\bsource\s*=\s*"[^"]+)")));
    CHECK(std::regex_search(text, std::regex(R"(\btitle\s*=\s*"[^"]+)")));
  }
}

}  // namespace
}  // namespace lockstep::tests
