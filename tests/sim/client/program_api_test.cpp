// Each function of the client API: what it sends, what it waits for, what it returns.
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

/// A client in the middle of acquire(), whose body is `acquire`.
struct Acquiring {
  Folder folder;
  Client client;
  explicit Acquiring(const std::string& acquire, std::vector<std::string> answers = {},
                     int nodes = 1, const std::map<std::string, std::string>& scripts = {},
                     const std::string& top = "")
      : folder(lock_with(acquire, "return true", top), scripts),
        client(folder.path(), setup(nodes)) {
    client.answers = std::move(answers);
    client.feed(begin());
  }
  static ProcessSetup setup(int nodes) {
    ProcessSetup setup = setup_of({lock(), unlock()}, 2);
    setup.nodes = nodes;
    return setup;
  }
};

/// What log() says when acquire() is `body`.
std::string logged(const std::string& body, std::vector<std::string> answers = {}) {
  Acquiring run(body, std::move(answers));
  std::string text;
  for (const Effect& effect : run.client.step().effects) {
    if (effect.kind == Effect::Kind::log) text += (text.empty() ? "" : "|") + effect.text;
  }
  return text;
}

}  // namespace

TEST_CASE("redis sends strings and numbers as Redis gets them") {
  Acquiring run("redis('SET', 'k', 5, 5.0, 0.1, -1, 1e300)");
  CHECK(told(run.client.step()) ==
        "send 0 SET k 5 5 0.10000000000000001 -1 1.0000000000000001e+300");
  CHECK(waits(run.client.step()) == "0 replies fresh");
  CHECK(run.client.step().tasks[0].in_acquire);
}

TEST_CASE("replies become Lua values") {
  const std::string body = "local r = redis('X') log(type(r) .. ':' .. tostring(r)) return true";
  const auto said = [&](Reply value) {
    Acquiring run(body);
    return run.client.feed(reply(std::move(value))).effects.front().text;
  };
  CHECK(said(Reply::ok()) == "string:OK");
  CHECK(said(Reply::null()) == "nil:nil");
  CHECK(said(Reply::number(-3)) == "number:-3");
  CHECK(said(Reply::bulk("x")) == "string:x");
  CHECK(said(Reply::array({})) == "table:table");
}

TEST_CASE("null in an array is false") {
  Acquiring run("local r = redis('MGET') log(#r .. r[1] .. tostring(r[2]) .. r[3]) return true");
  CHECK(told(run.client.feed(
                 reply(Reply::array({Reply::bulk("a"), Reply::null(), Reply::number(3)}))))
            .starts_with("log 3afalse3"));
}

TEST_CASE("redis errors, connection errors and timeouts are told apart") {
  const std::string body = R"(
    local ok, e = pcall(call, { timeout_ms = 20, "GET", "k" })
    log(tostring(ok) .. " " .. e.kind .. " " .. tostring(e) .. " " .. tostring(e.code))
    return true)";
  const auto said = [&](Observation observation) {
    Acquiring run(body);
    CHECK(waits(run.client.step()) == "0 replies 20 fresh");
    return run.client.feed(std::move(observation)).effects.front().text;
  };
  CHECK(said(reply(Reply::error("WRONGTYPE Operation against"))) ==
        "false redis WRONGTYPE Operation against WRONGTYPE");
  CHECK(said(broken()) == "false connection connection error nil");
  CHECK(said(timeout()) == "false timeout request timed out nil");
}

TEST_CASE("an uncaught error fails the operation") {
  Acquiring run("redis('X') return true");
  CHECK(told(run.client.feed(reply(Reply::error("ERR no")))) == "failed 0 ERR no");
  CHECK(waits(run.client.step()) == "0 idle fresh");
}

TEST_CASE("error, assert and pcall work across waits") {
  Acquiring run(R"(
    local ok, text = pcall(function() sleep(5) error("own") end)
    log(tostring(ok) .. text)
    local ok2, value = pcall(function(a) sleep(6) return a end, 7)
    log(tostring(ok2) .. value)
    assert(false, { kind = "mine" }))");
  CHECK(waits(run.client.step()) == "0 sleep 5 fresh");
  CHECK(told(run.client.feed(timer())) == "log falseprotocol.lua:5: own");
  CHECK(told(run.client.feed(timer())) == "log true7; failed 0 table");
}

TEST_CASE("call names a node from 1") {
  Acquiring run("return call { node = 3, 'GET', 'k' } == 'v'", {}, 3);
  CHECK(told(run.client.step()) == "send 2 GET k");
  CHECK(told(run.client.feed(reply(Reply::bulk("v"), 0, 2))).starts_with("acquired 0"));
}

