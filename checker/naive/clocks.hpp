// What the clocks of a naive world show, and what is left by them.
#pragma once

#include <cstdint>

#include "checker/naive/world.hpp"

namespace lockstep::checker::naive {

/// What a host's monotonic clock shows, and how far its wall clock is from kEpoch, in millionths of
/// a ms.
template <class Host>
std::int64_t monotonic_clock(const World& world, const Host& host) {
  return world.now.ms * (kMillion + host.drift_ppm);
}
template <class Host>
std::int64_t wall_clock(const World& world, const Host& host) {
  return monotonic_clock(world, host) + host.offset.ms * kMillion;
}
/// How long it takes, in whole ms, until a clock that is fast by `drift_ppm` has shown `ms`, less
/// so many millionths, more.
std::int64_t time_to_show(std::int64_t drift_ppm, std::int64_t ms,
                          std::int64_t millionths_less = 0);

/// What the node's wall clock shows.
sim::WallTime clock_of(const World& world, const Node& node);
/// What is left until an instant of its clock, exactly; may have been long ago.
sim::Expiry left_until(const World& world, const Node& node, const sim::Expiry& end);
/// What is left of a lifetime on this node, as it reads.
sim::Duration lifetime_left(const World& world, const Node& node, const sim::Entry& entry);
/// When less than `ms` is left of it, in ms from now; may have been long ago.
std::int64_t time_to_less(const World& world, const Node& node, const sim::Entry& entry,
                          std::int64_t ms);
/// The keyspace of a node with the exact rest of each lifetime in place of its end.
sim::Keyspace with_lifetimes(const World& world, const Node& node, sim::Keyspace keyspace);

}  // namespace lockstep::checker::naive
