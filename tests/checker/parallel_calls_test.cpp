// Several nodes asked at once: whoever waits for all of them cannot tell which answered first, so
// that the engine keeps one order; whoever hears each can.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/redis/reply.hpp"
#include "sim/world/automaton.hpp"
#include "tests/checker/random_quorum_lock.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

const std::string kOnNodes = ", nodes = 3, quorum = 'majority'";
const std::string kCountAnswers =
    "local got = 0 for _, a in ipairs(answers) do "
    "if a.ok and (a.reply == OK or a.reply == 1) then got = got + 1 end end ";
const std::string kAskAll =
    test::kToken +
    "local answers = call_all { timeout_ms = 2, 'SET', self.key, self.token, 'NX', 'PX', "
    "self.ttl_ms } " +
    kCountAnswers;
const std::string kFreeAll =
    "local answers = call_all { timeout_ms = 2, 'EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1]"
    " then return redis.call('del', KEYS[1]) end return 0\", 1, self.key, self.token } " +
    kCountAnswers;
const std::string kMajority =
    kAskAll + "if got >= 2 then return true end " + kFreeAll + "return false";

/// One that two clients take, on so many nodes.
struct QuorumLock : InlineLock {
  QuorumLock(int nodes, const std::string& acquire) : InlineLock({acquire, kFreeAll}, kOnNodes) {
    lasting(6, 2);
    for (sim::ProcessSetup& process : model.processes) process.nodes = nodes;
  }
};

sim::Observation answer(std::uint8_t node, const sim::Reply& reply) {
  sim::Observation observation;
  observation.kind = sim::Observation::Kind::reply;
  observation.node = node;
  observation.reply = reply;
  return observation;
}

/// Where a client comes to that hears this after it has begun, with a token of its own.
sim::Id after(sim::Automaton& automaton, const std::vector<sim::Observation>& heard) {
  sim::Observation begin;
  begin.answers = {sim::token_text({0, 1})};
  sim::Id state = automaton.advance(automaton.initial(0, {0}), begin).next;
  for (const sim::Observation& observation : heard) {
    const sim::Transition& next = automaton.advance(state, observation);
    REQUIRE_FALSE(next.query);
    state = next.next;
  }
  return state;
}

}  // namespace

TEST_CASE("answers that a client waits for together are one in any order", "[parallel-calls]") {
  const QuorumLock lock(3, kMajority);
  sim::Automaton automaton(*lock.model.program, {lock.model.processes[0]},
                           [](const auto&, const auto&, const auto&, const auto&) {});
  const sim::Reply yes = sim::Reply::status("OK"), no = sim::Reply::null();
  const sim::Id first = after(automaton, {answer(0, yes), answer(2, no)});
  CHECK(first == after(automaton, {answer(2, no), answer(0, yes)}));
  CHECK(first != after(automaton, {answer(0, no), answer(2, yes)}));
  // They go on by what they were answered, and by nothing else.
  const sim::Id all = after(automaton, {answer(0, yes), answer(1, no), answer(2, no)});
  CHECK(all == after(automaton, {answer(2, no), answer(0, yes), answer(1, no)}));
  CHECK(all == after(automaton, {answer(2, no), answer(1, no), answer(0, yes)}));
  CHECK(all != after(automaton, {answer(2, yes), answer(1, no), answer(0, no)}));
}

