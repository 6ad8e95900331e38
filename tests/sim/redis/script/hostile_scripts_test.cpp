// Scripts that mean harm: each must end quickly, with a reply or with one line that says which
// limit it met, and the VM must go on working.
#include <catch2/catch.hpp>
#include <ctime>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"

namespace {

using namespace lockstep::sim;

const std::vector<const char*> kHostile{
    // text that grows
    "return ('x'):rep(1e9)",
    "return ('x'):rep(1e18)",
    "local s = 'x' while true do s = s .. s end",
    "local ok = pcall(function() local s = 'x' while true do s = s:rep(100) end end) return 1",
    "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end return 1",
    "return ('x'):rep(1e6):gsub('x', ('y'):rep(1e6))",
    "return ('x'):rep(1e5):gsub('', ('y'):rep(1e5))",
    "return ('x'):rep(1e6):gsub('x', function(c) return c:rep(1000) end)",
    "return table.concat({('x'):rep(1e6), ('x'):rep(1e6)}, ('y'):rep(6e7))",
    "local t = {} for i = 1, 100 do t[i] = ('x'):rep(1e6) end return table.concat(t)",
    "return ('%99999999d'):format(1)",
    "redis.call('setrange', KEYS[1], 536870911, 'x')",
    "for i = 1, 40 do redis.call('append', KEYS[1], ('x'):rep(2 ^ i)) end",
    "redis.call('setbit', KEYS[1], 4294967295, 1)",
    "for i = 1, 1e5 do redis.call('setbit', i, 4294967295, 1) end",
    "redis.call('set', KEYS[1], ('x'):rep(1e6)) "
    "for i = 1, 1e5 do redis.call('copy', KEYS[1], i) end",
    "for i = 1, 1e5 do redis.call('rpush', KEYS[1], ('x'):rep(1e6)) end",
    // no end
    "while true do end",
    "repeat until false",
    "for i = 1, math.huge do end",
    "local function f() return f() end return f()",
    "while true do pcall(error, 'x') end",
    "local function f() pcall(f) end f()",
    "while true do pcall(function() while true do end end) end",
    "xpcall(function() while true do end end, function() while true do end end)",
    "while true do redis.call('incr', KEYS[1]) end",
    "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x",
    "local t t = setmetatable({}, {__index = function(_, k) return t[k] end}) return t.x",
    "for k in function() return 1 end do end",
    "table.sort({3, 1, 2, 5, 4}, function() while true do end end)",
    "local t = {} for i = 1, 1000 do t[i] = i % 7 end table.sort(t, function() return true end) "
    "return 1",
    // patterns
    "return ('a'):rep(300000):find(('a?'):rep(300) .. ('a'):rep(300) .. 'b')",
    "return ('a'):rep(5000):find('.-.-.-.-.-.-b')",
    "return ('a'):rep(100000):match(('(a*)'):rep(30) .. 'b')",
    "return ('('):rep(100000):find(('%b()'):rep(50))",
    "return ('a'):rep(100000):find('(.*)%1b')",
    "return ('a'):rep(100000):find('[' .. ('b'):rep(100000) .. ']*c')",
    "return (''):find(('('):rep(100))",
    "return ('x'):find(('[x'):rep(1000))",
    "redis.call('set', ('a'):rep(200), 1) return redis.call('keys', ('a*'):rep(30) .. 'b')",
    "redis.call('set', 'a', 1) return redis.call('scan', 0, 'match', ('*?'):rep(600000))",
    // depth
    "local function f() return 1 + f() end return f()",
    "local t = {} for i = 1, 100000 do t = {t} end return t",
    "local t = {} t[1] = t return t",
    "local s = 'x' for i = 1, 100000 do s = {err = s} end error(s)",
    "local f = function() return 1 end for i = 1, 1e5 do local g = f f = function() return 1 + g() "
    "end end return f()",
    "return string.gsub('x', 'x', function() return string.gsub('x', 'x', error) end)",
    "local t = {} for i = 1, 1e5 do t[-i] = i end for i = 1, 1e5 do t.n = #t end return 1",
    "local t = {} for i = 1, 1e5 do t[#t + 1] = i end return #t",
    // size
    "local t = {} for i = 1, 1e9 do t[i] = i end return 1",
    "local t = {} t[1e9] = 1 for i = 1, 1e9 do t[-i] = i end return 1",
    "return unpack({}, 1, 1e8)",
    "return unpack({}, 1, 1e300)",
    "return select('#', unpack({}, 1, 1e6))",
    "return string.char(unpack({}, 1, 1e6))",
    "return redis.call('set', KEYS[1], unpack({}, 1, 7000))",
    "return ('x'):byte(1, -1, 1e9)",
    "return (('x'):rep(1e6)):byte(1, -1)",
};

TEST_CASE("a hostile script ends quickly, and the VM goes on") {
  constexpr double kQuickly = 20.0 * CLOCKS_PER_SEC;  // of this process, sanitizers included
  ScriptVm vm({1'000'000, 16 << 20});
  for (const char* script : kHostile) {
    INFO(script);
    Keyspace keyspace;
    Execution execution{kEpoch, 1, &vm};
    const auto started = std::clock();
    try {
      execute(keyspace, {"EVAL", script, "1", "key"}, execution);
    } catch (const BadInput& refused) {
      const std::string text = refused.what();
      CHECK(text.find('\n') == std::string::npos);
      CHECK(text.size() < 500);
    }
    CHECK(static_cast<double>(std::clock() - started) < kQuickly);
    CHECK(execute(keyspace, {"EVAL", "return 7", "0"}, execution).integer == 7);
  }
}

}  // namespace
