// Both explorers side by side on random runs with many faults: after each step the same actions are
// possible, and each of them shows the same. What a search hides (another run is as short, or the
// verdict is the same all the same) is seen here.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/naive/rules.hpp"
#include "checker/world_system.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/world/expand.hpp"
#include "tests/checker/dice.hpp"
#include "tests/checker/random_migrating_lock.hpp"
#include "tests/checker/random_quorum_lock.hpp"
#include "tests/checker/random_replicated_lock.hpp"
#include "tests/checker/random_shared_lock.hpp"
#include "tests/checker/random_timed_lock.hpp"
#include "tests/checker/random_waiting_lock.hpp"
#include "tests/checker/told_world.hpp"
#include "tests/checker/various_lock.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace lockstep;
using checker::naive::Rules;
using sim::Action;
using test::Dice;

constexpr std::size_t kMostPoints = 1'000;  ///< of time that the engine tries from one state
constexpr int kWalks = 3;                   ///< of each lock
constexpr std::int64_t kTenYearsMs = sim::kFarthestMs * sim::kFarBeyond;

using State = std::array<sim::Id, sim::World::kRoom>;

/// What a step shows: the property that it violates, if one, and its witnesses.
struct Shown {
  std::optional<sim::Property> violated;
  sim::WitnessSet witnessed = 0;
  friend bool operator==(const Shown&, const Shown&) = default;
};

std::string told(const Action& action) {
  std::string choices;
  for (const auto choice : action.choices) choices += std::to_string(choice);
  return fmt::format("{} p{} t{} c{} n{} image {} key {} ({} cut {}) {} ms [{}]",
                     row(action.kind).name, action.process, action.task, action.connection,
                     action.node, action.image, action.key, row(action.step).name, action.cut,
                     action.amount_ms, choices);
}

std::string told(const Shown& shown) {
  return fmt::format("violates {}, witnesses {:b}",
                     shown.violated ? sim::name(*shown.violated) : "nothing", shown.witnessed);
}

/// One run of both; the engine's steps decide how it goes on.
class Together {
 public:
  Together(checker::WorldSystem& system, Rules& rules)
      : system_(system), rules_(rules), world_(rules.initial()) {
    system.initial(state_.data());
  }

  /// What differs, with the way there; "" if nothing does.
  std::string walk(Dice& dice, int steps) {
    hurry_ = dice.below(4);
    for (int step = 0; step < steps; ++step) {
      const auto [ours, passes] = of_engine();
      auto theirs = of_naive();
      std::string difference = compared(ours, theirs);
      if (difference.empty()) difference = compared_time(passes);
      if (difference.empty())
        difference = test::first_difference(
            test::told(system_.world(), state_.data(), world_.now.ms),
            test::told(rules_, world_, system_.world().knowledge().replica_waits));
      if (!difference.empty()) return way_ + difference;
      const std::optional<std::string> differs = go_on(dice, ours, passes, theirs);
      if (differs) return *differs;
    }
    return "";
  }

 private:
  struct Step {
    State state;
    Shown shown;
  };
  using Steps = std::map<Action, Step>;
  using Successors = std::map<Action, checker::naive::Successor>;

  std::pair<Steps, Steps> of_engine() {
    Steps steps, passes;
    system_.expand(
        state_.data(), kMostPoints,
        [&](sim::Id* next, const sim::Candidate& candidate,
            const checker::WorldSystem::Facts& facts) {
          Step step{{}, {{}, facts.witnessed}};
          std::copy_n(next, step.state.size(), step.state.begin());
          for (const auto property : sim::kProperties)
            if (!step.shown.violated && (facts.violated & sim::only(property)) != 0)
              step.shown.violated = property;
          const bool passes_time = candidate.kind == Action::Kind::pass;
          (passes_time ? passes : steps).emplace(system_.label(state_.data(), candidate), step);
        });
    return {steps, passes};
  }

  Successors of_naive() {
    Successors all;
    for (const Action& action : rules_.enabled(world_)) {
      // Where no step looks twice the engine leaves it out: the step, then the jump, are the same.
      const bool twice = system_.world().knowledge().looks_twice;
      if (action.kind == Action::Kind::jump_within && !twice) continue;
      for (auto& successor : rules_.successors(world_, action))
        all.emplace(successor.action, successor);
    }
    return all;
  }

  static Shown shown_by(const checker::naive::Facts& facts) {
    Shown shown;
    if (facts.violation) shown.violated = facts.violation->property;
    for (const auto witness : facts.witnesses) shown.witnessed |= sim::only(witness);
    return shown;
  }

