// Until when who shares a lease key relies on it (docs/semantics.md, section 1, "Parts"): who
// leaves may shorten it to what the others have asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// Which keys are leases, and of which locks.
struct LeaseMap {
  /// Null: the key is no lease.
  std::function<const std::vector<std::uint8_t>*(const std::string& key)> locks_of;
  bool several_hold = false;  ///< one lock; else a key is shared if it is one of several locks
  bool is_shared(const std::string& key) const {
    const auto* locks = locks_of(key);
    return locks != nullptr && (several_hold || locks->size() > 1);
  }
};

/// Whose request it was.
struct ReliedBy {
  Maker sender = 0;
  std::int64_t lease_ms = 0;  ///< what the sender asks for unless the keys show it
  bool releases = false;      ///< an outermost release() has sent it
  bool leaves = false;        ///< after which the sender holds nothing at all
  WallTime now;
  Duration tick{};  ///< how far the clock may go on between two commands of a script
};

/// Whether a request has shortened a key.
bool ends_sooner(const Entry& before, const Entry& after);

/// Until when `maker`, who has something of it, relies on the key.
Expiry relied_until(const Entry& entry, Maker maker);

/// Writes down who relies on what, of all keys that several share. Nobody relies on others.
void note_reliances(const Keyspace& before, Keyspace& after, const ReliedBy& by,
                    const LeaseMap& leases);

/// The clock by which keys expire jumps by so much: that they end sooner or later since then is
/// nothing that anybody has asked for.
void keep_reliances(Keyspace& keyspace, Duration jump, const LeaseMap& leases);

}  // namespace lockstep::sim
