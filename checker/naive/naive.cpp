// The naive explorer: the search loop of search.hpp on the worlds of world.hpp, with
// bounds, witnesses and a verdict.
#include "checker/naive/naive.hpp"

#include <algorithm>
#include <new>

#include "checker/naive/cycles.hpp"
#include "checker/naive/rules.hpp"
#include "checker/naive/search.hpp"
#include "checker/naive/starvation.hpp"
#include "sim/base/token.hpp"
#include "sim/model/vacuous.hpp"

namespace lockstep::checker {

using sim::Action;
using sim::Schedule;

namespace {

/// How many faults a schedule has, then how often it goes from one process to another.
std::pair<int, int> cost(const Schedule& schedule) {
  int faults = 0, switches = 0;
  std::optional<std::uint8_t> last;
  for (const Action& action : schedule) {
    if (sim::is_fault(action.kind)) ++faults;
    if (!row(action.kind).fields.process) continue;
    if (last && *last != action.process) ++switches;
    last = action.process;
  }
  return {faults, switches};
}

/// What a search has to expect of the runs before it knows them.
struct Expected {
  bool token_cut = false;  ///< some run takes a token to pieces
  naive::Thresholds thresholds;
};

class Exploration {
 public:
  Exploration(const sim::Model& model, naive::Memory memory, Watch& watch, Expected& expected)
      : model_(model),
        memory_(memory),
        watch_(watch),
        expected_(expected),
        rules_(model, memory, expected.thresholds, &watch),
        runs_before_(model.program->runs()) {}

  /// Nothing if the runs were not as expected: then `expected` is what the next attempt needs.
  std::optional<Result> run() {
    const bool names_matter = memory_ == naive::Memory::history || !model_.merges_tokens;
    search_.run(
        rules_.initial(), names_matter ? naive::identity : naive::identity_but_token_names,
        [this](StateNumber number, const naive::World& world) { return expand(number, world); },
        [this](const Statistics& so_far) { return stop(so_far); },
        [this](StateNumber from, StateNumber to, const Action& action) { met(from, to, action); });
    if (unexpected()) {
      expected_.token_cut = expected_.token_cut || rules_.token_cut();
      expected_.thresholds = rules_.found();
      return std::nullopt;
    }
    Result result;
    result.statistics = search_.statistics();
    result.statistics.seconds = watch_.seconds();
    result.executed = {model_.program->runs() - runs_before_, rules_.scripts_run(),
                       rules_.commands_run()};
    conclude(result);
    note_unmet(result);
    return result;
  }

 private:
  using Search = BreadthFirst<naive::World, Action>;

  bool unexpected() const {
    return (rules_.token_cut() && !expected_.token_cut) || rules_.found() != rules_.expected();
  }

  /// What the claims about runs without an end need to know of a world.
  struct Nature {
    bool waits = false;         ///< a task is inside acquire()
    bool hangs = false;         ///< nothing goes on, one is inside release(), nobody could acquire
    bool only_spawned = false;  ///< all main tasks are done, a spawned one is not
    bool acquires = false;      ///< some action acquires
    bool executes = false;      ///< some action executes a request
    bool time_passes = false;
    bool time_ahead = false;  ///< time alone will change something
    std::uint8_t actor = 0;   ///< whose action that takes no time leads out
  };

  void met(StateNumber from, StateNumber to, const Action& action) {
    if (sim::is_fault(action.kind)) return;
    edges_.emplace_back(from, to);
    if (action.kind == Action::Kind::pass) {
      natures_[from].time_passes = true;
      passes_.emplace_back(from, to);
    } else {
      at_once_.emplace_back(from, to);
      natures_[from].actor = action.process;
    }
  }

  /// All worlds that a pass leads to are there at once: not more of them than memory is for.
  static constexpr std::int64_t kMostTicks = 20'000;

