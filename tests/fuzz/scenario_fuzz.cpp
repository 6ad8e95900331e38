// Any bytes as a scenario: carried out as far as a few states or its steps go, or refused in one
// line.
#include "scenarios/catalog.hpp"
#include "scenarios/judge.hpp"
#include "sim/base/error.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const scenarios::Catalog catalog(LOCKSTEP_SOURCE_DIR);
  constexpr std::uint64_t kMostStates = 300;
  const auto file = fuzz::as_file(data, size, "scenario.json");
  try {
    auto scenario = catalog.read(file);
    scenario.bounds.max_states = kMostStates;
    scenarios::judge(scenario);
  } catch (const sim::BadInput& refusal) {
    fuzz::expect_one_line(refusal);
  }
  return 0;
}
