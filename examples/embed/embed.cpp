// Two clients of a lock, one pause: is there a run in which both are inside? As a program of one's
// own asks it.
#include <cstdio>
#include <memory>

#include "checker/explorer.hpp"
#include "checker/trace/trace.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"

using namespace lockstep;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: embed FOLDER (one that holds protocol.lua)\n", stderr);
    return 3;
  }
  try {
    using Step = sim::WorkStep::Kind;
    sim::ProcessSetup client;
    client.lock_keys = {"lock"};
    client.lease_ms = 10'000;
    client.workload = {{Step::lock, 0, 0}, {Step::work, 0, 3'000}, {Step::unlock, 0, 0}};

    sim::Model model;
    model.program = std::make_shared<sim::Program>(argv[1]);
    model.processes = {client, client};
    model.properties = {sim::Property::mutual_exclusion};
    model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;

    const auto result = checker::explore(model, {});
    if (result.verdict == checker::Verdict::holds) std::puts("It holds.");
    if (result.verdict == checker::Verdict::inconclusive) std::puts("It is not decided.");
    if (result.verdict != checker::Verdict::violated) return 0;
    for (const auto& step : checker::tell(model, result.schedule).steps)
      std::printf("%6lld ms  %s %s\n", static_cast<long long>(step.data.time_ms),
                  step.prose.actor.c_str(), step.prose.sentence.c_str());
    return 1;
  } catch (const sim::BadInput& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