  static std::string compared(const Steps& ours, const Successors& theirs) {
    for (const auto& [action, step] : ours) {
      const auto other = theirs.find(action);
      if (other == theirs.end()) return "the engine alone: " + told(action);
      const Shown shown = shown_by(other->second.facts);
      if (shown != step.shown)
        return fmt::format("{}: engine {}; naive {}", told(action), told(step.shown), told(shown));
    }
    for (const auto& [action, successor] : theirs)
      if (!ours.contains(action)) return "the naive explorer alone: " + told(action);
    return "";
  }

  /// The engine tries some points of time, the naive explorer all; in both time passes until
  /// something has to happen, if anything has.
  std::string compared_time(const Steps& passes) {
    const std::int64_t engine_ms = passes.empty() ? 0 : passes.rbegin()->first.amount_ms;
    const std::set<std::int64_t> deadlines = rules_.deadlines(world_);
    const std::int64_t last_ms = deadlines.empty() ? 0 : *deadlines.rbegin();
    const std::int64_t free_ms = rules_.undisturbed_ms(world_, std::max(engine_ms, last_ms) + 1);
    const bool all_tried = passes.size() < kMostPoints;
    // What ends at a replica that nobody asks is none to the engine; and each finds thresholds as
    // it goes.
    const bool all_count = all_tried && rules_.model().processes[0].replicas == 0 &&
                           rules_.expected() == checker::naive::Thresholds{};
    for (const std::int64_t deadline_ms : deadlines)
      if (all_count && deadline_ms <= engine_ms &&
          std::ranges::none_of(passes, [deadline_ms](const auto& pass) {
            return pass.first.amount_ms == deadline_ms;
          }))
        return fmt::format("something changes after {} ms: no instant of the engine's",
                           deadline_ms);
    const bool has_to = free_ms <= last_ms && all_tried;
    if (has_to ? engine_ms == free_ms : engine_ms <= free_ms) return "";
    return fmt::format("time passes by {} ms in the engine, something happens after {} ms",
                       engine_ms, free_ms);
  }

  /// What clients do and are answered.
  static bool on(Action::Kind kind) { return sim::is_step(kind) || kind == Action::Kind::execute; }

  /// Any kind of action is as likely as another, but for a run in a hurry. What passing time shows
  /// that differs; "" at the end.
  std::optional<std::string> go_on(Dice& dice, const Steps& ours, const Steps& passes,
                                   Successors& theirs) {
    std::map<Action::Kind, std::vector<Action>> kinds;
    for (const auto* steps : {&ours, &passes})
      for (const auto& [action, step] : *steps) kinds[action.kind].push_back(action);
    if (kinds.empty()) return "";
    const bool goes_on = dice.below(4) < hurry_;
    if (goes_on && std::ranges::any_of(kinds, [](const auto& kind) { return on(kind.first); }))
      std::erase_if(kinds, [](const auto& kind) { return !on(kind.first); });
    const auto kind =
        std::next(kinds.begin(), static_cast<std::ptrdiff_t>(dice.below(kinds.size())));
    const Action action = dice.of(kind->second);
    way_ += told(action) + "\n";
    if (action.kind == Action::Kind::pass) {
      if (action.amount_ms > kTenYearsMs) return "";  // farther than the engine looks for turns
      const Shown naive = shown_by(rules_.apply(world_, action)), engine = passes.at(action).shown;
      if (naive != engine)
        return fmt::format("{}engine {}; naive {}", way_, told(engine), told(naive));
      if (naive.violated == sim::Property::waits) return "";  // it would be for ever
      state_ = passes.at(action).state;
    } else {
      world_ = std::move(theirs.at(action).world);
      state_ = ours.at(action).state;
    }
    return std::nullopt;
  }

  checker::WorldSystem& system_;
  Rules& rules_;
  checker::naive::World world_;
  State state_{};
  std::string way_;
  std::size_t hurry_ = 0;  ///< in so many of four steps something goes on that can
};

/// Of a run that both explorers knew enough of from the beginning.
std::string difference(const sim::Model& model, std::uint32_t seed, int steps) {
  checker::Watch watch({}, {});
  checker::naive::Thresholds known;
  return checker::with_enough_knowledge(model, watch, [&](checker::WorldSystem& system) {
    for (;;) {
      Rules rules(model, checker::naive::Memory::boundary, known);
      Dice dice(seed);
      std::string found;  // of several runs: what one has met must not be taken for another's
      for (int walk = 0; walk < kWalks && found.empty(); ++walk)
        found = Together(system, rules).walk(dice, steps);
      if (rules.found() == known) return found;
      known = rules.found();
    }
  });
}

/// A few kinds of faults, each of which may happen again and again.
sim::Budget drawn_faults(Dice& dice, bool replicas) {
  sim::Budget budget{};
  for (std::int64_t kinds = dice.from(2, 4); kinds > 0; --kinds) {
    auto fault = dice.of<sim::Fault>({sim::kFaults.begin(), sim::kFaults.end()});
    if (replicas && dice.one_in(2))
      fault = dice.of<sim::Fault>({sim::Fault::lag, sim::Fault::failover});
    const bool possible = fault != sim::Fault::preempt && !row(fault).of_cluster &&
                          (replicas || !row(fault).of_replicas);
    if (possible)
      budget[static_cast<std::size_t>(fault)] = static_cast<std::uint8_t>(dice.from(1, 3));
  }
  return budget;
}

