// Judgements in words; see the header.
#include "cli/describe.hpp"

#include <fmt/format.h>

#include "cli/beliefs.hpp"
#include "cli/words.hpp"
#include "scenarios/names.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Judgement;

using scenarios::Scenario;

using Rows = std::vector<Row>;

void add(Rows& rows, const std::string& label, const std::string& text) {
  rows.push_back({label, text});
}

bool is_schedule(const Scenario& scenario) {
  return scenario.kind == scenarios::ScenarioKind::schedule;
}

std::string all_spoken(const std::set<sim::Property>& properties) {
  std::vector<std::string> words;
  for (const auto property : properties) words.push_back(spoken(property));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string length_in_words(std::size_t steps, const std::optional<checker::Loop>& loop) {
  if (!loop) return "after " + plural(steps, "step");
  return fmt::format("after {}, which lead into a loop of {}", plural(loop->from, "step"),
                     steps - loop->from);
}

/// Whether deadlock was asked for, and could not be judged everywhere.
bool left_deadlocks_open(const Judgement& judgement) {
  return judgement.result.doubts_deadlock &&
         judgement.model.properties.contains(sim::Property::deadlock);
}

/// What can be said of the length of a counterexample.
const char* how_short(const Judgement& judgement) {
  if (judgement.result.loop) return "";
  if (is_schedule(judgement.scenario)) return " of this order of events";
  if (left_deadlocks_open(judgement)) return ", the fewest of what could be judged";
  return judgement.result.time_gap.empty() ? ", the fewest possible"
                                           : ", the fewest that were tried";
}

/// What is said of every run that was covered, where time is not exact.
const char* where_tried(const checker::Result& result) {
  return result.time_gap.empty() ? "" : ", at the points of time that were tried";
}

constexpr const char* kButForDeadlocks = ", but for a deadlock, which could not be judged";

/// What is told only of the graph of all runs.
std::string judged_at_the_end(const std::set<sim::Property>& properties) {
  const auto asked = [&](sim::Property property) { return properties.contains(property); };
  std::string what = asked(sim::Property::deadlock) ? "who waits for ever" : "";
  if (asked(sim::Property::progress)) what += what.empty() ? "progress" : ", and progress,";
  return what.empty() ? "" : "; " + what + " is judged only where every run was explored";
}

/// ", lease 5000 ms, version = 2": what is different for one role.
std::string own_of(const scenarios::Role& role) {
  std::string own;
  if (role.lease_ms) own += fmt::format(", lease {} ms", *role.lease_ms);
  for (const auto& [setting, value] : role.settings)
    own += fmt::format(", {} = {}", setting, sim::worded(value));
  return own;
}

/// "A, B: lock, work 3000, unlock (1 round)": a line for each role that has clients.
void add_clients(Rows& rows, const Scenario& scenario) {
  for (std::size_t index = 0; index < scenario.roles.size(); ++index) {
    const auto& role = scenario.roles[index];
    std::vector<std::string> who, what;
    for (std::size_t client = 0; client < scenario.clients.size(); ++client)
      if (scenario.clients[client] == index)
        who.push_back(sim::process_name(static_cast<unsigned>(client)));
    for (const auto& step : role.workload) what.push_back(scenarios::written(step));
    if (who.empty()) continue;
    const auto threads =
        role.threads == 1 ? "" : fmt::format(" in each of {} threads", role.threads);
    add(rows, "clients",
        fmt::format("{}: {} ({}{}{})", fmt::join(who, ", "), fmt::join(what, ", "),
                    role.rounds == 0 ? "for ever, without a rest"
                                     : plural(static_cast<std::uint64_t>(role.rounds), "round"),
                    threads, own_of(role)));
  }
}

std::string drift_in_words(std::int64_t ppm) {
  return fmt::format("{} ppm {}", std::abs(ppm), ppm > 0 ? "fast" : "slow");
}

std::string offset_in_words(std::int64_t offset_ms) {
  return fmt::format("{} ms {}", std::abs(offset_ms), offset_ms < 0 ? "behind" : "ahead");
}

void add_world(Rows& rows, const Scenario& scenario) {
  auto world = fmt::format("lease {} ms, resource {}, persistence {}", scenario.lease_ms,
                           name(scenario.resource), name(scenario.persistence));
  if (scenario.server != sim::ServerVersion::redis_7_0)
    world += fmt::format(", server {}", name(scenario.server));
  if (scenario.keyspace_events)
    world += fmt::format(", keyspace events \"{}\"", sim::letters_of(*scenario.keyspace_events));
  if (scenario.cluster) world += ", in a cluster";
  if (scenario.draw_seed != 0) world += fmt::format(", draw seed {}", scenario.draw_seed);
  if (scenario.request_timeout_ms > 0)
    world += fmt::format(", request timeout {} ms", scenario.request_timeout_ms);
  if (scenario.pause_max_ms > 0)
    world += fmt::format(", a pause ends within {} ms", scenario.pause_max_ms);
  if (scenario.nodes > 1) world += fmt::format(", {} nodes", scenario.nodes);
  if (scenario.replicas > 0)
    world +=
        fmt::format(", {} {}{}", scenario.replicas, scenario.replicas == 1 ? "replica" : "replicas",
                    scenario.nodes > 1 ? " of each" : "");
  if (scenario.min_replicas > 0)
    world += fmt::format(", min-replicas-to-write {}", scenario.min_replicas);
  if (scenario.restart_after_ms > 0)
    world += fmt::format(", a node stays down for {} ms at least", scenario.restart_after_ms);
  if (scenario.faults.at(static_cast<std::size_t>(sim::Fault::jump)) > 0)
    world += fmt::format(
        ", clocks jump by {} ms",
        fmt::join(scenario.jumps_ms.empty() ? scenarios::usual_jumps_ms(scenario.lease_ms)
                                            : scenario.jumps_ms,
                  ", "));
  for (std::size_t client = 0; client < scenario.clocks_ms.size(); ++client)
    world += fmt::format(", {}'s clock is {}", sim::process_name(static_cast<unsigned>(client)),
                         offset_in_words(scenario.clocks_ms[client]));
  for (std::size_t node = 0; node < scenario.node_clocks_ms.size(); ++node)
    world += fmt::format(", node {}'s clock is {}", node + 1,
                         offset_in_words(scenario.node_clocks_ms[node]));
  for (std::size_t client = 0; client < scenario.drifts_ppm.size(); ++client)
    if (const auto ppm = scenario.drifts_ppm[client]; ppm != 0)
      world += fmt::format(", {}'s clock is {}", sim::process_name(static_cast<unsigned>(client)),
                           drift_in_words(ppm));
  for (std::size_t node = 0; node < scenario.node_drifts_ppm.size(); ++node)
    if (const auto ppm = scenario.node_drifts_ppm[node]; ppm != 0)
      world += fmt::format(", node {}'s clock is {}", node + 1, drift_in_words(ppm));
  add(rows, "world", world);
  add(rows, "faults", faults_in_words(scenario.faults));
}

void add_subject(Rows& rows, const Judgement& judgement, const CheckNotes& notes) {
  const auto& scenario = judgement.scenario;
  if (!scenario.title.empty())
    add(rows, "scenario",
        fmt::format("{}: {}{}", scenario.name, scenario.title,
                    notes.overridden ? " (changed by flags)" : ""));
  if (!scenario.source.empty()) add(rows, "source", scenario.source);
  add(rows, "protocol", fmt::format("{}: {}", scenario.protocol, judgement.model.program->title()));
  add_clients(rows, scenario);
  add_world(rows, scenario);
  if (sim::too_long_ms(judgement.model) > 0)
    add(rows, "waits",
        fmt::format(
            "at most {} ms inside acquire(){}, from its call on, or from where its "
            "client was last paused",
            judgement.model.waits_ms,
            judgement.model.waits_after == sim::WaitsAfter::free ? " while the lock is free" : ""));
  if (const auto overtakes = sim::judged_overtakes(judgement.model))
    add(rows, "fairness",
        fmt::format("others get the lock at most {} times while a client is inside acquire()",
                    *overtakes));
  if (judgement.model.claims) add(rows, "claims", "those of " + scenario.invariants);
}

std::string travel_in_words(std::int64_t latency_ms) {
  return latency_ms == 0 ? "messages take no time"
                         : fmt::format("each message takes up to {} ms", latency_ms);
}

/// How close it came; nothing of locks without an expiry.
void add_slack(Rows& rows, const sim::Slack& slack, bool drift) {
  if (!slack.least_ms) return;
  if (*slack.least_ms == sim::Slack::kEnded)
    return add(rows, "slack",
               "none: in some run a client has no lease, or its node is down, when its critical "
               "section ends");
  add(rows, "slack",
      fmt::format("{}{} ms{} to spare: the least that was left of a lease when its critical "
                  "section ended",
                  slack.exact ? "" : "at most ", *slack.least_ms,
                  drift ? " by its node's clock, up to 1 ms less," : ""));
}

std::string switches_in_words(int preemptions) {
  std::string free = "those of one client switch where they wait";
  if (preemptions == 0) return free;
  return free + fmt::format(", and {} at any access to what they share",
                            plural(static_cast<std::uint64_t>(preemptions), "time"));
}

std::string durations_in_words(std::span<const std::int64_t> durations) {
  constexpr std::size_t kMostShown = 30;
  if (durations.size() <= kMostShown) return fmt::format("{}", fmt::join(durations, ", "));
  return fmt::format("{} and {} more", fmt::join(durations.first(kMostShown), ", "),
                     durations.size() - kMostShown);
}

/// What `holds` means here, exactly.
std::string time_in_words(const Judgement& judgement) {
  const std::string& gap = judgement.result.time_gap;
  return gap.empty() ? "exact" : "not exact: " + gap;
}

/// What has to come for a client not to be kept waiting by that alone (docs/semantics.md, 5).
constexpr const char* kFairness =
    "assumed: what is held, cut, paused or down is so only for a time, clients learn of a failover "
    "in the end, messages arrive, timers fire, who has a round left begins it; who comes first of "
    "those that come at once is anybody's";

void add_fairness(Rows& rows, const Judgement& judgement) {
  const bool endless =
      judgement.outcome() == scenarios::Outcome::holds
          ? judgement.model.properties.contains(sim::Property::progress)
          : judgement.result.endless && judgement.result.property == sim::Property::progress;
  if (endless) add(rows, "fairness", kFairness);
}

void add_coverage(Rows& rows, const Judgement& judgement) {
  if (judgement.outcome() == scenarios::Outcome::violated || is_schedule(judgement.scenario))
    return;
  const auto& result = judgement.result;
  const bool knows_time =  // else memory ended before it was found out
      judgement.outcome() != scenarios::Outcome::inconclusive || !result.grid_durations.empty();
  if (knows_time)
    add(rows, "time",
        fmt::format("{}; {}; durations in use: {} ms", time_in_words(judgement),
                    travel_in_words(judgement.scenario.latency_ms),
                    durations_in_words(result.grid_durations)));
  if (result.waits_at_servers)
    add(rows, "servers",
        "notice at once that the time of a BLPOP or WAIT is over (real ones within 100 ms)");
  if (result.many_tasks)
    add(rows, "threads",
        switches_in_words(
            judgement.model.budget.at(static_cast<std::size_t>(sim::Fault::preempt))));
  if (judgement.outcome() == scenarios::Outcome::holds && !judgement.model.witnesses.empty())
    add(rows, "witnessed",
        fmt::format("{}", fmt::join(scenarios::names_of(judgement.model.witnesses), ", ")));
  if (judgement.outcome() == scenarios::Outcome::holds)
    add_slack(rows, result.slack, sim::clocks_drift(judgement.model));
}

void add_replay(Rows& rows, const Judgement& judgement, const CheckNotes& notes) {
  if (judgement.outcome() != scenarios::Outcome::violated) return;
  if (judgement.result.hangs_on_tokens)
    add(rows, "tokens",
        "something hangs on their bytes (which of two comes first, how long one is, what is in "
        "it), and real ones may have others");
  if (!is_schedule(judgement.scenario))
    add(rows, "avoidable",
        notes.avoidable.value_or(judgement.result.endless
                                     ? "not computed: no single step violates"
                                     : "not computed: it would take too many states"));
  if (!notes.trace_file.empty())
    add(rows, "replay", "lockstep replay " + notes.trace_file);
  else if (!judgement.scenario.title.empty() && !notes.overridden)
    add(rows, "replay", "lockstep replay " + notes.target);
  else
    add(rows, "replay", "add --trace FILE to keep this run, then `lockstep replay FILE`");
}

void add_figures(Rows& rows, const Judgement& judgement) {
  if (is_schedule(judgement.scenario)) return;
  const auto& figures = judgement.result.statistics;
  const auto& executed = judgement.result.executed;
  const std::string covered =
      judgement.outcome() == scenarios::Outcome::violated
          ? fmt::format("every run of fewer steps{}{}", where_tried(judgement.result),
                        left_deadlocks_open(judgement) ? kButForDeadlocks : "")
      : judgement.outcome() == scenarios::Outcome::inconclusive ? "not all of them"
                                                                : "all of them";
  const std::string again =
      judgement.further_searches == 0
          ? ""
          : fmt::format("; {} more {} in {:.2f} s", judgement.further_searches,
                        judgement.further_searches == 1 ? "search" : "searches",
                        judgement.further_seconds);
  add(rows, "searched",
      fmt::format("{}, {}, depth {}, {}, in {:.2f} s{}", plural(figures.states, "state"),
                  plural(figures.transitions, "transition"), figures.depth, covered,
                  figures.seconds, again));
  add(rows, "ran",
      fmt::format("{}, {}, {}; all else was looked up; visited set {:.1f} MB",
                  plural(executed.programs, "client step"), plural(executed.commands, "command"),
                  plural(executed.scripts, "script"),
                  static_cast<double>(figures.visited_bytes) / (1 << 20)));
}

/// One that nobody has asked for is one line, unless it disagrees.
void add_audit(Rows& rows, const checker::Audit& audit, bool colours) {
  using Verdict = checker::Audit::Outcome;
  if (audit.outcome == Verdict::left_out)
    return add(rows, "audit",
               "left out, as it is not free: " + audit.detail + "; --audit makes it");
  const auto word = audit.outcome == Verdict::agree ? coloured("agrees", Colour::green, colours)
                    : audit.outcome == Verdict::disagree
                        ? coloured("DISAGREES", Colour::red, colours)
                        : coloured("inconclusive", Colour::yellow, colours);
  if (audit.outcome == Verdict::agree && !audit.asked_for)
    return add(rows, "audit",
               fmt::format("{}: the naive explorer, {}, time in steps of {} ms", word,
                           plural(audit.naive.statistics.states, "state"), audit.tick_ms));
  add(rows, "audit", word + (audit.detail.empty() ? "" : ": " + audit.detail));
  add(rows, "",
      fmt::format("time in steps of {} ms, which follows from {} ms (greatest common "
                  "divisor, halved if even)",
                  audit.tick_ms, durations_in_words(audit.durations_ms)));
  add(rows, "",
      fmt::format("naive explorer: {}, {}, {:.2f} s; main explorer, same steps: {}, {:.2f} s",
                  name(audit.naive.verdict), plural(audit.naive.statistics.states, "state"),
                  audit.naive.statistics.seconds, name(audit.coarse.verdict),
                  audit.coarse.statistics.seconds));
}

void add_expectation(Rows& rows, const Judgement& judgement, const CheckNotes& notes,
                     bool colours) {
  if (notes.overridden)
    return add(rows, "expected", "not judged: flags change what the scenario says");
  if (!judgement.scenario.expect) return;
  const auto claim = claim_in_words(*judgement.scenario.expect);
  add(rows, "expected",
      claim + ": " +
          (judgement.difference
               ? coloured("NOT AS EXPECTED, " + *judgement.difference, Colour::red, colours)
               : coloured("as expected", Colour::green, colours)));
}

}  // namespace

