// Locks in shared mode: who is in whose way, and what readers may do to each other's marks. What is
// expected is argued from what a reader/writer lock is; both explorers have to come to it.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "checker/audit.hpp"
#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/client/program.hpp"

namespace lockstep::sharing_test {

namespace {

using checker::Verdict;
using sim::Property;
using Step = sim::WorkStep::Kind;

const sim::WorkStep kLock{Step::lock, 0, 0}, kUnlock{Step::unlock, 0, 0};
const sim::WorkStep kShare{Step::lock, 1, 0}, kUnshare{Step::unlock, 1, 0};
const sim::WorkStep kWork{Step::work, 0, 3};
using Workload = std::vector<sim::WorkStep>;
const Workload kReads{kShare, kWork, kUnshare}, kWrites{kLock, kWork, kUnlock};

/// What the four functions of a lock do.
struct Functions {
  std::string share, unshare, lock, unlock;
};

/// Nobody ever refuses anybody.
const Functions kOpen{"return true", "return true", "return true", "return true"};
/// Readers set one string, writers look for it and for another writer's.
const Functions kOneMark{
    "if redis('EXISTS', self.key .. ':w') == 1 then return false end "
    "redis('SET', self.key, '1', 'PX', self.ttl_ms) return true",
    "return true",
    "if redis('EXISTS', self.key) == 1 then return false end "
    "return redis('SET', self.key .. ':w', '1', 'NX') == OK",
    "return redis('DEL', self.key .. ':w') == 1"};

class Sharing {
 public:
  Sharing(const Functions& bodies, const std::vector<Workload>& workloads) {
    folder_.write("protocol.lua",
                  "local L = protocol { title = 't', source = 's', "
                  "leases = { '{key}', '{key}:w' }, settings = { eager = false } }\n"
                  "function L:acquire_shared() " +
                      bodies.share + " end\n" + "function L:release_shared() " + bodies.unshare +
                      " end\n" + "function L:acquire() " + bodies.lock + " end\n" +
                      "function L:release() " + bodies.unlock + " end\nreturn L\n");
    model.program = std::make_shared<sim::Program>(folder_.path());
    for (const Workload& workload : workloads) {
      sim::ProcessSetup client;
      client.lock_keys = {"lock", "lock"};
      client.shared = {false, true};
      client.workload = workload;
      client.lease_ms = 10;
      model.processes.push_back(client);
    }
  }

  /// What both explorers come to.
  checker::Result judged(Property property) {
    model.properties = {property};
    checker::Result engine = checker::explore(model, {});
    const auto naive = checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary);
    CHECK(naive.verdict == engine.verdict);
    CHECK(naive.schedule.size() == engine.schedule.size());
    return engine;
  }

  sim::Model model;

 private:
  sim::TemporaryFolder folder_;
};

bool holds(Sharing sharing, Property property) {
  return sharing.judged(property).verdict == Verdict::holds;
}

}  // namespace

TEST_CASE("readers are in nobody's way but a writer's", "[sharing]") {
  CHECK(holds({kOpen, {kReads, kReads}}, Property::mutual_exclusion));
  // begin, begin: neither asks a server for anything.
  Sharing both(kOpen, {kReads, kWrites});
  CHECK(both.judged(Property::mutual_exclusion).schedule.size() == 2);
  CHECK_FALSE(holds({kOpen, {kWrites, kWrites}}, Property::mutual_exclusion));
}

TEST_CASE("who holds a lock in both modes is not in its own way", "[sharing]") {
  const Workload upgrade{kShare, kLock, kWork, kUnlock, kUnshare};
  const Workload downgrade{kLock, kShare, kUnlock, kWork, kUnshare};
  CHECK(holds({kOpen, {upgrade}}, Property::mutual_exclusion));
  CHECK(holds({kOpen, {downgrade}}, Property::mutual_exclusion));
  CHECK_FALSE(holds({kOpen, {upgrade, kReads}}, Property::mutual_exclusion));
  CHECK_FALSE(holds({kOpen, {downgrade, kReads}}, Property::mutual_exclusion));
  Sharing threads(kOpen, {upgrade});
  threads.model.processes.front().threads = 2;
  CHECK(threads.judged(Property::mutual_exclusion).verdict == Verdict::violated);
}

