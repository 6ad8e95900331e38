// Scripts on the fake node and on a real redis-server: the seeds' scripts, and Lua 5.1 snippet by
// snippet.
#include <catch2/catch.hpp>

#include "sim/base/sha1.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::test::Twin;

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

/// Runs a script on an empty fake node.
lockstep::sim::Reply run_script(lockstep::sim::ScriptVm& vm, const std::string& body) {
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm, false};
  return lockstep::sim::execute(keyspace, {"EVAL", body, "0"}, execution);
}

TEST_CASE("a script that meets a limit is bad input, whatever it catches") {
  lockstep::sim::ScriptVm vm({100'000, 4 << 20});
  for (const char* endless :
       {"while true do end", "pcall(function() while true do end end) return 1",
        "xpcall(function() while true do end end, function() return 1 end) return 1",
        "while true do coroutine.wrap(function() while true do end end)() end",
        "local f = coroutine.wrap(function() while true do coroutine.yield() end end) "
        "while true do f() end",
        "local function f() for i = 1, 90 do end end while true do coroutine.wrap(f)() end",
        "loadstring('while true do end')()",
        "return loadstring('return loadstring(\\'while true do end\\')()')()", "repeat until false",
        "local function f() return f() end return f()"}) {
    CHECK_THROWS_WITH(run_script(vm, endless),
                      Catch::Contains("instructions") && Catch::Contains("script "));
  }
  for (const char* greedy :
       {"local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "return ('x'):rep(1e9)",
        "local ok = pcall(string.rep, 'x', 1e9) return 1",
        "local s = 'x' for i = 1, 40 do s = s .. s end return #s",
        "local t = 'x' for i = 1, 60 do t = {t, t} end return cjson.encode(t)",
        "cjson.encode_sparse_array(false, 0) return cjson.encode({[2147483647] = 1})",
        "local t = 'x' for i = 1, 15 do t = {t, t, t, t, t, t} end return cmsgpack.pack(t)",
        "return struct.pack(('d'):rep(1e9))", "return cjson.decode(('[1,'):rep(1e8))"}) {
    CHECK_THROWS_WITH(run_script(vm, greedy), Catch::Contains("memory"));
  }
  CHECK_THROWS_WITH(
      run_script(vm, "local function f() return (coroutine.wrap(f)()) end return f()"),
      Catch::Contains("recursion"));
  CHECK_THROWS_WITH(
      run_script(vm, "local function f() return 1 + f() end return f()"),
      Catch::Contains("recursion") || Catch::Contains("memory") || Catch::Contains("instructions"));
  CHECK_THROWS_WITH(
      run_script(vm, "return ('a'):rep(300000):find(('a?'):rep(300) .. ('a'):rep(300) .. 'b')"),
      Catch::Contains("pattern"));
  CHECK(run_script(vm, "return 7").integer == 7);
}

TEST_CASE("what cannot be run faithfully is refused by name") {
  lockstep::sim::ScriptVm vm;
  const std::vector<std::pair<const char*, const char*>> cases{
      {"return collectgarbage('count')", "collectgarbage"},
      {"return string.dump(pcall)", "dump"},
      {"return collectgarbage('step')", "collectgarbage('step')"},
      {"return tostring({})", "address"},
      {"return #(tostring(pcall) .. tostring({}):rep(2)) .. tostring(type)", "address"},
      {"error(pcall)", "address"},
      {"redis.set_repl(redis.REPL_NONE)", "set_repl"},
      {"local t = {} function t.goto() end", "goto"},
      {"local t = {} return t:goto()", "goto"},
      {"return setmetatable({}, {__mode = 'k'})", "__mode"},
      {"return setmetatable({}, {['__na' .. 'me'] = 'x'})", "__name"},
      {"return setmetatable({}, {__call = {}})", "__call"},
      {"return getmetatable('')", "getmetatable"},
      {"for i = 2, 1, 0 do end", "instructions"},
      {"local t, n = setmetatable({}, {__newindex = rawset}) t[n] = 1", "t[nil]"},
      {"local t, n = {} t[n] = setmetatable(t, {__newindex = rawset})", "t[nil]"},
      {"return next({}, 1)", "next()"},
      {"local t = {} t.x = nil return next(t, 'x')", "next()"},
      {"local t, x = setmetatable({}, {__newindex = 1}) x, t[0 / 0] = 1, 1", "t[nil]"},
      {"local t = {1, 2, 3} for k, v in pairs(t) do t[k + 3] = v; if k > 9 then break end end",
       "visited"},
      {"local t = {x = 1} table.foreach(t, function() t.y = 2 end)", "visited"},
      {"local t = {1, 2, 3} t[2] = nil return #t", "holes"},
      {"local t = {1} t[3] = 3 t[#t + 1] = 2", "holes"},
      {"return unpack({1, nil, 3})", "holes"},
      {"return table.concat({1, nil, 3})", "holes"},
      {"return table.sort({1, nil, 3})", "holes"},
      {"return table.getn({nil, 2})", "holes"},
      {"table.insert({nil, 2}, 1)", "holes"},
      {"table.remove({nil, 2})", "holes"},
      {"local t = {} for i = 1, 20000 do t[i] = i end for i = 1, #t do i = #t end", "large"},
      {"error({})", "crashes"},
      {"error({err = {}})", "crashes"},
      {"local t = setmetatable({}, {__index = error}) return t[3]", "metatable"},
      {"local t = {} t[t] = 1 t[1] = 2 for k in pairs(t) do end", "order"},
      {"local r = {} for k in pairs({a = 1, b = 2}) do r[#r + 1] = k end return r", "order"},
      {"for k in pairs({a = 1, b = 2}) do redis.call('set', 'k', k) end", "order"},
      {"return next({a = 1, b = 2})", "order"},
      {"return cjson.encode({a = 1, b = 2})", "order"},
      {"return cmsgpack.pack({a = 1, b = 2})", "order"},
      {"return {map = {a = 1, b = 2}}", "order"},
      {"return _G['lo' .. 'adstring']('while true do end')()", "name"},
      {"return loadstring('return {1, tostring({})}')()", "address"},
      {"return load(function() return {} end)", "load()"},
      {"return loadstring('for k in pairs({a = 1, b = 2}) do return k end')()", "order"},
      {"return _G['ne' .. 'xt']({a = 1, b = 2})", "name"},
      {"local t = {} t[1] = t return t", "deep"},
  };
  for (const auto& [body, reason] : cases) {
    INFO(body);
    CHECK_THROWS_WITH(run_script(vm, body), Catch::Contains(reason));
    CHECK_THROWS_AS(run_script(vm, body), lockstep::sim::BadInput);
  }
}

TEST_CASE("a script too large for the compiler is refused, with its line") {
  lockstep::sim::ScriptVm vm;
  std::string body = "local a\n";
  for (int i = 0; i < 250; ++i) body += "local v" + std::to_string(i) + "\n";
  CHECK_THROWS_WITH(run_script(vm, body), Catch::Contains("local variables"));
  CHECK_THROWS_WITH(run_script(vm, body), Catch::Contains("user_script:"));
}

TEST_CASE("a script that visits keys in any order is fine if the order makes no difference") {
  lockstep::sim::ScriptVm vm;
  CHECK(run_script(vm,
                   "local n = 0 for k, v in pairs({a = 1, b = 2, c = 3}) do n = n + v end return n")
            .integer == 6);
  CHECK(run_script(vm,
                   "for k, v in pairs({a = 1, b = 2}) do redis.call('incrby', 'n', v) end "
                   "return tonumber(redis.call('get', 'n')) - 1")
            .integer == 2);
}

TEST_CASE("no script sees what another one left") {
  lockstep::sim::ScriptVm vm;
  run_script(vm, "KEYS[1] = 'left' ARGV.x = 1 local t = {} t.y = 1");
  CHECK(run_script(vm, "return KEYS[1]") == lockstep::sim::Reply::null());
  CHECK(run_script(vm, "return ARGV.x") == lockstep::sim::Reply::null());
  CHECK(run_script(vm, "pcall(function() string.leak = 1 end) return string.leak") ==
        lockstep::sim::Reply::null());
  const auto first = run_script(vm, "return tostring(math.random())");
  CHECK(run_script(vm, "return tostring(math.random())") == first);
}

TEST_CASE("the clock stands still while a script runs") {
  lockstep::sim::ScriptVm vm;
  const auto reply =
      run_script(vm,
                 "local a = redis.call('time') for i = 1, 1e5 do end local b = redis.call('time') "
                 "return a[1] == b[1] and a[2] == b[2]");
  CHECK(reply.integer == 1);
}

/// The text of a script's reply on an empty node that imitates `version`.
std::string answer(lockstep::sim::ServerVersion version, const std::string& body) {
  lockstep::sim::ScriptVm vm({}, version);
  return run_script(vm, body).text;
}

// The numbers for 7.2 are those that its users have seen; there is no such server for the tests.
TEST_CASE("numbers go to redis.call as the imitated Redis writes them") {
  using enum lockstep::sim::ServerVersion;
  const auto echoed = [](lockstep::sim::ServerVersion version, const char* number) {
    return answer(version, std::string("return redis.call('echo', ") + number + ")");
  };
  CHECK(echoed(redis_7_0, "1e17") == "1e+17");
  CHECK(echoed(redis_7_0, "0.1") == "0.10000000000000001");
  CHECK(echoed(redis_7_0, "2^63") == "9.2233720368547758e+18");
  CHECK(echoed(redis_7_2, "1e17") == "100000000000000000");
  CHECK(echoed(redis_7_2, "0.1") == "0.1");
  CHECK(echoed(redis_7_2, "-1.5") == "-1.5");
  CHECK(echoed(redis_7_2, "2^63") == "9223372036854776000");
  CHECK(echoed(redis_7_2, "1e20") == "1e+20");
  CHECK(echoed(redis_7_2, "1e-7") == "1e-7");
  CHECK(echoed(redis_7_2, "30000 / 7") == "4285.714285714285");
  CHECK(echoed(redis_7_2, "0") == "0");
}

TEST_CASE("what 7.2 has beside 7.0 is refused by name, also in a script") {
  lockstep::sim::ScriptVm vm({}, lockstep::sim::ServerVersion::redis_7_2);
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm, false};
  execution.mode.version = lockstep::sim::ServerVersion::redis_7_2;
  const auto run = [&](const lockstep::sim::Request& request) {
    return lockstep::sim::execute(keyspace, request, execution);
  };
  CHECK_THROWS_WITH(run({"WAITAOF", "0", "0", "0"}), Catch::Contains("'waitaof'"));
  CHECK_THROWS_WITH(run({"ZRANK", "z", "m", "WITHSCORE"}), Catch::Contains("'zrank'"));
  CHECK_THROWS_WITH(run({"EVAL", "return redis.pcall('waitaof', 0, 0, 0)", "0"}),
                    Catch::Contains("'waitaof'"));
  CHECK(run({"ZRANK", "z", "m"}) == lockstep::sim::Reply::null());
  execution.mode.version = lockstep::sim::ServerVersion::redis_7_0;
  CHECK_THAT(run({"WAITAOF", "0", "0", "0"}).text, Catch::Contains("unknown command"));
}

TEST_CASE("scripts of 7.2 may call commands that wait, and do not wait") {
  using enum lockstep::sim::ServerVersion;
  const char* pop = "local r = redis.call('blpop', 'k', 0) return tostring(r)";
  CHECK_THAT(answer(redis_7_0, pop), Catch::Contains("not allowed from script"));
  CHECK(answer(redis_7_2, pop) == "false");
  CHECK(answer(redis_7_2, "return tostring(redis.call('wait', 0, 0))") == "0");
  CHECK(answer(redis_7_2, "return redis.REDIS_VERSION") == "7.2.6");
  CHECK(answer(redis_7_0, "return redis.REDIS_VERSION") == "7.0.15");
}

/// Loads the library and calls its function f with a key.
lockstep::sim::Reply call_f(const std::string& library) {
  lockstep::sim::ScriptVm vm;
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm, false};
  const auto loaded =
      lockstep::sim::execute(keyspace, {"FUNCTION", "LOAD", "#!lua name=a\n" + library}, execution);
  REQUIRE_FALSE(loaded.is_error());
  return lockstep::sim::execute(keyspace, {"FCALL", "f", "1", "k"}, execution);
}

