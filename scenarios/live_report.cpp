// JSON of live replays; see the header.
#include "scenarios/live_report.hpp"

#include "scenarios/report.hpp"

namespace lockstep::scenarios {

std::string live_report(const LiveOutcome& outcome, const checker::Trace& trace) {
  Json json{{"outcome", outcome.outcome}, {"step", outcome.step},
            {"server", outcome.server},   {"seconds", outcome.seconds},
            {"divisor", outcome.divisor}, {"lease_ms", outcome.lease_ms},
            {"trace", trace_json(trace)}};
  if (!outcome.detail.empty()) json["detail"] = outcome.detail;
  return text_of(json);
}

}  // namespace lockstep::scenarios
