// WAIT in the interned world: which replicas have acknowledged what a connection has written, and
// the requests that are blocked until enough have (docs/semantics.md, section 7).
#pragma once

#include <cstdint>

#include "sim/world/nodes.hpp"
#include "sim/world/process.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class ReplicaWaits {
 public:
  ReplicaWaits(Setting& setting, Tables& tables, const Nodes& nodes)
      : setting_(setting), tables_(tables), nodes_(nodes) {}

  /// How many replicas of its node have all that the connection has written. `nodes`: all of them.
  unsigned acknowledged(const Id* nodes, const Connection& connection) const;
  /// Of the connection's node: the replicas that lag, or have gone and are counted as yet, and of
  /// those the ones that miss something.
  struct Behind {
    NodeSet lagging = 0, missing = 0;
  };
  Behind behind(const Id* nodes, std::uint8_t server) const;

  /// Whether the connection's next request, which is blocked, is answered now.
  bool is_over(const Id* nodes, const Connection& connection) const;
  /// Blocks the connection's next request, if that is a WAIT for more than have acknowledged. True
  /// if it has.
  bool block(const Id* nodes, Process& process, Connection& connection) const;
  /// As what the connection's next request is executed: a blocked one waits no more.
  Id executed_as(const Message& message);

 private:
  Setting& setting_;
  Tables& tables_;
  const Nodes& nodes_;
};

}  // namespace lockstep::sim
