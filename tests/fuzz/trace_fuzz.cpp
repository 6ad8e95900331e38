// Any bytes as a trace: read, or refused in one line.
#include "scenarios/trace_file.hpp"
#include "sim/error.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const scenarios::Catalog catalog(LOCKSTEP_SOURCE_DIR);
  const auto file = fuzz::as_file(data, size, "run.trace.json");
  try {
    scenarios::read_trace(file, catalog);
  } catch (const sim::BadInput&) {
    return 0;
  }
  return 0;
}