TEST_CASE("a text has methods, and no fields, as in Lua 5.4") {
  CHECK(logged("log(tostring(('OK')[1]) .. tostring(('OK').err) .. ('ok'):upper()) return true") ==
        "nilnilOK");
  CHECK(logged("log(tostring(pcall(function() return ('OK'):nothing() end))) return true") ==
        "false");
}

TEST_CASE("call_all sends to all at once and waits for all") {
  Acquiring run(R"(
    for _, r in ipairs(call_all { nodes = { 1, 3 }, timeout_ms = 50, "SET", "k", 1 }) do
      log(r.node .. " " .. tostring(r.ok) .. " " .. tostring(r.reply) .. " " .. tostring(r.error))
    end
    return true)",
                {}, 3);
  CHECK(told(run.client.step()) == "send 0 SET k 1; send 2 SET k 1");
  CHECK(waits(run.client.step()) == "0 replies 50 fresh");
  CHECK(told(run.client.feed(reply(Reply::ok(), 0, 2))).empty());
  CHECK(waits(run.client.step()) == "0 replies 50");
  CHECK(told(run.client.feed(timeout()))
            .starts_with("log 1 false nil request timed out; log 3 true OK nil"));
}

TEST_CASE("call_all hears errors of single nodes and asks all by default") {
  Acquiring run("local r = call_all { 'PING' } log(r[1].error.kind .. r[2].error.code) return true",
                {}, 2);
  run.client.feed(broken(0, 0));
  CHECK(told(run.client.feed(reply(Reply::error("ERR x"), 0, 1))).starts_with("log connectionERR"));
}

TEST_CASE("call_all sends each node its own request") {
  Acquiring run(R"(
    local r = call_all { { "SET", "k", 1 }, { node = 3, "DEL", "k" } }
    log(r[1].node .. r[1].reply .. r[2].node .. r[2].reply)
    return true)",
                {}, 3);
  CHECK(told(run.client.step()) == "send 0 SET k 1; send 2 DEL k");
  run.client.feed(reply(Reply::number(1), 0, 2));
  CHECK(told(run.client.feed(reply(Reply::ok(), 0, 0))).starts_with("log 1OK31"));
}

TEST_CASE("call_all asks at each answer whether that is enough, and gives up what is left") {
  Acquiring run(R"(
    call_all { timeout_ms = 50, "PING", enough = function(answers)
      log(tostring(answers[1].reply) .. tostring(answers[2].pending) .. tostring(answers[3].pending))
      return answers[1].ok
    end }
    return true)",
                {}, 3);
  CHECK(told(run.client.feed(reply(Reply::status("PONG"), 0, 1))) == "log nilniltrue");
  CHECK(waits(run.client.step()) == "0 replies 50");
  CHECK(told(run.client.feed(reply(Reply::status("PONG"), 0, 0)))
            .starts_with("log PONGniltrue; gave up 0; acquired 0"));
}

TEST_CASE("call_all waits for all where nothing is enough, and for none after an error") {
  Acquiring run("call_all { 'PING', enough = function() end } return true", {}, 2);
  run.client.feed(reply(Reply::ok(), 0, 0));
  CHECK(told(run.client.feed(reply(Reply::ok(), 0, 1))).starts_with("acquired 0"));
  Acquiring other(
      "log(tostring(pcall(call_all, { 'PING', enough = function() error('x') end }))) return true",
      {}, 2);
  CHECK(told(other.client.feed(reply(Reply::ok(), 0, 0)))
            .starts_with("gave up 0; log false; acquired 0"));
}

TEST_CASE("call_all asks of the last answer, too, whether that is enough") {
  for (const char* const enough : {"true", "false"}) {
    Acquiring run(std::string("local heard = 0 call_all { 'PING', enough = function() heard = "
                              "heard + 1 return ") +
                  enough + " end } log(heard) return true");
    CHECK(told(run.client.feed(reply(Reply::ok(), 0, 0))).starts_with("log 1; acquired 0"));
  }
  Acquiring waiting("call_all { 'PING', enough = function() sleep(1) end } return true");
  CHECK_THROWS_WITH(waiting.client.feed(reply(Reply::ok(), 0, 0)),
                    Catch::Contains("`enough` must not wait"));
}

TEST_CASE("what decides whether answers are enough must not wait") {
  for (const char* wait :
       {"sleep(1)", "redis('GET', 'k')", "mutex():lock() await(spawn(sleep, 1))",
        "semaphore(0):acquire(1)", "retry(function() return false, 1 end, semaphore(0))"}) {
    Acquiring run(
        std::string("call_all { 'PING', enough = function() ") + wait + " end } return true", {},
        2);
    CHECK_THROWS_WITH(run.client.feed(reply(Reply::ok(), 0, 0)),
                      Catch::Contains("`enough` must not wait"));
  }
}

