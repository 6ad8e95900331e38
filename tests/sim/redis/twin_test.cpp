// The fake node against a real redis-server: every line of the *.txt in the folders below goes to
// both, replies are compared byte for byte, and at each "---" and at the end everything that both
// hold.
#include "tests/support/twin.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/line_text.hpp"
#include "tests/support/lines.hpp"

namespace {

using lockstep::test::Twin;

/// The lines of lua_*.txt are expression lists; their values come back as tostring() shows them.
lockstep::sim::Request as_script(const std::string& expressions) {
  return {
      "EVAL", "local r = {" + expressions + "} for i = 1, 9 do r[i] = tostring(r[i]) end return r",
      "0",    "7",
      "abc",  "1.5"};
}

void run_commands_of(const std::filesystem::path& path) {
  Twin twin;
  const bool expressions = path.filename().string().starts_with("lua_");
  lockstep::test::for_each_line(path, [&](const std::string& line) {
    if (line == "---") {
      CHECK(twin.compare_contents() == "");
      twin.empty();
    } else {
      CHECK(twin.run(expressions ? as_script(line) : lockstep::test::split(line)) == "");
    }
  });
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("the fake node answers as redis-server does") {
  for (const char* folder : {"sim/redis/commands", "sim/redis/script", "sim/lua51"}) {
    const auto paths = lockstep::test::files_of(folder);
    REQUIRE(paths.size() > 5);
    for (const auto& path : paths) {
      DYNAMIC_SECTION(path.stem().string()) { run_commands_of(path); }
    }
  }
}

}  // namespace
