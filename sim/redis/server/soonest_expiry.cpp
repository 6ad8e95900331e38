// See the header.
#include "sim/redis/server/soonest_expiry.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lockstep::sim {

void SoonestExpiry::purge(Keyspace& keyspace, WallTime now, bool told) {
  if (none_before_ && now <= *none_before_) return;
  keyspace.purge(now, told);
  WallTime soonest{INT64_MAX};
  std::as_const(keyspace).for_each([&](const std::string&, const Entry& entry) {
    if (entry.expires) soonest = std::min<WallTime>(soonest, *entry.expires);
  });
  none_before_ = soonest;
}

}  // namespace lockstep::sim
