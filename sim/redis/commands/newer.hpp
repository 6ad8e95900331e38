// What only some of the servers have (version.hpp): commands and options that came after Redis 7.0.
// Most are not simulated, and refused by name where a server has them.
#pragma once

#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// What of a request not every server has: a command, a subcommand, or an option.
struct Newer {
  const char* command;
  const char* word = nullptr;  ///< the subcommand or option; null: the command itself
  std::size_t from = 1;        ///< the word may stand here or later; without one, the request is
                               ///< longer than that many arguments
  ServerSet servers = {};
  bool simulated = false;

  bool is_subcommand() const { return word != nullptr && from == 1; }
};

/// The first that a request has; null if every server has all of it.
const Newer* newer_in(const Request& request);

/// Throws BadInput for what `version` has and lockstep does not simulate.
void refuse_newer(const Request& request, ServerVersion version);

/// The same, also for what `version` does not have and another one has: which one is said.
void refuse_others(const Request& request, ServerVersion version);

}  // namespace lockstep::sim
