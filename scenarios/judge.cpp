// Carries out a scenario; see the header.
#include "scenarios/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "checker/explorer.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/model/lease_keys.hpp"

namespace lockstep::scenarios {

namespace {

std::string shown(const sim::Schedule& schedule) {
  std::string text;
  for (const auto& action : schedule) text += "\n  " + to_json(action).dump();
  return text;
}

/// Throws BadInput where the run does not come about.
checker::Trace walked(const sim::Model& model, const checker::Result& result) {
  checker::Walk walk = checker::walked(model, result.schedule);
  // The naive world has no cycles.
  if (result.endless) walk.end_endless(result.property.value(), result.loop);
  return walk.trace();
}

/// Whether a run is one only because TIME tells two who ask in the same ms the same microsecond,
/// which no two commands meet: they take longer than that.
bool needs_equal_micros(sim::Model model, const checker::Result& result,
                        const checker::Trace& trace) {
  const auto asks_time = [](const checker::TraceStep& step) { return step.data.looked_at_time; };
  if (model.distinct_micros || std::ranges::count_if(trace.steps, asks_time) < 2) return false;
  model.distinct_micros = true;
  try {
    return walked(model, result).violated != trace.violated;
  } catch (const sim::BadInput&) {
    return true;
  }
}

checker::Trace retold(const sim::Model& model, const checker::Result& result) {
  std::string trouble;
  try {
    auto trace = walked(model, result);
    if (trace.violated == result.property) return trace;
    trouble = trace.violated ? std::string("it violates ") + name(*trace.violated)
                             : "it violates nothing";
  } catch (const sim::BadInput& error) {
    trouble = error.what();
  }
  throw sim::InternalError(
      fmt::format("the counterexample to {} does not stand up to re-execution: {}; its schedule:{}",
                  name(result.property.value()), trouble, shown(result.schedule)));
}

void walk(const Scenario& scenario, Judgement& judgement) {
  const auto walk = walk_schedule(judgement.model, scenario.steps, scenario.file);
  const auto& trace = walk.trace();
  auto& result = judgement.result;
  result.verdict = trace.violated ? checker::Verdict::violated : checker::Verdict::holds;
  result.property = trace.violated;
  for (const auto& step : trace.steps) result.schedule.push_back(step.data.action);
  result.statistics.depth = result.schedule.size();
  result.statistics.transitions = result.schedule.size();
  result.statistics.states = result.schedule.size() + 1;
  judgement.trace = trace;
}

/// What the search did not judge, because it does not know for how long a client would have to
/// wait, is not judged where its run is told either.
void leave_out_deadlock(Judgement& judgement) {
  judgement.model.properties.erase(sim::Property::deadlock);
  judgement.scenario.properties.erase(sim::Property::deadlock);
}

/// The run that was found is one only with tokens as they are here.
void doubt(Judgement& judgement) {
  auto& result = judgement.result;
  result.verdict = checker::Verdict::inconclusive;
  result.why_inconclusive = fmt::format(
      "a run violates {}, but something in it hangs on the bytes of random tokens (how long one "
      "is, what is in it), and real ones may have others",
      name(result.property.value()));
  result.property.reset();
  result.schedule.clear();
  result.endless = false;
  result.loop.reset();
  judgement.trace.reset();
}

void search(const checker::Bounds& bounds, const checker::Progress& progress,
            Judgement& judgement) {
  judgement.result = checker::explore(judgement.model, bounds, progress);
  judgement.trace.reset();
  if (judgement.result.verdict != checker::Verdict::violated) return;
  const bool of_deadlock = judgement.result.property == sim::Property::deadlock;
  if (judgement.result.doubts_deadlock && !of_deadlock) leave_out_deadlock(judgement);
  judgement.trace = retold(judgement.model, judgement.result);
  if (judgement.result.hangs_on_tokens &&
      checker::walked(judgement.model, judgement.result.schedule).hangs_on_tokens())
    doubt(judgement);
}

/// Whether every acquire() of the run ends in an error, before anything was written.
bool only_fails(const checker::Trace& trace) {
  bool fails = false;
  for (const auto& step : trace.steps) {
    const auto is_empty = [](const sim::VisibleKeys& keys) { return keys.empty(); };
    if (!std::ranges::all_of(step.data.keys, is_empty)) return false;
    for (const sim::Effect& effect : step.data.effects) {
      using Kind = sim::Effect::Kind;
      if (effect.kind == Kind::refused || effect.kind == Kind::acquired) return false;
      fails = fails || (effect.kind == Kind::failed && !effect.leaves_open);
    }
  }
  return fails;
}

/// A lock of which every acquire() ends in an error is free, and nobody can have it; but no run
/// leads there, it does not work at all. That is no deadlock: it is vacuous, and names the call.
/// (An error after something was written is another matter.)
void pass_over_what_never_works(const Scenario& scenario, const checker::Progress& progress,
                                Judgement& judgement) {
  const checker::Result& found = judgement.result;
  if (found.property != sim::Property::deadlock || found.first_failure.empty()) return;
  if (!judgement.trace || !only_fails(*judgement.trace)) return;
  const auto& asked = judgement.model.witnesses;
  if (asked.contains(sim::Witness::acquired) && !found.unmet.contains(sim::Witness::acquired))
    return;
  Judgement other = judgement;
  other.model.properties.erase(sim::Property::deadlock);
  other.model.witnesses.insert(sim::Witness::acquired);
  search(scenario.bounds, progress, other);
  if (other.result.vacuous() && other.result.unmet.contains(sim::Witness::acquired))
    judgement = std::move(other);
}

/// Whether a client waits more than once for what is no whole number of ms of true time: it is told
/// to be one, and what that is too long by adds up.
bool adds_up_parts_of_ms(const checker::Trace& trace) {
  std::map<std::uint8_t, int> waits;
  return std::ranges::any_of(trace.steps, [&](const checker::TraceStep& step) {
    return step.data.waited_in_part && ++waits[step.data.action.process] > 1;
  });
}

void leave_open(Judgement& judgement, std::string why) {
  checker::Result& found = judgement.result;
  found.verdict = checker::Verdict::inconclusive;
  found.why_inconclusive = std::move(why);
  found.property.reset();
  found.schedule.clear();
  found.endless = false;
  judgement.trace.reset();
}

/// Whether a lease key of some step bears the tokens of several clients in one text.
bool names_several(const sim::Model& model, const checker::Trace& trace) {
  const std::set<std::string> leases = sim::lease_keys(model);
  return std::ranges::any_of(trace.steps, [&](const checker::TraceStep& step) {
    return std::ranges::any_of(step.data.keys, [&](const sim::VisibleKeys& keys) {
      return std::ranges::any_of(keys, [&](const auto& key) {
        return leases.contains(key.first) && sim::names_several(key.second.value);
      });
    });
  });
}

/// Whose a lock is whose value names several, nobody can tell: what was violated by it is left
/// open, and what does not hang on it is sought alone.
void pass_over_unclear_owners(const Scenario& scenario, const checker::Progress& progress,
                              Judgement& judgement) {
  const auto& found = judgement.result.property;
  if (!found || !judgement.trace || judgement.model.program->is_shared()) return;
  if (std::ranges::find(sim::kOfOwners, *found) == sim::kOfOwners.end()) return;
  if (!names_several(judgement.model, *judgement.trace)) return;
  Judgement other = judgement;
  for (const sim::Property property : sim::kOfOwners) {
    other.model.properties.erase(property);
    other.scenario.properties.erase(property);
  }
  if (!other.model.properties.empty()) search(scenario.bounds, progress, other);
  if (other.result.verdict == checker::Verdict::violated && other.result.property != found) {
    judgement = std::move(other);
    return;
  }
  judgement.result = std::move(other.result);
  leave_open(judgement, checker::kNamesSeveral);
}

/// What is found has to be found of `other`, too, of which something is off by a part of a ms.
void doubt(const Scenario& scenario, const checker::Progress& progress, Judgement other,
           const std::string& what, Judgement& judgement) {
  search(scenario.bounds, progress, other);
  ++judgement.further_searches;
  judgement.further_seconds += other.result.statistics.seconds;
  if (other.result.verdict == judgement.result.verdict) return;
  const checker::Result& found = other.result;
  if (found.verdict == checker::Verdict::inconclusive)
    return leave_open(judgement, fmt::format("{}, {}", what, found.why_inconclusive));
  leave_open(
      judgement,
      fmt::format("{}, it {}", what,
                  found.property ? std::string("violates ") + name(*found.property) : "holds"));
}

/// Beside clocks that drift nobody chooses where in one of a clock's ms something begins, and a
/// wait of many sleeps is off by a part for each.
void doubt_drifts(const Scenario& scenario, const checker::Progress& progress,
                  Judgement& judgement) {
  const auto try_with = [&](sim::PartOfMs part, const std::string& what) {
    Judgement other = judgement;
    other.model.part_of_ms = part;
    doubt(scenario, progress, std::move(other),
          "clocks drift, and parts of a ms are not told apart: if " + what, judgement);
  };
  const auto is = [&](checker::Verdict verdict) { return judgement.result.verdict == verdict; };
  if (!sim::clocks_drift(judgement.model)) return;
  if (judgement.trace && adds_up_parts_of_ms(*judgement.trace))
    return leave_open(judgement,
                      "clocks drift, and the parts of a ms by which several waits of a client are "
                      "too long add up");
  if (is(checker::Verdict::holds))
    try_with(sim::PartOfMs::off_leases, "a lease ends up to 1 ms sooner");
  if (is(checker::Verdict::holds))
    try_with(sim::PartOfMs::onto_ages, "what a client measures reads 1 ms more");
  if (!is(checker::Verdict::inconclusive))
    try_with(sim::PartOfMs::off_timers, "each sleep of a client ends up to 1 ms sooner");
}

/// A script or transaction takes no time here, and in Redis 7.0 its clock goes on meanwhile: a ms
/// may begin before each time that it is read.
void doubt_scripts(const Scenario& scenario, const checker::Progress& progress,
                   Judgement& judgement) {
  constexpr int kTries = 8;
  const std::uint32_t apart = judgement.result.readings_apart;
  const auto holds = [&] { return judgement.result.verdict == checker::Verdict::holds; };
  for (int reading = 1; reading <= kTries && holds(); ++reading) {
    if ((apart >> reading & 1U) == 0) continue;
    Judgement other = judgement;
    other.model.later_from = reading;
    doubt(scenario, progress, std::move(other),
          fmt::format("a script or transaction reads its server's clock several times, which in "
                      "Redis 7.0 goes on meanwhile: if a ms begins before reading {}",
                      reading),
          judgement);
  }
  if (holds() && apart >> (kTries + 1) != 0)
    leave_open(judgement,
               fmt::format("a script or transaction reads its server's clock more than {} times, "
                           "which in Redis 7.0 goes on meanwhile",
                           kTries));
}

/// What a script makes of the fields of a table (a text in JSON) may depend on their order, which
/// is that of Redis's own tables: all of them are tried.
void doubt_field_orders(const Scenario& scenario, const checker::Progress& progress,
                        Judgement& judgement) {
  constexpr unsigned kMostFields = 4;
  const unsigned fields = judgement.result.ordered_fields;
  const auto holds = [&] { return judgement.result.verdict == checker::Verdict::holds; };
  if (fields > kMostFields && holds())
    return leave_open(judgement,
                      fmt::format("what a script does depends on the order in which it meets {} "
                                  "fields of a table (cjson.encode(), pairs(), next())",
                                  fields));
  unsigned orders = 1;
  for (unsigned n = 2; n <= fields; ++n) orders *= n;
  for (unsigned order = 1; order < orders && holds(); ++order) {
    Judgement other = judgement;
    other.model.field_order = order;
    doubt(scenario, progress, std::move(other),
          "what a script does depends on the order in which it meets the fields of a table "
          "(cjson.encode(), pairs(), next()), which is by name here: in another order",
          judgement);
  }
}

}  // namespace

Judgement judge(const Scenario& scenario, const checker::Progress& progress, bool reduces) {
  Judgement judgement;
  judgement.scenario = scenario;
  judgement.model = model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  judgement.model.merges_tokens = judgement.model.merges_orders = reduces;
  judgement.model.merges_dates = reduces;
  if (scenario.kind == ScenarioKind::schedule) {
    walk(scenario, judgement);
  } else {
    search(scenario.bounds, progress, judgement);
    if (judgement.trace &&
        needs_equal_micros(judgement.model, judgement.result, *judgement.trace)) {
      judgement.scenario.distinct_micros = judgement.model.distinct_micros = true;
      search(scenario.bounds, progress, judgement);
    }
    pass_over_what_never_works(scenario, progress, judgement);
    pass_over_unclear_owners(scenario, progress, judgement);
    doubt_drifts(scenario, progress, judgement);
    doubt_scripts(scenario, progress, judgement);
    doubt_field_orders(scenario, progress, judgement);
  }
  if (scenario.expect) judgement.difference = difference(*scenario.expect, judgement.result);
  return judgement;
}

}  // namespace lockstep::scenarios