TEST_CASE("a function that changes what its library keeps is refused") {
  for (const char* keeping :
       {"local n = 0 redis.register_function('f', function() n = n + 1 return n end)",
        "local t = {} redis.register_function('f', function(k) t[k[1]] = 1 end)",
        "local t = {} redis.register_function('f', function() table.insert(t, 1) end)",
        "local t = {1} redis.register_function('f', function() t[1] = nil end)",
        "local t = {{}} redis.register_function('f', function() t[1].x = 1 end)",
        "local t = {} redis.register_function('f', function() setmetatable(t, {}) end)",
        "local t = {} redis.register_function('f', function() t.x = 1 error('but it stays') end)",
        "local t = {} local function g() return t end "
        "redis.register_function('f', function() g().x = 1 end)",
        "local function make() local n = 0 return function() n = n + 1 return n end end "
        "local count = make() redis.register_function('f', function() return count() end)",
        "local key = {} local t = {[key] = {}} "
        "redis.register_function('f', function() t[key].x = 1 end)",
        "local t = {} redis.register_function('f', function() t.json = cjson.new() end)",
        "local words = ('a b'):gmatch('%a') redis.register_function('f', function() return words() "
        "end)"}) {
    INFO(keeping);
    CHECK_THROWS_WITH(call_f(keeping), Catch::Contains("from one call to the next"));
  }
  CHECK_THROWS_WITH(
      call_f("redis.register_function('f', function() cjson.encode_max_depth(3) end)"),
      Catch::Contains("cjson"));
}

