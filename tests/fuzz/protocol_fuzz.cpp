// Any bytes as protocol.lua, beside a script that it may send: `lockstep check` explores some
// hundred states of it, or refuses it in one line. Everything but a bug of lockstep is well.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/exit_code.hpp"
#include "cli/run.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const sim::TemporaryFolder folder;
  static const auto script = folder.write("release.lua", "return redis.call('del', KEYS[1])");
  folder.write("protocol.lua", std::string(reinterpret_cast<const char*>(data), size));

  std::istringstream in;
  std::ostringstream out, err;
  cli::Io io{in, out, err};
  const auto code = cli::run({"check", folder.path(), "--fault", "pause=1,lose=1", "--max-states",
                              "200", "--max-seconds", "2", "--max-memory", "100000"},
                             io);
  const auto said = err.str();
  if (code == cli::kOwnFailure) std::fputs((out.str() + said).c_str(), stderr);
  LOCKSTEP_CHECK(code != cli::kOwnFailure);
  LOCKSTEP_CHECK(std::ranges::count(said, '\n') == (code == cli::kBadInput ? 1 : 0));
  return 0;
}