TEST_CASE("who only reads writes nothing", "[sharing]") {
  CHECK(holds({kOpen, {kReads, kReads}}, Property::no_lost_update));
  CHECK_FALSE(holds({kOpen, {kWrites, kWrites}}, Property::no_lost_update));
  CHECK(holds({kOpen, {kReads, kWrites}}, Property::no_lost_update));
}

TEST_CASE("one reader's mark stands for another's, but ends no sooner", "[sharing]") {
  CHECK(holds({kOneMark, {kReads, kReads}}, Property::foreign_release));
  Sharing hasty(kOneMark, {kReads, kReads});
  hasty.model.processes.back().lease_ms = 5;
  CHECK(hasty.judged(Property::foreign_release).verdict == Verdict::violated);
  Functions deletes = kOneMark;
  deletes.unshare = "return redis('DEL', self.key) == 1";
  CHECK_FALSE(holds({deletes, {kReads, kReads}}, Property::foreign_release));
  // A writer's mark is written over by nobody.
  Functions overwrites = kOneMark;
  overwrites.lock = "return redis('SET', self.key .. ':w', '1') == OK";
  CHECK_FALSE(holds({overwrites, {kWrites, kWrites}}, Property::foreign_release));
}

TEST_CASE("who has joined the readers lets them live on, also while it sleeps", "[sharing]") {
  const std::string joins =
      "self.mine = self.mine or unique() redis('EVAL', \"redis.call('hset', KEYS[1], ARGV[1], 1) "
      "redis.call('pexpire', KEYS[1], ARGV[2])\", 1, self.key, self.mine, self.ttl_ms) ";
  const std::string leaves = "return redis('HDEL', self.key, self.mine) == 1";
  const Functions lock{joins + "sleep(1) return true", leaves,
                       joins + "if redis('HLEN', self.key) == 1 then return true end sleep(1) " +
                           leaves + " and false",
                       leaves};
  CHECK(holds({lock, {kReads, kReads}}, Property::foreign_extend));
  // A writer that waits does not.
  CHECK_FALSE(holds({lock, {kReads, kWrites}}, Property::foreign_extend));
}

TEST_CASE("what names one reader alone does not stand for another", "[sharing]") {
  Functions tokens = kOneMark;
  tokens.share =
      "self.mine = unique() redis('SET', self.key, self.mine, 'PX', self.ttl_ms) return true";
  CHECK_FALSE(holds({tokens, {kReads, kReads}}, Property::foreign_release));
}

TEST_CASE("a mark that names nobody is one of all who read, as long as others do", "[sharing]") {
  const auto script = [](const std::string& text) {
    return "redis('EVAL', \"" + text + "\", 2, self.key, self.key .. ':n', self.ttl_ms) ";
  };
  const std::string leave =
      script("if redis.call('decr', KEYS[2]) == 0 then redis.call('del', KEYS[1]) end");
  Functions lock{script("if redis.call('incr', KEYS[2]) == 1 then redis.call('set', KEYS[1], "
                        "'reader') end redis.call('pexpire', KEYS[1], ARGV[1])") +
                     "return true",
                 leave + "return true", kOneMark.lock, kOneMark.unlock};
  const std::vector<Workload> both{kReads, kReads};
  for (const Property property : {Property::honest_result, Property::reentrancy,
                                  Property::foreign_extend, Property::foreign_release}) {
    INFO(sim::name(property));
    CHECK(holds({lock, both}, property));
  }
  // One who waits to write keeps it alive in vain, and one who reads alone has to take it away.
  Functions waits = lock;
  waits.lock = "redis('PEXPIRE', self.key, self.ttl_ms) return false";
  CHECK_FALSE(holds({waits, {kReads, kWrites}}, Property::foreign_extend));
  Functions lies = lock;
  lies.unshare = "return true";
  CHECK_FALSE(holds({lies, both}, Property::honest_result));
  CHECK_FALSE(holds({lies, both}, Property::reentrancy));
  // What names its reader stands for nobody else.
  const Functions named{
      "self.mine = unique() redis('HSET', self.key, self.mine, 1) return true",
      "return redis('HLEN', self.key) > 1 or redis('HDEL', self.key, self.mine) == 1",
      "return true", "return true"};
  CHECK_FALSE(holds({named, both}, Property::honest_result));
  Functions deletes = named;
  deletes.unshare = "redis('DEL', self.key) return true";
  CHECK_FALSE(holds({deletes, both}, Property::honest_result));
}

