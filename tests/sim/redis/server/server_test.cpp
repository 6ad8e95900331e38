// The fake server against a real redis-server over several connections: every line of
// tests/sim/redis/server/*.txt goes to both, and what is written to every connection is compared.
// "a GET k" is sent on connection a, "+200" lets 200 ms pass, "++5000" only on the fake's clock,
// "---" starts anew, and the name of a mode ("replica", "few_replicas",
// "over_memory", "cluster") turns it on.
#include "sim/redis/server/server.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "sim/redis/reply.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/lines.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::test::Twin;

/// Puts both into a mode; cluster mode the real one has to have from the start.
void set_mode(Twin& twin, const lockstep::sim::ServerMode& mode) {
  twin.fake().mode() = mode;
  auto& real = twin.real();
  if (mode.few_replicas) real.execute({"CONFIG", "SET", "min-replicas-to-write", "1"});
  if (mode.over_memory) real.execute({"CONFIG", "SET", "maxmemory", "1"});
  if (mode.replica) real.execute({"REPLICAOF", "127.0.0.1", "1"});
  if (!mode.cluster) return;
  real.execute({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  while (real.execute({"CLUSTER", "INFO"}).text.find("cluster_state:ok") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::string run_line(Twin& twin, const std::string& line) {
  if (line.starts_with("++")) {
    twin.skip(lockstep::sim::Duration{std::stoll(line.substr(2))});
    return "";
  }
  if (line[0] == '+') return twin.run({lockstep::conform::kWait, line.substr(1)});
  if (line == "---") {
    twin.reset();
    return "";
  }
  lockstep::sim::ServerMode mode;
  mode.replica = line == "replica";
  mode.few_replicas = line == "few_replicas";
  mode.over_memory = line == "over_memory";
  mode.cluster = line == "cluster";
  if (mode != lockstep::sim::ServerMode{}) {
    set_mode(twin, mode);
    return "";
  }
  return twin.run(static_cast<std::size_t>(line[0] - 'a'), lockstep::test::split(line.substr(2)));
}

void run_connections_of(const std::filesystem::path& path) {
  std::vector<std::string> options;
  if (path.stem() == "cluster") options = {"--cluster-enabled", "yes"};
  if (path.stem() == "busy") options = {"--busy-reply-threshold", "5"};  // the fake's is 5000
  Twin twin(options);
  lockstep::test::for_each_line(
      path, [&](const std::string& line) { CHECK(run_line(twin, line) == ""); });
}

TEST_CASE("the fake server answers every connection as redis-server does", "[server]") {
  const auto paths = lockstep::test::files_of("sim/redis/server");
  REQUIRE(paths.size() > 5);
  for (const auto& path : paths) {
    DYNAMIC_SECTION(path.stem().string()) { run_connections_of(path); }
  }
}

}  // namespace
