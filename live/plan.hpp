// What a live replay is to do and to see: a run of the simulator as plain data, a step an action.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/keyspace/visible_key.hpp"
#include "sim/model/action.hpp"
#include "sim/model/connections.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

struct PlanStep {
  sim::Action action;
  std::vector<sim::Effect> effects;        ///< what the client program did, in order
  std::vector<sim::Departure> departures;  ///< of the requests to a node among them
  sim::ConnectionName connection;          ///< that the action is of, if it is of one
  std::optional<sim::SharedReply> reply;   ///< execute: what the node or the resource answered;
                                           ///< none: it waits at its node
  bool looked_at_time = false;             ///< execute: the node, at the time of day
  bool looked_at_clock = false;        ///< execute: its reply may tell what is left of a lifetime
  std::vector<sim::VisibleKeys> keys;  ///< of each server after the step
  bool closes = false;  ///< execute: its node hears that nobody waits any more for the request
  bool serves = false;  ///< a node is about to serve somebody, which a real one has done by now
};

struct Plan {
  sim::Model model;
  std::vector<PlanStep> steps;
  std::optional<sim::Property> violated;  ///< by the last step
  std::int64_t patience_ms = 0;  ///< how long a fresh client tries, apart from what is left of keys
  bool stuck = false;            ///< a client waits in acquire(), and nothing can happen any more
  bool endless = false;          ///< not the last step violates, but what goes on for ever after it
  /// A key at the very end of its lifetime, where a run may use it once more, is taken for one that
  /// is gone: what else ends at this instant is over.
  bool ends_are_over = false;
};

/// Whether some key comes to the very end of its lifetime.
bool has_ends(const Plan& plan);

/// Whether a server looks at the time of day (EXAT, PXAT, EXPIREAT, TIME, ...): then the clients'
/// clocks must agree with its.
bool looks_at_time(const Plan& plan);

/// What the clients send to the nodes.
std::vector<sim::Request> requests_of(const Plan& plan);

/// Whether some request asks how many replicas have got what was written.
bool has_waits(const Plan& plan);

/// Whether some client listens to what is published.
bool has_listeners(const Plan& plan);

/// Why no real server can be made to do this ("step 4: ..."); nothing if it can. `own_server`: it
/// may be crashed.
std::optional<std::string> not_reproducible(const Plan& plan, bool own_server);

}  // namespace lockstep::live
