// JSON of live runs; see the header.
#include "cli/live_report.hpp"

#include "cli/report.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"

namespace lockstep::cli {

std::string live_replay_report(const LiveOutcome& outcome, const checker::Trace& trace) {
  Json json{{"outcome", outcome.outcome}, {"step", outcome.step},
            {"server", outcome.server},   {"seconds", outcome.seconds},
            {"divisor", outcome.divisor}, {"lease_ms", outcome.lease_ms},
            {"trace", trace_json(trace)}};
  if (!outcome.detail.empty()) json["detail"] = outcome.detail;
  return text_of(json);
}

std::string live_report(const LiveSummary& summary) {
  Json json{{"outcome", summary.outcome},
            {"server", summary.server},
            {"seconds", summary.seconds},
            {"end_judged", !summary.cut_short},
            {"judged", scenarios::names_of(summary.judged)},
            {"figures", Json::object()},
            {"violations", Json::array()}};
  if (!summary.not_judged.empty())
    json["not_judged"] = {{"properties", scenarios::names_of(summary.not_judged)},
                          {"because", summary.not_judged_because}};
  for (const auto& [name, number] : summary.figures) json["figures"][name] = number;
  for (const auto& violation : summary.violations) {
    Json found{{"property", name(violation.property)},
               {"violation", violation.text},
               {"history", Json::array()}};
    for (const auto& line : violation.history)
      found["history"].push_back(
          {{"time_us", line.time_us}, {"actor", line.actor}, {"sentence", line.sentence}});
    json["violations"].push_back(found);
  }
  return text_of(json);
}

}  // namespace lockstep::cli