/// Judges the properties that the lock's model asks for.
void check_walks(test::RandomLock lock, std::uint32_t seed) {
  const test::TemporaryProtocol place(fmt::format("together-{}", seed), lock.protocol);
  lock.model.program = std::make_shared<sim::Program>(place.folder());
  lock.model.merges_orders = false;
  std::string found;
  try {
    found = difference(lock.model, seed, 60);
  } catch (const sim::BadInput&) {  // what no explorer follows to its end
  }
  INFO("seed " << seed << "\n" << lock.protocol);
  CHECK(found == "");
}

/// Slots that migrate, there and back, and faults that may befall their nodes' clients.
sim::Budget faults_of_migration(Dice& dice) {
  sim::Budget budget{};
  for (std::int64_t kinds = dice.from(1, 3); kinds > 0; --kinds) {
    const auto fault = dice.of<sim::Fault>({sim::Fault::pause, sim::Fault::delay, sim::Fault::lose,
                                            sim::Fault::crash, sim::Fault::jump, sim::Fault::evict,
                                            sim::Fault::flush, sim::Fault::cut});
    budget[static_cast<std::size_t>(fault)] = static_cast<std::uint8_t>(dice.from(1, 3));
  }
  budget[static_cast<std::size_t>(sim::Fault::migrate)] = 2;
  return budget;
}

void check(test::RandomLock lock, std::uint32_t seed) {
  Dice dice(seed);
  lock.model.budget = lock.model.cluster ? faults_of_migration(dice)
                                         : drawn_faults(dice, lock.model.processes[0].replicas > 0);
  if (dice.one_in(4)) lock.model.latency_ms = dice.from(1, 3);
  if (dice.one_in(3)) lock.model.request_timeout_ms = dice.from(1, 5);
  lock.model.properties = {sim::kProperties.begin(), sim::kProperties.end()};
  // Where time is not exact the engine leaves deadlock open; and the others need more than faults.
  for (const auto unasked :
       {sim::Property::deadlock, sim::Property::waits, sim::Property::invariant})
    lock.model.properties.erase(unasked);
  check_walks(std::move(lock), seed);
}

test::RandomLock drawn_lock(std::uint32_t seed) {
  switch (seed % 8) {
    case 7:
      return test::random_waiting_lock(seed);
    case 6:
      return test::random_shared_lock(seed);
    case 5:
      return test::random_migrating_lock(seed);
    case 0:
      return test::random_quorum_lock(seed);
    case 1:
      return test::random_lock(seed);
    case 2:
      return test::random_timed_lock(seed, 1, false);
    default:
      return test::random_replicated_lock(seed);
  }
}

}  // namespace

TEST_CASE("step by step both explorers see the same actions, and the same of each",
          "[many-models]") {
  const test::Seeds seeds = test::seeds_of("together", 300);
  for (std::uint32_t seed = seeds.first; seed <= seeds.last; ++seed) check(drawn_lock(seed), seed);
}

TEST_CASE("step by step both explorers see the same where any two faults meet", "[many-models]") {
  const test::Seeds seeds = test::seeds_of("together, any two faults", 1);
  for (std::uint32_t seed = seeds.first; seed <= seeds.last; ++seed) {
    std::uint32_t turn = seed * 10'000;
    for (std::size_t lock = 0; lock < test::various_locks(); ++lock)
      for (const auto one : sim::kFaults)
        for (const auto other : sim::kFaults) {
          if (other < one || !test::fit(lock, one, other)) continue;
          // Where time is absolute a walk takes long.
          if (!test::is_todays(++turn, test::is_absolute(lock) ? 20 : 10)) continue;
          CAPTURE(lock, sim::name(one), sim::name(other));
          check_walks(test::various_lock(lock, one, other, turn), turn);
        }
  }
}

TEST_CASE("step by step both explorers see the same where replicas suffer, and something else",
          "[many-models]") {
  const test::Seeds seeds = test::seeds_of("together, replicas", 1);
  for (std::uint32_t seed = seeds.first; seed <= seeds.last; ++seed) {
    std::uint32_t turn = seed * 10'000 + 5'000;
    for (std::size_t lock = 0; lock < test::various_locks(); ++lock)
      for (const auto one : {sim::Fault::lag, sim::Fault::failover})
        for (const auto other : sim::kFaults)
          if (test::fit(lock, one, other)) {
            CAPTURE(lock, sim::name(one), sim::name(other));
            ++turn;
            check_walks(test::various_lock(lock, one, other, turn), turn);
          }
  }
}
