// What a person can do wrong in a protocol: one clear line with the place.
#include <fstream>

#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// The complaint about a protocol whose acquire() has `body` from line 4 on.
std::string of_acquire(const std::string& body) { return complaint(lock_with(body)); }

}  // namespace

TEST_CASE("a folder that is no protocol") {
  CHECK_THROWS_WITH(Program("/nowhere/at-all"), "/nowhere/at-all: no such protocol folder");
  const Folder folder("x");
  std::filesystem::remove(folder.path() / "protocol.lua");
  CHECK_THROWS_WITH(Program(folder.path()), Contains("no protocol.lua in this folder"));
}

TEST_CASE("a file that is no protocol") {
  CHECK(complaint("local x = = 1") == "protocol.lua:1: unexpected symbol near '='");
  CHECK(complaint("return {}") ==
        "protocol.lua: never calls protocol { ... }; expected `local Lock = protocol { title = "
        "\"...\" }`");
  CHECK_THAT(complaint("protocol {} return 5"),
             StartsWith("protocol.lua: returns 5; expected the table"));
  CHECK_THAT(complaint("protocol {}"), StartsWith("protocol.lua: returns nil; expected the table"));
  CHECK(complaint(
            "local L = protocol {}\nfunction L:aquire() end\nfunction L:release() end\nreturn L") ==
        "protocol.lua: has no acquire(); expected `function Lock:acquire()` (did you mean "
        "`aquire`?)");
  CHECK(complaint("local L = protocol {}\nfunction L:acquire() end\nreturn L") ==
        "protocol.lua: has no release(); expected `function Lock:release()`");
  CHECK(complaint("local L = protocol { titel = 'x' }") ==
        "protocol.lua:1: protocol: unknown field `titel`; expected title, source, leases, "
        "permanent, shared_connection, greets, server, keyspace_events, tracking, nodes, replicas, "
        "quorum, "
        "permits, settings "
        "(did you mean `title`?)");
  CHECK(complaint("local L = protocol { permits = 0 }") ==
        "protocol.lua:1: protocol: permits is 0; expected a whole number from 1 to 64");
  CHECK_THAT(complaint("local L = protocol { permits = 2 }\nfunction L:acquire() end\n"
                       "function L:release() end\nfunction L:acquire_shared() end\n"
                       "function L:release_shared() end\nreturn L"),
             StartsWith("protocol.lua: permits are of a lock without acquire_shared()"));
  CHECK(complaint("local L = protocol { server = 'redis-8' }") ==
        "protocol.lua:1: protocol: server must be one of redis-7.0, redis-7.2, redis-8.0, "
        "redis-8.4, valkey-8.1, valkey-9 (did you mean `redis-8.0`?)");
  for (const std::string wrong : {"'Kq'", "1", "true", "{}"})
    CHECK(complaint("local L = protocol { keyspace_events = " + wrong + " }") ==
          "protocol.lua:1: protocol: keyspace_events must be letters of Ag$lshzxeKEtmdn, such as "
          "\"Ex\"");
  CHECK_THAT(complaint("local L = protocol { leases = 'x' }"),
             StartsWith("protocol.lua:1: protocol: leases must be a list of strings"));
  CHECK_THAT(complaint("local L = protocol { leases = { '{key}', 'lk:*' } }"),
             StartsWith("protocol.lua:1: protocol: leases: \"lk:*\" is the name of a key, not"));
  CHECK_THAT(complaint("\nprotocol {} protocol {}"),
             StartsWith("protocol.lua:2: protocol: called twice"));
  CHECK(complaint("\nlocal x = nil + 1") ==
        "protocol.lua:2: attempt to perform arithmetic on a nil value");
}

TEST_CASE("a script that is not there") {
  const Folder folder("local s = script 'relaese.lua'", {{"release.lua", "return 1"}});
  CHECK_THROWS_WITH(Program(folder.path()),
                    Contains("protocol.lua:1: script: no file \"relaese.lua\" beside protocol.lua "
                             "(did you mean `release.lua`?)"));
  CHECK_THAT(complaint("local s = script '../x.lua'"), Contains("no file"));
}