  std::vector<Move<naive::World, Action>> expand(StateNumber number, const naive::World& world) {
    if (rules_.furthest_pass(world) / model_.tick_ms > kMostTicks) {
      if (trouble_.empty()) trouble_ = "time has too many steps before anything has to happen";
      return {};
    }
    natures_.resize(std::max<std::size_t>(natures_.size(), std::size_t{number} + 1));
    Nature& nature = natures_[number];
    nature.time_ahead = !rules_.deadlines(world).empty();
    nature.waits = rules_.waits_in_acquire(world);
    nature.only_spawned = rules_.only_spawned_go_on(world);
    if (model_.properties.contains(sim::Property::progress)) {
      tasks_.resize(natures_.size());
      if (rules_.undisturbed(world))
        tasks_[number] = {rules_.in_acquire(world), rules_.resting(world)};
    }
    if (model_.properties.contains(sim::Property::deadlock)) {
      if (!stuck_ && nature.waits && rules_.has_ended(world)) stuck_ = number;
      nature.hangs = rules_.hangs_in_release(world);
    }
    std::vector<Move<naive::World, Action>> moves;
    for (naive::Successor& successor : rules_.successors(world)) {
      note(successor);
      nature.acquires =
          nature.acquires || successor.facts.witnesses.contains(sim::Witness::acquired);
      nature.executes = nature.executes || successor.action.kind == Action::Kind::execute;
      const bool goal = successor.facts.violation.has_value();
      if (goal) properties_.push_back(successor.facts.violation->property);
      moves.push_back({std::move(successor.action), std::move(successor.world), goal});
    }
    if (trouble_.empty()) trouble_ = watch_.why();  // a probe may have been cut off
    return moves;
  }

  void note(const naive::Successor& successor) {
    kept_on_ = kept_on_ || successor.facts.kept_on;
    if (const auto left_ms = successor.facts.slack.least_ms) slack_.note(*left_ms);
    for (const sim::Witness witness : successor.facts.witnesses) {
      witnesses_.insert(witness);
      if (witness == sim::Witness::acquired) acquired_by_.insert(successor.action.process);
    }
    if (successor.facts.spinning && trouble_.empty()) {
      trouble_ = "a zero-time cycle: task " + std::to_string(*successor.facts.spinning) +
                 " of process " + sim::process_name(successor.action.process) +
                 " takes step after step while time cannot pass";
    }
    if (successor.facts.probe_endless && trouble_.empty()) {
      trouble_ = "the probe for deadlock came to no end: acquire() goes on and on alone";
    }
  }

  bool stop(const Statistics& so_far) {
    if (unexpected() || stuck_ || !trouble_.empty()) return true;
    if (!watch_.may_go_on(so_far)) trouble_ = watch_.why();
    return !trouble_.empty();
  }

  void conclude(Result& result) {
    if (stuck_) {  // found where its level is expanded: before anything that a step violates
      result.verdict = Verdict::violated;
      result.schedule = search_.way_to(*stuck_);
      result.property = sim::Property::deadlock;
      return;
    }
    const std::vector<Schedule> ways = search_.ways_to_goals();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (i > 0 && cost(ways[i]) >= cost(result.schedule)) continue;
      result.verdict = Verdict::violated;
      result.schedule = ways[i];
      result.property = properties_[i];
    }
    if (!ways.empty()) return;
    if (!trouble_.empty() || !search_.complete()) {
      result.why_inconclusive = trouble_;
    } else {
      result.verdict = Verdict::holds;
      result.slack = slack_;
      conclude_endless(result);
    }
  }

