// The loop of the fuzzer; see the header.
#include "conform/conform.hpp"

#include <chrono>

#include "conform/commands.hpp"
#include "conform/pair.hpp"
#include "conform/step_source.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

constexpr std::size_t kSteps = 200;
constexpr int kTries = 3;

/// Whether `steps` differ again; carefully, and as they were found.
std::optional<Difference> repeated(Pair& pair, const std::vector<Step>& steps) {
  for (int i = 0; i < kTries; ++i)
    if (auto difference = pair.run(steps, i > 0)) return difference;
  return std::nullopt;
}

}  // namespace

void expect_empty(const live::Address& address) {
  if (address.database != 0)
    throw sim::BadInput(address.shown() +
                        ": conform uses databases 0, 1 and 2; name the server without a database");
  live::Connection connection(address);
  const auto keyspace = connection.execute({"INFO", "keyspace"});
  if (keyspace.is_error())
    throw sim::BadInput(address.shown() + ": the server refuses INFO: " + keyspace.text);
  if (keyspace.text.find("keys=") != std::string::npos)
    throw sim::BadInput(
        address.shown() +
        ": the server holds keys, and all of them would be deleted; --flush says that they may be");
}

std::vector<Step> random_steps(std::uint64_t seed, const std::vector<std::string>& scripts,
                               const Repertoire& repertoire) {
  Dice dice(seed);
  StepSource source(scripts, repertoire, dice);
  std::vector<Step> steps;
  while (steps.size() < kSteps) steps.push_back(source.next());
  return steps;
}

Comparison conform(const live::Address& address, const Plan& plan) {
  const Repertoire repertoire = repertoire_for(plan.server);
  Pair pair(address, plan.server);
  if (plan.events) pair.listen_to_events();
  const auto again = [&](const auto& differing) { return repeated(pair, differing); };
  Comparison comparison;
  const auto started = std::chrono::steady_clock::now();
  do {
    const auto seed = plan.seed + comparison.sequences++;
    const auto steps = random_steps(seed, plan.scripts, repertoire);
    if (auto difference = pair.run(steps, false)) {
      comparison.finding =
          examined(steps, again, [&](const auto& fewer) { return pair.run(fewer, true); });
      if (!comparison.finding) comparison.unrepeated.push_back({seed, std::move(*difference)});
    }
    comparison.commands = pair.commands();
    comparison.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  } while (!comparison.finding &&
           (comparison.commands < plan.commands || comparison.seconds < plan.seconds));
  comparison.refused = pair.refused();
  return comparison;
}

}  // namespace lockstep::conform