TEST_CASE("what could differ between two runs is not there") {
  CHECK_THAT(of_acquire("local t = os.time()"),
             StartsWith("protocol.lua:4: `os` is not available: "));
  for (const char* name : {"os", "io", "require", "load", "dofile", "collectgarbage", "print",
                           "debug", "coroutine", "setmetatable", "rawset"}) {
    CHECK_THAT(complaint(lock_with("", std::string("\n\n") + name + "()")),
               StartsWith(std::string("protocol.lua:9: `") + name + "` is not available: "));
  }
  CHECK_THAT(of_acquire("local t = math.random()"),
             StartsWith("protocol.lua:4: `math.random` is not available: use choose(n)"));
  CHECK_THAT(of_acquire("local m = math\nlocal t = m.random()"),
             StartsWith("protocol.lua:5: `math.random` is not available: use choose(n)"));
  CHECK_THAT(of_acquire("string.dump(log)"),
             StartsWith("protocol.lua:4: `string.dump` is not available"));
  CHECK_THAT(of_acquire("log(string.format('%-5p', {}))"),
             StartsWith("protocol.lua:4: string.format: %p is not available"));
  CHECK_THAT(of_acquire("for k in pairs({ [true] = 1 }) do end"),
             StartsWith("protocol.lua:4: pairs and next go through"));
  CHECK_THAT(of_acquire("local t = {} for i = 1, 200 do t[i] = i end table.sort(t)"),
             StartsWith("protocol.lua:4: table.sort: at most 100"));
}

TEST_CASE("a name of one's own may be called like one that is not available") {
  CHECK(of_acquire("local load = 5 local t = { print = 1 } log(t.print .. load) return true")
            .empty());
  CHECK(complaint(lock_with("-- os.time()\nreturn ('os.time()' .. [[io]]) ~= ''")).empty());
}

TEST_CASE("unknown names and assigned globals") {
  CHECK(of_acquire("return rediss('GET') == OK") ==
        "protocol.lua:4: `rediss` is not defined (did you mean `redis`?)");
  CHECK_THAT(of_acquire("\ncount = 1"),
             StartsWith("protocol.lua:5: assigns to the global `count` while a process runs"));
  CHECK_THAT(of_acquire("string.x = 1"),
             StartsWith("protocol.lua:4: assigns to field `x` of a library table"));
  CHECK_THAT(of_acquire("pcall(function() nothing() end) return true"),
             StartsWith("protocol.lua:4: `nothing` is not defined"));
}

