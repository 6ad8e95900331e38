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

  /// Its node has executed a request of the connection, which `wrote` something: whom is it ahead
  /// of now? If its command was `called` at once, what counts is all that was written before, in
  /// Redis 7.0; since 7.2 what it has written.
  void note_executed(const Id* nodes, Connection& connection, bool called, bool wrote) const;

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
  /// Right before a request of the connection: what its library sends first has been executed.
  void greet(const Id* nodes, Connection& connection) const;
  /// Whether its library sends something first on such a connection, which counts: a greeting, or
  /// SELECT.
  bool greets_on(const Connection& connection) const;
  /// Whom the connection's next request finds it ahead of.
  NodeSet ahead_of(const Id* nodes, const Connection& connection) const;

  Setting& setting_;
  Tables& tables_;
  const Nodes& nodes_;
};

}  // namespace lockstep::sim
