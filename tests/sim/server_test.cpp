// The fake server against a real redis-server over several connections: every line of
// tests/sim/server/*.txt goes to both, and what is written to every connection is compared.
// "a GET k" is sent on connection a, "+200" lets 200 ms pass, "---" starts anew, and the name of a
// mode ("replica", "over_memory", "cluster") turns it on.
#include "sim/server.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/server_twin.hpp"

namespace {

using lockstep::test::ServerTwin;

std::string run_line(ServerTwin& twin, const std::string& line) {
  if (line[0] == '+') return twin.wait(std::stoll(line.substr(1)));
  if (line == "---") {
    twin.reset();
    return "";
  }
  lockstep::sim::ServerMode mode;
  mode.replica = line == "replica";
  mode.over_memory = line == "over_memory";
  mode.cluster = line == "cluster";
  if (mode != lockstep::sim::ServerMode{}) {
    twin.set_mode(mode);
    return "";
  }
  return twin.run(line[0], lockstep::test::split(line.substr(2)));
}

void run_file(const std::filesystem::path& path) {
  std::vector<std::string> options;
  if (path.stem() == "cluster") options = {"--cluster-enabled", "yes"};
  ServerTwin twin(options);
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with("# ")) continue;
    INFO(path.filename().string() << ":" << number);
    CHECK(run_line(twin, line) == "");
  }
  CHECK(number > 0);
}

TEST_CASE("the fake server answers every connection as redis-server does", "[server]") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/tests/sim/server")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  REQUIRE(paths.size() > 5);
  for (const auto& path : paths) {
    DYNAMIC_SECTION(path.stem().string()) { run_file(path); }
  }
}

}  // namespace