TEST_CASE("a script is sent with its bytes unchanged") {
  const std::string body = "-- \xC3\xA9\r\nreturn\t'\\0'\n\n";
  Acquiring run("return s({ 'a', 'b' }, { 1 }) == 1", {}, 1, {{"s.lua", body}},
                "local s = script 's.lua'");
  CHECK(run.client.step().effects[0].request == Request{"EVAL", body, "2", "a", "b", "1"});
  CHECK(told(run.client.feed(reply(Reply::number(1)))).starts_with("acquired"));
}

TEST_CASE("a script by SHA falls back to its text") {
  const std::string top = "local s = script('s.lua', { sha = true })";
  Acquiring run("return s({ 'k' }) == 1", {}, 1, {{"s.lua", "return 1"}}, top);
  CHECK(told(run.client.step()) == "send 0 EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 k");
  CHECK(
      told(run.client.feed(reply(Reply::error("NOSCRIPT No matching script. Please use EVAL.")))) ==
      "send 0 EVAL return 1 1 k");
  CHECK(told(run.client.feed(reply(Reply::number(1)))).starts_with("acquired"));
}

TEST_CASE("another error of a script by SHA is raised") {
  Acquiring run("return s({ 'k' }) == 1", {}, 1, {{"s.lua", "return 1"}},
                "local s = script('s.lua', { sha = true })");
  CHECK(told(run.client.feed(reply(Reply::error("ERR x")))) == "failed 0 ERR x");
}

TEST_CASE("a script goes to a node with a timeout") {
  Acquiring run("s({}, {}, { node = 2, timeout_ms = 9 })", {}, 2, {{"s.lua", "return 1"}},
                "local s = script 's.lua'");
  CHECK(told(run.client.step()) == "send 1 EVAL return 1 0");
  CHECK(waits(run.client.step()) == "0 replies 9 fresh");
}

TEST_CASE("instants differ by queries, offsets taken out") {
  Acquiring run(R"(
    local a = now()
    local b = now() + 100
    log(tostring(b - a))
    log(tostring(a - 5 < b) .. tostring(a <= b) .. tostring(a == b) .. tostring(a == a))
    return true)",
                {"7", "-7", "-7", "-100"});
  CHECK(told(run.client.step())
            .starts_with("instant wall; instant wall; log 107; log truetruefalsetrue"));
  REQUIRE(run.client.queries.size() == 4);
  CHECK(run.client.queries[0] == Query{Query::Kind::difference, 0, 1, 0});
  CHECK(run.client.queries[1] == Query{Query::Kind::difference, 0, 0, 1});
}

TEST_CASE("equal instants are found equal through their offsets") {
  CHECK(logged("local a = now() local b = now() log(tostring(a + 10 == b)) return true", {"-10"}) ==
        "true");
  CHECK(logged("local a = now() log(tostring(a + 10 - a) .. tostring(10 + a > a)) return true") ==
        "10true");
}

TEST_CASE("millis makes a number of an instant") {
  Acquiring run("log(tostring(millis(now() + 5))) return true", {"1000"});
  CHECK(told(run.client.step()).starts_with("instant wall; log 1005"));
  CHECK(run.client.queries.at(0) == Query{Query::Kind::absolute, 0, 0, 0});
}

TEST_CASE("the monotonic clock is another clock") {
  Acquiring run("local a = monotonic() local b = monotonic() log(tostring(b - a)) return true",
                {"3"});
  CHECK(told(run.client.step()).starts_with("instant monotonic; instant monotonic; log 3"));
}

TEST_CASE("choose branches, but not over one") {
  Acquiring run("log(choose(3) .. choose(1)) return true", {"2", "1"});
  CHECK(told(run.client.step()).starts_with("log 21"));
  CHECK(run.client.queries.at(0) == Query{Query::Kind::choice, 3, 0, 0});
}

TEST_CASE("unique asks for a token each time") {
  Acquiring run("redis('X', unique(), unique())");
  CHECK(told(run.client.step()) == "send 0 X A.1 A.2");
}

TEST_CASE("pcall does not catch a query") {
  Acquiring run("local ok, t = pcall(unique) redis('X', tostring(ok), t)");
  CHECK(told(run.client.step()) == "send 0 X true A.1");
}

