// Boundaries: where a process is plain data, equal states are equal bytes, and a run from the bytes
// goes on as the process itself.
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

/// Feeds the same observations to a client that is re-based at boundaries and to one that replays
/// its whole life; both must say the same at each step, and stand at the same boundaries.
void same_either_way(const std::string& protocol, const ProcessSetup& setup,
                     const std::vector<Observation>& path) {
  const Folder folder(protocol);
  Client rebased(folder.path(), setup, true), replayed(folder.path(), setup, false);
  for (const Observation& observation : path) {
    const Step a = rebased.feed(observation), b = replayed.feed(observation);
    CHECK(told(a) == told(b));
    CHECK(waits(a) == waits(b));
    CHECK(a.boundary.has_value() == b.boundary.has_value());
    CHECK(rebased.boundary() == replayed.boundary());
  }
}

std::string state_after(const std::filesystem::path& folder, const ProcessSetup& setup,
                        const std::vector<Observation>& path) {
  Client client(folder, setup);
  for (const Observation& observation : path) client.feed(observation);
  REQUIRE(client.step().boundary);
  return client.boundary();
}

const std::string kRetrying = R"(
    self.tries = nil
    return retry(function()
      if redis('GET') == OK then return true, 9 end
      sleep(5)
    end))";

const std::string kEverything = lock_with(R"(
    if not self.t then
      self.t = { 1, 2.5, -1e300, "a\0b\1c", true, { deep = { deeper = {} } } }
      self.t.self = self
      self.t.cycle = self.t
      self.t.process = self.process
      self.ok, self.e = pcall(redis, "X")
      self.m = mutex()
      self.m:lock()
      self.h = spawn(function() end)
      self.f = string.format
      self.start = now()
      self.later = self.start + 5
      task_local().n = 3
    else
      local t = self.t
      local bytes = #t[4] .. t[4]:byte(2) .. t[4]:byte(4)
      log(t[2] .. ' ' .. t[3] .. ' ' .. bytes .. tostring(t[5]) .. type(t[6].deep.deeper))
      log(tostring(t.self == self) .. tostring(t.cycle == t) .. tostring(t.process == self.process))
      log(tostring(self.e) .. self.e.kind .. tostring(self.e.code))
      log(tostring(alive(self.h)) .. self.f('%d', 3) .. (self.later - self.start) .. task_local().n)
      self.m:unlock()
      log(tostring(pcall(self.m.unlock, self.m)))
    end
    return true)");

}  // namespace

TEST_CASE("every wait of the workload is a boundary, no wait of an operation is") {
  const Folder folder(lock_with("return redis('X') == OK", "return redis('Y') == OK"));
  Client client(folder.path(), setup_of({lock(), work(5), rest(4), unlock()}));
  CHECK_FALSE(client.feed(begin()).boundary);
  CHECK(client.feed(reply(Reply::ok())).boundary);
  CHECK(client.feed(accepted()).boundary);
  CHECK(client.feed(timer()).boundary);
  CHECK(client.feed(accepted()).boundary);
  CHECK_FALSE(client.feed(timer()).boundary);
  CHECK(client.feed(reply(Reply::ok())).boundary);
}

TEST_CASE("two histories, one state") {
  const Folder folder(
      lock_with("self.x = redis('X') self.list = { 1, { b = 2, a = 1 } } return true"));
  const ProcessSetup setup = setup_of({lock(), unlock()}, 3);
  const Observation v = reply(Reply::bulk("v")), w = reply(Reply::bulk("w"));
  CHECK(state_after(folder.path(), setup, {begin(), v, begin(), w}) ==
        state_after(folder.path(), setup, {begin(), w, begin(), w}));
  CHECK(state_after(folder.path(), setup, {begin(), v, begin(), w}) !=
        state_after(folder.path(), setup, {begin(), w, begin(), v}));
}

TEST_CASE("the order of assignments and shared tables are told apart only where it matters") {
  const auto state = [](const std::string& acquire) {
    const Folder folder(lock_with(acquire));
    return state_after(folder.path(), setup_of({lock(), unlock()}), {begin()});
  };
  CHECK(state("self.a = {} self.b = {} return true") ==
        state("self.b = {} self.a = {} return true"));
  CHECK(state("self.a = {} self.b = {} return true") !=
        state("self.a = {} self.b = self.a return true"));
  CHECK(state("self.a = 1 return true") != state("self.a = 1.0 return true"));
  CHECK(state("self.a = 1 return true") != state("self.a = '1' return true"));
  CHECK(state("self.process.a = 1 return true") != state("self.a = 1 return true"));
  CHECK(state("self.a = nil return true") == state("return true"));
}

TEST_CASE("a snapshot carries everything that data can be") {
  same_either_way(kEverything, setup_of({lock(), unlock()}, 2),
                  {begin(), reply(Reply::error("ERR no")), begin(), run(1)});
}

