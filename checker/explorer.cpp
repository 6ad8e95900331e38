// See explorer.hpp: the search of a world, and what it comes to.
#include "checker/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <tuple>

#include "checker/endless.hpp"
#include "checker/search/levels.hpp"
#include "checker/search/search.hpp"
#include "checker/search/shortest.hpp"
#include "checker/search/violations.hpp"
#include "checker/world_system.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/model/vacuous.hpp"

namespace lockstep::checker {

namespace {

/// The violated property to report: the first in the order of the table in DESIGN.md.
sim::Property first_property(sim::PropertySet violated) {
  for (const auto property : sim::kProperties)
    if ((violated & sim::only(property)) != 0) return property;
  LOCKSTEP_CHECK(!"a violated property");
  return {};
}

/// More than any client takes that comes to an end.
constexpr int kManyStepsAtOnce = 100;
// Programs whose tasks all wait in boundaries are run some hundred times, however many states there
// are.
constexpr std::uint64_t kManyRuns = 2'000, kStatesForEach = 50;

/// Timers, lifetimes and thresholds, in ms, ascending. Of a threshold (the first age with which a
/// comparison turns) it cannot be told whether it or the number before it was meant: the one that
/// has more in common with the others.
std::vector<std::int64_t> durations_in_use(const sim::World& world, const sim::Model& model) {
  const sim::Knowledge& known = world.knowledge();
  std::set<std::int64_t> durations;
  for (const auto* found : {&known.timers, &known.timeouts, &known.lifetimes, &known.units})
    durations.insert(found->begin(), found->end());
  for (const auto& sleeps : known.sleeps)
    for (const auto& [ms, times] : sleeps) durations.insert(ms);
  for (const auto& process : model.processes)
    for (const auto& step : process.workload)
      if (step.ms > 0) durations.insert(step.ms);
  std::int64_t common = 0;
  for (const std::int64_t duration : durations) common = std::gcd(common, duration);
  for (const auto* found : {&known.ages, &known.lefts, &world.reaches()})
    for (const std::int64_t threshold : *found) {
      const bool before = std::gcd(common, threshold - 1) > std::gcd(common, threshold);
      if (threshold > 1 || !before) durations.insert(before ? threshold - 1 : threshold);
    }
  return {durations.begin(), durations.end()};
}

/// A fortnight or more, in which there is no whole minute, hour or day, but a whole number of every
/// unit that absolute times are rounded to.
std::int64_t other_beginning_ms(const std::set<std::int64_t>& units) {
  constexpr std::int64_t kMany = 1'234'567, kFew = 7, kLongMs = 3'600'000;
  std::int64_t common = 1000;
  for (const std::int64_t unit : units) common = std::lcm(common, unit);
  return common * (common < kLongMs ? kMany : kFew);
}

/// Whether both have met the same, at other times.
bool is_same_search(const Result& one, const Result& other) {
  const auto figures = [](const Result& result) {
    return std::tuple(result.verdict, result.statistics.states, result.statistics.transitions,
                      result.grid_durations, result.computed_durations, result.slack.least_ms);
  };
  return figures(one) == figures(other);
}

/// One search of one world.
class Exploration {
 public:
  Exploration(const sim::Model& model, WorldSystem& system, Watch& watch)
      : model_(model),
        watch_(watch),
        runs_before_(model.program->runs()),
        system_(system),
        world_(system.world()),
        search_(system, watch) {}

  /// Worth nothing if the system has turned out not to be adequate.
  Result run() {
    const End end = search_.run(violations_);
    if (!system_.adequate()) return {};
    if (violations_.state) {
      take_endless(sim::Property::deadlock, *violations_.state);
    } else if (!violations_.steps.empty()) {  // shortest also where their level was not finished
      take_counterexample();
    } else if (end == End::stopped) {
      // Of which the other one may be a consequence; what is known to have no end has its reason.
      const std::string apart = world_.obstacle().empty() ? histories_apart() : "";
      result_.why_inconclusive =
          search_.why_stopped() +
          tight_loop(apart.empty() ? ": a loop that asks something else each time" : "") + apart;
    } else {
      conclude();
    }
    collect_unmet();
    note_unowned();
    note_ungiven();
    note_unwritten();
    note_figures();
    return std::move(result_);
  }