TEST_CASE("a quorum of nodes asked at once", "[parallel-calls][many-models]") {
  QuorumLock good(3, kMajority);
  CHECK(good.judged(Property::mutual_exclusion) == Verdict::holds);
  QuorumLock minority(3, kAskAll + "return got >= 1");
  CHECK(minority.judged(Property::mutual_exclusion) == Verdict::violated);
  // One answer that is too late leaves a majority: nobody is refused who has one.
  QuorumLock late(3, kAskAll + "return got >= 2");
  late.alone_with(Fault::delay);
  CHECK(late.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("two threads ask all nodes at once", "[parallel-calls][many-models]") {
  const auto judged = [](const std::string& command) {
    QuorumLock lock(2, "local answers = call_all { timeout_ms = 2, " + command + " } " +
                           kCountAnswers + "return got >= 2");
    lock.model.processes.resize(1);
    lock.model.processes[0].threads = 2;
    return lock.judged(Property::mutual_exclusion);
  };
  CHECK(judged("'SET', self.key, 'x', 'NX', 'PX', self.ttl_ms") == Verdict::holds);
  CHECK(judged("'SET', self.key, 'x', 'PX', self.ttl_ms") == Verdict::violated);
}

TEST_CASE("who hears each answer can tell which came first", "[parallel-calls][many-models]") {
  const std::string by_order =
      test::kToken +
      "local order, heard = {}, {} local answers = call_all { 'SET', self.key, self.token, 'NX', "
      "'PX', self.ttl_ms, enough = function(so_far) for _, a in ipairs(so_far) do "
      "if not a.pending and not heard[a.node] then heard[a.node] = true order[#order + 1] = a.node "
      "end end return false end } " +
      kCountAnswers;
  // Nobody's third node is the first to answer but where the network makes it so.
  QuorumLock wrong(3, by_order + "return got >= 2 or order[1] == 3");
  CHECK(wrong.judged(Property::mutual_exclusion) == Verdict::violated);
  QuorumLock right(3, by_order + "return got >= 2");
  CHECK(right.judged(Property::mutual_exclusion) == Verdict::holds);
  // It hears the last answer, too: where all three have come, which of them was the last one.
  QuorumLock last(3, by_order + "return got >= 2 or order[3] == 2");
  CHECK(last.judged(Property::mutual_exclusion) == Verdict::violated);
  QuorumLock heard(3, by_order + "return #order == 3 and got >= 2");
  CHECK(heard.judged(Property::deadlock) == Verdict::holds);
}

TEST_CASE("the order of answers that is left out changes neither verdict nor length",
          "[parallel-calls][many-models]") {
  const test::Seeds seeds = test::seeds_of("orders of answers", 60);
  int fewer = 0;
  for (std::uint32_t seed = seeds.first; seed <= seeds.last; ++seed) {
    test::RandomLock lock = test::random_quorum_lock(seed);
    const test::TemporaryProtocol place("orders-" + std::to_string(seed), lock.protocol);
    lock.model.program = std::make_shared<sim::Program>(place.folder());
    checker::Bounds bounds;
    bounds.max_states = 100'000;
    lock.model.merges_orders = false;
    const checker::Result plain = checker::explore(lock.model, bounds);
    if (plain.verdict == Verdict::inconclusive) continue;
    lock.model.merges_orders = true;
    const checker::Result merged = checker::explore(lock.model, bounds);
    INFO("seed " << seed << "\n" << lock.protocol);
    CHECK(merged.verdict == plain.verdict);
    CHECK(merged.schedule.size() == plain.schedule.size());
    CHECK(merged.unmet == plain.unmet);
    CHECK(merged.slack.least_ms == plain.slack.least_ms);
    CHECK(merged.statistics.states <= plain.statistics.states);
    fewer += merged.statistics.states < plain.statistics.states ? 1 : 0;
  }
  CHECK(fewer > 0);
}

TEST_CASE("what is counted over several nodes turns with each answer by itself",
          "[parallel-calls]") {
  // One after the other: who has so many seconds left (rounded to the nearest) is taken over.
  const auto taken_over_with = [](const std::string& left) {
    InlineLock lock(
        {test::kToken +
             "local got = 0 for n = 1, self.nodes do if call { node = n, 'EVAL', [[if "
             "redis.call('ttl', KEYS[1]) <= " +
             left +
             " then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end return 0]], 1, "
             "self.key, self.token, self.ttl_ms } == 1 then got = got + 1 end end return got >= 2",
         kFreeAll},
        ", nodes = 2, quorum = 'majority'");
    for (sim::ProcessSetup& process : lock.model.processes) process.nodes = 2;
    lock.lasting(30'000, 3000);
    lock.model.properties = {Property::mutual_exclusion};
    return checker::explore(lock.model, {}).verdict;
  };
  CHECK(taken_over_with("0") == Verdict::holds);
  CHECK(taken_over_with("26") == Verdict::holds);  // after 3501 ms: A has done its work in 3000
  CHECK(taken_over_with("27") == Verdict::violated);
}