TEST_CASE("what a snapshot carried is what was kept") {
  const Folder folder(kEverything);
  Client client(folder.path(), setup_of({lock(), unlock()}, 2));
  client.feed(begin());
  client.feed(reply(Reply::error("ERR no")));
  CHECK(
      told(client.feed(begin())) ==
      "log 2.5 -1e+300 501truetable; log truetruetrue; log ERR noredisERR; log true353; log false; "
      "acquired 0; releasing 0; released 0 ok");
}

TEST_CASE("instants are renumbered in order of appearance") {
  const Folder folder(lock_with("now() self.b = now() self.a = now() + 3 return true"));
  Client client(folder.path(), setup_of({lock(), rest(5), unlock()}, 2));
  client.feed(begin());
  CHECK(client.step().instants == std::vector<std::uint16_t>{2, 1});
  client.feed(timer());
  client.feed(begin());  // from two instants: the new ones are 2, 3, 4
  CHECK(client.step().instants == std::vector<std::uint16_t>{4, 3});
}

TEST_CASE("tokens stay whole in a snapshot") {
  const Folder folder(lock_with("self.token = unique() return true"));
  const std::string bytes = state_after(folder.path(), setup_of({lock(), unlock()}), {begin()});
  CHECK(scan_tokens(bytes).tokens == std::vector{Token{0, 1}});
  CHECK_FALSE(scan_tokens(bytes).cut);
}

TEST_CASE("a renamed token in a snapshot is the renamed token in the process") {
  const Folder folder(
      lock_with("if self.token then redis('X', self.token) end self.token = unique() return true"));
  const Program program(folder.path());
  const ProcessSetup setup = setup_of({lock(), unlock()}, 2);
  const std::string bytes = rename_tokens(state_after(folder.path(), setup, {begin()}), [](Token) {
    return Token{3, 200};
  });
  const std::vector<Observation> path{begin()};
  CHECK(told(program.run(setup, bytes, path)) == "send 0 X D.200");
}

TEST_CASE("a critical section that is left at once is a step of its own") {
  const Folder folder(lock_with("return true"));
  const Program program(folder.path());
  const ProcessSetup setup = setup_of({lock(), unlock()});
  const std::string start = program.initial(setup, std::vector<int>{0});
  const std::vector<Observation> inside{begin()};
  const Step step = program.run(setup, start, inside);
  CHECK(told(step) == "acquired 0");
  CHECK(waits(step) == "0 runnable fresh");
}

TEST_CASE("from a snapshot the waits go on") {
  const Folder folder(lock_with("every(10, function() end) return true"));
  Client client(folder.path(), setup_of({lock(), work(5), unlock()}));
  client.feed(begin());
  CHECK(waits(client.step()) == "0 replies fresh, 1 sleep 10 fresh");
  const Step resting = client.resting();
  CHECK(waits(resting) == "0 replies, 1 sleep 10");
  CHECK(resting.effects.empty());
  REQUIRE(resting.boundary);
  CHECK(*resting.boundary == client.snapshot());
}

// ---- retry ----

TEST_CASE("an iteration of `return retry` ends at a boundary and goes on by itself") {
  const Folder folder(lock_with(kRetrying));
  const ProcessSetup setup = setup_of({lock(), unlock()});
  const Program program(folder.path());
  const std::vector<int> none{0};
  const std::vector<Observation> path{begin(), reply(Reply::null()), timer()};
  const Step step = program.run(setup, program.initial(setup, none), path);
  REQUIRE(step.again == TaskId{0});
  REQUIRE(step.boundary);
  CHECK(waits(step) == "0 runnable fresh");
  CHECK(step.tasks[0].in_acquire);
  const Step resting = program.run(setup, *step.boundary, {});
  CHECK(waits(resting) == "0 runnable");
  CHECK(resting.tasks[0].in_acquire);
  const std::vector<Observation> next{run(), reply(Reply::null()), timer()};
  const Step second = program.run(setup, *step.boundary, next);
  REQUIRE(second.boundary);
  CHECK(*second.boundary == *step.boundary);  // it turns in place
  const std::vector<Observation> last{run(), reply(Reply::ok()), run()};
  CHECK(told(program.run(setup, *step.boundary, last)) == "releasing 0; released 0 ok");
}

TEST_CASE("retry through boundaries and without them is the same") {
  same_either_way(lock_with(kRetrying), setup_of({lock(), work(5), unlock()}),
                  {begin(), reply(Reply::null()), timer(), reply(Reply::null()), timer(),
                   reply(Reply::ok()), accepted(), timer()});
}

