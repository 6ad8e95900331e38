// Observes, crashes and restarts them; see the header.
#include "live/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "live/connection.hpp"
#include "live/stream.hpp"
#include "sim/base/error.hpp"
#include "sim/client/servers.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

std::vector<std::string> options_for_events(sim::KeyspaceEvents events) {
  events &= sim::kLettered;
  if (events == 0) return {};
  return {"--notify-keyspace-events", sim::letters_of(events)};
}

namespace {

/// With which a real master counts who has left it for as long as the model's at most: seconds are
/// whole ones there, and looked at once a second.
std::int64_t most_lag_s(const sim::Model& model) { return model.counts_gone_ms / 1000 - 2; }

/// A master's copies for its replicas leave no file behind: an RDB file is what a save has left.
/// One that has lost its last slot stays a master.
std::vector<std::string> options_for(const sim::Model& model) {
  if (model.keyspace_events != 0) return options_for_events(model.keyspace_events);
  if (model.cluster) return {"--cluster-enabled", "yes", "--cluster-allow-replica-migration", "no"};
  if (model.processes.front().replicas == 0) return {};
  auto options = options_for_replicas();
  const bool saves = model.persistence == sim::Persistence::rdb;
  options.insert(options.end(), {"--repl-diskless-sync", saves ? "yes" : "no"});
  options.insert(options.end(), {"--rdb-del-sync-files", "yes"});
  if (model.min_replicas > 0)
    options.insert(options.end(), {"--min-replicas-to-write", std::to_string(model.min_replicas),
                                   "--min-replicas-max-lag", std::to_string(most_lag_s(model))});
  return options;
}

/// A node of a cluster does so two seconds after its start.
void await_serving(Connection& node) {
  await_done(
      [&] {
        const auto info = node.execute({"CLUSTER", "INFO"});
        return info.is_error() || info.text.starts_with("cluster_state:ok");
      },
      "a redis-server does not serve its slots");
}

/// A cluster of its own, of one node.
void take_all_slots(Connection node) {
  order(node, {"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  await_serving(node);
}

}  // namespace

std::vector<RunningServer> own_servers(const sim::Model& model) {
  std::vector<RunningServer> servers(sim::servers_of(model).count());
  for (auto& [address, own] : servers) {
    own = std::make_shared<Server>(model.persistence, options_for(model));
    address = own->address();
    if (model.cluster && sim::servers_of(model).spare == 0) take_all_slots(Connection(address));
  }
  return servers;
}

/// The keys are looked at all at once.
void Nodes::meet_all_keys(std::uint8_t node) {
  order(connection(node), {"SCAN", "0", "COUNT", "1000000"});
}

Nodes::Nodes(const std::vector<RunningServer>& servers, Observer::Names names)
    : names_(std::move(names)) {
  for (const auto& server : servers) {
    nodes_.push_back({server, observer_of(server)});
    const auto existing = nodes_.back().observer->existing(names_);
    if (existing.empty()) continue;
    throw sim::BadInput(
        fmt::format("{}: the key {} exists already: name a server or a database on which nobody "
                    "uses it",
                    server.address.shown(), existing));
  }
}

std::unique_ptr<Observer> Nodes::observer_of(const RunningServer& server) const {
  return std::make_unique<Observer>(server.address,
                                    server.own ? std::nullopt : std::optional(names_));
}

bool Nodes::all_up() const {
  return std::ranges::all_of(nodes_, [](const Node& node) { return node.observer != nullptr; });
}

void Nodes::crash(std::uint8_t node) {
  nodes_.at(node).server.own->crash();
  nodes_.at(node).observer.reset();
}

void Nodes::restart(std::uint8_t node) {
  auto& [server, observer] = nodes_.at(node);
  server.own->start();
  observer = observer_of(server);
  await_serving(observer->connection());
}

void Nodes::clean_up() {
  for (auto& [server, observer] : nodes_) {
    if (server.own) continue;
    try {
      observer->remove(names_);
    } catch (const ConnectionBroken&) {
      // the outcome says so already
    }
  }
}

}  // namespace lockstep::live
