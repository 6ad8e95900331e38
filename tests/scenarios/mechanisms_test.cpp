// What can be taken away from a protocol's text, one thing at a time.
#include "scenarios/mechanisms.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/temporary_folder.hpp"

namespace lockstep::tests {

namespace {

/// "2 NX: left out -> " and the file's text without it.
std::vector<std::string> found(const std::string& text) {
  const sim::TemporaryFolder folder;
  folder.write("a.lua", text);
  std::vector<std::string> lines;
  for (const auto& each : scenarios::mechanisms(folder.path()))
    lines.push_back(std::to_string(each.line) + " " + each.what + ": " + each.without + " -> " +
                    each.changed);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("options of a command are left out, with what belongs to them", "[mechanisms]") {
  CHECK(found("f(redis('SET', k, v,\n 'nx', \"PX\", f(1, {2, 3}) * 2))") ==
        Lines{"2 NX: left out -> f(redis('SET', k, v, \"PX\", f(1, {2, 3}) * 2))",
              "2 PX f(1, {2, 3}) * 2: left out -> f(redis('SET', k, v,\n 'nx'))"});
  CHECK(found("call { node = 1, 'SET', k, v, 'KEEPTTL' }") ==
        Lines{"1 KEEPTTL: left out -> call { node = 1, 'SET', k, v }"});
  // A value that looks like an option, and an option of nothing that has it.
  CHECK(found("redis('NX', 'SET')").empty());
  CHECK(found("redis('HSET', k, 'NX', 'EX')").empty());
  CHECK(found("redis('SET', k, 'v', 'PX')").empty());
}

TEST_CASE("a lifetime that is given by itself, tokens and tasks", "[mechanisms]") {
  CHECK(found("local x = redis.call('pexpire', KEYS[1], (2)) == 1") ==
        Lines{"1 redis.call('pexpire', KEYS[1], (2)): not sent, and answered 1 -> "
              "local x = tonumber(1) == 1"});
  CHECK(found("self.token = unique() my.unique()") ==
        Lines{"1 unique(): the same for everybody -> self.token = \"same\" my.unique()"});
  CHECK(found("every(t // 3, function() if x then f() end end)").front() ==
        "1 every(t // 3, ...): never does anything -> spawn(function() end)");
}

TEST_CASE("each side of a comparison that decides is taken as true, and as false", "[mechanisms]") {
  CHECK(found("if a == 1 and not (b or\n c) then f() end") ==
        Lines{"1 a == 1: always true -> if ((a == 1) or true) and not (b or\n c) then f() end",
              "1 a == 1: always false -> if ((a == 1) and false) and not (b or\n c) then f() end",
              "1 b: always true -> if a == 1 and not (((b) or true) or\n c) then f() end",
              "1 b: always false -> if a == 1 and not (((b) and false) or\n c) then f() end",
              "2 c: always true -> if a == 1 and not (b or\n ((c) or true)) then f() end",
              "2 c: always false -> if a == 1 and not (b or\n ((c) and false)) then f() end"});
  // Of what is returned only comparisons decide, and only of the first value.
  CHECK(found("return f(a == 1), b == 2").empty());
  CHECK(found("if x then return redis('GET', k) == v, 7 else return function() return 1 end end")
            .size() == 4);
}

TEST_CASE("what is no Lua has no mechanisms, and what cannot be read is named", "[mechanisms]") {
  CHECK(found("if 'never ends").empty());
  const sim::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "folder.lua");
  CHECK_THROWS_AS(scenarios::mechanisms(folder.path()), sim::BadInput);
}

}  // namespace lockstep::tests
