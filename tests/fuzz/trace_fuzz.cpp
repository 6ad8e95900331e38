// Any bytes as a trace: told to its end, or refused in one line. Its fingerprint is not looked at:
// what reads the steps has to stand any of them.
#include "checker/trace/trace.hpp"
#include "cli/report.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/error.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const scenarios::Catalog catalog(LOCKSTEP_SOURCE_DIR);
  const auto file = fuzz::as_file(data, size, "run.trace.json");
  try {
    const auto trace = scenarios::read_trace(file, catalog);
    const auto program = std::make_shared<const sim::Program>(trace.scenario.folder);
    checker::Walk walk(scenarios::model_of(trace.scenario, program));
    for (const auto& action : trace.schedule) walk.take(action, file.string());
    if (trace.endless) walk.end_endless(trace.violated.value(), trace.loop);
    cli::trace_report(walk.trace());
  } catch (const sim::BadInput& refusal) {
    fuzz::expect_one_line(refusal);
  }
  return 0;
}