TEST_CASE("a spawned task runs, has its own id and locals, and ends") {
  Acquiring run(R"(
    task_local().name = "main"
    local h = spawn(function(a, b)
      log(task_id() .. a .. tostring(b) .. tostring(task_local().name))
      sleep(5)
    end, "x", nil)
    sleep(1)
    log(task_id() .. task_local().name .. tostring(alive(h)))
    sleep(10)
    log(tostring(alive(h)))
    return true)");
  CHECK(waits(run.client.step()) == "0 sleep 1 fresh, 1 runnable fresh");
  CHECK(told(run.client.feed(lockstep::sim::program_test::run(1))) == "log 1xnilnil");
  CHECK(waits(run.client.step()) == "0 sleep 1, 1 sleep 5 fresh");
  CHECK(told(run.client.feed(timer(0))) == "log 0maintrue");
  run.client.feed(timer(1));
  CHECK(waits(run.client.step()) == "0 sleep 10");
  CHECK(told(run.client.feed(timer(0))).starts_with("log false; acquired"));
}

TEST_CASE("an uncaught error of a spawned task ends it alone") {
  Acquiring run("spawn(function() error('x', 0) end) sleep(1) return true");
  CHECK(told(run.client.feed(lockstep::sim::program_test::run(1))) ==
        "log ended by an uncaught error: x");
  CHECK(waits(run.client.step()) == "0 sleep 1");
}

TEST_CASE("stop ends a task; its id is not used again in the same step") {
  Acquiring run(R"(
    local h = spawn(sleep, 100)
    sleep(1)
    stop(h)
    stop(h)
    spawn(sleep, 7)
    log(tostring(alive(h)))
    sleep(1)
    spawn(sleep, 8)
    sleep(1))");
  CHECK(told(run.client.feed(timer(0))) == "log false");
  CHECK(waits(run.client.step()) == "0 sleep 1 fresh, 2 sleep 7 fresh");
  run.client.feed(timer(0));
  CHECK(waits(run.client.step()) == "0 sleep 1 fresh, 1 sleep 8 fresh, 2 sleep 7");
}

TEST_CASE("await waits until one of the tasks has ended, in whichever way, and tells which") {
  using lockstep::sim::program_test::run;
  Acquiring program(R"(
    local slow, quick = spawn(sleep, 9), spawn(sleep, 3)
    log(await(slow, quick))
    log(await(slow, quick))
    stop(slow)
    log(await(slow))
    await(spawn(function() error("x", 0) end))
    return true)");
  CHECK(waits(program.client.step()) == "0 blocked fresh, 1 sleep 9 fresh, 2 sleep 3 fresh");
  program.client.feed(timer(2));
  CHECK(waits(program.client.step()) == "0 runnable fresh, 1 sleep 9");
  CHECK(told(program.client.feed(run(0))) == "log 2; log 2; log 1");
  CHECK(waits(program.client.step()) == "0 blocked fresh, 2 runnable fresh");
  program.client.feed(run(2));
  CHECK(told(program.client.feed(run(0))).starts_with("acquired"));
}

TEST_CASE("who has awaited one of several tasks is not woken by the others") {
  using lockstep::sim::program_test::run;
  Acquiring program("await(spawn(sleep, 9), spawn(sleep, 3)) sleep(50) return true");
  program.client.feed(timer(2));
  program.client.feed(run(0));
  CHECK(waits(program.client.step()) == "0 sleep 50 fresh, 1 sleep 9");
  program.client.feed(timer(1));
  CHECK(waits(program.client.step()) == "0 sleep 50");
}

TEST_CASE("await of several tasks that have ended tells the first in its list") {
  using lockstep::sim::program_test::run;
  Acquiring program(R"(
    local one, other = spawn(function() end), spawn(function() end)
    sleep(1)
    log(await(spawn(sleep, 9), one, other))
    log(await(other, one))
    return true)");
  program.client.feed(run(1));
  program.client.feed(run(2));
  CHECK(told(program.client.feed(timer(0))).starts_with("log 2; log 1"));
}

TEST_CASE("a task can stop itself") {
  Acquiring run("self.h = spawn(function() stop(self.h) log('never') end) sleep(1) return true");
  CHECK(told(run.client.feed(lockstep::sim::program_test::run(1))).empty());
  CHECK(waits(run.client.step()) == "0 sleep 1");
}