 private:
  /// Why the search has come to no end, if that is so: a client goes on and on while no time
  /// passes, and yet is never where it was (it asks something else each time, or leaves something
  /// behind).
  std::string tight_loop(const char* because) {
    const auto graph = search_.graph();
    if (graph.states() == 0) return "";
    std::map<std::uint8_t, int> steps, most;  // by process, since time last passed, and ever
    for (const sim::Action& action : graph.steps_along(graph.path_to(graph.states() - 1))) {
      if (action.kind == sim::Action::Kind::pass) steps.clear();
      if (!sim::is_step(action.kind)) continue;
      most[action.process] = std::max(most[action.process], ++steps[action.process]);
    }
    for (const auto& [process, count] : most)
      if (count > kManyStepsAtOnce)
        return fmt::format("; {} takes {} steps while no time passes{}", sim::process_name(process),
                           count, because);
    return "";
  }

  /// Why so many worlds are met, if that is so: what a loop has come through is kept.
  std::string histories_apart() const {
    const bool retries = world_.retries_within();
    if (retries || world_.loops_by_itself())
      return fmt::format(
          "; {}, so that no two of its histories are one: end acquire() with `return retry(...)`{}",
          retries ? "retry() goes on below another call"
                  : "a client waits dozens of times within one operation",
          retries ? "" : ", or let a timer that goes on beside the work go off less often");
    const std::uint64_t runs = model_.program->runs() - runs_before_;
    if (runs < kManyRuns || runs * kStatesForEach < search_.statistics().states) return "";
    return fmt::format("; {} steps of client programs were run, for {}", runs,
                       world_.knowledge().absolute
                           ? "where absolute times are looked at (millis(), TIME) the same at "
                             "another time is another world: try fewer clients, coarser durations "
                             "or one property"
                           : "what a task has come through in a loop of its own, or several "
                             "timers beside an operation, is kept: let loops be retry() or "
                             "every(), and fewer timers go on");
  }

  void note_figures() {
    result_.statistics = search_.statistics();
    result_.statistics.seconds = watch_.seconds();
    result_.executed = {model_.program->runs() - runs_before_, world_.script_runs(),
                        world_.command_runs()};
    result_.first_failure = world_.first_failure();
    result_.doubts_deadlock = world_.knowledge().doubts_probes || world_.endless_probe();
    result_.grid_durations = durations_in_use(world_, model_);
    result_.time_gap = world_.time_gap();
    if (world_.knowledge().absolute && !sim::clocks_drift(model_))
      result_.other_beginning_ms = other_beginning_ms(world_.knowledge().units);
    result_.patience_ms = world_.patience_ms();
    result_.many_tasks = world_.many_tasks();
    result_.readings_apart = world_.readings_apart();
    result_.ordered_fields = world_.ordered_fields();
    result_.waits_at_servers = world_.knowledge().blocks;
    result_.computed_durations = world_.computed_lifetimes();
    for (const std::int64_t reach : world_.reaches())  // somebody chose it, too
      for (const std::int64_t chosen : {reach, reach - 1}) result_.computed_durations.erase(chosen);
  }

  void take_counterexample() {
    const auto way =
        best_way(search_.graph(), search_.frontier().starts(), std::move(violations_.steps));
    result_.verdict = Verdict::violated;
    result_.property = first_property(way.facts.violated);
    result_.schedule = way.steps;
    note_tokens();
  }

  /// A run in which something hangs on the bytes of tokens has to be one without tokens that are
  /// used again: what was made of a former one's bytes would be taken for the new one's.
  void note_tokens() {
    result_.hangs_on_tokens = world_.orders_tokens();
    if (result_.hangs_on_tokens) world_.keep_token_names();
  }

