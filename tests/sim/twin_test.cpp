// The fake node against a real redis-server: every line of tests/sim/twin/*.txt goes to both,
// replies are compared byte for byte, and at each "---" and at the end everything that both hold.
#include "tests/support/twin.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace {

using lockstep::test::Twin;

/// The lines of lua_*.txt are expression lists; their values come back as tostring() shows them.
lockstep::sim::Request as_script(const std::string& expressions) {
  return {
      "EVAL", "local r = {" + expressions + "} for i = 1, 9 do r[i] = tostring(r[i]) end return r",
      "0",    "7",
      "abc",  "1.5"};
}

void run_file(const std::filesystem::path& path) {
  Twin twin;
  const bool expressions = path.filename().string().starts_with("lua_");
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with("# ")) continue;
    INFO(path.filename().string() << ":" << number);
    if (line == "---") {
      CHECK(twin.compare_contents() == "");
      twin.flush();
      continue;
    }
    CHECK(twin.run(expressions ? as_script(line) : lockstep::test::split(line)) == "");
  }
  CHECK(number > 0);
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("the fake node answers as redis-server does") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/tests/sim/twin")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  REQUIRE(paths.size() > 10);
  for (const auto& path : paths) {
    DYNAMIC_SECTION(path.stem().string()) { run_file(path); }
  }
}

}  // namespace
