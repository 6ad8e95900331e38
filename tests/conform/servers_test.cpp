// The servers of other versions that are imitated, compared with real ones: tools/fetch-servers
// unpacks them into a folder, and LOCKSTEP_SERVERS names it. LOCKSTEP_RANDOM_COMMANDS sets how many
// commands.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "conform/conform.hpp"
#include "conform/pair.hpp"
#include "live/real_server.hpp"
#include "live/server.hpp"
#include "sim/base/files.hpp"
#include "sim/redis/text.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

struct Fetched {
  const char* program;
  sim::ServerVersion version;
};
constexpr Fetched kFetched[] = {
    {"redis-server-8.0", sim::ServerVersion::redis_8_0},
    {"valkey-server-8.1", sim::ServerVersion::valkey_8_1},
    {"valkey-server-9", sim::ServerVersion::valkey_9},
};

/// The scripts of all shipped protocols.
std::vector<std::string> shipped_scripts() {
  std::vector<std::string> scripts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("protocols"))
    if (entry.path().extension() == ".lua" && entry.path().filename() != "protocol.lua")
      scripts.push_back(sim::file_text(entry.path()));
  std::ranges::sort(scripts);
  return scripts;
}

/// What tests/conform/servers.txt sends.
std::vector<conform::Step> known_forms() {
  std::istringstream lines(sim::file_text("tests/conform/servers.txt"));
  std::vector<conform::Step> steps;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') steps.push_back({0, sim::split_line(line)});
  return steps;
}

TEST_CASE("what locks send is answered as by the real servers of other versions", "[servers]") {
  const char* folder = std::getenv("LOCKSTEP_SERVERS");
  if (folder == nullptr || *folder == '\0') {
    std::cerr << "SKIPPED: LOCKSTEP_SERVERS names no folder of real servers (tools/fetch-servers): "
                 "Redis 8.0, Valkey 8.1 and Valkey 9 are not compared\n";
    return;
  }
  const auto scripts = shipped_scripts();
  REQUIRE(scripts.size() > 20);
  for (const auto& [program, version] : kFetched) {
    INFO(program);
    const live::Server server(sim::Persistence::none, {"--enable-debug-command", "yes"},
                              std::filesystem::path(folder) / program);
    live::Connection connection(server.address());
    REQUIRE(live::real_server(connection).imitated == version);
    const auto forms = known_forms();
    REQUIRE(forms.size() > 100);
    const auto difference = conform::Pair(server.address(), version).run(forms, true);
    if (difference) FAIL_CHECK(conform::shown(*difference));
    conform::Plan plan;
    plan.seed = test::setting("LOCKSTEP_SEED", 1);
    plan.commands = test::setting("LOCKSTEP_RANDOM_COMMANDS", 20'000);
    plan.scripts = scripts;
    plan.server = version;
    for (const bool events : {false, true}) {
      plan.events = events;
      const auto comparison = conform::conform(server.address(), plan);
      CHECK(comparison.commands >= plan.commands);
      if (comparison.finding) FAIL_CHECK(conform::shown(*comparison.finding));
    }
  }
}

}  // namespace
