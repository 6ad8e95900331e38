// Scripts on the fake node and on a real redis-server: the seeds' scripts, and Lua 5.1 snippet by
// snippet.
#include <catch2/catch.hpp>

#include "tests/support/twin.hpp"

namespace {

using lockstep::test::Twin;

void expect_alike(Twin& twin, const std::vector<const char*>& lines) {
  for (const char* line : lines) CHECK(twin.run(lockstep::test::split(line)) == "");
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("the seeds' scripts behave as on a real server") {
  Twin twin;
  const std::string compare_and_delete =
      "if redis.call(\"get\",KEYS[1]) == ARGV[1]\nthen\n    return redis.call(\"del\",KEYS[1])\n"
      "else\n    return 0\nend";
  const std::string renew =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire',KEYS[1],ARGV[2]) "
      "else return 0 end";
  const std::string enter =
      "if redis.call('exists' , KEYS[1]) == 0 or redis.call('hexists',KEYS[1],ARGV[1]) == 1 then   "
      "redis.call('hincrby',KEYS[1],ARGV[1],1) redis.call('expire',KEYS[1],ARGV[2])  return 1 else "
      " "
      "return 0 end";
  const std::string leave =
      "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then  return nil elseif "
      "redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then redis.call('del',KEYS[1])  return 1 "
      "else return 0 end";
  const std::vector<lockstep::sim::Request> requests{
      {"SET", "lock", "a", "EX", "10", "NX"},
      {"EVAL", renew, "1", "lock", "a", "300"},
      {"EVAL", renew, "1", "lock", "b", "300"},
      {"EVAL", renew, "1", "lock", "a", "abc"},
      {"PTTL", "lock"},
      {"EVAL", compare_and_delete, "1", "lock", "b"},
      {"EVAL", compare_and_delete, "1", "lock", "a"},
      {"EVAL", compare_and_delete, "1", "lock", "a"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVAL", enter, "1", "h", "thread-2", "300"},
      {"HGETALL", "h"},
      {"EVAL", leave, "1", "h", "thread-2"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"SET", "h", "text"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVALSHA", lockstep::sim::sha1_hex(compare_and_delete), "1", "h", "text"},
      {"EVALSHA", lockstep::sim::sha1_hex("unknown"), "1", "h", "text"},
  };
  for (const auto& request : requests) CHECK(twin.run(request) == "");
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("values go both ways as on a real server") {
  Twin twin;
  expect_alike(twin, {
                         "EVAL 'return 1' 0",
                         "EVAL 'return 3.99' 0",
                         "EVAL 'return -3.99' 0",
                         "EVAL 'return 1/0' 0",
                         "EVAL 'return 0/0' 0",
                         "EVAL 'return' 0",
                         "EVAL 'return nil' 0",
                         "EVAL 'return true' 0",
                         "EVAL 'return false' 0",
                         "EVAL 'return {1,2,{3,\"x\",nil,4}}' 0",
                         "EVAL 'return {1,nil,3}' 0",
                         "EVAL 'return {}' 0",
                         "EVAL 'return {ok=\"fine\"}' 0",
                         "EVAL 'return {err=\"bad\"}' 0",
                         "EVAL 'return {err=5}' 0",
                         "EVAL 'return redis.error_reply(\"MY bad\")' 0",
                         "EVAL 'return redis.error_reply(\"nospace\")' 0",
                         "EVAL 'return redis.error_reply(\"-MY bad\")' 0",
                         "EVAL 'return redis.status_reply(\"x\")' 0",
                         "EVAL 'return redis.status_reply(1)' 0",
                         "EVAL 'return redis.sha1hex(\"\")' 0",
                         "EVAL 'return redis.sha1hex()' 0",
                         "EVAL 'return redis.log(1)' 0",
                         "EVAL 'return redis.setresp(4)' 0",
                         "EVAL 'return KEYS' 2 a b c d",
                         "EVAL 'return ARGV' 2 a b c d",
                         "EVAL 'return 1,2' 0",
                         "EVAL 'return ...' 0",
                         "EVAL 'return redis.call(\"set\",\"k\",1.5)' 0",
                         "EVAL 'return redis.call(\"set\",\"k\",0.1)' 0",
                         "GET k",
                         "EVAL 'return redis.call(\"set\",\"k\",1e17)' 0",
                         "GET k",
                         "EVAL 'return redis.call(\"foo\")' 0",
                         "EVAL 'return redis.pcall(\"foo\")' 0",
                         "EVAL 'return redis.pcall(\"foo\").err' 0",
                         "EVAL 'return redis.call(\"get\")' 0",
                         "EVAL 'return redis.call()' 0",
                         "EVAL 'return redis.call({})' 0",
                         "EVAL 'return redis.call(\"eval\",\"return 1\",0)' 0",
                         "EVAL 'return redis.call(\"script\",\"load\",\"return 1\")' 0",
                         "EVAL 'return redis.call(\"hget\",\"k\",1)' 0",
                         "EVAL 'return {redis.pcall(\"hget\",\"k\",1)}' 0",
                         "EVAL 'return {pcall(redis.call,\"hget\",\"k\",1)}' 0",
                         "EVAL_RO 'return redis.call(\"set\",\"k\",1)' 0",
                         "EVAL_RO 'return redis.call(\"get\",\"k\")' 0",
                         "EVAL 'return redis.call(\"get\",\"none\")' 0",
                         "EVAL 'return redis.call(\"get\",\"none\") == false' 0",
                         "EVAL 'return redis.call(\"type\",\"k\").ok' 0",
                         "EVAL 'return redis.call(\"mget\",\"k\",\"none\",\"k\")' 0",
                         "EVAL 'return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM, "
                         "redis.LOG_WARNING, redis.REPL_ALL}' 0",
                         "EVAL 'return 1' a",
                         "EVAL 'return 1' 1",
                         "EVAL 'return 1' -1",
                         "EVALSHA abc 0",
                         "EVALSHA abc x",
                         "SCRIPT LOAD 'return 1'",
                         "SCRIPT LOAD 'x ='",
                         "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db abc",
                         "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
                         "EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0",
                         "EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
                         "SCRIPT FLUSH x",
                         "SCRIPT FLUSH ASYNC",
                         "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
                         "SCRIPT KILL",
                         "SCRIPT FOO",
                         "SCRIPT LOAD",
                         "SCRIPT",
                         "EVAL 'return 1'",
                     });
}

TEST_CASE("errors are worded as by a real server") {
  Twin twin;
  expect_alike(twin, {
                         "EVAL 'local x return x.y' 0",
                         "EVAL 'local x return x()' 0",
                         "EVAL 'local x = {} return x.y.z' 0",
                         "EVAL 'local x = {} return x.y()' 0",
                         "EVAL 'local x = {} return x:y()' 0",
                         "EVAL 'return KEYS[1] + 1' 0",
                         "EVAL 'return ARGV[1] + 1' 0 abc",
                         "EVAL 'return 1 + ARGV[1]' 0 abc",
                         "EVAL 'local a = \"x\" return a * 2' 0",
                         "EVAL 'local a = \"x\" return -a' 0",
                         "EVAL 'local a return a % 2' 0",
                         "EVAL 'local a return 2 ^ a' 0",
                         "EVAL 'local a return a .. \"x\"' 0",
                         "EVAL 'local a return \"x\" .. a' 0",
                         "EVAL 'local a return \"x\" .. ARGV[1] .. 5' 0",
                         "EVAL 'local a return #a' 0",
                         "EVAL 'return 1 < \"2\"' 0",
                         "EVAL 'return {} < {}' 0",
                         "EVAL 'return nil > 1' 0",
                         "EVAL 'return foo' 0",
                         "EVAL 'foo = 1' 0",
                         "EVAL 'function foo() end' 0",
                         "EVAL 'KEYS = 1' 0",
                         "EVAL 'redis.call = 1' 0",
                         "EVAL 'redis.foo = 1' 0",
                         "EVAL 'rawset(redis, \"x\", 1)' 0",
                         "EVAL 'setmetatable(_G, {})' 0",
                         "EVAL 'print(1)' 0",
                         "EVAL 'error(\"boom\")' 0",
                         "EVAL 'error(\"boom\", 0)' 0",
                         "EVAL 'error(\"boom\", 2)' 0",
                         "EVAL 'error()' 0",
                         "EVAL 'error(5)' 0",
                         "EVAL 'error(true)' 0",
                         "EVAL 'error({err=\"X y\"})' 0",
                         "EVAL 'assert(false)' 0",
                         "EVAL 'assert(false, \"why\")' 0",
                         "EVAL 'assert(redis.call(\"get\",\"none\"), \"why\")' 0",
                         "EVAL 'return {pcall(function() error(\"x\") end)}' 0",
                         "EVAL 'return {pcall(function() local x return x.y end)}' 0",
                         "EVAL 'return {pcall(error, {err=\"x\"})}' 0",
                         "EVAL 'return {xpcall(function() error(\"x\") end, function(e) return "
                         "\"h:\" .. e end)}' 0",
                         "EVAL \"\\n\\nlocal x = nil\\nreturn x.y\" 0",
                         "EVAL \"\\nreturn redis.call('hget')\" 0",
                         "EVAL 'for i=1,\"x\" do end' 0",
                         "EVAL 'for i=nil,2 do end' 0",
                         "EVAL 'for i=1,2,{} do end' 0",
                         "EVAL 'for k in nil do end' 0",
                         "EVAL 'for k in pairs(nil) do end' 0",
                         "EVAL 'local t = {} t[nil] = 1' 0",
                         "EVAL 'return tonumber()' 0",
                         "EVAL 'return select(0)' 0",
                         "EVAL 'return unpack(nil)' 0",
                         "EVAL 'local function f() return g.x end return f()' 0",
                         "EVAL 'local t = nil local function f() return t.x end f()' 0",
                     });
}

TEST_CASE("what does not compile is worded as by a real server") {
  Twin twin;
  expect_alike(twin, {
                         "EVAL 'x =' 0",
                         "EVAL 'return return' 0",
                         "EVAL 'if 1 then' 0",
                         "EVAL \"if 1 then\\n\\n\" 0",
                         "EVAL \"while true do\\nreturn 1\" 0",
                         "EVAL \"local function f(\\n\" 0",
                         "EVAL 'local function f(1) end' 0",
                         "EVAL 'for i do end' 0",
                         "EVAL 'for 1=1,2 do end' 0",
                         "EVAL 'break' 0",
                         "EVAL 'return 1 end' 0",
                         "EVAL 'local x <const> = 1' 0",
                         "EVAL 'return 1 // 2' 0",
                         "EVAL 'return 1 & 2' 0",
                         "EVAL 'return ~1' 0",
                         "EVAL 'return 1 << 2' 0",
                         "EVAL '::x::' 0",
                         "EVAL 'return \"abc' 0",
                         "EVAL \"return 'ab\\nc'\" 0",
                         "EVAL 'return [[abc' 0",
                         "EVAL '--[[abc' 0",
                         "EVAL 'return [==abc' 0",
                         "EVAL 'return 3x' 0",
                         "EVAL 'return 0x' 0",
                         "EVAL 'return 1..2' 0",
                         "EVAL 'return \"\\300\"' 0",
                         "EVAL \"local f = redis\\n(1)\" 0",
                         "EVAL 'f' 0",
                         "EVAL 'f, g' 0",
                         "EVAL 'f() = 1' 0",
                         "EVAL '(f) = 1' 0",
                         "EVAL 'return ;;' 0",
                         "EVAL ';' 0",
                         "EVAL 'local function f() return ... end' 0",
                         "EVAL 'return {1,2' 0",
                         "EVAL \"return {1,\\n2\" 0",
                         "EVAL 'return a.1' 0",
                         "EVAL 'return a:b' 0",
                         "EVAL 'return #' 0",
                         "EVAL 'return 5 5' 0",
                         "EVAL 'return @' 0",
                         "EVAL 'x = \"\\x01\" \x01' 0",
                         "EVAL 'repeat local x until' 0",
                         "EVAL 'function () end' 0",
                         "EVAL 'local 5' 0",
                         "EVAL 'return not' 0",
                         "EVAL 'return 1 +' 0",
                         "EVAL 'goto x' 0",
                     });
}

TEST_CASE("Lua 5.1 means what it means on a real server") {
  Twin twin;
  expect_alike(
      twin,
      {
          "EVAL 'return 10/2 .. \"\"' 0",
          "EVAL 'return 1 .. 2 .. 0.1 .. 1e15 .. 1e100' 0",
          "EVAL 'return tostring(1e15)..\" \"..tostring(2^53)..\" \"..tostring(-0)' 0",
          "EVAL 'return tostring(1/0)..tostring(-1/0)..tostring(0/0)' 0",
          "EVAL 'return tostring(5 % 3)..tostring(-5 % 3)..tostring(5 % -3)..tostring(5.5 % 2)' 0",
          "EVAL 'return tostring(5 % (1/0))..tostring(-5 % (1/0))..tostring(5 % 0)' 0",
          "EVAL 'return tostring(2^10)..tostring(2^0.5)..tostring(-2^2)..tostring(2^-1)' 0",
          "EVAL 'return \"10\" + 5' 0",
          "EVAL 'return \"10\" + \"5\" .. \"\"' 0",
          "EVAL 'return \"0x10\" * 2' 0",
          "EVAL 'return \" 5 \" * 2' 0",
          "EVAL 'return -\"2\" .. \"\"' 0",
          "EVAL 'return \"9223372036854775807\" + \"1\" .. \"\"' 0",
          "EVAL 'return 9007199254740993 .. \"\"' 0",
          "EVAL 'return #\"abc\" .. \"\"' 0",
          "EVAL 'return #ARGV * 2 .. \"\"' 0 a b c",
          "EVAL 'local s = \"\" for i=\"1\",\"3\" do s = s .. i .. \",\" end return s' 0",
          "EVAL 'local s = \"\" for i=3,1,-1 do s = s .. i .. \",\" end return s' 0",
          "EVAL 'local s = \"\" for i=1,2,0.25 do s = s .. i .. \",\" end return s' 0",
          "EVAL 'local s = \"\" for i=1,0 do s = s .. i end return s' 0",
          "EVAL 'local s = 0 for i, v in ipairs(ARGV) do s = s + i * v end return s' 0 1 2 3",
          "EVAL 'local s = \"\" for k, v in pairs({5,6,7}) do s = s .. k .. \"=\" .. v .. \";\" "
          "end return s' 0",
          "EVAL 'local n = 0 for k, v in pairs({a=1,b=2,c=3}) do n = n + v end return n' 0",
          "EVAL 'return next({}) == nil' 0",
          "EVAL 'return {next({7})}' 0",
          "EVAL 'return \"\\x41\\65\\n\"' 0",
          "EVAL 'return \"a\\\\z\"' 0",
          "EVAL \"return [[\\nx\\ny]]\" 0",
          "EVAL 'return [==[x]]y]==]' 0",
          "EVAL 'return 0x1F + 1e2' 0",
          "EVAL 'return tonumber(\"0x1f\") + tonumber(\"  7  \") + tonumber(\"1e1\")' 0",
          "EVAL 'return tonumber(\"ff\", 16) + tonumber(\"777\", 8)' 0",
          "EVAL 'return tostring(tonumber(\"abc\")) .. tostring(tonumber(\"\")) .. "
          "tostring(tonumber(\"1 2\"))' 0",
          "EVAL 'return tostring(tonumber(\"nan\")) .. tostring(tonumber(\"inf\"))' 0",
          "EVAL 'return {tonumber(ARGV[1]) == 5, 5 == \"5\", \"a\" < \"b\", not nil}' 0 5.0",
          "EVAL 'return select(\"#\", 1, nil, nil) .. select(2, \"a\", \"b\", \"c\")' 0",
          "EVAL 'return {select(-1, 1, 2, 3)}' 0",
          "EVAL 'return {unpack({1,2,3}, 2)}' 0",
          "EVAL 'return {unpack({1,2,3}, 2, 5)}' 0",
          "EVAL 'return type(redis) .. type(KEYS) .. type(nil) .. type(1) .. type(type)' 0",
          "EVAL 'local t = setmetatable({}, {__index = function(t, k) return k .. \"!\" end}) "
          "return t.x' 0",
          "EVAL 'local t = setmetatable({}, {__call = function(self, a) return a end}) return "
          "t(4)' 0",
          "EVAL 'local t = setmetatable({}, {__add = function(a, b) return 7 end}) return t + 1' 0",
          "EVAL 'local t = setmetatable({}, {__add = function(a, b) return 7 end}) return \"x\" + "
          "t' 0",
          "EVAL 'local t = setmetatable({}, {__tostring = function() return \"T\" end}) return "
          "tostring(t)' 0",
          "EVAL 'local t = {} t[1] = 1 t[2] = 2 t.n = 3 return #t' 0",
          "EVAL 'local a, b, c = (function() return 1, 2, 3 end)() return {a, b, c}' 0",
          "EVAL 'local function f(...) local a, b = ... return b, a end return {f(1, 2)}' 0",
          "EVAL 'local function f(...) return select(\"#\", ...) end return f(nil, nil)' 0",
          "EVAL 'local i = 0 repeat local j = i i = i + 1 until j == 3 return i' 0",
          "EVAL 'local i = 0 while true do i = i + 1 if i > 5 then break end end return i' 0",
          "EVAL 'do local x = 1 end return 2;' 0",
          "EVAL 'return _G == _G and _G.redis == redis and _VERSION' 0",
          "EVAL 'return rawget(_G, \"foo\") == nil' 0",
          "EVAL 'KEYS[5] = 1 return KEYS[5]' 0",
          "EVAL 'local t = {[1]=\"a\", [2]=\"b\", x=1; 5} return t' 0",
          "EVAL 'return rawequal(KEYS, KEYS)' 0",
          "EVAL 'return 2^2^3 .. \"\"' 0",
          "EVAL 'return (2 .. 3) * 2' 0",
          "EVAL 'return #(\"a\" .. \"bc\") + 1' 0",
          "EVAL 'return -2 % 5 .. \"\" .. 7 % 4 ^ 2' 0",
          "EVAL 'return 1 == 1.0' 0",
          "EVAL 'local t = {} t[1.0] = \"a\" t[2^53] = \"b\" return {t[1], t[9007199254740992]}' 0",
      });
}

}  // namespace
