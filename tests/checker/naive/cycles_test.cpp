// Closed sets on graphs that one can draw, and what they decide: protocols that go round for ever.
#include "checker/naive/cycles.hpp"

#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/naive/starvation.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::closed_sets;
using checker::ClosedSets;

TEST_CASE("a closed set is a state without a way out, or states that only lead to each other") {
  // 0 -> 1 <-> 2 -> 3 <-> 4 <-> 5, 1 -> 6, and 7 that leads to itself.
  const ClosedSets sets = closed_sets(
      8, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 4}, {4, 3}, {4, 5}, {5, 4}, {1, 6}, {7, 7}});
  for (const std::size_t passing : {0U, 1U, 2U}) CHECK(sets.of[passing] == ClosedSets::kNone);
  REQUIRE(sets.of[3] != ClosedSets::kNone);
  CHECK(sets.of[4] == sets.of[3]);
  CHECK(sets.of[5] == sets.of[3]);
  CHECK(sets.cyclic[sets.of[3]]);
  REQUIRE(sets.of[6] != ClosedSets::kNone);
  CHECK_FALSE(sets.cyclic[sets.of[6]]);
  REQUIRE(sets.of[7] != ClosedSets::kNone);
  CHECK(sets.cyclic[sets.of[7]]);
  CHECK(sets.of[7] != sets.of[6]);
  CHECK(sets.of[7] != sets.of[3]);
}

TEST_CASE("nobody starves beside who never comes, but beside who comes now and then") {
  // 0 <-> 1: time passes on the way there, and nothing on the way back.
  using Task = checker::naive::Rules::MainTask;
  const Task starves{std::uint8_t{0}, sim::TaskId{0}}, other{std::uint8_t{1}, sim::TaskId{0}};
  const auto starving = [&](const std::set<Task>& first, const std::set<Task>& second) {
    return checker::starving_state({{{starves}, first}, {{starves}, second}}, {{0, 1}, {1, 0}},
                                   {{0, 1}});
  };
  CHECK(starving({}, {}) == checker::StateNumber{0});
  CHECK(starving({other}, {}) == checker::StateNumber{0});
  CHECK(starving({}, {other}) == checker::StateNumber{0});
  CHECK_FALSE(starving({other}, {other}));
}

TEST_CASE("a ring is one closed set, and none once an edge leaves it, however long") {
  constexpr std::uint32_t kLength = 100'000;  // no recursion that deep
  std::vector<checker::Edge> edges;
  for (std::uint32_t s = 0; s < kLength; ++s) edges.emplace_back(s, (s + 1) % kLength);
  const ClosedSets ring = closed_sets(kLength + 1, edges);
  CHECK(ring.of[0] != ClosedSets::kNone);
  CHECK(ring.of[kLength / 2] == ring.of[0]);
  CHECK(ring.of[kLength] != ring.of[0]);

  edges.emplace_back(kLength / 3, kLength);
  const ClosedSets left = closed_sets(kLength + 1, edges);
  CHECK(left.of[0] == ClosedSets::kNone);
  CHECK(left.of[kLength] != ClosedSets::kNone);
}

namespace {

checker::Result explored(const sim::Model& model, checker::naive::Memory memory) {
  checker::Bounds bounds;
  bounds.max_states = 1000;
  return checker::explore_naively(model, bounds, {}, memory);
}

void check_endless(const sim::Model& model, sim::Property property, std::size_t steps) {
  for (const auto& result :
       {explored(model, checker::naive::Memory::boundary), checker::explore(model, {})}) {
    CHECK(result.verdict == checker::Verdict::violated);
    CHECK(result.property == property);
    CHECK(result.endless);
    CHECK(result.schedule.size() == steps);
  }
  CHECK(explored(model, checker::naive::Memory::history).verdict == checker::Verdict::inconclusive);
}

}  // namespace

TEST_CASE("a client that asks for ever for what it holds itself is a deadlock", "[many-models]") {
  // SETNX is sent, executed, heard: held, and sent again; executed, heard: here begins the round of
  // a second's sleep and another refusal, 5 steps from the start.
  sim::Model model = tests::small_model(tests::kOwn + "waits", 1, 0);
  model.processes[0].workload = {tests::kLock, tests::kLock, tests::kUnlock, tests::kUnlock};
  model.properties = {sim::Property::deadlock};
  check_endless(model, sim::Property::deadlock, 5);
}

TEST_CASE("a client that asks for ever, but in vain only as long as another holds, is none") {
  sim::Model model = tests::small_model(tests::kOwn + "waits", 2, tests::kSecondMs);
  model.properties = {sim::Property::deadlock, sim::Property::mutual_exclusion};
  for (const auto& result :
       {explored(model, checker::naive::Memory::boundary), checker::explore(model, {})})
    CHECK(result.verdict == checker::Verdict::holds);
}

TEST_CASE("a task that goes on when all is done is a leak", "[many-models]") {
  // SET sent, executed, heard; DEL sent, executed, heard: done, but for the task. Later
  // rounds differ from the first in what the task has just heard, until time passes: 7.
  sim::Model model = tests::small_model(tests::kOwn + "goes-on", 1, 0);
  model.properties = {sim::Property::leak};
  check_endless(model, sim::Property::leak, 7);
}

TEST_CASE("a round that takes no time is no behaviour, and no verdict") {
  // The key's expiry lies ahead, and never comes.
  sim::Model model = tests::small_model(tests::kOwn + "no-time", 1, 0);
  model.properties = {sim::Property::mutual_exclusion};
  const auto result = explored(model, checker::naive::Memory::boundary);
  CHECK(result.verdict == checker::Verdict::inconclusive);
  CHECK(result.why_inconclusive == "a zero-time cycle of process A");
  CHECK(checker::explore(model, {}).verdict == checker::Verdict::inconclusive);
}