std::string claim_in_words(const scenarios::Expectation& claim) {
  std::string words = name(claim.outcome);
  if (claim.property) words += std::string(", ") + name(*claim.property);
  if (claim.steps) words += ", " + plural(*claim.steps, "step");
  return words;
}

std::string faults_in_words(const sim::Budget& budget) {
  std::vector<std::string> words;
  for (const auto fault : sim::kFaults)
    if (const int count = budget.at(static_cast<std::size_t>(fault)); count > 0)
      words.push_back(counted(fault, count));
  return words.empty() ? "none" : fmt::format("at most {}", fmt::join(words, ", "));
}

std::string as_text(const Headline& headline, bool colours) {
  const char* const gap = headline.verdict.size() < 10 ? "" : "  ";
  return coloured(fmt::format("{:<10}", headline.verdict), headline.colour, colours) + gap +
         headline.text;
}

Headline headline_of(const Judgement& judgement) {
  const auto& result = judgement.result;
  switch (judgement.outcome()) {
    case scenarios::Outcome::violated:
      return {
          "VIOLATED", Colour::red,
          fmt::format("{}, {}{}", spoken(*result.property),
                      length_in_words(result.schedule.size(), result.loop), how_short(judgement))};
    case scenarios::Outcome::holds:
      return {"HOLDS", Colour::green,
              (is_schedule(judgement.scenario) ? "in this order of events: " : "") +
                  all_spoken(judgement.model.properties)};
    case scenarios::Outcome::vacuous:
      return {"VACUOUS", Colour::yellow,
              fmt::format("nothing is violated, but no run is a witness of: {}{}",
                          fmt::join(scenarios::names_of(result.unmet), ", "),
                          result.unmet_detail.empty() ? "" : " (" + result.unmet_detail + ")")};
    case scenarios::Outcome::inconclusive:
      return {"INCONCLUSIVE", Colour::yellow, result.why_inconclusive};
  }
  sim::fail("an outcome without a headline", __FILE__, __LINE__);
}