  /// From `state` on the claim can never be met; or it may come to these states again and again.
  void take_endless(sim::Property property, std::uint32_t state,
                    const std::vector<std::uint32_t>& loop = {}, std::uint8_t waits = 0) {
    result_.verdict = Verdict::violated;
    result_.property = property;
    result_.endless = true;
    const auto graph = search_.graph();
    std::vector<std::uint32_t> path = graph.path_to(state);
    if (!loop.empty()) result_.loop = Loop{path.size() - 1, waits};
    path.insert(path.end(), loop.begin(), loop.end());
    result_.schedule = graph.steps_along(path);
    note_tokens();
  }

  /// Everything was explored and nothing was violated by a step: what remains are the claims about
  /// cycles.
  void conclude() {
    result_.verdict = Verdict::holds;
    result_.slack = world_.slack();
    result_.slack.exact = result_.slack.least_ms.value_or(0) <= 0 && world_.time_gap().empty();
    if (world_.loops() || system_.hangs() || model_.properties.contains(sim::Property::progress)) {
      const EndlessRuns found = endless_runs(search_.graph(), model_.properties, watch_);
      if (!watch_.why().empty()) return leave_open(watch_.why());
      if (found.zero_time)
        return leave_open("a cycle in zero time remains: task " + *found.zero_time);
      if (found.property)
        return take_endless(*found.property, found.state, found.loop, found.waits);
    }
    if (world_.endless_probe())
      return leave_open(
          "a lone client that tries to acquire comes to no end: deadlock cannot be judged");
    if (world_.orders_tokens())
      return leave_open(
          "something hangs on the bytes of random tokens (which of two comes first, how long one "
          "is, what is in it), and not all were tried");
    if (!world_.left_open().empty())
      return leave_open(
          "Redis leaves open what it answers, and one answer was tried: " + world_.left_open() +
          (world_.draws() ? " (another --draw-seed tries other choices)" : ""));
    if (world_.joins_slots())
      return leave_open(
          "keys in several slots migrated together, and a cluster takes one slot after the other: "
          "a hash tag, {...}, puts them in one");
    if (const char* const untried = world_.untried()) return leave_open(untried);
    const auto asked = [&](sim::Property property) { return model_.properties.contains(property); };
    if (world_.names_several() && std::ranges::any_of(sim::kOfOwners, asked))
      return leave_open(kNamesSeveral);
    if (world_.answers_unwritten())
      return leave_open(
          "a server that dies while an fsync is under way loses what it has answered and not "
          "written: with appendfsync everysec only power-loss tries that");
    if (!world_.time_gap().empty())
      leave_open("not every point of time that may matter was tried: " + world_.time_gap());
  }

  void leave_open(std::string why) {
    result_.verdict = Verdict::inconclusive;
    result_.why_inconclusive = std::move(why);
  }

  bool seen(sim::Witness witness) const {
    return (search_.facts().witnessed & sim::only(witness)) != 0;
  }

  void collect_unmet() {
    for (const sim::Witness witness : model_.witnesses) {
      if (!seen(witness)) result_.unmet.insert(witness);
      if (witness != sim::Witness::acquired) continue;
      for (unsigned p = 0; p < model_.processes.size(); ++p) {
        if ((search_.facts().acquired_by >> p & 1) != 0) continue;
        if (!sim::ever_locks(model_.processes[p])) continue;
        result_.unmet.insert(witness);
        result_.unmet_detail +=
            (result_.unmet_detail.empty() ? "" : ", ") + sim::process_name(p) + " never acquired";
      }
    }
    if (!seen(sim::Witness::released) && world_.kept_on() && !model_.witnesses.empty())
      result_.unmet.insert(sim::Witness::released);
    if (result_.unmet_detail.empty() && result_.unmet.contains(sim::Witness::released))
      result_.unmet_detail = "nobody ever released";
    if (result_.unmet_detail.empty()) return;
    if (!world_.first_failure().empty())
      result_.unmet_detail += "; a call failed: " + world_.first_failure();
    else if (!world_.first_error().empty())
      result_.unmet_detail += "; a request failed: " + world_.first_error();
    else if (result_.unmet.contains(sim::Witness::released) && world_.kept_on())
      result_.unmet_detail +=
          "; release() leaves its client the key: if it is to stay, say permanent = { \"{key}\" } "
          "in protocol { }; if a task removes it later, await that task in release()";
  }

