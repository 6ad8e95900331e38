// The differential fuzzer: random sequences of commands on the simulated server and on a real one,
// until something differs or enough is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conform/commands.hpp"
#include "conform/difference.hpp"
#include "live/address.hpp"

namespace lockstep::conform {

struct Plan {
  std::uint64_t seed = 1;
  std::uint64_t commands = 0;                                 ///< at least so many
  double seconds = 0;                                         ///< and at least so long
  std::vector<std::string> scripts;                           ///< sent beside our own
  sim::ServerVersion server = sim::ServerVersion::redis_7_0;  ///< that the other one is
  bool events = false;  ///< keyspace events are compared too: Pair::listen_to_events
};

/// A difference that did not come again when its sequence was run once more.
struct Unrepeated {
  std::uint64_t seed = 0;  ///< of its sequence
  Difference difference;
};

/// What a comparison came to.
struct Comparison {
  std::uint64_t commands = 0;
  std::uint64_t sequences = 0;
  std::uint64_t refused = 0;  ///< commands that lockstep does not simulate; not sent
  std::vector<Unrepeated> unrepeated;
  double seconds = 0;
  std::optional<Finding> finding;
};

/// Runs the plan on the server at `address`, whose keys it deletes. Throws BadInput or
/// ConnectionBroken if the server cannot be used.
Comparison conform(const live::Address& address, const Plan& plan);

/// Throws BadInput if the server holds keys, or has cluster mode or other data that we would lose.
void expect_empty(const live::Address& address);

/// The random steps of one sequence.
std::vector<Step> random_steps(std::uint64_t seed, const std::vector<std::string>& scripts,
                               const Repertoire& repertoire);

}  // namespace lockstep::conform
