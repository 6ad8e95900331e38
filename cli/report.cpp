// JSON for machines; see the header.
#include "cli/report.hpp"

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/check.hpp"
#include "sim/model/invariants.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Difference;
using scenarios::Finding;
using scenarios::Judgement;
using scenarios::names_of;
using scenarios::Standing;
using scenarios::to_json;

Json result_json(const checker::Result& result) {
  Json json{{"verdict", name(scenarios::outcome_of(result))}};
  if (result.property) json["property"] = name(*result.property);
  if (result.verdict == checker::Verdict::violated) json["steps"] = result.schedule.size();
  if (result.vacuous()) json["unmet"] = names_of(result.unmet);
  if (result.vacuous() && !result.unmet_detail.empty()) json["unmet_detail"] = result.unmet_detail;
  if (!result.why_inconclusive.empty()) json["why_inconclusive"] = result.why_inconclusive;
  json["time_grid_ms"] = result.grid_durations;
  json["time_exact"] = result.time_gap.empty();
  if (const auto& slack = result.slack; slack.least_ms) {
    const bool ended = *slack.least_ms == sim::Slack::kEnded;
    json["slack"] = {{"least_ms", ended ? Json() : Json(*slack.least_ms)}, {"exact", slack.exact}};
  }
  if (result.many_tasks) json["threads_switch_at"] = "waits";
  const auto& figures = result.statistics;
  json["statistics"] = {{"states", figures.states},
                        {"transitions", figures.transitions},
                        {"depth", figures.depth},
                        {"seconds", figures.seconds},
                        {"visited_bytes", figures.visited_bytes},
                        {"program_runs", result.executed.programs},
                        {"script_runs", result.executed.scripts},
                        {"command_runs", result.executed.commands}};
  return json;
}

Json audit_json(const checker::Audit& audit) {
  using Outcome = checker::Audit::Outcome;
  const bool left_out = audit.outcome == Outcome::left_out;
  Json json{{"outcome", audit.outcome == Outcome::agree      ? "agree"
                        : audit.outcome == Outcome::disagree ? "disagree"
                        : left_out                           ? "left-out"
                                                             : "inconclusive"},
            {"asked_for", audit.asked_for},
            {"tick_ms", audit.tick_ms},
            {"durations_ms", audit.durations_ms}};
  if (!left_out) json["naive"] = result_json(audit.naive);
  if (!left_out) json["coarse"] = result_json(audit.coarse);
  if (!audit.detail.empty()) json["detail"] = audit.detail;
  return json;
}

}  // namespace

Json trace_json(const checker::Trace& trace) {
  Json json{{"steps", Json::array()}};
  for (const auto& step : trace.steps) {
    Json lines = Json::array();
    for (const auto& [file, number, text] : step.data.ran)
      lines.push_back({{"file", file}, {"line", number}, {"text", text}});
    json["steps"].push_back({{"action", to_json(step.data.action)},
                             {"time_ms", step.data.time_ms},
                             {"environment", step.prose.environment},
                             {"actor", step.prose.actor},
                             {"sentence", step.prose.sentence},
                             {"changes", step.prose.changes},
                             {"lines", std::move(lines)}});
  }
  if (trace.violated) json["violated"] = name(*trace.violated);
  if (trace.violated) json["violation"] = trace.violation;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string list_report(const std::vector<Listed>& rows) {
  Json json = Json::object();
  for (const auto& row : rows) json[row.group].push_back({{"name", row.name}, {"text", row.text}});
  return text_of(json);
}

std::string lessons_report(const std::vector<LessonTold>& lessons) {
  Json all = Json::array();
  for (const auto& lesson : lessons) {
    Json json{{"number", lesson.number}, {"name", lesson.name}, {"title", lesson.title}};
    for (const auto& part : lesson.parts) {
      Json told =
          part.command.empty() ? Json{{"text", part.text}} : Json{{"command", part.command}};
      if (!part.answers.empty()) {
        told["answers"] = part.answers;
        told["right"] = part.right;
      }
      json["parts"].push_back(told);
    }
    all.push_back(json);
  }
  return text_of({{"lessons", all}});
}

const char* name(Tested::Status status) {
  switch (status) {
    case Tested::Status::as_expected:
      return "as-expected";
    case Tested::Status::different:
      return "different";
    case Tested::Status::unaudited:
      return "unaudited";
    case Tested::Status::broken:
      return "broken";
    case Tested::Status::failure:
      return "failure";
    case Tested::Status::not_run:
      return "not-run";
  }
  sim::fail("a status without a name", __FILE__, __LINE__);
}

std::string test_report(const std::vector<Tested>& all, int exit_code) {
  Json json{{"exit_code", exit_code}, {"scenarios", Json::array()}};
  for (const auto& tested : all) {
    Json row{{"name", tested.name},
             {"file", tested.file},
             {"status", name(tested.status)},
             {"text", tested.text},
             {"seconds", tested.seconds}};
    if (tested.result) row["result"] = result_json(*tested.result);
    json["scenarios"].push_back(row);
  }
  return text_of(json);
}

std::string lone_report(const std::string& status, int exit_code) {
  return text_of({{"exit_code", exit_code},
                  {"status", status},
                  {"compared", 0},
                  {"differences", Json::array()}});
}

std::string diff_report(const std::vector<Difference>& differences,
                        const std::optional<Judgement>& shown, int exit_code) {
  const auto verdict = [](const Finding& finding) {
    Json json{{"verdict", name(finding.standing)}};
    if (finding.standing == Standing::violated) json["steps"] = finding.steps;
    if (!finding.detail.empty()) json["detail"] = finding.detail;
    return json;
  };
  Json json{
      {"exit_code", exit_code}, {"compared", differences.size()}, {"differences", Json::array()}};
  for (const auto& each : differences)
    if (each.change != scenarios::Change::same)
      json["differences"].push_back({{"condition", each.after.condition},
                                     {"property", name(each.after.property)},
                                     {"change", name(each.change)},
                                     {"old", verdict(each.before)},
                                     {"new", verdict(each.after)}});
  if (shown)
    json["counterexample"] = {{"scenario", to_json(shown->scenario, shown->scenario.protocol)},
                              {"trace", trace_json(*shown->trace)}};
  return text_of(json);
}

std::string trace_report(const checker::Trace& trace) { return text_of(trace_json(trace)); }

std::string check_report(const Judgement& judgement, int exit_code, const std::string& trace_file) {
  const auto& scenario = judgement.scenario;
  auto json = result_json(judgement.result);
  json["exit_code"] = exit_code;
  if (scenario.expect) json["as_expected"] = !judgement.difference.has_value();
  if (judgement.difference) json["difference"] = *judgement.difference;
  json["messages_take_ms"] = scenario.latency_ms;
  json["scenario"] = to_json(scenario, scenario.protocol);
  json["fingerprint"] = sim::fingerprint(judgement.model);
  if (!trace_file.empty()) json["trace_file"] = trace_file;
  if (judgement.trace) json["trace"] = trace_json(*judgement.trace);
  if (judgement.no_return) {
    json["avoidable"]["until_step"] = judgement.no_return->step;  // 0: unavoidable
    if (judgement.no_return->way_out)
      json["avoidable"]["by"] = to_json(*judgement.no_return->way_out);
  }
  if (judgement.audit) json["audit"] = audit_json(*judgement.audit);
  return text_of(json);
}

}  // namespace lockstep::cli
