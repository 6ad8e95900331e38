// The real servers of a replay, one for each server of the model and by its number: whether they
// are up, what they hold, and what happens to all of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/observer.hpp"
#include "live/real_server.hpp"
#include "live/server.hpp"
#include "sim/keyspace/visible_key.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/keyspace_events.hpp"

namespace lockstep::live {

/// A server that somebody has started.
struct RunningServer {
  Address address;
  std::shared_ptr<Server> own;  ///< if it is ours and may be crashed
};

/// For a server of our own that publishes these keyspace events.
std::vector<std::string> options_for_events(sim::KeyspaceEvents events);

/// Starts as many servers as the model has, with its persistence, each a master. Throws as Server
/// does.
std::vector<RunningServer> own_servers(const sim::Model& model);

class Nodes {
 public:
  /// Looks at all keys of servers of our own, on another one at `names` only. Throws as Connection
  /// does, and BadInput if one of `names` exists there already.
  Nodes(const std::vector<RunningServer>& servers, Observer::Names names);

  std::uint8_t count() const { return static_cast<std::uint8_t>(nodes_.size()); }
  const Address& address(std::uint8_t node) const { return nodes_.at(node).server.address; }
  bool is_own(std::uint8_t node) const { return nodes_.at(node).server.own != nullptr; }
  bool is_up(std::uint8_t node) const { return nodes_.at(node).observer != nullptr; }
  bool all_up() const;

  /// Of a node that is up: its keys as they are now.
  sim::VisibleKeys keys(std::uint8_t node) { return nodes_.at(node).observer->keys(); }
  /// The same one that its keys are read by.
  Connection& connection(std::uint8_t node) { return nodes_.at(node).observer->connection(); }
  /// The first one.
  RealServer server() { return nodes_.front().observer->server(); }

  // ---- of servers of our own
  void crash(std::uint8_t node);
  void restart(std::uint8_t node);
  void save(std::uint8_t node) { nodes_.at(node).observer->save(); }
  /// Its server finds what has expired there (Redis 7.0 db.c scanGenericCommand).
  void meet_all_keys(std::uint8_t node);
  void flush(std::uint8_t node) { nodes_.at(node).observer->flush(); }

  /// Removes the names from servers that are not ours.
  void clean_up();

 private:
  struct Node {
    RunningServer server;
    std::unique_ptr<Observer> observer;  ///< null: it is down
  };

  std::unique_ptr<Observer> observer_of(const RunningServer& server) const;

  Observer::Names names_;
  std::vector<Node> nodes_;
};

}  // namespace lockstep::live