  /// Everything was explored and no action violates: what remains are the sets of worlds that no
  /// action leads out of.
  void conclude_endless(Result& result) {
    const auto states = static_cast<std::uint32_t>(natures_.size());
    const ClosedSets rounds = closed_sets(states, at_once_);
    std::vector<bool> time_passes(rounds.cyclic.size(), false);
    for (StateNumber s = 0; s < states; ++s)
      if (rounds.of[s] != ClosedSets::kNone && natures_[s].time_passes)
        time_passes[rounds.of[s]] = true;
    for (StateNumber s = 0; s < states; ++s) {
      const std::uint32_t set = rounds.of[s];
      if (set == ClosedSets::kNone || !rounds.cyclic[set] || time_passes[set] ||
          !natures_[s].time_ahead)
        continue;
      result.verdict = Verdict::inconclusive;
      result.why_inconclusive =
          "a zero-time cycle of process " + sim::process_name(natures_[s].actor);
      return;
    }

    const ClosedSets ends = closed_sets(states, edges_);
    std::vector<bool> acquires(ends.cyclic.size(), false), executes(ends.cyclic.size(), false);
    for (StateNumber s = 0; s < states; ++s) {
      if (ends.of[s] == ClosedSets::kNone) continue;
      if (natures_[s].acquires) acquires[ends.of[s]] = true;
      if (natures_[s].executes) executes[ends.of[s]] = true;
    }
    for (StateNumber s = 0; s < states; ++s) {
      const std::uint32_t set = ends.of[s];
      if (set == ClosedSets::kNone || acquires[set]) continue;
      const auto waits = natures_[s].waits ? sim::kept_waiting(model_.properties) : std::nullopt;
      const bool leak = executes[set] && natures_[s].only_spawned &&
                        model_.properties.contains(sim::Property::leak);
      const bool hangs = natures_[s].hangs;
      if (!waits && !leak && !hangs) continue;
      result.verdict = Verdict::violated;
      result.property = waits.value_or(hangs ? sim::Property::deadlock : sim::Property::leak);
      result.endless = true;
      result.schedule = search_.way_to(s);
      return;
    }
    if (const auto state = starving_state(tasks_, edges_, passes_)) {
      result.verdict = Verdict::violated;
      result.property = sim::Property::progress;
      result.endless = true;
      result.schedule = search_.way_to(*state);
    }
  }

  void note_unmet(Result& result) const {
    if (kept_on_ && !witnesses_.contains(sim::Witness::released) && !model_.witnesses.empty())
      result.unmet.insert(sim::Witness::released);
    if (sim::asks_for_owned(model_) && witnesses_.contains(sim::Witness::acquired) &&
        !witnesses_.contains(sim::Witness::owned))
      result.unmet.insert(sim::Witness::owned);
    if (sim::asks_for_freed(model_) && witnesses_.contains(sim::Witness::acquired) &&
        !witnesses_.contains(sim::Witness::freed))
      result.unmet.insert(sim::Witness::freed);
    if (sim::asks_for_written(model_) && witnesses_.contains(sim::Witness::acquired) &&
        !witnesses_.contains(sim::Witness::written))
      result.unmet.insert(sim::Witness::written);
    for (const sim::Witness claim : model_.witnesses) {
      if (!witnesses_.contains(claim)) result.unmet.insert(claim);
      if (claim != sim::Witness::acquired) continue;
      for (std::size_t p = 0; p < model_.processes.size(); ++p) {
        if (!sim::ever_locks(model_.processes[p])) continue;
        if (acquired_by_.contains(static_cast<std::uint8_t>(p))) continue;
        result.unmet.insert(claim);
        result.unmet_detail += (result.unmet_detail.empty() ? "" : ", ") +
                               sim::process_name(static_cast<unsigned>(p)) + " never acquired";
      }
    }
  }

  const sim::Model& model_;
  const naive::Memory memory_;
  Watch& watch_;
  Expected& expected_;
  naive::Rules rules_;
  Search search_;
  const std::uint64_t runs_before_;
  std::vector<sim::Property> properties_;  // of the goals, in the order of the search
  std::optional<StateNumber> stuck_;   // a first world with no way out but faults, inside acquire()
  std::vector<Nature> natures_;        // by state
  std::vector<Edge> edges_, at_once_;  // all actions but faults; those of them that take no time
  std::vector<Edge> passes_;           // and those that do
  std::vector<Tasks> tasks_;           // by world, where progress is judged
  std::set<sim::Witness> witnesses_;
  std::set<std::uint8_t> acquired_by_;
  sim::Slack slack_;
  bool kept_on_ = false;  // somebody's release() has not released
  std::string trouble_;   // why the search cannot be conclusive
};

}  // namespace

Result explore_naively(const sim::Model& model, const Bounds& bounds, const Progress& progress,
                       naive::Memory memory) {
  sim::Model tried = model;
  Expected expected;
  Watch watch(bounds, progress, Watch::Met::exceeded);
  try {
    for (;;) {
      tried.merges_tokens = model.merges_tokens && !expected.token_cut;
      std::optional<Result> result = Exploration(tried, memory, watch, expected).run();
      if (result) return std::move(*result);
    }
  } catch (const std::bad_alloc&) {
    return out_of_memory(watch);
  }
}

}  // namespace lockstep::checker
