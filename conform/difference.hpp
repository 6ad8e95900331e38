// What is sent to both servers, where they differ, and how both read.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/request.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::conform {

/// A request on one of several connections. One that begins with '!' is for the harness.
struct Step {
  std::size_t connection = 0;
  sim::Request request;
  std::size_t server = 0;  ///< Replicas only: 1 is the replica of the beginning
};

inline constexpr const char* kExpire = "!EXPIRE";  ///< KEY: it expires, seen by no command
inline constexpr const char* kWait = "!WAIT";      ///< MS: time passes; Twin only
// Replicas only:
inline constexpr const char* kLag = "!LAG";           ///< the stream of the replica is held back
inline constexpr const char* kAge = "!AGE";           ///< KEY ...: the same, and then these expire
inline constexpr const char* kPart = "!PART";         ///< N: a part of its next write comes through
inline constexpr const char* kCatchUp = "!CATCH_UP";  ///< the stream goes on
inline constexpr const char* kAcknowledged = "!ACKNOWLEDGED";  ///< WAIT for the replica
inline constexpr const char* kFailover = "!FAILOVER";  ///< the replica is a master from now on
inline constexpr const char* kFollow = "!FOLLOW";      ///< and its master of before its replica

/// The first reply that is not alike. A missing reply is empty.
struct Difference {
  Step step;
  std::size_t connection = 0;  ///< it was written to; mostly the step's
  std::optional<sim::SharedReply> redis, lockstep;
};

/// A sequence that differs, with as few steps as could be found.
struct Finding {
  std::vector<Step> steps;
  std::size_t length = 0;  ///< before it was shortened
  Difference difference;
};

/// Runs steps on empty servers: where they differ first.
using Run = std::function<std::optional<Difference>(const std::vector<Step>&)>;

/// Leaves out as many steps as it can while `differs` holds (Zeller's delta debugging).
std::vector<Step> shortened(std::vector<Step> steps,
                            const std::function<bool(const std::vector<Step>&)>& differs);

/// Looks again at steps that differed: shortened as long as they differ when they are run with
/// `carefully`, and at last run with `again` for what they show. Empty if they do not differ again:
/// two clocks are not one, and a busy machine can show it.
std::optional<Finding> examined(const std::vector<Step>& steps, const Run& again,
                                const Run& carefully);

/// As in a redis-cli session, a line each; other connections than the first are named.
std::string shown(const Step& step);
/// The step, and what each server has said to it.
std::string shown(const Difference& difference);
/// The steps, and what differs.
std::string shown(const Finding& finding);

}  // namespace lockstep::conform
