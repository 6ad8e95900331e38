// What a main task does with its locks, and the events that properties judge.
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

const std::string kAsking =
    lock_with("return redis('GET') == OK, self.process.fence", "return redis('DEL') == 1");
const std::string kFree = lock_with("return true, 5", "return true");

std::vector<WorkStep> two_locks() { return {lock(0), lock(1), work(5), unlock(1), unlock(0)}; }

ProcessSetup with_keys(std::vector<WorkStep> workload, int rounds = 1) {
  ProcessSetup setup = setup_of(std::move(workload), rounds);
  setup.lock_keys = {"a", "b"};
  return setup;
}

}  // namespace

TEST_CASE("rounds follow each other, then the task is done") {
  const Folder folder(kFree);
  Client client(folder.path(), setup_of({lock(), rest(7), unlock()}, 2));
  CHECK(told(client.feed(begin())) == "acquired 0 fence 5");
  CHECK(waits(client.step()) == "0 sleep 7 fresh");
  CHECK(told(client.feed(timer())) == "releasing 0; released 0 ok");
  CHECK(waits(client.step()) == "0 idle fresh");
  client.feed(begin());
  client.feed(timer());
  CHECK(waits(client.step()) == "0 done fresh");
}

TEST_CASE("rounds used up by former incarnations count") {
  const Folder folder(kFree);
  const Program program(folder.path());
  const ProcessSetup setup = setup_of({lock(), unlock()}, 2, 2);
  const std::vector<int> used{2, 1};
  CHECK(waits(program.run(setup, program.initial(setup, used), {})) == "0 done, 1 idle");
}

TEST_CASE("a refused lock ends the round and releases what is held, in reverse") {
  const Folder folder(kAsking);
  Client client(folder.path(), with_keys(two_locks(), 2));
  client.feed(begin());
  client.feed(reply(Reply::ok()));
  CHECK(told(client.feed(reply(Reply::null()))) == "refused 1; releasing 0; send 0 DEL");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "released 0 ok");
  CHECK(waits(client.step()) == "0 idle fresh");
}

TEST_CASE("re-entry calls acquire and release each time but is one critical section") {
  const Folder folder(kAsking);
  Client client(folder.path(), setup_of({lock(), lock(), unlock(), unlock()}));
  client.feed(begin());
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 0; send 0 GET");
  CHECK(told(client.feed(reply(Reply::ok()))) == "reentered 0 depth 2; send 0 DEL");
  CHECK(told(client.feed(reply(Reply::number(0)))) == "left 0 no depth 1; releasing 0; send 0 DEL");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "released 0 ok");
}

TEST_CASE("a refused re-entry releases every level") {
  const Folder folder(kAsking);
  Client client(folder.path(), setup_of({lock(), lock(), lock(), unlock(), unlock(), unlock()}));
  client.feed(begin());
  client.feed(reply(Reply::ok()));
  client.feed(reply(Reply::ok()));
  CHECK(told(client.feed(reply(Reply::null()))) == "refused 0; send 0 DEL");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "left 0 ok depth 1; releasing 0; send 0 DEL");
}

TEST_CASE("an error in release ends the critical section; the other locks are still released") {
  const Folder folder(kAsking);
  Client client(folder.path(), with_keys({lock(0), lock(1), unlock(1), unlock(0)}));
  client.feed(begin());
  client.feed(reply(Reply::ok()));
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 1; releasing 1; send 0 DEL");
  const Step step = client.feed(reply(Reply::error("ERR x")));
  CHECK(told(step) == "failed 1 ERR x; releasing 0; send 0 DEL");
  CHECK(step.effects[0].in_release);
}

TEST_CASE("work reads, takes its time, and writes, with the fencing token of the innermost lock") {
  const Folder folder(
      lock_with("self.process.n = (self.process.n or 0) + 1 return true, self.process.n"));
  Client client(folder.path(), with_keys(two_locks()));
  CHECK(told(client.feed(begin())) ==
        "acquired 0 fence 1; acquired 1 fence 2; send resource READ 2 b a");
  CHECK(waits(client.step()) == "0 replies fresh");
  CHECK(waits(client.feed(accepted())) == "0 work 5 fresh");
  CHECK(told(client.feed(timer())) == "send resource WRITE 2 b a");
  CHECK(told(client.feed(reply(Reply::error("ERR stale"), 0, kResource)))
            .starts_with("releasing 1; released 1 ok; releasing 0"));
}

TEST_CASE("a refused or broken read means that the lock is lost") {
  const Folder folder(kFree);
  for (const Observation& seen :
       {reply(Reply::error("ERR stale"), 0, kResource), broken(0, kResource), timeout()}) {
    Client client(folder.path(), setup_of({lock(), work(5), unlock(), rest(3)}));
    client.feed(begin());
    CHECK(told(client.feed(seen)) == "lost 0; releasing 0; released 0 ok");
    CHECK(waits(client.step()) == "0 sleep 3 fresh");
  }
}

TEST_CASE("work without a lock only takes time") {
  const Folder folder(kFree);
  Client client(folder.path(), setup_of({work(5), lock(), unlock()}));
  CHECK(told(client.feed(begin())).empty());
  CHECK(waits(client.step()) == "0 work 5 fresh");
  CHECK(told(client.feed(timer())).starts_with("acquired"));
}