TEST_CASE("readers who count in one number keep it alive for each other", "[sharing]") {
  Functions counts = kOneMark;
  counts.share = "redis('INCR', self.key) redis('PEXPIRE', self.key, self.ttl_ms) return true";
  counts.unshare = "return redis('DECR', self.key) >= 0";
  CHECK(holds({counts, {kReads, kReads}}, Property::foreign_extend));
  counts.lock = counts.share;  // nobody else's lock is kept alive so
  CHECK_FALSE(holds({counts, {kWrites, kWrites}}, Property::foreign_extend));
}

TEST_CASE("who holds a lock in both modes keeps it when it leaves one", "[sharing]") {
  const Workload downgrade{kLock, kShare, kUnlock, kUnshare};
  const Workload upgrade{kShare, kLock, kUnlock, kUnshare};
  Functions both{
      "redis('HSET', self.key, 'r', 1) return true", "return redis('HDEL', self.key, 'r') == 1",
      "redis('HSET', self.key, 'w', 1) return true", "return redis('HDEL', self.key, 'w') == 1"};
  for (const Workload& workload : {downgrade, upgrade}) {
    CHECK(holds({both, {workload}}, Property::reentrancy));
    CHECK(holds({both, {workload}}, Property::honest_result));
  }
  Functions deletes = both;
  deletes.unlock = "return redis('DEL', self.key) == 1";
  CHECK_FALSE(holds({deletes, {downgrade}}, Property::reentrancy));
  CHECK_FALSE(holds({deletes, {upgrade}}, Property::reentrancy));
  // It writes over what it has for both.
  Functions one{
      "if redis('GET', self.key) then redis('SET', self.key, 'rw') else "
      "redis('SET', self.key, 'r') end return true",
      "return redis('DEL', self.key) == 1", "redis('SET', self.key, 'w') return true",
      "redis('SET', self.key, 'r') return true"};
  CHECK(holds({one, {downgrade}}, Property::honest_result));
}

TEST_CASE("whoever is told that it has the other mode, too, has something of the lock",
          "[sharing]") {
  Functions counted{"self.n = (self.n or 0) + 1 return true", "return true",
                    "return redis('SET', self.key, '1', 'NX', 'PX', self.ttl_ms) == OK",
                    "return redis('DEL', self.key) == 1"};
  const Workload late{kLock, {Step::sleep, 0, 15}, kShare};
  CHECK_FALSE(holds({counted, {late}}, Property::reentrancy));
}

TEST_CASE("a client of another kind that can never acquire is a deadlock", "[sharing]") {
  Functions old = kOpen;
  old.lock =
      "if setting('eager') then return redis('SET', self.key .. ':old', '1') == OK end "
      "return redis('EXISTS', self.key .. ':old') == 0";
  for (const std::size_t eager : {std::size_t{0}, std::size_t{1}}) {
    Sharing versions(old, {kWrites, kWrites});
    versions.model.processes[eager].settings["eager"] = true;
    CHECK(versions.judged(Property::deadlock).verdict == Verdict::violated);
  }
}

TEST_CASE("a lock that nobody can share any more is a deadlock, though a writer would get it",
          "[sharing]") {
  // A writer that waits leaves a mark for ever, which readers heed.
  Functions marks = kOpen;
  marks.share = "return redis('EXISTS', self.key .. ':waits') == 0";
  marks.lock = "redis('SET', self.key .. ':waits', '1') return true";
  CHECK_FALSE(holds({marks, {kReads, kWrites}}, Property::deadlock));
  Sharing writers(marks, {kWrites, kWrites});
  for (auto& client : writers.model.processes) client.lock_keys = {"lock"};
  CHECK(writers.judged(Property::deadlock).verdict == Verdict::holds);  // nobody wants to share it
}

