// Judgements for people; see the header.
#include "cli/render_check.hpp"

#include <fmt/format.h>

#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "scenarios/names.hpp"
#include "sim/base/token.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Judgement;

using scenarios::Scenario;

void print_row(std::ostream& out, const std::string& label, const std::string& text) {
  out << fmt::format("{:<10}{}\n", label, text);
}

bool is_schedule(const Scenario& scenario) {
  return scenario.kind == scenarios::ScenarioKind::schedule;
}

std::string all_spoken(const std::set<sim::Property>& properties) {
  std::vector<std::string> words;
  for (const auto property : properties) words.push_back(spoken(property));
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_headline(std::ostream& out, const Judgement& judgement, bool colours) {
  const auto& result = judgement.result;
  const auto headline = [&](const char* verdict, Colour colour, const std::string& text) {
    out << coloured(fmt::format("{:<10}", verdict), colour, colours) << text << '\n';
  };
  switch (judgement.outcome()) {
    case scenarios::Outcome::violated:
      if (result.loop)
        return headline("VIOLATED", Colour::red,
                        fmt::format("{}, after {}, which lead into a loop of {}",
                                    spoken(*result.property), plural(result.loop->from, "step"),
                                    result.schedule.size() - result.loop->from));
      return headline("VIOLATED", Colour::red,
                      fmt::format("{}, after {}{}", spoken(*result.property),
                                  plural(result.schedule.size(), "step"),
                                  is_schedule(judgement.scenario) ? " of this order of events"
                                  : result.time_gap.empty()       ? ", the fewest possible"
                                                            : ", the fewest that were tried"));
    case scenarios::Outcome::holds:
      if (is_schedule(judgement.scenario))
        return headline("HOLDS", Colour::green,
                        "in this order of events: " + all_spoken(judgement.model.properties));
      return headline("HOLDS", Colour::green, all_spoken(judgement.model.properties));
    case scenarios::Outcome::vacuous:
      return headline(
          "VACUOUS", Colour::yellow,
          fmt::format("nothing is violated, but no run is a witness of: {}{}",
                      fmt::join(scenarios::names_of(result.unmet), ", "),
                      result.unmet_detail.empty() ? "" : " (" + result.unmet_detail + ")"));
    case scenarios::Outcome::inconclusive:
      out << coloured("INCONCLUSIVE", Colour::yellow, colours) << "  " << result.why_inconclusive
          << '\n';
      // The deepest level may have been judged in part only.
      return print_row(
          out, "",
          fmt::format("covered: every run of fewer than {}{}; no violation was found in them",
                      plural(result.statistics.depth, "step"),
                      result.time_gap.empty() ? "" : ", at the points of time that were tried"));
  }
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
void print_clients(std::ostream& out, const Scenario& scenario) {
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
    print_row(
        out, "clients",
        fmt::format("{}: {} ({}{}{})", fmt::join(who, ", "), fmt::join(what, ", "),
                    role.rounds == 0 ? "for ever"
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

void print_world(std::ostream& out, const Scenario& scenario) {
  auto world = fmt::format("lease {} ms, resource {}, persistence {}", scenario.lease_ms,
                           name(scenario.resource), name(scenario.persistence));
  if (scenario.server != sim::ServerVersion::redis_7_0)
    world += fmt::format(", server {}", name(scenario.server));
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
  print_row(out, "world", world);
  print_row(out, "faults", faults_in_words(scenario.faults));
}

void print_subject(std::ostream& out, const Judgement& judgement, const CheckNotes& notes) {
  const auto& scenario = judgement.scenario;
  if (!scenario.title.empty())
    print_row(out, "scenario",
              fmt::format("{}: {}{}", scenario.name, scenario.title,
                          notes.overridden ? " (changed by flags)" : ""));
  if (!scenario.source.empty()) print_row(out, "source", scenario.source);
  print_row(out, "protocol",
            fmt::format("{}: {}", scenario.protocol, judgement.model.program->title()));
  print_clients(out, scenario);
  print_world(out, scenario);
  if (sim::too_long_ms(judgement.model) > 0)
    print_row(
        out, "waits",
        fmt::format(
            "at most {} ms inside acquire(){}, from its call on, or from where its "
            "client was last paused",
            judgement.model.waits_ms,
            judgement.model.waits_after == sim::WaitsAfter::free ? " while the lock is free" : ""));
  if (judgement.model.claims) print_row(out, "claims", "those of " + scenario.invariants);
}

std::string travel_in_words(std::int64_t latency_ms) {
  return latency_ms == 0 ? "messages take no time"
                         : fmt::format("each message takes up to {} ms", latency_ms);
}

/// How close it came; nothing of locks without an expiry.
void print_slack(std::ostream& out, const sim::Slack& slack, bool drift) {
  if (!slack.least_ms) return;
  if (*slack.least_ms == sim::Slack::kEnded)
    return print_row(
        out, "slack",
        "none: in some run a client has no lease, or its node is down, when its critical "
        "section ends");
  print_row(out, "slack",
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

void print_coverage(std::ostream& out, const Judgement& judgement) {
  if (judgement.outcome() == scenarios::Outcome::violated || is_schedule(judgement.scenario))
    return;
  const auto& result = judgement.result;
  const bool knows_time =  // else memory ended before it was found out
      judgement.outcome() != scenarios::Outcome::inconclusive || !result.grid_durations.empty();
  if (knows_time)
    print_row(out, "time",
              fmt::format("{}; {}; durations in use: {} ms", time_in_words(judgement),
                          travel_in_words(judgement.scenario.latency_ms),
                          durations_in_words(result.grid_durations)));
  if (result.many_tasks)
    print_row(out, "threads",
              switches_in_words(
                  judgement.model.budget.at(static_cast<std::size_t>(sim::Fault::preempt))));
  if (judgement.outcome() == scenarios::Outcome::holds && !judgement.model.witnesses.empty())
    print_row(out, "witnessed",
              fmt::format("{}", fmt::join(scenarios::names_of(judgement.model.witnesses), ", ")));
  if (judgement.outcome() == scenarios::Outcome::holds)
    print_slack(out, result.slack, sim::clocks_drift(judgement.model));
}

void print_replay(std::ostream& out, const Judgement& judgement, const CheckNotes& notes) {
  if (judgement.outcome() != scenarios::Outcome::violated) return;
  if (judgement.result.hangs_on_tokens)
    print_row(
        out, "tokens",
        "something hangs on their bytes (which of two comes first, how long one is, what is in "
        "it), and real ones may have others");
  if (!is_schedule(judgement.scenario))
    print_row(out, "avoidable",
              notes.avoidable.value_or(judgement.result.endless
                                           ? "not computed: no single step violates"
                                           : "not computed: it would take too many states"));
  if (!notes.trace_file.empty())
    print_row(out, "replay", "lockstep replay " + notes.trace_file);
  else if (!judgement.scenario.title.empty() && !notes.overridden)
    print_row(out, "replay", "lockstep replay " + notes.target);
  else
    print_row(out, "replay", "add --trace FILE to keep this run, then `lockstep replay FILE`");
}

void print_figures(std::ostream& out, const Judgement& judgement) {
  if (is_schedule(judgement.scenario)) return;
  const auto& figures = judgement.result.statistics;
  const auto& executed = judgement.result.executed;
  const char* covered =
      judgement.outcome() == scenarios::Outcome::violated       ? "every run of fewer steps"
      : judgement.outcome() == scenarios::Outcome::inconclusive ? "not all of them"
                                                                : "all of them";
  print_row(out, "searched",
            fmt::format("{}, {}, depth {}, {}, in {:.2f} s", plural(figures.states, "state"),
                        plural(figures.transitions, "transition"), figures.depth, covered,
                        figures.seconds));
  print_row(out, "ran",
            fmt::format("{}, {}, {}; all else was looked up; visited set {:.1f} MB",
                        plural(executed.programs, "client step"),
                        plural(executed.commands, "command"), plural(executed.scripts, "script"),
                        static_cast<double>(figures.visited_bytes) / (1 << 20)));
}

/// One that nobody has asked for is one line, unless it disagrees.
void print_audit(std::ostream& out, const checker::Audit& audit, bool colours) {
  using Verdict = checker::Audit::Outcome;
  if (audit.outcome == Verdict::left_out)
    return print_row(out, "audit",
                     "left out, as it is not free: " + audit.detail + "; --audit makes it");
  const auto word = audit.outcome == Verdict::agree ? coloured("agrees", Colour::green, colours)
                    : audit.outcome == Verdict::disagree
                        ? coloured("DISAGREES", Colour::red, colours)
                        : coloured("inconclusive", Colour::yellow, colours);
  if (audit.outcome == Verdict::agree && !audit.asked_for)
    return print_row(out, "audit",
                     fmt::format("{}: the naive explorer, {}, time in steps of {} ms", word,
                                 plural(audit.naive.statistics.states, "state"), audit.tick_ms));
  print_row(out, "audit", word + (audit.detail.empty() ? "" : ": " + audit.detail));
  print_row(out, "",
            fmt::format("time in steps of {} ms, which follows from {} ms (greatest common "
                        "divisor, halved if even)",
                        audit.tick_ms, fmt::join(audit.durations_ms, ", ")));
  print_row(out, "",
            fmt::format("naive explorer: {}, {}, {:.2f} s; main explorer, same steps: {}, {:.2f} s",
                        name(audit.naive.verdict), plural(audit.naive.statistics.states, "state"),
                        audit.naive.statistics.seconds, name(audit.coarse.verdict),
                        audit.coarse.statistics.seconds));
}

void print_expectation(std::ostream& out, const Judgement& judgement, const CheckNotes& notes,
                       bool colours) {
  if (notes.overridden)
    return print_row(out, "expected", "not judged: flags change what the scenario says");
  if (!judgement.scenario.expect) return;
  const auto claim = claim_in_words(*judgement.scenario.expect);
  print_row(out, "expected",
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

void print_check(std::ostream& out, const Judgement& judgement, const CheckNotes& notes,
                 bool colours) {
  print_headline(out, judgement, colours);
  print_subject(out, judgement, notes);
  if (judgement.trace) {
    out << '\n';
    print_trace(out, *judgement.trace, colours);
    out << '\n';
  }
  print_coverage(out, judgement);
  print_replay(out, judgement, notes);
  print_figures(out, judgement);
  if (judgement.audit) print_audit(out, *judgement.audit, colours);
  print_expectation(out, judgement, notes, colours);
}

}  // namespace lockstep::cli
