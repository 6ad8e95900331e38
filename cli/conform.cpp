// `lockstep conform`: the fuzzer on a server of our own or the user's, and what it found.
#include "conform/conform.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <random>
#include <set>

#include "cli/commands.hpp"
#include "cli/eval_report.hpp"
#include "cli/script_file.hpp"
#include "cli/words.hpp"
#include "live/real_server.hpp"
#include "live/server.hpp"
#include "scenarios/names.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::cli {

namespace {

constexpr double kDefaultSeconds = 10;
constexpr std::uint64_t kMostSeed = 1'000'000'000;

/// Whether a script asks for the time, which is another one on each server.
bool asks_time(const std::string& script) { return script.find("\"time\"") != std::string::npos; }

/// The scripts of all shipped protocols, but for those.
std::vector<std::string> shipped_scripts(const scenarios::Catalog& catalog, Io& io) {
  namespace fs = std::filesystem;
  std::set<std::string> scripts;  // in an order of their own; equal ones once
  for (const auto& protocol : catalog.protocols())
    for (const auto& entry : fs::directory_iterator(catalog.protocol_folder(protocol)))
      if (entry.path().extension() == ".lua" && entry.path().filename() != "protocol.lua")
        scripts.insert(whole_file(entry.path().string(), io.in));
  std::erase_if(scripts, asks_time);
  return {scripts.begin(), scripts.end()};
}

ConformSummary summary_of(const conform::Comparison& comparison, std::uint64_t seed) {
  ConformSummary summary{seed,
                         comparison.commands,
                         comparison.sequences,
                         comparison.refused,
                         comparison.unrepeated.size(),
                         comparison.seconds,
                         {},
                         {},
                         {}};
  if (!comparison.finding) return summary;
  for (const auto& step : comparison.finding->steps)
    summary.session.push_back(
        {static_cast<std::int64_t>(step.connection) + 1, sim::line_of(step.request)});
  summary.redis = comparison.finding->difference.redis;
  summary.lockstep = comparison.finding->difference.lockstep;
  return summary;
}

/// Which server the real one is: what the flag says, or what the server says of itself.
sim::ServerVersion server_of(const ConformArguments& arguments, const live::Address& address) {
  if (arguments.server) return server_version(*arguments.server);
  live::Connection connection(address);
  const auto real = live::real_server(connection);
  if (real.imitated) return *real.imitated;
  throw sim::BadInput(
      fmt::format("{}: the server is {}, which is not imitated; --server says as which one it is "
                  "to be compared: {}",
                  address.shown(), real.shown.empty() ? "unknown" : real.shown,
                  fmt::join(scenarios::names_of(sim::kServerVersions), ", ")));
}

std::uint64_t at_least(const char* flag, std::int64_t least, std::int64_t found) {
  if (found < least)
    throw sim::BadInput(fmt::format("{}: found {}, expected {} or more", flag, found, least));
  return static_cast<std::uint64_t>(found);
}

}  // namespace

int conform(const ConformArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  conform::Plan plan;
  plan.seed =
      arguments.seed ? at_least("--seed", 0, *arguments.seed) : std::random_device{}() % kMostSeed;
  plan.commands = arguments.commands ? at_least("--commands", 1, *arguments.commands) : 0;
  plan.seconds = arguments.seconds.value_or(arguments.commands ? 0 : kDefaultSeconds);
  plan.scripts = shipped_scripts(catalog, io);
  std::optional<live::Server> own;
  if (arguments.redis.empty()) own.emplace(sim::Persistence::none);
  const auto address = own ? own->address() : live::parse_address(arguments.redis);
  plan.server = server_of(arguments, address);
  if (!arguments.flush) conform::expect_empty(address);

  const auto comparison = conform::conform(address, plan);
  if (arguments.json) {
    io.out << conform_report(summary_of(comparison, plan.seed));
  } else {
    if (comparison.finding)
      io.out << fmt::format("DIFFERS  shortened from {} to {}\n\n",
                            plural(comparison.finding->length, "command"),
                            comparison.finding->steps.size())
             << conform::shown(*comparison.finding) << '\n';
    else
      io.out << "NO DIFFERENCE\n";
    io.out << fmt::format(
                  "compared  {} commands in {}, {} of the protocols' scripts among them, in {:.1f} "
                  "s\n",
                  grouped(comparison.commands), plural(comparison.sequences, "sequence"),
                  plan.scripts.size(), comparison.seconds)
           << fmt::format("left out  {} commands that lockstep refuses to simulate\n",
                          grouped(comparison.refused));
    for (const auto& [seed, difference] : comparison.unrepeated) {
      io.out << fmt::format("not again a difference of seed {}; run once more, there was none\n",
                            seed);
      io.out << conform::shown(difference) << '\n';
    }
    io.out << fmt::format("again     lockstep conform --seed {} --commands {}\n", plan.seed,
                          comparison.commands);
  }
  return comparison.finding ? kViolated : kAsExpected;
}

}  // namespace lockstep::cli