  /// Where somebody acquires, but what a property needs is not seen: whether nothing else was said.
  bool notes_lack(bool asked, sim::Witness witness) {
    if (!asked || !seen(sim::Witness::acquired) || seen(witness)) return false;
    result_.unmet.insert(witness);
    return result_.unmet_detail.empty();
  }

  /// Nothing was shown about lease keys.
  void note_unowned() {
    if (!notes_lack(sim::asks_for_owned(model_), sim::Witness::owned)) return;
    result_.unmet_detail =
        "no client that acquired ever had the key \"" + model_.processes[0].lock_keys[0] +
        "\"; say which keys the lock has: leases = { \"{key}:...\" } in protocol { }";
  }

  /// Nothing was shown about who has to be told.
  void note_ungiven() {
    if (notes_lack(sim::asks_for_freed(model_), sim::Witness::freed))
      result_.unmet_detail = "no release() ever gave anything back in a lease key of the lock";
  }

  /// Nothing was shown about updates.
  void note_unwritten() {
    if (!notes_lack(sim::asks_for_written(model_), sim::Witness::written)) return;
    result_.unmet_detail = "nobody ever wrote to the resource";
    if (model_.resource != sim::Resource::plain)
      result_.unmet_detail += ": it takes no fencing token that is lower than 0";
  }

  const sim::Model& model_;
  Watch& watch_;
  const std::uint64_t runs_before_;
  WorldSystem& system_;
  sim::World& world_;
  Search<WorldSystem, Levels> search_;
  FirstViolations<WorldSystem> violations_;
  Result result_;
};

Result searched(const sim::Model& model, Watch& watch, const std::set<std::int64_t>& lefts) {
  sim::Knowledge knowledge;
  knowledge.lefts = lefts;
  return with_enough_knowledge(
      model, watch, [&](WorldSystem& system) { return Exploration(model, system, watch).run(); },
      std::move(knowledge));
}

/// Nobody chooses when a run begins (docs/semantics.md, section 4). A search that looks at the
/// absolute time and holds has to come to the same where every run begins at another time.
void doubt_beginning(sim::Model model, Watch& watch, const std::set<std::int64_t>& lefts,
                     Result& result) {
  if (result.verdict != Verdict::holds || result.other_beginning_ms == 0) return;
  model.begins_ms = result.other_beginning_ms;
  const Result other = searched(model, watch, lefts);
  if (is_same_search(result, other)) return;
  result.verdict = Verdict::inconclusive;
  if (!watch.why().empty()) {
    result.time_gap = "the same, begun at another time of day, was not searched to its end";
    result.why_inconclusive = watch.why();
    return;
  }
  result.time_gap =
      "something hangs on the time of day or the date, and not only on how much time passes: begun "
      "at another time, runs are others";
  result.why_inconclusive = "not every point of time that may matter was tried: " + result.time_gap;
}

}  // namespace

Result explore(const sim::Model& model, const Bounds& bounds, const Progress& progress,
               const std::set<std::int64_t>& lefts) {
  Watch watch(bounds, progress);
  try {
    Result result = searched(model, watch, lefts);
    doubt_beginning(model, watch, lefts, result);
    return result;
  } catch (const std::bad_alloc&) {
    return out_of_memory(watch);
  }
}

std::int64_t patience_ms(const sim::Model& model) {
  sim::Model judged = model;
  judged.properties = {sim::Property::deadlock};
  for (sim::ProcessSetup& setup : judged.processes) setup.rounds = 1;  // all calls are in each
  Bounds bounds;
  bounds.max_states = 20'000;
  bounds.max_seconds = 1;
  return explore(judged, bounds).patience_ms;
}

}  // namespace lockstep::checker
