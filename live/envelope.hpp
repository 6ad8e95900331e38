// The envelope in which a request goes to the server: a transaction that also takes the next number
// of the run and looks at the lease keys and the server's clock before and after it. So what the
// request did to the keys, and its place in the server's order, come back with its reply.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// What PEXPIRETIME (Redis 7.0) says of a key besides a Unix time in ms.
inline constexpr std::int64_t kNoKey = -2, kNoExpiry = -1;

/// A request that the server has executed in its envelope.
struct Executed {
  std::int64_t order = 0;            ///< its place in the server's order: 1, 2, 3, ...
  sim::WallTime begun, ended;        ///< the server's clock before and after it
  std::vector<std::int64_t> before;  ///< by lease key: when it expires (Unix ms), kNoKey, ...
  std::vector<std::int64_t> after;   ///< the same after it
  sim::SharedReply reply;
};

/// The server refused the request itself before it ran anything: as if it had been sent alone.
struct TurnedAway {
  sim::SharedReply reply;
};

/// The server takes no envelopes: `why`. The request was `sent_alone` by that and has its reply; or
/// nothing was executed, and it is to be sent again without envelope.
struct NoEnvelopes {
  std::string why;
  bool sent_alone = false;
  sim::SharedReply reply;
};

using Opened = std::variant<Executed, TurnedAway, NoEnvelopes>;

class Envelope {
 public:
  /// `order_key`: a key of the run's own, which counts.
  Envelope(std::string order_key, std::vector<std::string> lease_keys)
      : order_key_(std::move(order_key)), lease_keys_(std::move(lease_keys)) {}

  /// What is written to the server in place of `request`, at once.
  std::vector<sim::Request> around(const sim::Request& request) const;
  /// How many replies come back.
  std::size_t replies() const { return 2 * lease_keys_.size() + kOurs + 1; }
  /// Reads these replies.
  Opened open(const std::vector<sim::SharedReply>& replies) const;

  const std::string& order_key() const { return order_key_; }

 private:
  static constexpr std::size_t kOurs = 5;         // MULTI, INCR, TIME, TIME, EXEC
  static constexpr std::size_t kBeforeLooks = 3;  // MULTI, INCR, TIME

  std::string order_key_;
  std::vector<std::string> lease_keys_;
};

/// Why a request cannot be sent in an envelope: it blocks, is about its connection or its database,
/// or removes keys that are not the protocol's. Empty if it can.
std::string only_bare(const sim::Request& request);

}  // namespace lockstep::live
