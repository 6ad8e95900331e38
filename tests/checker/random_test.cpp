// Engine and naive explorer on random locks: the same verdict, the same shortest length, the same
// witnesses. The seeds are other ones each day; for more of them, or those of another day:
//   LOCKSTEP_SEEDS=1-2000 build/test_checker "[random]"
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/slack.hpp"
#include "checker/trace/trace.hpp"
#include "cli/parallel.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/client/turning.hpp"
#include "tests/checker/random_migrating_lock.hpp"
#include "tests/checker/random_permits_lock.hpp"
#include "tests/checker/random_quorum_lock.hpp"
#include "tests/checker/random_relied_lock.hpp"
#include "tests/checker/random_renewed_lock.hpp"
#include "tests/checker/random_replicated_lock.hpp"
#include "tests/checker/random_shared_lock.hpp"
#include "tests/checker/random_timed_lock.hpp"
#include "tests/checker/random_waiting_lock.hpp"
#include "tests/checker/random_watched_lock.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

/// What an explorer comes to.
struct Outcome {
  std::size_t steps = 0;  ///< of the shortest run that violates anything; 0: there is none
  std::string words;
  std::string time_gap;                       ///< of the engine: what it says not to have tried
  std::string run = {};                       ///< that was found, a line a step
  std::optional<std::int64_t> slack_ms = {};  ///< if it holds, and that is exact
  bool endless = false;                       ///< by what goes on for ever after that run
};

Outcome outcome_of(const checker::Result& result) {
  if (result.verdict == checker::Verdict::violated) {
    Outcome outcome{result.schedule.size(),
                    "violated after " + std::to_string(result.schedule.size()) + " steps",
                    result.time_gap, ""};
    outcome.endless = result.endless;
    return outcome;
  }
  std::string text = "holds, unmet:";
  for (const sim::Witness witness : result.unmet) text += std::string(" ") + sim::name(witness);
  return {0, text, result.time_gap, ""};
}

/// What happens in it, for whoever asks why the other explorer found another one.
std::string told(const sim::Model& model, const checker::Result& result) {
  if (result.schedule.empty()) return "";
  std::string text;
  const auto trace = checker::tell(model, result.schedule);
  for (const auto& step : trace.steps)
    text += std::to_string(step.data.time_ms) + " ms  " + step.prose.actor + " " +
            step.prose.sentence + "\n";
  return text + trace.violation + "\n";
}

/// Whether the run that was found does what it was found for.
bool can_be_told(sim::Model model, const checker::Result& result) {
  if (result.endless || result.verdict != checker::Verdict::violated) return true;
  const bool other = result.doubts_deadlock && result.property != sim::Property::deadlock;
  if (other) model.properties.erase(sim::Property::deadlock);
  try {
    const auto violated = checker::tell(model, result.schedule).violated;
    return sim::clocks_drift(model) ? violated.has_value() : violated == result.property;
  } catch (const sim::BadInput&) {  // a step of it is not possible
    return false;
  }
}

/// Nothing if a bound was reached first.
std::optional<Outcome> explored(const test::RandomLock& lock, std::uint64_t max_states,
                                bool naively) {
  sim::Model model = lock.model;
  static std::atomic<int> number = 0;
  const test::TemporaryProtocol place("random-" + std::to_string(++number), lock.protocol);
  model.program = std::make_shared<sim::Program>(place.folder());
  checker::Bounds bounds;
  bounds.max_states = max_states;
  bounds.max_seconds = 5;
  try {
    auto result =
        naively ? checker::explore_naively(model, bounds, {}, checker::naive::Memory::boundary)
                : checker::explore(model, bounds);
    if (result.verdict == checker::Verdict::inconclusive) return std::nullopt;
    if (!naively && !can_be_told(model, result))
      return Outcome{0, "found what cannot be told", "?", ""};
    auto outcome = outcome_of(result);
    outcome.run = told(model, result);
    if (sim::clocks_drift(model)) return outcome;  // of which a part of a ms may be left
    if (!naively) checker::settle_slack(model, result, bounds);
    if (result.verdict == checker::Verdict::holds && (naively || result.slack.exact))
      outcome.slack_ms = result.slack.least_ms;
    return outcome;
  } catch (const sim::BadInput&) {  // a loop that no explorer can follow to its end
    return std::nullopt;
  }
}

/// Two explorations of a lock; the second one only if the first came to something.
struct Comparison {
  std::string protocol;
  std::optional<Outcome> one, other;
};

/// Engine and naive explorer, which takes every instant.
Comparison compared(const test::RandomLock& lock, std::uint64_t max_states) {
  Comparison comparison{lock.protocol, explored(lock, max_states, false), {}};
  if (comparison.one) comparison.other = explored(lock, 10 * max_states, true);
  return comparison;
}

/// The same where clocks drift, if all points of time were tried. What is violated in a run is so
/// if that is told (on the naive world), too.
Comparison compared_drifting(const test::RandomLock& lock, std::uint64_t max_states) {
  Comparison comparison{lock.protocol, explored(lock, max_states, false), {}};
  if (comparison.one && comparison.one->time_gap.empty())
    comparison.other = explored(lock, max_states, true);
  return comparison;
}

