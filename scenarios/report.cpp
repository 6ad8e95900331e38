// JSON for machines; see the header.
#include "scenarios/report.hpp"

#include "scenarios/names.hpp"
#include "scenarios/trace_file.hpp"

namespace lockstep::scenarios {

namespace {

Json result_json(const checker::Result& result) {
  Json json{{"verdict", name(outcome_of(result))}};
  if (result.property) json["property"] = name(*result.property);
  if (result.verdict == checker::Verdict::violated) json["steps"] = result.schedule.size();
  if (result.vacuous()) json["unmet"] = names_of(result.unmet);
  if (result.vacuous() && !result.unmet_detail.empty()) json["unmet_detail"] = result.unmet_detail;
  if (!result.why_inconclusive.empty()) json["why_inconclusive"] = result.why_inconclusive;
  json["time_grid_ms"] = result.grid_durations;
  const auto& figures = result.statistics;
  json["statistics"] = {{"states", figures.states},
                        {"transitions", figures.transitions},
                        {"depth", figures.depth},
                        {"seconds", figures.seconds},
                        {"visited_bytes", figures.visited_bytes},
                        {"program_runs", figures.program_runs},
                        {"script_runs", figures.script_runs},
                        {"command_runs", figures.command_runs}};
  return json;
}

Json audit_json(const checker::Audit& audit) {
  using Outcome = checker::Audit::Outcome;
  const bool agree = audit.outcome == Outcome::agree;
  const bool disagree = audit.outcome == Outcome::disagree;
  Json json{{"outcome", agree      ? "agree"
                        : disagree ? "disagree"
                                   : "inconclusive"},
            {"tick_ms", audit.tick_ms},
            {"durations_ms", audit.durations_ms},
            {"naive", result_json(audit.naive)},
            {"coarse", result_json(audit.coarse)}};
  if (!audit.detail.empty()) json["detail"] = audit.detail;
  return json;
}

}  // namespace

Json trace_json(const checker::Trace& trace) {
  Json json{{"steps", Json::array()}};
  for (const auto& step : trace.steps)
    json["steps"].push_back({{"action", to_json(step.action)},
                             {"time_ms", step.time_ms},
                             {"environment", step.environment},
                             {"actor", step.actor},
                             {"sentence", step.sentence},
                             {"changes", step.changes}});
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

std::string table_report(const std::vector<Cell>& cells) {
  Json json = Json::array();
  for (const auto& cell : cells) {
    Json row{{"protocol", cell.protocol},
             {"condition", cell.condition},
             {"properties", names_of(cell.properties)}};
    // Not update(): nlohmann 3.11.2 asserts there, with JSON_DIAGNOSTICS and ordered objects.
    const auto result = result_json(cell.result);
    for (const auto& item : result.items()) row[item.key()] = item.value();
    json.push_back(row);
  }
  return text_of(json);
}

std::string trace_report(const checker::Trace& trace) { return text_of(trace_json(trace)); }

std::string check_report(const Judgement& judgement, int exit_code, const std::string& trace_file) {
  const auto& scenario = judgement.scenario;
  auto json = result_json(judgement.result);
  json["exit_code"] = exit_code;
  if (scenario.expect) json["as_expected"] = !judgement.difference.has_value();
  if (judgement.difference) json["difference"] = *judgement.difference;
  json["scenario"] = to_json(scenario, scenario.protocol);
  json["fingerprint"] = judgement.model.program->fingerprint();
  if (!trace_file.empty()) json["trace_file"] = trace_file;
  if (judgement.trace) json["trace"] = trace_json(*judgement.trace);
  if (judgement.no_return) {
    json["avoidable"]["until_step"] = judgement.no_return->step;
    if (judgement.no_return->way_out)
      json["avoidable"]["by"] = to_json(*judgement.no_return->way_out);
  }
  if (judgement.audit) json["audit"] = audit_json(*judgement.audit);
  return text_of(json);
}

}  // namespace lockstep::scenarios
