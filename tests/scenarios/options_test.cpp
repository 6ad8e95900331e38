// The small scenarios of options of the world, each with what it is told apart from: what they
// expect is argued in their texts.
#include <catch2/catch.hpp>
#include <filesystem>

#include "checker/explorer.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/scenario.hpp"
#include "sim/client/program.hpp"

namespace lockstep::scenarios {

TEST_CASE("every option of the world tells a lock from its fixed twin") {
  const Catalog catalog(LOCKSTEP_SOURCE_DIR);
  std::size_t judged = 0;
  const std::filesystem::path folder = LOCKSTEP_SOURCE_DIR "/tests/data/options";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Scenario scenario = catalog.read(entry.path());
    INFO(scenario.name);
    const auto program = std::make_shared<const sim::Program>(scenario.folder);
    const auto result = checker::explore(model_of(scenario, program), {});
    CHECK(difference(scenario.expect.value(), result) == std::nullopt);
    ++judged;
  }
  CHECK(judged >= 6);
}

}  // namespace lockstep::scenarios