using LockOfUnit = std::function<test::RandomLock(std::int64_t unit_ms)>;

/// The engine with durations of a few milliseconds, and with 997 times as many.
Comparison enlarged(const LockOfUnit& lock, std::uint64_t max_states) {
  constexpr std::int64_t kFactor = 997;
  const auto small = lock(1);
  Comparison comparison{small.protocol, explored(small, max_states, false), {}};
  if (comparison.one && comparison.one->steps > 0)
    comparison.other = explored(lock(kFactor), max_states, false);
  return comparison;
}

/// The number of seeds on which both came to a verdict.
int compared_seeds(test::Seeds seeds, const std::function<Comparison(std::uint32_t)>& make,
                   const std::function<bool(const Comparison&)>& agree) {
  int left_open = 0, both = 0, inexact = 0;
  cli::in_order(
      seeds.count(), cli::jobs_of({}),
      [&](std::size_t i) { return make(seeds.first + static_cast<std::uint32_t>(i)); },
      [&](std::size_t i, const Comparison& comparison) {
        if (!comparison.one) ++left_open;
        if (!comparison.one) return;
        if (comparison.one->time_gap == "?")
          FAIL_CHECK(comparison.protocol << comparison.one->words);
        if (!comparison.other) return;
        ++both;
        if (!comparison.one->time_gap.empty()) ++inexact;
        INFO("LOCKSTEP_SEEDS=" << seeds.first + i << "-" << seeds.first + i << "\n"
                               << comparison.protocol << comparison.one->words << "; "
                               << comparison.other->words << "; slack "
                               << comparison.one->slack_ms.value_or(0) << " and "
                               << comparison.other->slack_ms.value_or(0) << "; "
                               << comparison.one->time_gap << "\n"
                               << comparison.one->run << comparison.other->run);
        CHECK(agree(comparison));
      });
  std::cout << both << " compared, " << inexact << " of them not exact in time; " << left_open
            << " left open by the first" << std::endl;
  return both;
}

/// More than one seed of so many comes to a verdict in both, or the test says too little. How many
/// do is chance: where a day's seeds are too few, those behind them are tried, too.
void check_seeds(test::Seeds seeds, const std::function<Comparison(std::uint32_t)>& make,
                 const std::function<bool(const Comparison&)>& agree, std::uint32_t of_so_many) {
  const int least = static_cast<int>(seeds.count() / of_so_many);
  int both = compared_seeds(seeds, make, agree);
  for (int more = 0; more < 3 && both <= least; ++more) {
    seeds = {seeds.last + 1, seeds.last + seeds.count()};
    both += compared_seeds(seeds, make, agree);
  }
  CHECK(both > least);
}

/// Where not every point of time was tried, a shorter run may have been missed, and is not denied.
/// What is left of a lease tells each ms that is missed, where most verdicts do not.
bool the_same(const Comparison& comparison) {
  const Outcome &one = *comparison.one, &other = *comparison.other;
  if (one.slack_ms && other.slack_ms && one.slack_ms != other.slack_ms) return false;
  if (one.endless && other.endless) return true;  // which world is the first, readings may differ
  const bool longer = one.steps > other.steps && other.steps > 0;
  return one.words == other.words || (longer && !one.time_gap.empty());
}

/// With longer durations 1 ms is less: what fails in milliseconds fails in seconds, maybe sooner.
bool fails_as_well(const Comparison& comparison) {
  return comparison.other->steps > 0 && comparison.other->steps <= comparison.one->steps;
}

/// Engine and naive explorer on the locks of so many seeds; LOCKSTEP_STATES may say another number
/// of states that the engine goes to.
void check_locks(const char* what, std::uint32_t count, std::uint64_t states,
                 const std::function<test::RandomLock(std::uint32_t)>& lock_of,
                 std::uint32_t of_so_many) {
  const auto most = test::setting("LOCKSTEP_STATES", states);
  const auto make = [&](std::uint32_t seed) { return compared(lock_of(seed), most); };
  check_seeds(test::seeds_of(what, count), make, the_same, of_so_many);
}

/// The lock, of which only the waits are judged.
test::RandomLock waits_alone(test::RandomLock lock, std::int64_t most_ms) {
  lock.model.properties = {sim::Property::waits};
  lock.model.waits_ms = most_ms;
  return lock;
}

}  // namespace

TEST_CASE("engine and naive explorer agree on who waits for too long",
          "[random-waits][many-models]") {
  const auto lock_of = [](std::uint32_t seed) {
    const auto lock =
        seed % 2 == 0 ? waits_alone(test::random_lock(seed), (1 + seed / 2 % 5) * sim::kSecondMs)
                      : waits_alone(test::random_timed_lock(seed, 1, true), 1 + seed / 2 % 17);
    auto asked = lock;
    if (seed % 3 == 0) asked.model.waits_after = sim::WaitsAfter::free;
    return asked;
  };
  check_locks("random waits", 24, 2000, lock_of, 8);
}

