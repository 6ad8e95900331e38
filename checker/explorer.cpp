// See explorer.hpp. A search starts with what it knows of the grid and of absolute time; if a run
// shows that it knew too little, it starts again with more, so that what was explored is what the
// result names.
#include "checker/explorer.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "checker/search/counterexample.hpp"
#include "checker/search/cycles.hpp"
#include "checker/search/search.hpp"
#include "sim/world/expand.hpp"

namespace lockstep::checker {

namespace {

using Clock = std::chrono::steady_clock;

// What the world expands into, the state store folds.
static_assert(sim::World::kMaxWidth == Unfolded::kMaxWidth && sim::World::kRoom == Unfolded::kRoom);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

sim::PropertySet judged_set(const sim::Model& model) {
  sim::PropertySet properties = 0;
  for (const auto property : model.properties) properties |= sim::bit(property);
  return properties;
}

/// One attempt with fixed knowledge.
class Attempt {
 public:
  Attempt(const sim::Model& model, const Bounds& bounds, const Progress& progress,
          Clock::time_point start, const sim::Knowledge& knowledge)
      : model_(model),
        bounds_(bounds),
        progress_(progress),
        start_(start),
        runs_before_(model.program->runs()),
        world_(model, knowledge),
        search_(world_, judged_set(model), bounds) {}

  /// False if the attempt needs more knowledge than it has.
  bool run() {
    using End = Search<sim::World>::End;
    const End end = search_.run([&] { return watch(); });
    if (knows_too_little()) return false;
    fill_statistics(result_.statistics);
    result_.grid_durations.assign(world_.knowledge().durations.begin(),
                                  world_.knowledge().durations.end());
    result_.computed_durations = world_.computed_lifetimes();
    switch (end) {
      case End::offended:
        take_counterexample();
        break;
      case End::stuck:
        take_endless(sim::Property::deadlock, search_.stuck());
        break;
      case End::bound:
        result_.why_inconclusive = search_.bound() + " was reached";
        break;
      case End::stopped:
        result_.why_inconclusive = stopped_;
        break;
      case End::complete:
        conclude();
        break;
    }
    collect_unmet();
    return true;
  }

  const sim::Knowledge& needs() const { return world_.needs(); }
  Result take() { return std::move(result_); }

 private:
  bool knows_too_little() const { return !(world_.needs() == world_.knowledge()); }

  bool watch() {
    if (knows_too_little()) return false;
    Statistics now;
    fill_statistics(now);
    if (bounds_.max_seconds > 0 && now.seconds >= bounds_.max_seconds) {
      stopped_ = "the time limit was reached";
      return false;
    }
    if (progress_ && !progress_(now)) {
      stopped_ = "interrupted";
      return false;
    }
    return true;
  }

  void fill_statistics(Statistics& statistics) const {
    statistics.states = search_.states();
    statistics.transitions = search_.transitions();
    statistics.depth = search_.depth();
    statistics.seconds = seconds_since(start_);
    statistics.visited_bytes = search_.bytes();
    statistics.program_runs = model_.program->runs() - runs_before_;
    statistics.script_runs = world_.script_runs();
    statistics.command_runs = world_.command_runs();
  }

  void take_counterexample() {
    result_.verdict = Verdict::violated;
    const Counterexample best = best_counterexample(world_, search_);
    result_.property = best.property;
    result_.schedule = best.schedule;
    fill_statistics(result_.statistics);
  }

  /// From `state` on the claim can never be met.
  void take_endless(sim::Property property, std::uint32_t state) {
    result_.verdict = Verdict::violated;
    result_.property = property;
    result_.endless = true;
    result_.schedule = schedule_along(world_, search_, search_.path_to(state));
    fill_statistics(result_.statistics);
  }

  /// Everything was explored and nothing was violated by a step: what remains are the claims about
  /// cycles.
  void conclude() {
    result_.verdict = Verdict::holds;
    if (world_.knowledge().too_many_durations) {
      result_.verdict = Verdict::inconclusive;
      result_.why_inconclusive = "more than " + std::to_string(sim::Setting::kMaxDurations) +
                                 " different durations are in use: the points of time lack some";
      return;
    }
    if (!world_.loops()) return;
    const CycleFindings found = find_cycles(world_, search_, model_.properties);
    if (found.zero_time) {
      result_.verdict = Verdict::inconclusive;
      result_.why_inconclusive = "a cycle in zero time remains: task " + *found.zero_time;
    } else if (found.property) {
      take_endless(*found.property, found.state);
    }
    fill_statistics(result_.statistics);
  }

  void collect_unmet() {
    for (const sim::Witness witness : model_.witnesses) {
      if ((search_.witnessed() & sim::bit(witness)) == 0) result_.unmet.insert(witness);
      if (witness != sim::Witness::acquired) continue;
      for (unsigned p = 0; p < model_.processes.size(); ++p) {
        if ((search_.acquired_by() >> p & 1) != 0) continue;
        result_.unmet.insert(witness);
        result_.unmet_detail +=
            (result_.unmet_detail.empty() ? "" : ", ") + sim::process_name(p) + " never acquired";
      }
    }
    if (result_.unmet_detail.empty() && result_.unmet.contains(sim::Witness::released))
      result_.unmet_detail = "nobody ever released";
    if (!result_.unmet_detail.empty() && !world_.first_failure().empty())
      result_.unmet_detail += "; a call failed: " + world_.first_failure();
  }

  const sim::Model& model_;
  const Bounds& bounds_;
  const Progress& progress_;
  const Clock::time_point start_;
  const std::uint64_t runs_before_;
  sim::World world_;
  Search<sim::World> search_;
  Result result_;
  std::string stopped_;
};

}  // namespace

Result explore(const sim::Model& model, const Bounds& bounds, const Progress& progress) {
  const Clock::time_point start = Clock::now();
  sim::Knowledge knowledge;
  for (;;) {
    Attempt attempt(model, bounds, progress, start, knowledge);
    if (attempt.run()) return attempt.take();
    knowledge = attempt.needs();
  }
}

}  // namespace lockstep::checker