TEST_CASE("the API says what it expects, with the line") {
  CHECK(of_acquire("redis('SET', nil)") ==
        "protocol.lua:4: redis: argument 2 is nil; expected a string or a number");
  CHECK(of_acquire("redis('SET', {})") ==
        "protocol.lua:4: redis: argument 2 is table; expected a string or a number");
  CHECK(of_acquire("redis('SET', now())") ==
        "protocol.lua:4: redis: argument 2 is instant; expected a string or a number; use "
        "millis(instant) to send a time");
  CHECK_THAT(of_acquire("redis()"), StartsWith("protocol.lua:4: redis: expected a command"));
  CHECK_THAT(of_acquire("call { node = 2, 'GET' }"),
             StartsWith("protocol.lua:4: there is no node 2; this run has node 1 only"));
  CHECK_THAT(of_acquire("call { timeout = 2, 'GET' }"),
             StartsWith("protocol.lua:4: call: unknown field `timeout`"));
  CHECK_THAT(of_acquire("call_all { nodes = { 1, 1 }, 'GET' }"),
             StartsWith("protocol.lua:4: call_all: nodes must be a list of different"));
  CHECK_THAT(of_acquire("call_all { { 'GET', 'k' }, { node = 1, 'GET', 'k' } }"),
             StartsWith("protocol.lua:4: call_all: two requests to one node"));
  CHECK_THAT(of_acquire("call_all { nodes = { 1 }, { 'GET', 'k' } }"),
             StartsWith("protocol.lua:4: call_all: each request says its node"));
  CHECK_THAT(of_acquire("call_all { { 'GET', 'k' }, 'GET' }"),
             StartsWith("protocol.lua:4: call_all: request 2 is GET; expected a table"));
  CHECK_THAT(of_acquire("call_all { enough = 2, 'GET', 'k' }"),
             StartsWith("protocol.lua:4: call_all: enough is 2; expected a function"));
  CHECK_THAT(of_acquire("sleep(10 / 3)"),
             StartsWith("protocol.lua:4: sleep: expected whole milliseconds, found 3.33"));
  CHECK_THAT(of_acquire("every(0, log)"),
             StartsWith("protocol.lua:4: every: expected whole milliseconds of at least 1"));
  CHECK_THAT(of_acquire("spawn(5)"), StartsWith("protocol.lua:4: spawn: expected a function"));
  CHECK_THAT(of_acquire("retry(5)"), StartsWith("protocol.lua:4: retry: expected a function"));
  CHECK_THAT(of_acquire("retry(log, 0.5)"),
             StartsWith("protocol.lua:4: retry: expected a pause of at least 1"));
  for (const char* pause : {"retry(function() return false, 0.5 end, semaphore(0))",
                            "return retry(function() return false, -1 end, semaphore(0))"})
    CHECK_THAT(of_acquire(pause), StartsWith("protocol.lua:4: retry: expected as second result"));
  CHECK_THAT(of_acquire("choose(0)"),
             StartsWith("protocol.lua:4: choose: expected a whole number from 1"));
  CHECK_THAT(of_acquire("stop(1)"), StartsWith("protocol.lua:4: stop: expected a task handle"));
  CHECK_THAT(of_acquire("lost(5)"),
             StartsWith("protocol.lua:4: lost: expected the protocol object"));
  CHECK_THAT(of_acquire("millis(5)"), StartsWith("protocol.lua:4: millis: expected an instant"));
  CHECK_THAT(of_acquire("millis(monotonic())"),
             StartsWith("protocol.lua:4: millis: a monotonic clock has no Unix time"));
  CHECK_THAT(of_acquire("return now() < monotonic()"),
             StartsWith("protocol.lua:4: compares an instant of now() with one of monotonic()"));
  CHECK_THAT(of_acquire("return now() < 5"),
             StartsWith("protocol.lua:4: compares an instant with something else"));
  CHECK_THAT(of_acquire("return now() + 0.5"),
             StartsWith("protocol.lua:4: adds 0.5 to an instant"));
  CHECK_THAT(of_acquire("return true, {}"),
             StartsWith("protocol.lua:3: acquire's second result, the fencing token, is table"));
  CHECK_THAT(of_acquire("table.sort({ 2, 1 }, function() sleep(1) end)"),
             StartsWith("protocol.lua:4: waits inside a function that a library"));
  CHECK_THAT(complaint("local x = redis('GET')"),
             StartsWith("protocol.lua:1: redis: only while a process runs"));
  CHECK_THAT(complaint("local x = unique()"),
             StartsWith("protocol.lua:1: unique: only while a process runs"));
  CHECK_THAT(of_acquire("script('x')"),
             StartsWith("protocol.lua:4: script: only at the top of the file"));
}

TEST_CASE("putting an instant into text is an ordinary error") {
  const Folder folder(lock_with("return 'x' .. now()"));
  Client client(folder.path(), setup_of({lock(), unlock()}));
  CHECK(told(client.feed(begin())) ==
        "instant wall; failed 0 protocol.lua:4: attempt to concatenate a instant value");
}

TEST_CASE("ttl_s needs a lease of whole seconds") {
  const Folder folder(lock_with("return self.ttl_s > 0"));
  ProcessSetup setup = setup_of({lock(), unlock()});
  setup.lease_ms = 1500;
  Client client(folder.path(), setup);
  CHECK_THROWS_WITH(
      client.feed(begin()),
      Contains("protocol.lua:4: ttl_s: the lease of 1500 ms is not a whole number of seconds"));
}