TEST_CASE("a mutex is handed over first come first served, and its owner may lock it again") {
  const Folder folder(lock_with(R"(
    local p = self.process
    p.m = p.m or mutex()
    p.m:lock()
    p.m:lock()
    p.m:unlock()
    sleep(1)
    p.m:unlock()
    return true)"));
  Client client(folder.path(), setup_of({lock(), unlock()}, 1, 3));
  client.feed(begin(0));
  client.feed(begin(2));
  client.feed(begin(1));
  CHECK(waits(client.step()) == "0 sleep 1, 1 blocked fresh, 2 blocked");
  client.feed(timer(0));
  CHECK(waits(client.step()) == "0 done fresh, 1 blocked, 2 runnable");
  client.feed(run(2));
  CHECK(waits(client.step()) == "0 done, 1 blocked, 2 sleep 1 fresh");
  client.feed(timer(2));
  client.feed(run(1));
  CHECK(waits(client.step()) == "0 done, 1 sleep 1 fresh, 2 done");
}

TEST_CASE("a table has one mutex of its own") {
  Acquiring run(
      "local p = self.process return mutex(p) == mutex(p) and p.monitor == mutex(p) and "
      "mutex(self) ~= mutex(p) and mutex() ~= mutex()");
  CHECK(told(run.client.step()).starts_with("acquired 0"));
  CHECK_THROWS_WITH(Acquiring("mutex(1) return true"),
                    Catch::Contains("mutex: expected a table or nothing, found 1"));
}

TEST_CASE("unlocking a mutex of somebody else is an error") {
  CHECK(told(Acquiring("mutex():unlock() return true").client.step()) ==
        "failed 0 protocol.lua:4: unlocks a mutex that this task has not locked");
}

TEST_CASE("every runs its function again until it returns false") {
  Acquiring run(
      "self.n = 0 every(10, function() self.n = self.n + 1 log('n' .. self.n) if self.n == 2 then "
      "return false end end) return true");
  CHECK(waits(run.client.step()) == "0 idle fresh, 1 sleep 10");
  CHECK(told(run.client.feed(timer(1))) == "log n1");
  CHECK(waits(run.client.step()) == "0 idle, 1 sleep 10 fresh");
  CHECK(told(run.client.feed(timer(1))) == "log n2");
  CHECK(waits(run.client.step()) == "0 idle");
}

TEST_CASE("self has key, ttl_ms, ttl_s, process and the class's methods") {
  const Folder folder(
      lock_with("log(self.key .. self.ttl_ms .. self.ttl_s .. self:helper() .. "
                "tostring(self.other)) self.process.n = 1 return true",
                "return true", "function Lock:helper() return 'h' .. self.key end"));
  Client client(folder.path(), setup_of({lock(), unlock()}));
  CHECK(told(client.feed(begin())).starts_with("log lock1000010hlocknil; acquired"));
}

TEST_CASE("objects of a process share the process table") {
  const Folder folder(
      lock_with("local p = self.process p.n = (p.n or 0) + 1 log(self.key .. p.n) return true"));
  ProcessSetup setup = setup_of({lock(0), lock(1), unlock(1), unlock(0)});
  setup.lock_keys = {"a", "b"};
  Client client(folder.path(), setup);
  CHECK(told(client.feed(begin())) ==
        "log a1; acquired 0; log b2; acquired 1; releasing 1; released 1 ok; releasing 0; released "
        "0 ok");
}

TEST_CASE("pairs and next go by number, then by name") {
  CHECK(logged(R"(
    local t = { z = 1, a = 2, [10] = 3, [2.5] = 4, [-1] = 5, "one" }
    local keys = {}
    for k in pairs(t) do keys[#keys + 1] = tostring(k) end
    log(table.concat(keys, " "))
    log(tostring(next({})) .. next({ b = 1, a = 1 }) .. tostring(next({ a = 1 }, "a")))
    return true)") == "-1 1 2.5 10 a z|nilanil");
}

TEST_CASE("pairs skips what is removed meanwhile") {
  CHECK(logged("local t = { a = 1, b = 2, c = 3 } local s = '' for k in pairs(t) do t.b = nil s = "
               "s .. k end log(s) return true") == "ac");
}

TEST_CASE("no text has an address in it") {
  CHECK(logged("log(tostring({})) log(tostring(log)) log(string.format('%s %5.1f %d', {}, 1.25, "
               "3)) log(tostring(1.5) .. tostring(nil)) return true") ==
        "table|function|table   1.2 3|1.5nil");
}

TEST_CASE("the rest of the library is there") {
  CHECK(logged("log(('x'):rep(3):upper() .. #table.pack(1, 2) .. math.max(1, 2) .. select('#', 1, "
               "2) .. tonumber('7')) return true") == "XXX2227");
  CHECK(logged("local t = { 3, 1, 2 } table.sort(t) log(table.concat(t)) table.sort(t, function(a, "
               "b) return a > b end) log(table.concat(t)) return true") == "123|321");
}
