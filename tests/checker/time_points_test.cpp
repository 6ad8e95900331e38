// Which instants a search tries (docs/time.md): thresholds that no text tells, sums of durations,
// and time that no deadline of a node carries on. (On random locks: random_test.cpp.)
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/slack.hpp"
#include "sim/client/program.hpp"
#include "tests/checker/timed_model.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::timed;

/// Goes in without a lock if a client that was refused measures an answer that took so long.
std::string measuring(const std::string& condition) {
  return "  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
         "  local start = monotonic()\n  redis('GET', self.key)\n"
         "  local took = monotonic() - start\n  return " +
         condition;
}

}  // namespace

TEST_CASE("a loop that polls until a deadline comes to an end", "[time][many-models]") {
  sim::Model model = two_clients(1000, 3000);
  model.budget[static_cast<std::size_t>(sim::Fault::crash)] = 1;
  const std::string taken = "if redis('SET', self.key, 'x', 'NX', 'PX', 3000) == OK then return ";
  const auto polling = [&](const std::string& begun, const std::string& goes_on) {
    return "  " + begun + "\n  while " + goes_on + " do\n    " + taken +
           "true end\n    sleep(100)\n  end\n  return false";
  };
  CHECK(verdict_of(polling("local stop = now() + 6000", "now() < stop"), model) ==
        checker::Verdict::holds);
  CHECK(verdict_of(polling("local began = monotonic()", "monotonic() - began < 6000"), model) ==
        checker::Verdict::holds);
  // Whoever has waited for two seconds goes in.
  CHECK(verdict_of("  local began = monotonic()\n  while true do\n    " + taken +
                       "true end\n    if monotonic() - began >= 2000 then return true end\n"
                       "    sleep(100)\n  end",
                   two_clients(2500, 3000)) == checker::Verdict::violated);
}

TEST_CASE("a threshold is found where it is compared, however it is worked out", "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  for (const char* condition :
       {"took > 7 * 1003 and took < 7 * 1003 + 3", "took * 2 > 14041 and took * 2 < 14045",
        "took // 1000 == 7 and took % 1000 > 990 and took < 7995",
        "self.ttl_ms - took < self.ttl_ms // 3 and self.ttl_ms - took > self.ttl_ms // 3 - 4",
        "math.max(took - 7020, 0) > 0 and math.min(took - 7020, 2) < 2"}) {
    INFO(condition);
    CHECK(verdict_of(measuring(condition), model) == checker::Verdict::violated);
  }
  CHECK(verdict_of(measuring("took < 0"), model) == checker::Verdict::holds);
}

TEST_CASE("a number that was measured is compared after another wait", "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  CHECK(verdict_of("  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
                   "  local start = monotonic()\n  redis('GET', self.key)\n"
                   "  local took = monotonic() - start\n  redis('GET', self.key)\n"
                   "  return took > 7021 and took < 7025",
                   model) == checker::Verdict::violated);
}

TEST_CASE("a number that was measured is kept, and decides in a later operation",
          "[time][many-models]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.processes[1].rounds = 3;
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  const std::string measures =
      "  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
      "  local took, sum = self.took, self.sum or 0\n"
      "  local start = monotonic()\n  redis('GET', self.key)\n"
      "  self.took = monotonic() - start\n  self.sum = sum + self.took\n  return ";
  CHECK(verdict_of(measures + "took and took > 7021 and took < 7025", model) ==
        checker::Verdict::violated);
  CHECK(verdict_of(measures + "took and took // 10 == 702", model) == checker::Verdict::violated);
  CHECK(verdict_of(measures + "sum > 7021 and sum < 7025", model) == checker::Verdict::violated);
  CHECK(verdict_of(measures + "took and took < 0", model) == checker::Verdict::holds);
}