TEST_CASE("a function that leaves as it was what its library keeps runs") {
  for (const char* fine :
       {"local n = 5 redis.register_function('f', function() return n end)",
        "local nan = 0/0 local t = {nan, x = {2}} "
        "redis.register_function('f', function() t.y = 1 t.y = nil return t.x[1] + 3, nan end)",
        "local function g() local t = {} t[1] = 5 return t[1] end "
        "redis.register_function('f', function(keys) keys[2] = 1 return g() end)",
        "redis.register_function('f', function(keys, args) table.insert(args, 5) return args[1] "
        "end)"}) {
    INFO(fine);
    CHECK(call_f(fine) == lockstep::sim::Reply::number(5));
  }
}

TEST_CASE("a library that does not come to its end is refused") {
  lockstep::sim::ScriptVm vm;
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm, false};
  const auto reply = lockstep::sim::execute(
      keyspace, {"FUNCTION", "LOAD", "#!lua name=a\nlocal function f() return f() end f()"},
      execution);
  CHECK(reply.text == "ERR Error registering functions: ERR FUNCTION LOAD timeout");
  CHECK(keyspace.libraries.empty());
}

TEST_CASE("keyspaces with different libraries are different") {
  lockstep::sim::Keyspace one;
  lockstep::sim::Keyspace other;
  other.libraries["a"] = "code";
  CHECK_FALSE(one == other);
  CHECK(lockstep::sim::encode(one) != lockstep::sim::encode(other));
}

}  // namespace
