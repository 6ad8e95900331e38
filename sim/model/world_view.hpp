// The world as an invariant is shown it (docs/protocols.md): nodes with their keys, clients with
// what they hold and believe. Nothing of it tells time: an invariant is judged where something
// happens, so it may depend on nothing that changes in between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// A node; down, it shows no keys. `keyspace`: its database 0 is shown.
std::string node_view(bool up, const Keyspace& keyspace);

struct ClientView {
  unsigned process = 0;
  const char* life = "";              ///< "up", "paused" or "dead"
  std::map<std::string, int> holds;   ///< by lock key: how many of its threads are inside
  std::map<std::string, int> shares;  ///< the same in shared mode
  std::string belief;                 ///< Program::belief; empty: it knows nothing
};
std::string client_view(const ClientView& client);

/// The whole of it, of the views of its parts.
std::string world_view(const std::vector<std::string>& nodes,
                       const std::vector<std::string>& clients);

}  // namespace lockstep::sim