namespace {

/// Whether release() can keep the key, which never ends: it does so on `condition` alone, between
/// readings that acquire() took before and after it asked.
checker::Verdict kept_on(const std::string& before, const std::string& after,
                         const std::string& condition) {
  const test::TemporaryProtocol folder(
      "kept-readings",
      "local Lock = protocol { title = 't', source = 's' }\nfunction Lock:acquire()\n" + before +
          "\nif redis('SET', self.key, unique(), 'NX') ~= OK then return false end\n" + after +
          "\nreturn true end\nfunction Lock:release()\nif " + condition +
          " then return true end redis('DEL', self.key) return true end\nreturn Lock\n");
  auto model = two_clients(3000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
  model.program = std::make_shared<sim::Program>(folder.folder());
  model.properties = {sim::Property::leak};
  return checker::explore(model, {}).verdict;
}

}  // namespace

TEST_CASE("readings of before decide, compared with each other or with one of now",
          "[time][many-models]") {
  const auto is_found = [](const std::string& before, const std::string& after,
                           const std::string& condition) {
    INFO(before << "; " << after << "; " << condition);
    CHECK(kept_on(before, after, condition) == checker::Verdict::violated);
  };
  const std::string asked = "self.asked = now()", heard = "self.heard = now()";
  is_found(asked, heard, "self.heard - self.asked == 7321");
  is_found(asked, heard, "self.asked - self.heard == -7321");
  is_found(asked, heard, "self.asked + 7320 < self.heard and self.heard < self.asked + 7322");
  is_found(asked, heard, "millis(self.heard) - millis(self.asked) == 7321");
  is_found(asked, "", "millis(now()) - millis(self.asked) == 7321");
  is_found("self.asked = millis(now())", "self.heard = millis(now())",
           "self.heard - self.asked == 7321");
  is_found("self.asked = millis(now())", "", "millis(now()) - self.asked == 7321");
  is_found("", "self.ends = millis(now()) + 10000", "self.ends - millis(now()) == 4321");
  is_found("",
           "redis('SET', 'ends', millis(now()) + 5000) self.ends = tonumber(redis('GET', 'ends'))",
           "self.ends - millis(now()) == -321");
}

TEST_CASE("a deadline that a client keeps is no reason for doubt", "[time][many-models]") {
  CHECK(kept_on("", "self.ends = millis(now()) + self.ttl_ms",
                "millis(now()) < self.ends - 20000") == checker::Verdict::holds);
}

TEST_CASE("a clock decides without a comparison", "[time][many-models]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  CHECK(verdict_of(measuring("({ [0] = false })[took // 7021] == nil"), model) ==
        checker::Verdict::violated);
  CHECK(verdict_of(measuring("#string.rep('x', took // 1007) == 7"), model) ==
        checker::Verdict::violated);
  CHECK(verdict_of("  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
                   "  local start = monotonic()\n  redis('GET', self.key)\n"
                   "  for i = 7, (monotonic() - start) // 1003 do return true end\n"
                   "  return false",
                   model) == checker::Verdict::violated);
}

TEST_CASE("a table and a string may decide for a single millisecond", "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  for (const char* condition :
       {"({ [7021] = true })[took] == true",
        "({ x = {}, y = { ['m7021'] = true } }).y['m' .. took] == true",
        "'took ' .. took .. ' ms' == 'took 7021 ms'", "string.format('%05d', took) == '07021'"}) {
    INFO(condition);
    CHECK(verdict_of(measuring(condition), model) == checker::Verdict::violated);
  }
  CHECK(verdict_of(measuring("({ [-1] = true })[took] == true"), model) == checker::Verdict::holds);
}

TEST_CASE("a number that is worked out from a clock is exact if it is a sum with it", "[time]") {
  const sim::Model model = two_clients(5'000, 9'000);
  const auto gap_of = [&](const std::string& acquire) {
    const checker::Result result = searched(acquire, model);
    CHECK(result.verdict ==
          (result.time_gap.empty() ? checker::Verdict::holds : checker::Verdict::inconclusive));
    return result.time_gap;
  };
  const std::string taken = "  local start = monotonic()\n  if not (" + std::string(kSetOrNot) +
                            ") then return false end\n";
  CHECK(gap_of(taken + "  redis('PEXPIRE', self.key, self.ttl_ms - (monotonic() - start))\n"
                       "  return true") == "");
  CHECK(gap_of(taken + "  redis('PEXPIRE', self.key, self.ttl_ms + 2 * (monotonic() - start))\n"
                       "  return true") != "");
  CHECK(gap_of("  return redis('SET', self.key, 1, 'NX', 'EX', 60 - millis(now()) // 1000 % 60) "
               "== OK") != "");
  // A lock of the minute: who comes in the next one has another.
  CHECK(verdict_of("  return redis('SET', self.key .. millis(now()) // 60000, 1, 'NX', 'PX', "
                   "self.ttl_ms) == OK",
                   model) == checker::Verdict::violated);
}

TEST_CASE("what goes up and down with a clock, or is sought in its digits, proves nothing",
          "[time][many-models]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  for (const char* condition :
       {"(took & 4095) == 2925 and took > 4096", "string.match(tostring(took), '^702') ~= nil",
        "math.ult(took, 7024) and math.ult(7020, took)", "math.abs(took - 7021) < 3",
        "string.byte(tostring(took), 3) == 50 and took > 7000 and took < 7050"}) {
    INFO(condition);
    CHECK(verdict_of(measuring(condition), model) != checker::Verdict::holds);
  }
  CHECK(verdict_of(measuring("string.match(self.key, '^702') ~= nil"), model) ==
        checker::Verdict::holds);
}