TEST_CASE("a wait for a free lock counts while nobody is in it, in either mode", "[sharing]") {
  Functions waits = kOneMark;
  waits.unshare = "return redis('DEL', self.key) == 1";
  waits.lock = "return retry(function() return redis('EXISTS', self.key) == 0 end, 1)";
  waits.unlock = "return true";
  Sharing sharing(waits, {kReads, kWrites});
  sharing.model.waits_ms = 2;
  sharing.model.waits_after = sim::WaitsAfter::call;
  CHECK(sharing.judged(Property::waits).verdict == Verdict::violated);  // A reads for 3 ms
  sharing.model.waits_after = sim::WaitsAfter::free;
  CHECK(sharing.judged(Property::waits).verdict == Verdict::holds);
}

TEST_CASE("a reader passes no reader, everybody else passes who is excluded", "[sharing]") {
  Functions asks = kOpen;  // whoever asks is let in, once that is answered
  asks.share = asks.lock = "redis('PING') return true";
  const auto nobody_passed = [&](const Workload& one, const Workload& other) {
    Sharing sharing(asks, {one, other});
    sharing.model.overtakes = 0;
    return sharing.judged(Property::fairness).verdict == Verdict::holds;
  };
  CHECK(nobody_passed(kReads, kReads));
  CHECK_FALSE(nobody_passed(kReads, kWrites));
  CHECK_FALSE(nobody_passed(kWrites, kWrites));
  asks.share = "return true";  // a reader is in at once: nobody passes it
  CHECK(nobody_passed(kReads, kReads));
  CHECK_FALSE(nobody_passed(kReads, kWrites));
}

TEST_CASE("a writer who is refused keeps no reader's mark alive", "[sharing]") {
  Functions marks = kOpen;
  const std::string mark =
      "self.token = unique() redis('SADD', self.key, self.token) "
      "redis('PEXPIRE', self.key, self.ttl_ms) ";
  marks.share = mark + "return true";
  marks.lock = mark +
               "if redis('SCARD', self.key) == 1 then return true end "
               "redis('SREM', self.key, self.token) return false";
  marks.unshare = marks.unlock = "return redis('SREM', self.key, self.token) == 1";
  CHECK(holds({marks, {kReads, kReads}}, Property::foreign_extend));
  // Whoever of the two is the reader.
  CHECK_FALSE(holds({marks, {kReads, kWrites}}, Property::foreign_extend));
  CHECK_FALSE(holds({marks, {kWrites, kReads}}, Property::foreign_extend));
}

TEST_CASE("a reader's release that says nothing and ends the writer's lock, too, is told of",
          "[sharing]") {
  const Workload both{kLock, kShare, kWork, kUnshare, kWork, kUnlock};
  Functions silent = kOneMark;
  silent.share = "redis('SET', self.key, '1', 'PX', self.ttl_ms) return true";
  silent.lock = "return redis('SET', self.key .. ':w', '1', 'NX') == OK";
  silent.unshare = "redis('DEL', self.key)";
  CHECK(holds({silent, {both}}, Property::reentrancy));
  silent.unshare = "redis('DEL', self.key, self.key .. ':w')";
  CHECK_FALSE(holds({silent, {both}}, Property::reentrancy));
}

TEST_CASE("a client has its own settings and lease", "[sharing]") {
  Functions bodies = kOpen;
  bodies.lock =
      "if setting('eager') then return true end "
      "return redis('SET', self.key, '1', 'NX', 'PX', self.ttl_ms) == OK";
  CHECK(holds({bodies, {kWrites, kWrites}}, Property::mutual_exclusion));
  Sharing eager(bodies, {kWrites, kWrites});
  eager.model.processes.back().settings["eager"] = true;
  CHECK(eager.judged(Property::mutual_exclusion).verdict == Verdict::violated);
  Sharing hasty(bodies, {kWrites, kWrites});
  hasty.model.processes.back().lease_ms = 1;
  CHECK(hasty.judged(Property::mutual_exclusion).verdict == Verdict::violated);
}

}  // namespace lockstep::sharing_test