TEST_CASE("retry that is no tail call has no boundary but works") {
  const Folder folder(
      lock_with("local ok = retry(function() return redis('GET') == OK end) return ok"));
  Client client(folder.path(), setup_of({lock(), unlock()}));
  client.feed(begin());
  const Step again = client.feed(reply(Reply::null()));
  CHECK(told(again) == "send 0 GET");
  CHECK_FALSE(again.boundary);
  CHECK(told(client.feed(reply(Reply::ok()))).starts_with("acquired"));
}

TEST_CASE("retry does not end a step while another task is in the middle of something") {
  const Folder folder(
      lock_with("return retry(function() return redis('GET', task_id()) == OK end)"));
  Client client(folder.path(), setup_of({lock(), unlock()}, 1, 2));
  client.feed(begin(0));
  client.feed(begin(1));
  const Step step = client.feed(reply(Reply::null(), 0));
  CHECK_FALSE(step.again);
  CHECK(told(step) == "send 0 GET 0");
}

TEST_CASE("the pause of retry is a boundary, also with several threads") {
  const Folder folder(lock_with("return retry(function() return redis('GET') == OK end, 7)"));
  Client client(folder.path(), setup_of({lock(), unlock()}, 1, 2));
  client.feed(begin(0));
  client.feed(begin(1));
  CHECK_FALSE(client.feed(reply(Reply::null(), 0)).boundary);
  const Step both = client.feed(reply(Reply::null(), 1));
  CHECK(waits(both) == "0 sleep 7, 1 sleep 7 fresh");
  CHECK(both.tasks[0].in_acquire);
  REQUIRE(both.boundary);
  CHECK(told(client.feed(timer(0))) == "send 0 GET");
  CHECK(told(client.feed(reply(Reply::ok(), 0))) == "acquired 0; releasing 0; released 0 ok");
  CHECK(waits(client.step()) == "0 done fresh, 1 sleep 7");
}

TEST_CASE("the pause of a retry that is no tail call") {
  const Folder folder(
      lock_with("local ok = retry(function() return choose(2) == 2 end, 7) return ok"));
  Client client(folder.path(), setup_of({lock(), unlock()}));
  client.answers = {"1", "2"};
  CHECK(waits(client.feed(begin())) == "0 sleep 7 fresh");
  CHECK_FALSE(client.step().boundary);
  CHECK(told(client.feed(timer())).starts_with("acquired"));
}