TEST_CASE("state hidden in the module is found") {
  const auto hidden = [](const std::string& top, const std::string& acquire) {
    return complaint(lock_with(acquire, "return true", top));
  };
  CHECK_THAT(hidden("local count = 0", "count = count + 1 return true"),
             StartsWith("protocol.lua:3: upvalue `count` of the function defined here changed"));
  CHECK_THAT(hidden("local cache = {}", "cache.x = 1 return true"),
             StartsWith("protocol.lua: field of `cache` `x` changed"));
  CHECK_THAT(hidden("local cache = { deep = { 1 } }", "table.remove(cache.deep) return true"),
             Contains("`1` changed"));
  CHECK_THAT(hidden("", "Lock.held = true return true"),
             StartsWith("protocol.lua: field of the protocol `held` changed"));
  CHECK_THAT(hidden("global = 1", "global = 2 return true"),
             StartsWith("protocol.lua: global `global` changed"));
  CHECK_THAT(
      hidden("local function f() local n = 0 return function() n = n + 1 end end local g = f()",
             "g() return true"),
      StartsWith("protocol.lua:2: upvalue `n`"));
  CHECK(hidden("local limits = { 1, 2 }", "return limits[1] == 1").empty());
}

TEST_CASE("hidden state is put back: the next run finds none") {
  const Folder folder(
      lock_with("count = (count or 0) cache[1] = count log('c' .. count) count = count + 1 "
                "unique() return true",
                "return true", "local count local cache = {}"));
  const Program program(folder.path());
  const ProcessSetup setup = setup_of({lock(), unlock()});
  const std::vector<int> none{0};
  const std::string start = program.initial(setup, none);
  std::vector<Observation> path{begin()};
  CHECK_THROWS_WITH(program.run(setup, start, path), Contains("upvalue `count`"));
  path[0].answers = {token_text({0, 1})};
  CHECK_THROWS_WITH(program.run(setup, start, path), Contains("upvalue `count`"));
}

TEST_CASE("what is no plain data is refused where it is kept") {
  CHECK_THAT(of_acquire("self.words = ('a b'):gmatch('%a') return true"),
             StartsWith("protocol.lua: self.words holds an iterator, which is not plain data"));
  CHECK_THAT(of_acquire("self.t = { x = { [{}] = 1 } } return true"),
             StartsWith("protocol.lua: self.t.x has keys that are neither"));
  CHECK_THAT(
      of_acquire("local it = ('a b'):gmatch('%a')\nevery(5, function() it() end) return true"),
      StartsWith("protocol.lua:5: upvalue `it` of the function defined here holds an iterator"));
  CHECK_THAT(of_acquire("local t = {} for i = 1, 150 do t = { t } end self.t = t return true"),
             Contains("nests more than 100 deep"));
  CHECK_THAT(of_acquire("self.key = 'other' return true"),
             Contains("changes self.key, which is fixed"));
}