TEST_CASE("lost() interrupts the work of the lock's holder") {
  const Folder folder(lock_with("every(10, function() lost(self) return false end) return true"));
  Client client(folder.path(), setup_of({lock(), work(50), work(60), unlock(), rest(3)}));
  client.feed(begin());
  client.feed(accepted());
  CHECK(waits(client.step()) == "0 work 50 fresh, 1 sleep 10");
  client.feed(timer(1));
  CHECK(waits(client.step()) == "0 runnable fresh");
  REQUIRE(client.step().boundary);
  CHECK(waits(client.resting()) == "0 runnable");
  CHECK(told(client.feed(run())) == "lost 0; releasing 0; released 0 ok");
  CHECK(waits(client.step()) == "0 sleep 3 fresh");
}

TEST_CASE("lost() during the read is handled after it, and after the release it is nothing") {
  const Folder folder(lock_with("every(10, function() lost() end) return true"));
  Client client(folder.path(), setup_of({lock(), work(50), unlock(), rest(3)}));
  client.feed(begin());
  client.feed(timer(1));
  CHECK(waits(client.step()) == "0 replies, 1 sleep 10 fresh");
  CHECK(told(client.feed(accepted())) == "lost 0; releasing 0; released 0 ok");
  CHECK(told(client.feed(timer(1))).empty());
  CHECK(waits(client.step()) == "0 sleep 3, 1 sleep 10 fresh");
}

TEST_CASE("an outer lock that is lost: inner ones are released on the way") {
  const Folder folder(lock_with(
      "if self.key == 'a' then every(10, function() lost(self) return false end) end return true"));
  Client client(folder.path(), with_keys(two_locks()));
  client.feed(begin());
  client.feed(accepted());
  client.feed(timer(1));
  CHECK(told(client.feed(run())) ==
        "lost 0; releasing 1; released 1 ok; releasing 0; released 0 ok");
}

TEST_CASE("while an outer lock is lost, nothing is done after an inner one's release either") {
  const Folder folder(lock_with(
      "if self.key == 'a' then every(10, function() lost(self) return false end) end return true"));
  Client client(folder.path(),
                with_keys({lock(0), lock(1), work(5), unlock(1), work(7), unlock(0), rest(3)}));
  client.feed(begin());
  client.feed(accepted());
  client.feed(timer(1));
  CHECK(told(client.feed(run())) ==
        "lost 0; releasing 1; released 1 ok; releasing 0; released 0 ok");
  CHECK(waits(client.step()) == "0 sleep 3 fresh");
}

TEST_CASE("an acquire() that fails on what it was answered is told from one that was not") {
  const Folder folder(lock_with("redis('GET', self.key) return true"));
  for (const auto& [seen, unanswered] :
       {std::pair{reply(Reply::error("ERR x")), false}, {broken(), true}, {timeout(), true}}) {
    Client client(folder.path(), setup_of({lock(), unlock()}));
    client.feed(begin());
    const Step& step = client.feed(seen);
    REQUIRE(step.effects.at(0).kind == Effect::Kind::failed);
    CHECK(step.effects[0].leaves_open == unanswered);
  }
}

TEST_CASE("an acquire() that fails on no answer knows what it has, but for what was asked") {
  for (const auto& [request, unanswered] : {std::pair{"'INCR', 'fence'", false},
                                            {"'DEL', 'other', self.key", true},
                                            {"'EXEC'", true},
                                            {"'EVAL', 'return 1', 1, 'fence'", false},
                                            {"'EVAL', 'return 1', 1, self.key", true}}) {
    CAPTURE(request);
    const Folder folder(lock_with("redis(" + std::string(request) + ") return true"));
    Client client(folder.path(), setup_of({lock(), unlock()}));
    client.feed(begin());
    const Step& step = client.feed(broken());
    REQUIRE(step.effects.at(0).kind == Effect::Kind::failed);
    CHECK(step.effects[0].leaves_open == unanswered);
  }
}

TEST_CASE("main tasks share the process's objects") {
  const Folder folder(lock_with("self.n = (self.n or 0) + 1 log('n' .. self.n) return true"));
  Client client(folder.path(), setup_of({lock(), unlock()}, 1, 2));
  CHECK(told(client.feed(begin(1))).starts_with("log n1"));
  CHECK(told(client.feed(begin(0))).starts_with("log n2"));
}

TEST_CASE("a workload calls a function of the protocol's own, which claims nothing") {
  const Folder folder(
      lock_with("return true\nend\nfunction Lock:extend()\n"
                "if redis('PEXPIRE', self.key, self.ttl_ms) == 0 then "
                "error('gone') end return true, 'no token'",
                "return true"));
  const WorkStep extend{WorkStep::Kind::call, 0, 0, "extend"};
  const auto asked = [&] {
    Client client(folder.path(), setup_of({lock(), extend, rest(3), unlock()}));
    CHECK(told(client.feed(begin())) == "acquired 0; send 0 PEXPIRE lock 10000");
    CHECK(client.step().tasks.at(0).in_call);
    CHECK_FALSE(client.step().tasks.at(0).in_operation);
    return client;
  };
  Client extended = asked();
  CHECK(told(extended.feed(reply(Reply::number(1)))).empty());
  CHECK(waits(extended.step()) == "0 sleep 3 fresh");
  Client gone = asked();
  CHECK(told(gone.feed(reply(Reply::number(0)))) ==
        "log extend() ended in an error: protocol.lua:7: gone; releasing 0; released 0 ok");
  CHECK(waits(gone.step()) == "0 done fresh");
}