TEST_CASE("a wait at a latch is a boundary where it is the pause of retry") {
  const Folder folder(lock_with(R"(
    self.latch = self.latch or semaphore(0)
    return retry(function()
      if redis('GET') == OK then self.latch:release() return true end
      return false, 20 - task_id()
    end, self.latch))"));
  Client client(folder.path(), setup_of({lock(), unlock()}, 1, 2));
  client.feed(begin(1));
  client.feed(begin(0));
  CHECK_FALSE(client.feed(reply(Reply::null(), 1)).boundary);
  const Step both = client.feed(reply(Reply::null(), 0));
  CHECK(waits(both) == "0 sleep 20 fresh, 1 sleep 19");
  CHECK(both.tasks[0].told);
  REQUIRE(both.boundary);
  // One of them goes on by itself; whoever it then lets in came first.
  CHECK(told(client.feed(timer(0))) == "send 0 GET");
  const Step first = client.feed(reply(Reply::ok(), 0));
  CHECK(waits(first) == "0 done fresh, 1 runnable");
  CHECK(told(client.feed(run(1))) == "send 0 GET");
}

TEST_CASE("who waits at a latch of retry longest is let in first, also behind a boundary") {
  const std::string protocol = lock_with(R"(
    self.latch = self.latch or semaphore(0)
    local tried = false
    return retry(function()
      if task_id() == 0 or tried then self.latch:release() return true end
      tried = true
      redis('GET')
    end, self.latch))");
  same_either_way(protocol, setup_of({lock(), unlock()}, 1, 3),
                  {begin(2), begin(1), reply(Reply::null(), 2), reply(Reply::null(), 1), begin(0),
                   run(2), run(1)});
}

TEST_CASE("a permit that is there ends the pause of retry at once") {
  for (const std::string& before : {std::string("return "), std::string("local ok = ")}) {
    const Folder folder(lock_with("local latch = semaphore(1)\n" + before +
                                  "retry(function() return redis('GET') == OK end, latch)\n" +
                                  (before == "return " ? "" : "return ok")));
    Client client(folder.path(), setup_of({lock(), unlock()}));
    client.feed(begin());
    const Step second = client.feed(reply(Reply::null()));
    if (second.again) client.feed(run());
    CHECK(waits(client.step()) == "0 replies fresh");
    client.feed(reply(Reply::null()));
    CHECK(waits(client.step()) == "0 blocked fresh");
  }
}

TEST_CASE("retry in a spawned task") {
  same_either_way(lock_with("spawn(retry, function() sleep(5) self.n = (self.n or 0) + 1 log('n' "
                            ".. self.n) return self.n == 3 end) return true"),
                  setup_of({lock(), rest(100), unlock()}),
                  {begin(), run(1), timer(1), timer(1), timer(1), timer(0)});
}

// ---- closures ----

TEST_CASE("every with a closure: upvalues, module constants, nested functions") {
  same_either_way(
      lock_with(
          R"(
    local count, token = 0, unique()
    local function renew(more)
      count = count + more
      log(self.key .. token .. count .. helper(count) .. string.rep("x", count))
      return count < 3
    end
    every(self.ttl_ms // 3, function() return renew(1) end)
    return true)",
          "return true",
          "local base = 10 local function helper_of(n) return n + base end helper = helper_of"),
      setup_of({lock(), work(50), unlock()}),
      {begin(), timer(1), accepted(), timer(1), timer(1), timer(0), accepted()});
}

TEST_CASE("two closures share one variable, also after a snapshot") {
  const Folder folder(lock_with(R"(
    local n = 0
    every(10, function() n = n + 1 end)
    every(20, function() log('n' .. n) end)
    return true)"));
  Client client(folder.path(), setup_of({lock(), rest(100), unlock()}));
  client.feed(begin());
  client.feed(timer(1));
  client.feed(timer(1));
  CHECK(told(client.feed(timer(2))) == "log n2");
}

TEST_CASE("equal closures give equal bytes, whoever made them") {
  const Folder folder(
      lock_with("local n = redis('X') every(10, function() n = 0 end) return true", "return true"));
  const ProcessSetup setup = setup_of({lock(), rest(100), unlock()});
  const auto after = [&](std::int64_t n) {
    return state_after(folder.path(), setup, {begin(), reply(Reply::number(n)), timer(1)});
  };
  CHECK(after(1) == after(2));
  const auto before = [&](std::int64_t n) {
    return state_after(folder.path(), setup, {begin(), reply(Reply::number(n))});
  };
  CHECK(before(1) != before(2));
}

TEST_CASE("a function that is kept in self, and one that calls itself") {
  same_either_way(lock_with(R"(
    if not self.f then
      local function count(n) return n == 0 and 0 or 1 + count(n - 1) end
      self.f = count
    end
    log(tostring(self.f(4)))
    return true)"),
                  setup_of({lock(), unlock()}, 2), {begin(), begin()});
}

TEST_CASE("a task that was spawned and has not run yet is data too") {
  same_either_way(
      lock_with("spawn(function(a, b) log(a .. tostring(b)) end, 'x', nil) return true"),
      setup_of({lock(), rest(5), unlock()}), {begin(), timer(0), run(1)});
}

TEST_CASE("a handle of a dead task stays dead when its number is used again") {
  same_either_way(lock_with(R"(
    self.old = self.h
    self.h = spawn(sleep, 1)
    if self.old then log(tostring(alive(self.old)) .. tostring(alive(self.h))) end
    return true)"),
                  setup_of({lock(), unlock()}, 2), {begin(), timer(1), begin()});
}

TEST_CASE("retry ends in a refusal where its function gives up, at once or after a pause") {
  const std::string tries =
      "return retry(function() self.n = self.n - 1 return self.n == 0 and GIVE_UP end, 5)";
  for (const int most : {1, 2}) {
    const std::string body = "self.n = " + std::to_string(most) + " " + tries;
    const auto setup = setup_of({lock(), unlock()});
    std::vector<Observation> path{begin()};
    if (most == 2) path.push_back(timer());
    same_either_way(lock_with(body), setup, path);
    const Folder folder(lock_with(body));
    const Program program(folder.path());
    const Step step = program.run(setup, program.initial(setup, std::vector<int>{0}), path);
    REQUIRE(step.effects.size() == 1);
    CHECK(step.effects[0].kind == Effect::Kind::refused);
    CHECK(step.tasks[0].kind == Wait::Kind::done);
  }
}

TEST_CASE("two Programs, the same bytes") {
  const Folder folder(lock_with(
      "self.x = { b = 1, a = 2 } every(10, function() self.y = string.upper(self.key) end) return "
      "true",
      "return true", "local cache = { 1, 2, k = 'v' } function Lock:helper() return cache end"));
  const ProcessSetup setup = setup_of({lock(), rest(1), unlock()});
  const Program first(folder.path()), second(folder.path());
  const std::vector<int> none{0};
  const std::vector<Observation> path{begin(), timer(1)};
  const Step a = first.run(setup, first.initial(setup, none), path),
             b = second.run(setup, second.initial(setup, none), path);
  REQUIRE(a.boundary);
  CHECK(a.boundary == b.boundary);
  CHECK(first.initial(setup, none) == second.initial(setup, none));
  const std::vector<Observation> next{timer(0)};
  CHECK(told(second.run(setup, *a.boundary, next)) == told(first.run(setup, *a.boundary, next)));
}