Headline headline_of(const sim::Model& model, const checker::Trace& trace) {
  if (!trace.violated)
    return {"HOLDS", Colour::green, "in this order of events: " + all_spoken(model.properties)};
  return {"VIOLATED", Colour::red,
          fmt::format("{}, {}", spoken(*trace.violated),
                      length_in_words(trace.steps.size(), trace.loop))};
}

std::vector<Row> subject_of(const Judgement& judgement, const CheckNotes& notes) {
  Rows rows;
  // The deepest level may have been judged in part only.
  const checker::Result& result = judgement.result;
  if (judgement.outcome() == scenarios::Outcome::inconclusive)
    add(rows, "",
        fmt::format("covered: {}{}; no violation was found there{}{}",
                    result.statistics.depth == 0
                        ? "nothing but the beginning"
                        : "every run of fewer than " + plural(result.statistics.depth, "step"),
                    where_tried(result), left_deadlocks_open(judgement) ? kButForDeadlocks : "",
                    judged_at_the_end(judgement.model.properties)));
  add_subject(rows, judgement, notes);
  return rows;
}

void add_beliefs(std::vector<Row>& rows, const sim::Model& model, const checker::Trace& trace) {
  if (!trace.violated) return;
  const std::string text = beliefs_at_end(picture_of(model, trace));
  if (!text.empty()) add(rows, "believes", text);
}

std::vector<Row> account_of(const Judgement& judgement, const CheckNotes& notes, bool colours) {
  Rows rows;
  if (judgement.trace) add_beliefs(rows, judgement.model, *judgement.trace);
  add_fairness(rows, judgement);
  add_coverage(rows, judgement);
  add_replay(rows, judgement, notes);
  add_figures(rows, judgement);
  if (judgement.audit) add_audit(rows, *judgement.audit, colours);
  add_expectation(rows, judgement, notes, colours);
  return rows;
}

}  // namespace lockstep::cli
