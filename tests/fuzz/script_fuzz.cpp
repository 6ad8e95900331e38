// Any bytes as a script: it runs, fails as in Redis, or is refused in one line; nothing else.
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep::sim;
  constexpr ScriptLimits kLimits{100'000, 4 << 20};
  ScriptVm vm(kLimits);
  Keyspace keyspace;
  Execution execution{kEpoch, 1, &vm};
  const std::string script(reinterpret_cast<const char*>(data), size);
  try {
    execute(keyspace, {"SET", "text", "1"}, execution);
    execute(keyspace, {"EVAL", script, "2", "text", "key", "7", "abc"}, execution);
  } catch (const BadInput& refusal) {
    lockstep::fuzz::expect_one_line(refusal);
  }
  return 0;
}