TEST_CASE("a single millisecond decides as no comparison of numbers tells", "[time][many-models]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  CHECK(verdict_of(measuring("string.pack('>i8', took) == string.pack('>i8', 7021)"), model) ==
        checker::Verdict::violated);
  CHECK(verdict_of(measuring("string.pack('<I4', took) == string.pack('<I4', 7021)"), model) ==
        checker::Verdict::violated);
  for (const char* condition :
       {"string.char(took % 251) == 'M'", "string.format('%x', took) == '1b6d'",
        "(select(math.min(took % 7021 + 1, 3), true, false, false))",
        "math.tointeger(took / 7021) == 1", "('abc'):sub(took - 7020, took - 7020) == 'a'",
        "table.unpack({ [7021] = true }, took, took) == true",
        "(function() local odd = false for _ = 1, took do odd = not odd end return odd end)()"}) {
    INFO(condition);
    CHECK(verdict_of(measuring(condition), model) != checker::Verdict::holds);
  }
  // Nothing of it depends on a clock.
  CHECK(verdict_of(measuring("string.char(77) == 'x' or ('abc'):sub(2, 2) == 'c'"), model) ==
        checker::Verdict::holds);
}

namespace {

checker::Verdict scripted(const std::string& condition) {
  return verdict_of("  if " + std::string(kSetOrNot) +
                        " then return true end\n  sleep(1) return redis('EVAL', \"local left = "
                        "redis.call('pttl', KEYS[1]) " +
                        condition + "\", 2, self.key, 'other') == 1",
                    two_clients(9'000, 10'000));
}

}  // namespace

