// Trace files: one run, with everything needed to replay it. The one reader and writer of trace
// JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checker/trace/trace.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/json_fwd.hpp"
#include "scenarios/scenario.hpp"
#include "sim/model/action.hpp"

namespace lockstep::scenarios {

/// Raised when what a trace file means has changed; a file of another version is refused.
inline constexpr int kTraceVersion = 1;

struct TraceFile {
  Scenario scenario;        ///< what was simulated; its model is the one that the schedule fits
  std::string fingerprint;  ///< of the model when the run was found (sim::fingerprint)
  sim::Schedule schedule;
  std::optional<sim::Property> violated;
  bool endless = false;  ///< not the last step violates, but that nothing else can follow it
  std::optional<checker::Loop> loop;  ///< of an endless run
  std::vector<std::string>
      told;  ///< a sentence a step, for a person who opens the file; not read back
};

/// Writes `trace` to `file`, whole or not at all. Throws BadInput if that is not possible.
void write_trace(const std::filesystem::path& file, const TraceFile& trace, const Catalog& catalog);

/// Reads a trace. Throws BadInput for one that is truncated or of another version.
TraceFile read_trace(const std::filesystem::path& file, const Catalog& catalog);

/// Throws BadInput if the protocol, or a file of the scenario's invariants, is no longer the one
/// that the trace was made with.
void expect_unchanged(const TraceFile& trace, const sim::Model& model,
                      const std::filesystem::path& file);

/// Whether `file` holds a trace, and not a scenario. Throws BadInput if it is not JSON.
bool is_trace(const std::filesystem::path& file);

/// One action as trace JSON has it: {"do": "pause", "process": "A"}.
Json to_json(const sim::Action& action);

}  // namespace lockstep::scenarios