TEST_CASE("loops that never come to an end are reported") {
  const ProgramLimits limits{30'000, 2 << 20};
  CHECK(complaint(lock_with("while true do end"), limits) ==
        "protocol.lua:4: ran 30000 instructions without waiting for anything");
  CHECK(complaint(lock_with("while true do pcall(function() while true do end end) end"), limits) ==
        "protocol.lua:4: ran 30000 instructions without waiting for anything");
  const std::string endless = "protocol.lua:4: ran 30000 instructions without waiting for anything";
  for (const char* loop :
       {"table.move({ 1 }, 1, 1e9, 2)", "(''):rep(1e9)",
        "local t = {} for i = 1, 9000 do t[i] = i end",
        "local t = table.move({ 1 }, 1, 1, 9000) while true do table.insert(t, 1, 0) end",
        "return ('a'):rep(300):find('.-.-.-.-.-.-.-.-b') == nil",
        "return ('a'):rep(300):gsub('(.*)(.*)(.*)(.*)(.*)%1b', '') == nil",
        "for word in ('a'):rep(300):gmatch('%g*%g*%g*%g*%g*b') do end",
        "return ('\\0'):rep(300):match('\\0*\\0*\\0*\\0*\\0*b') == nil",
        "return ('a'):rep(9000):find(('a'):rep(4000) .. 'b', 1, true) == nil",
        "local s = ('a'):rep(500000) for i = 1, 50 do s = s:upper() end"}) {
    INFO(loop);
    CHECK(complaint(lock_with(loop), limits) == endless);
  }
  CHECK(complaint(lock_with("local s = '0f8fad5b-d9cb-469f-a165-70867728950e' "
                            "assert(s:match('^(%x+)-(%x+)-(%x+)-(%x+)-(%x+)$') == '0f8fad5b') "
                            "assert(s:find('.-.-.-.-.-.-.-.-b', 1, true) == nil) "
                            "return redis('GET', s:gsub('%-', ''))"),
                  limits) == "");
  CHECK(complaint("while true do end", limits) ==
        "protocol.lua:1: ran 30000 instructions without waiting for anything");
  CHECK(complaint(lock_with("local t = {}\nwhile true do t[#t + 1] = ('x'):rep(10000) .. #t end"),
                  limits) == "protocol.lua:5: needed more than 2097152 bytes of memory");
  CHECK_THAT(complaint(lock_with("while true do pcall(string.rep, 'x', 1 << 30) end"), limits),
             Contains("needed more than 2097152 bytes"));
  CHECK_THAT(of_acquire("\nwhile true do redis('GET') end"),
             StartsWith("protocol.lua:5: waited 2000 times without coming to an end"));
  CHECK_THAT(of_acquire("local ok = retry(function()\nredis('GET') end)"),
             Contains("`return retry(function() ... end)`"));
  CHECK_THAT(
      of_acquire("return retry(function() end)"),
      StartsWith(
          "protocol.lua:4: retry: this function returned no true value and waited for nothing"));
  CHECK_THAT(of_acquire("local x = retry(function() end)"),
             StartsWith("protocol.lua:4: retry: its function returned no true value"));
  CHECK_THAT(of_acquire("return retry(function() spawn(sleep, 1) sleep(1) end)"),
             StartsWith("protocol.lua:4: too many tasks"));
}

TEST_CASE("endless recursion is reported") {
  const std::string text = of_acquire("local function f() return 1 + f() end return f()");
  CHECK_THAT(text, StartsWith("protocol.lua:4: needed more than"));
}

TEST_CASE("the limits are per wait, not per run") {
  const Folder folder(
      lock_with("for i = 1, 20 do sleep(1) for j = 1, 10000 do end end return true"));
  Client client(folder.path(), setup_of({lock(), unlock()}), true, {50'000, 2 << 20});
  client.feed(begin());
  for (int count = 0; count < 20; ++count) client.feed(timer());
  CHECK(waits(client.step()) == "0 done fresh");
}

TEST_CASE("a failed run leaves the program as it was") {
  const Folder folder(lock_with("if redis('X') == OK then while true do end end return true"));
  Client client(folder.path(), setup_of({lock(), unlock()}), false, {50'000, 2 << 20});
  client.feed(begin());
  CHECK_THROWS_AS(client.feed(reply(Reply::ok())), BadInput);
  const std::vector<Observation> path{begin(), reply(Reply::null())};
  CHECK(
      told(client.program().run(client.setup(), client.snapshot(), path)).starts_with("acquired"));
}

TEST_CASE("what the text says: fingerprint, titles") {
  const Folder folder(
      "local L = protocol { title = 'T', source = 'S' } local s = script 's.lua'\n"
      "function L:acquire() end function L:release() end return L",
      {{"s.lua", "return 42 --[[ 43 ]]"}});
  const Program program(folder.path());
  CHECK(program.title() == "T");
  CHECK(program.source() == "S");
  CHECK(program.fingerprint() == Program(folder.path()).fingerprint());
  std::ofstream(folder.path() / "s.lua", std::ios::app) << " ";
  CHECK(program.fingerprint() != Program(folder.path()).fingerprint());
}

TEST_CASE("await takes handles of other tasks") {
  CHECK_THAT(of_acquire("await()"), Contains("await: expected one task handle or more"));
  CHECK_THAT(of_acquire("await(7)"), Contains("await: expected a task handle, found 7"));
}