TEST_CASE("engine and naive explorer agree on random locks", "[random][many-models]") {
  const auto seeds = test::seeds_of("random locks", 50);
  const auto make = [](std::uint32_t seed) { return compared(test::random_lock(seed), 1500); };
  check_seeds(seeds, make, the_same, 3);
}

TEST_CASE("engine and naive explorer agree on what clients can see on clocks",
          "[random-timed][many-models]") {
  check_locks(
      "random marking locks", 20, 4000,
      [](std::uint32_t seed) { return test::random_marking_lock(seed, 1, true, seed % 4 == 0); },
      4);
}

TEST_CASE("engine and naive explorer agree on random locks that look at clocks",
          "[random-timed][many-models]") {
  check_locks(
      "random timed locks", 24, 4000,
      [](std::uint32_t seed) { return test::random_timed_lock(seed, 1 + seed % 2, true); }, 8);
}

TEST_CASE("engine and naive explorer agree on work that a pause stops beside other tasks",
          "[random-watched][many-models]") {
  check_locks(
      "random watched locks", 24, 20'000,
      [](std::uint32_t seed) { return test::random_watched_lock(seed, 1 + 2 * (seed % 3)); }, 4);
}

TEST_CASE("engine and naive explorer agree on random locks on several nodes",
          "[random-quorum][many-models]") {
  check_locks("random quorum locks", 40, 16000, test::random_quorum_lock, 4);
}

TEST_CASE("engine and naive explorer agree on random locks on nodes with replicas",
          "[random-replicated][many-models]") {
  check_locks("random replicated locks", 40, 4000, test::random_replicated_lock, 4);
}

TEST_CASE("engine and naive explorer agree on random locks whose slots migrate",
          "[random-migrating][many-models]") {
  check_locks("random migrating locks", 40, 4000, test::random_migrating_lock, 4);
}

TEST_CASE("engine and naive explorer agree on random locks that wait for keys",
          "[random-waiting][many-models]") {
  check_locks("random waiting locks", 40, 4000, test::random_waiting_lock, 8);
}

TEST_CASE("engine and naive explorer agree on who is not told", "[random-wakeup][many-models]") {
  const auto lock_of = [](std::uint32_t seed) {
    auto lock = seed % 4 == 0 ? test::random_shared_lock(seed) : test::random_waiting_lock(seed);
    lock.model.properties = {sim::Property::lost_wakeup};
    return lock;
  };
  check_locks("random wake-ups", 32, 4000, lock_of, 8);
}

TEST_CASE("engine and naive explorer agree on random locks with readers and writers",
          "[random-shared][many-models]") {
  check_locks("random shared locks", 45, 4000, test::random_shared_lock, 8);
}

TEST_CASE("engine and naive explorer agree on random locks whose key who leaves shortens",
          "[random-relied][many-models]") {
  check_locks(
      "random relied locks", 60, 4000,
      [](std::uint32_t seed) { return test::random_relied_lock(seed); }, 20);
}

TEST_CASE("engine and naive explorer agree on random semaphores", "[random-permits][many-models]") {
  check_locks("random semaphores", 60, 4000, test::random_permits_lock, 3);
}

TEST_CASE("engine and naive explorer agree on random watchdogs", "[random-renewed][many-models]") {
  check_locks(
      "random watchdogs", 40, 20'000,
      [](std::uint32_t seed) { return test::random_renewed_lock(seed); }, 4);
}

TEST_CASE("engine and naive explorer agree where clocks drift", "[random-drift][many-models]") {
  const auto seeds = test::seeds_of("random drifting locks", 40);
  const auto most = test::setting("LOCKSTEP_STATES", 2000);
  const auto make = [&](std::uint32_t seed) {
    return compared_drifting(test::random_drifting_lock(seed), most);
  };
  check_seeds(seeds, make, the_same, 20);
}

TEST_CASE("what fails in milliseconds fails in seconds", "[random-enlarged][many-models]") {
  const auto seeds = test::seeds_of("random timed locks, enlarged", 14);
  const auto make = [](std::uint32_t seed) {
    const auto lock = [seed](std::int64_t unit_ms) {
      return seed % 2 == 0 ? test::random_timed_lock(seed, unit_ms, false)
                           : test::random_marking_lock(seed, unit_ms, false, seed % 3 == 0);
    };
    return enlarged(lock, 20'000);
  };
  check_seeds(seeds, make, fails_as_well, 20);
}

TEST_CASE("what who leaves shortens in milliseconds fails in seconds",
          "[random-enlarged][random-relied][many-models]") {
  const auto seeds = test::seeds_of("random relied locks, enlarged", 40);
  const auto make = [](std::uint32_t seed) {
    const auto lock = [seed](std::int64_t ms) { return test::random_relied_lock(seed, ms); };
    return enlarged(lock, 20'000);
  };
  check_seeds(seeds, make, fails_as_well, 20);
}
