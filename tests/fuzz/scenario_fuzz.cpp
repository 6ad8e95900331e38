// Any bytes as a scenario: read into a model, or refused in one line.
#include "scenarios/scenario.hpp"
#include "sim/error.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const std::filesystem::path protocol = LOCKSTEP_SOURCE_DIR "/protocols/set-token-lua";
  static const auto program = std::make_shared<const sim::Program>(protocol);
  const auto file = fuzz::as_file(data, size, "scenario.json");
  try {
    const auto scenario =
        scenarios::read_scenario(file, [](const auto&, const auto&) { return protocol; });
    scenarios::model_of(scenario, program);
  } catch (const sim::BadInput&) {
    return 0;
  }
  return 0;
}