TEST_CASE("what is left of a lifetime decides in any database", "[time]") {
  const auto taken_over = [](const std::string& before, const std::string& remaining) {
    return verdict_of("  redis('SELECT', 2)\n  " + before +
                          "\n  if redis('SET', self.key, 'x', 'NX', 'PX', 10000) == OK then return "
                          "true end\n  local left = " +
                          remaining +
                          "\n  if not (left > 7100 and left < 7200) then return false end\n"
                          "  redis('SET', self.key, 'y', 'PX', 10000) return true",
                      two_clients(3000, 10'000));
  };
  CHECK(taken_over("", "redis('PTTL', self.key)") == checker::Verdict::violated);
  CHECK(taken_over("", "redis('EVAL', \"return redis.call('pttl', KEYS[1])\", 1, self.key)") ==
        checker::Verdict::violated);
  CHECK(taken_over("redis('PING')", "redis('PEXPIRETIME', self.key) - millis(now())") ==
        checker::Verdict::violated);
  CHECK(taken_over("", "redis('OBJECT', 'REFCOUNT', self.key)") == checker::Verdict::holds);
}

TEST_CASE("what is left of a key decides whose name a script puts together", "[time]") {
  const auto taken_over = [](const std::string& key, std::int64_t work_ms) {
    const std::string script =
        "local beside = " + key +
        " if redis.call('exists', KEYS[1]) == 1 and redis.call('pttl', beside) ~= 4321 then "
        "return 0 end redis.call('set', beside, 1, 'px', 10000) "
        "redis.call('set', KEYS[1], 1, 'px', 20000) return 1";
    return verdict_of(
        "  return redis('EVAL', \"" + script + "\", 2, self.key, self.key .. ':beside') == 1",
        two_clients(work_ms, 10'000));
  };
  for (const std::string key : {"KEYS[2]", "KEYS[1] .. ':besides'"}) {
    CHECK(taken_over(key, 5678) == checker::Verdict::holds);
    CHECK(taken_over(key, 7000) == checker::Verdict::violated);  // at 5679 ms, and only then
  }
}

TEST_CASE("a script that meets no key compares something else, each time it does", "[time]") {
  // Of two holders in one text, who is over at 7000 makes room; the key itself ends at 10,000.
  const std::string join =
      "  return redis('EVAL', [[local t = redis.call('time') "
      "local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
      "local v, kept, n = redis.call('get', KEYS[1]), '', 0 "
      "if v then for ends in v:gmatch('%d+') do "
      "if tonumber(ends) > ms then kept = kept .. ends .. ',' n = n + 1 end end end "
      "if n >= 1 then return 0 end "
      "redis.call('set', KEYS[1], kept .. string.format('%.0f', ms + 7000) .. ',', 'px', 10000) "
      "return 1]], 1, self.key) == 1";
  CHECK(verdict_of(join, two_clients(6'999, 10'000)) == checker::Verdict::holds);
  CHECK(verdict_of(join, two_clients(7'000, 10'000)) == checker::Verdict::violated);
}

TEST_CASE("how often a script goes round may decide", "[time][many-models]") {
  CHECK(scripted("local odd = 0 for _ = 1, left / 500 do odd = 1 - odd end return odd") !=
        checker::Verdict::holds);
}

TEST_CASE("a time decides only where another one has decided before", "[time][many-models]") {
  const std::string take =
      "  local n = millis(now())\n"
      "  if redis('SET', self.key, n, 'NX') == OK then\n"
      "    redis('SET', 'other', 1, 'PX', 20000) return true\n  end\n"
      "  local v = tonumber(redis('GET', self.key) or n)\n";
  const sim::Model model = two_clients(10'000, 10'000);
  CHECK(verdict_of(take + "  local left = redis('PTTL', 'other')\n"
                          "  if n - v < 5000 then return false end\n"
                          "  return left > 12000 and left < 12100",
                   model) == checker::Verdict::violated);
}

TEST_CASE("a single millisecond decides in a script, with a key, a text, another command",
          "[time][many-models]") {
  const sim::Model model = two_clients(9'000, 10'000);
  CHECK(scripted("if 'left ' .. left == 'left 7021' then return 1 end return 0") ==
        checker::Verdict::violated);
  CHECK(scripted("if struct.pack('>I4', left) == struct.pack('>I4', 7021) then return 1 end "
                 "return 0") == checker::Verdict::violated);
  std::uint32_t turn = 0;
  for (const char* condition :
       {"local t = {} t[7021] = 1 return t[left] or 0",
        "if string.char(left % 251) == 'M' then return 1 end return 0",
        "if string.format('%x', left) == '1b6d' then return 1 end return 0",
        "redis.call('set', 'k7021', 1) return redis.call('exists', 'k' .. left)",
        "redis.call('setrange', KEYS[2], 7, 'x') return redis.call('getbit', KEYS[2], left % 64)",
        "return select(math.min(left % 7021 + 1, 3), 1, 0, 0)",
        "return rawget({[7021] = 1}, left) or 0",
        "return redis.sha1hex('x' .. left) == redis.sha1hex('x7021') and 1 or 0",
        "return loadstring('return ' .. left .. ' == 7021 and 1 or 0')()",
        "return loadstring('return (...) == 7021 and 1 or 0')(left)",
        "return cmsgpack.pack({left}) == cmsgpack.pack({7021}) and 1 or 0"}) {
    if (!test::is_todays(++turn, 6)) continue;
    INFO(condition);
    CHECK(scripted(condition) != checker::Verdict::holds);
  }
  // Stored, and read by a client.
  CHECK(verdict_of("  if " + std::string(kSetOrNot) +
                       " then return true end\n  redis('EVAL', \"redis.call('set', KEYS[2], "
                       "redis.call('pttl', KEYS[1]))\", 2, self.key, 'other')\n"
                       "  return redis('GET', 'other') == '7021'",
                   model) != checker::Verdict::holds);
  CHECK(scripted("local t = {5} for i = 1, #t do if t[i] ~= 5 then return 1 end end return 0") ==
        checker::Verdict::holds);
}

TEST_CASE("a part of a time, read by a client, comes again and again", "[time][many-models]") {
  const sim::Model model = two_clients(3'000, 10'000);
  const auto judged = [&](const std::string& condition) {
    return verdict_of("  local t = redis('TIME')\n  if " + condition +
                          " then return true end\n  return " + kSetOrNot,
                      model);
  };
  for (const char* condition :
       {"tonumber(t[2]) > 500000", "t[2] // 1000 > 500", "t[2] > '500000'", "t[2] == '3000'",
        "#t[2] == 6", "redis('EVAL', \"return redis.call('TIME')[2] % 7\", 0) == 1",
        "redis('EVAL', \"return redis.call('TIME')[1] % 10\", 0) == 1"}) {
    INFO(condition);
    CHECK(judged(condition) != checker::Verdict::holds);
  }
  // Both parts together are one clock.
  const std::string both =
      "local function ms() local t = redis('TIME') return t[1] * 1000 + "
      "t[2] // 1000 end\n  local start = ms()\n  if ";
  CHECK(verdict_of("  " + both + "not (" + kSetOrNot +
                       ") then return false end\n  return ms() - start < 7000",
                   model) == checker::Verdict::holds);
}

TEST_CASE("a clock decides between ways on which a client asks more, or less, than on others",
          "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  const std::string goes_in = "  if took > 7021 and took < 7025 then return true end\n";
  const std::string goes_in_later =
      "  if took > 7021 and took < 7025 then return choose(2) == 1 and monotonic() - start >= 0 "
      "end\n";
  for (const std::string& rest :
       {goes_in + "  self.token = unique()\n  return ",
        goes_in + "  if monotonic() - start > 99999 then choose(2) end "
                  "return ",
        goes_in_later + "  return ", "  self.token = unique()\n" + goes_in_later + "  return "}) {
    INFO(rest);
    CHECK(verdict_of("  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
                     "  local start = monotonic()\n  redis('GET', self.key)\n"
                     "  local took = monotonic() - start\n" +
                         rest + "redis('SET', self.key, 'x', 'NX') == OK",
                     model) == checker::Verdict::violated);
  }
}

TEST_CASE("a stored time that is compared with a clock that shows the same",
          "[time][many-models][long-models]") {
  // A crash leaves the key for ever; nobody ever sees it written later than now.
  const std::string acquire =
      "  return retry(function()\n"
      "    if redis('SETNX', self.key, millis(now())) == 1 then return true end\n"
      "    local at = redis('GET', self.key)\n"
      "    return at and millis(now()) - tonumber(at) < 0\n  end, 1000)";
  sim::Model model = two_clients(3000, 10'000);
  CHECK(verdict_of(acquire, model) == checker::Verdict::holds);
  model.budget[static_cast<std::size_t>(sim::Fault::crash)] = 1;
  const auto endless = searched(acquire, model);
  CHECK(endless.verdict == checker::Verdict::inconclusive);
  CHECK(endless.why_inconclusive ==
        "a client looks at the absolute time again and again, for ever: no state is met again");
  CHECK(searched("  local began = monotonic()\n"
                 "  return retry(function()\n"
                 "    self.late = monotonic() - began > 20000\n"
                 "    return redis('SET', self.key, 'x', 'NX') == OK\n  end, 1000)",
                 model)
            .why_inconclusive == "a client keeps a clock reading for ever: no state is met again");
}

TEST_CASE("the range of a sorted set compares times", "[time]") {
  const auto found = [](const std::string& acquire) {
    return verdict_of(acquire, two_clients(50'000, 10'000));
  };
  CHECK(found("  local now = millis(now())\n"
              "  if redis('ZADD', self.key, 'NX', now, 'm') == 1 then return true end\n"
              "  return #redis('ZRANGEBYSCORE', self.key, now - 21283, now - 21235) == 1") ==
        checker::Verdict::violated);
  const auto cleaned = [&](const std::string& to) {
    return found(
        "  return redis('EVAL', \"local t = redis.call('time') "
        "local now = t[1] * 1000 + math.floor(t[2] / 1000) "
        "redis.call('zremrangebyscore', KEYS[1], '(' .. (now - 41284), now - " +
        to +
        ") if redis.call('zcard', KEYS[1]) > 0 then return 0 end "
        "redis.call('zadd', KEYS[1], now, ARGV[1]) return 1\", 1, self.key, unique()) == 1");
  };
  CHECK(cleaned("41235") == checker::Verdict::violated);
  CHECK(cleaned("60000") == checker::Verdict::holds);
}

TEST_CASE("two answers to TIME are compared, and no other clock is read", "[time][many-models]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  const auto took = [&](const std::string& condition) {
    return verdict_of(
        "  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
        "  local function ms() local t = redis('TIME') return t[1] * 1000 + t[2] // 1000 end\n"
        "  local start = ms()\n  local took = ms() - start\n  return " +
            condition,
        model);
  };
  CHECK(took("took == 7321") == checker::Verdict::violated);
  CHECK(took("took >= 5000 and took < 9000") == checker::Verdict::violated);
  CHECK(took("took < 0") == checker::Verdict::holds);
}

TEST_CASE("a time that a script answers lies ahead of the clock", "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  CHECK(verdict_of("  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
                   "  local function later(ms) return redis('EVAL', \"local t = redis.call('time') "
                   "return t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[1]\", 0, ms) end\n"
                   "  local ends = later(4000)\n  return later(0) - ends == 3321",
                   model) == checker::Verdict::violated);
}

/// B enters if its time and A's, which both are stored, have this difference.
checker::Verdict stored_apart(const std::string& condition) {
  return verdict_of(
      "  local first = redis('HSETNX', 'times', 'a', millis(now())) == 1\n"
      "  if first then return true end\n"
      "  redis('HSET', 'times', 'b', millis(now()))\n  return " +
          condition,
      two_clients(50'000, 10'000));
}

TEST_CASE("times that are stored are compared with each other", "[time][many-models]") {
  for (const char* difference :
       {"redis('EVAL', \"return redis.call('hget', KEYS[1], 'b') - redis.call('hget', KEYS[1], "
        "'a') == {} and 1 or 0\", 1, 'times') == 1",
        "(function(t) return t[2] - t[1] == {} end)(redis('HMGET', 'times', 'a', 'b'))",
        "redis('HGET', 'times', 'b') - redis('HGET', 'times', 'a') == {}"}) {
    INFO(difference);
    CHECK(stored_apart(fmt::format(fmt::runtime(difference), 7321)) == checker::Verdict::violated);
    CHECK(stored_apart(fmt::format(fmt::runtime(difference), -7321)) == checker::Verdict::holds);
  }
}

TEST_CASE("several times of one step are varied, each alone", "[time]") {
  CHECK(verdict_of("  local now = millis(now())\n"
                   "  if redis('SET', self.key, 1, 'NX', 'PX', 60000) == OK then return true end\n"
                   "  local left = redis('PEXPIRETIME', self.key) - now\n"
                   "  return left < 38766 and left > 38716",
                   two_clients(50'000, 10'000)) == checker::Verdict::violated);
}

TEST_CASE("what turns only after weeks is seen, but not found", "[time][many-models]") {
  const auto found = [](std::int64_t days) {
    sim::Model model = two_clients(5'000, 10'000);
    model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
    return verdict_of(
        "  local t = millis(now())\n"
        "  if redis('SETNX', self.key, t) == 1 then return true end\n"
        "  local was = tonumber(redis('GET', self.key) or '')\n"
        "  if was and t - was > " +
            std::to_string(days * 86'400'000) +
            " then redis('SET', self.key, t) return true end\n  return false",
        model);
  };
  CHECK(found(13) == checker::Verdict::violated);
  CHECK(found(14) == checker::Verdict::inconclusive);
  CHECK(found(400) == checker::Verdict::inconclusive);
}

TEST_CASE("time that passes by more than ten years proves nothing where a clock is read",
          "[time]") {
  const auto found = [](std::int64_t years, const std::string& look) {
    const std::string wait_ms = std::to_string(years * 31'536'000'000);
    return verdict_of("  " + look + "\n  sleep(" + wait_ms + ")\n  return " + kSetOrNot,
                      two_clients(1'000, 10'000));
  };
  CHECK(found(9, "local t = now()") == checker::Verdict::holds);
  CHECK(found(11, "local t = now()") == checker::Verdict::inconclusive);
  CHECK(found(11, "if redis('TTL', self.key) > 5 then return false end") ==
        checker::Verdict::inconclusive);
  CHECK(found(11, "redis('GET', self.key)") == checker::Verdict::holds);
}

TEST_CASE("a fencing token that is made of a clock proves nothing", "[time]") {
  sim::Model model = two_clients(2000, 900);
  model.resource = sim::Resource::fenced;
  const auto fenced_by = [&](const std::string& token) {
    return searched(
               "  if redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) ~= OK then return "
               "false end\n  return true, " +
                   token,
               model, sim::Property::no_lost_update)
        .verdict;
  };
  for (const char* token : {"(millis(now()) + 300) // 1000", "redis('EXPIRETIME', self.key)"}) {
    INFO(token);
    CHECK(fenced_by(token) != checker::Verdict::holds);
  }
  CHECK(fenced_by("redis('INCR', 'fence')") == checker::Verdict::holds);
}

TEST_CASE("an invariant that looks at what a clock has shown proves nothing",
          "[time][many-models]") {
  const auto found = [&](const std::string& condition) {
    const test::TemporaryProtocol folder(
        "time-claims",
        "local Lock = protocol { title = 't', source = 's' }\nfunction Lock:acquire()\n"
        "  self.at = millis(now()) self.tries = (self.tries or 0) + 1\n"
        "  if redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK then return true end\n"
        "  self.left = redis('PTTL', self.key) return false\nend\n"
        "function Lock:release() redis('DEL', self.key) return true end\n"
        "invariant('mine', function(world)\n"
        "  local a, b = world.clients[1].locks.lock or {}, world.clients[2].locks.lock or {}\n"
        "  return " +
            condition + "\nend)\nreturn Lock\n");
    sim::Model model = two_clients(3000, 10'000);
    model.program = std::make_shared<sim::Program>(folder.folder());
    model.properties = {sim::Property::invariant};
    return checker::explore(model, {}).verdict;
  };
  CHECK(found("b.left ~= 8123") != checker::Verdict::holds);
  CHECK(found("not a.at or not b.at or math.abs(a.at - b.at) ~= 2711") != checker::Verdict::holds);
  CHECK(found("tostring(b.left) ~= '8123'") != checker::Verdict::holds);
  CHECK(found("not (world.clients[1].holds.lock and world.clients[2].holds.lock)") ==
        checker::Verdict::holds);
}

TEST_CASE("what is left of a lease is a threshold, of a client and of a script", "[time]") {
  const std::string refused = std::string("  if ") + kSetOrNot + " then return true end\n";
  const std::string guarded = "  local left = redis('PTTL', self.key)\n";
  CHECK(verdict_of(refused + guarded + "  return left > 3 * 7 and left < 24",
                   two_clients(28, 30)) == checker::Verdict::violated);
  CHECK(verdict_of(refused + guarded + "  return left > 31", two_clients(28, 30)) ==
        checker::Verdict::holds);
  CHECK(verdict_of(refused + "  local left = redis('TTL', self.key)\n  return left * 2 == 14",
                   two_clients(9000, 10'000)) == checker::Verdict::violated);
  const std::string script =
      "redis.call(string.lower(ARGV[1]), KEYS[1]) local left = redis.call(ARGV[1], KEYS[1]) "
      "if left > 7 * 3 and left < 24 then return 1 end return 0";
  CHECK(verdict_of(refused + "  return redis('EVAL', '" + script + "', 1, self.key, 'PTTL') == 1",
                   two_clients(28, 30)) == checker::Verdict::violated);
}

TEST_CASE("a lifetime decides also where the key was met without one before", "[time]") {
  // The second client's script is executed before the first one gives the key a lifetime, or after.
  const auto found = [](const std::string& condition) {
    return verdict_of(
        "  if redis('SETNX', self.key, 'x') == 1 then\n"
        "    redis('PEXPIRE', self.key, 60000) return true\n  end\n"
        "  return redis('EVAL', \"local left = redis.call('pttl', KEYS[1]) if " +
            condition + " then return 1 end return 0\", 1, self.key) == 1",
        two_clients(50'000, 10'000));
  };
  CHECK(found("left > 52971 and left < 52975") == checker::Verdict::violated);
  CHECK(found("left > 60000") == checker::Verdict::holds);
}

TEST_CASE("what two keys have left is put together by a script: nothing is claimed", "[time]") {
  // Who is refused goes in if the script likes what it and who is inside have left.
  sim::Model model = two_clients(50'000, 10'000);
  model.server = sim::ServerVersion::redis_7_2;  // where the clock stands still in a script
  const auto found = [&](const std::string& condition) {
    return searched(
        "  if redis('SETNX', self.key, 'x') == 1 then\n"
        "    redis('SET', 'first', 'x', 'PX', 60000) return true\n  end\n"
        "  redis('SET', 'second', 'x', 'PX', 60000)\n"
        "  return redis('EVAL', \"local a, b = redis.call('pttl', KEYS[1]), "
        "redis.call('pttl', KEYS[2]) if " +
            condition + " then return 1 end return 0\", 2, 'first', 'second') == 1",
        model);
  };
  const std::string together =
      GENERATE("a > 0 and b > 0 and b - a > 7021 and b - a < 7025", "a > 0 and a + 7023 == b",
               "a + b > 112971 and a + b < 112975",
               "math.min(a + 7021, b) == a + 7021 and math.min(a + 7025, b) == b and a > 0");
  INFO(together);
  const checker::Result result = found(together);
  CHECK(result.verdict != checker::Verdict::holds);
  CHECK((result.verdict == checker::Verdict::violated || !result.time_gap.empty()));
  CHECK(found("a > 52971 and a < 52975 and b > 3").verdict == checker::Verdict::violated);
  CHECK(found("a > 60000 or b > 60000").verdict == checker::Verdict::holds);
}

TEST_CASE("time goes on while a client measures it alone", "[time]") {
  sim::Model model = two_clients(50'000, 10'000);
  model.processes[0].workload[1].kind = StepKind::work;
  model.processes[1].rounds = 3;
  model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
  const std::string breaking =
      "  if redis('SETNX', self.key, 'x') == 1 then return true end\n"
      "  self.since = self.since or monotonic()\n"
      "  return monotonic() - self.since >= 6 * 13 * 1000";
  CHECK(verdict_of(breaking, model) == checker::Verdict::violated);
  model.budget = {};
  CHECK(verdict_of(breaking, model) == checker::Verdict::holds);
}

TEST_CASE("a timestamp may lie any product of numbers ahead", "[time][many-models]") {
  sim::Model model = two_clients(3000, 10'000);
  model.processes[0].workload[1].kind = StepKind::work;
  model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
  CHECK(verdict_of("  local ends = tostring(millis(now()) + 17 * 2000)\n"
                   "  if redis('SETNX', self.key, ends) == 1 then return true end\n"
                   "  local old = redis('GET', self.key)\n"
                   "  if not old or tonumber(old) > millis(now()) then return false end\n"
                   "  return redis('GETSET', self.key, ends) == old",
                   model) == checker::Verdict::violated);
}

TEST_CASE("a free choice of time may be tight by a sum of durations", "[time]") {
  // A waits for B's end, and then goes on only if a third of its lease is left: enough to settle
  // for 7 ms, but not for that and 12 ms of work.
  sim::Model model;
  model.processes = {timed_client({kTakeIt, {StepKind::work, 0, 12}, kLeaveIt}, 40),
                     timed_client({kTakeIt, {StepKind::work, 0, 12}, kLeaveIt}, 40),
                     timed_client({kTakeIt, {StepKind::work, 0, 36}, kLeaveIt}, 40)};
  model.processes[2].lock_keys = {"gate"};
  const checker::Result result = searched(
      std::string("  local began = monotonic()\n  if not (") + kSetOrNot +
          ") then return false end\n  if self.key ~= 'lock' then return true end\n"
          "  local waited = false\n  return retry(function()\n"
          "    if redis('EXISTS', 'gate') == 1 then sleep(2) self.waited = true return false end\n"
          "    if self.waited then sleep(28) end\n    return true\n  end)",
      model);
  CHECK(result.verdict == checker::Verdict::violated);
}

TEST_CASE("a free choice of time may be tight by a timeout that is still to come", "[time]") {
  // B goes in only if its request is not answered for 7 ms, and finds A's lease of 40 ms over, and
  // A still inside, in the 41st only: if it has begun after 34.
  test::InlineLock lock(
      {"if self.ttl_ms == 500 and pcall(redis, 'PING') then return false end "
       "return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1"});
  lock.model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
  lock.model.request_timeout_ms = 7;
  sim::ProcessSetup& a = lock.model.processes[0];
  sim::ProcessSetup& b = lock.model.processes[1];
  a.lease_ms = 40;
  b.lease_ms = 500;
  b.workload[1].ms = 1;
  for (const std::int64_t work_ms : {40, 41}) {
    a.workload[1].ms = work_ms;
    CHECK(lock.judged(sim::Property::mutual_exclusion) ==
          (work_ms == 40 ? checker::Verdict::holds : checker::Verdict::violated));
  }
}

TEST_CASE("points of time that cannot all be tried are no proof", "[time]") {
  sim::Model model;
  const auto one_try = std::string("  return ") + kSetOrNot;
  for (const std::int64_t lease_ms : {10'007, 20'011, 40'031, 80'039}) {
    model.processes.push_back(timed_client({kTakeIt, {StepKind::work, 0, 5}, kLeaveIt}, lease_ms));
    model.processes.back().rounds = 2;
  }
  const checker::Result result = searched(one_try, model);
  CHECK(result.verdict == checker::Verdict::inconclusive);
  CHECK(result.why_inconclusive.find("durations") != std::string::npos);
}

TEST_CASE("an ordinary lock may fail by a sum of durations", "[time]") {
  // B's request is held back until A works no more, and A's lease has not ended.
  const auto shortest = [](std::int64_t lease_ms, std::int64_t work_ms, const auto& explore) {
    const test::TemporaryProtocol folder(
        "ordinary", std::string("local Lock = protocol { title = 't', source = 's' }\n"
                                "function Lock:acquire() return ") +
                        kSetOrNot +
                        " end\nfunction Lock:release() redis('DEL', self.key) return true end\n"
                        "return Lock\n");
    sim::Model model;
    model.processes = {timed_client({kTakeIt, {StepKind::work, 0, work_ms}, kLeaveIt}, lease_ms),
                       timed_client({kTakeIt, {StepKind::work, 0, work_ms}, kLeaveIt}, lease_ms)};
    model.budget[static_cast<std::size_t>(sim::Fault::delay)] = 1;
    model.program = std::make_shared<sim::Program>(folder.folder());
    model.properties = {sim::Property::mutual_exclusion};
    return explore(model).schedule.size();
  };
  const auto engine = [](const sim::Model& model) { return checker::explore(model, {}); };
  const auto naive = [](const sim::Model& model) {
    return checker::explore_naively(model, {}, {});
  };
  const std::size_t steps = shortest(37, 5, naive);
  REQUIRE(steps > 0);
  CHECK(shortest(37, 5, engine) == steps);
  CHECK(shortest(37'000, 5000, engine) == steps);
}

TEST_CASE("a lifetime that another key has now is no duration of its own", "[time]") {
  for (const char* const move :
       {"redis('RENAME', self.key, 'old')", "redis('COPY', self.key, 'old', 'REPLACE')",
        "redis('SWAPDB', 0, 1)", "redis('MOVE', self.key, 3)"}) {
    CAPTURE(move);
    const checker::Result result = searched(
        std::string("  if ") + kSetOrNot + " then return true end\n  " + move + "\n  return false",
        two_clients(3000, 10'000));
    CHECK(result.verdict == checker::Verdict::holds);
    CHECK(result.statistics.states < 10'000);
  }
}

TEST_CASE("a node's clock that jumps is what its scripts are told", "[time][many-models]") {
  // The value says when the lease ends, by the node's own TIME.
  test::InlineLock lock(
      {"return redis('EVAL', [[local t = redis.call('TIME') "
       "local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
       "if tonumber(redis.call('GET', KEYS[1]) or 0) > ms then return 0 end "
       "redis.call('SET', KEYS[1], ms + ARGV[1]) return 1]], 1, self.key, self.ttl_ms) == 1",
       "return redis('DEL', self.key) == 1"});
  CHECK(lock.judged(sim::Property::mutual_exclusion) == checker::Verdict::holds);
  lock.model = test::with_fault(lock.model, sim::Fault::jump);
  lock.model.jumps_ms = {60};
  CHECK(lock.judged(sim::Property::mutual_exclusion) == checker::Verdict::violated);
}
