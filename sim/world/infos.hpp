// What is worked out once of each keyspace and each session that a search meets.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/world/node.hpp"
#include "sim/world/tokens.hpp"

namespace lockstep::sim {

/// A lease key that expires.
struct OwnedLease {
  std::vector<std::uint8_t> locks;
  Makers makers = 0;  ///< who have something in it
  std::int64_t left_ms = 0;
};

/// Who have something in lease keys of a lock, in strings and in other ones.
struct Marks {
  Makers in_strings = 0, elsewhere = 0;
};

/// What is left of one, as it reads; and the parts of a ms by which it is less (Expiry).
struct Lifetime {
  std::int64_t left_ms = 0, less = 0;
};

/// A keyspace with expiries relative to its node's clock (kEpoch is now), and what is worked out of
/// it once.
struct KeyspaceInfo {
  Keyspace value;
  std::vector<Lifetime> lifetimes;
  TokenUse tokens;
  std::size_t keys = 0;
  bool leaky = false;  ///< holds a lease key without expiry
  OwnLocks own;        ///< what the processes have of lease keys
  std::vector<OwnedLease> leases;
  std::vector<Marks> marks;  ///< by lock; only if `lost_wakeup` is judged
};

struct SessionInfo {
  Session value;
  TokenUse tokens;
};

}  // namespace lockstep::sim
