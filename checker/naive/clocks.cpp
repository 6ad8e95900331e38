// See the header.
#include "checker/naive/clocks.hpp"

#include <utility>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Keyspace;

std::int64_t time_to_show(std::int64_t drift_ppm, std::int64_t ms, std::int64_t millionths_less) {
  const std::int64_t speed = kMillion + drift_ppm;
  const std::int64_t rounds = ms / speed;  // after a million ms it shows `speed` ms, exactly
  return rounds * kMillion +
         sim::ceil_quotient((ms - rounds * speed) * kMillion - millionths_less, speed);
}

sim::WallTime clock_of(const World& world, const Node& node) {
  return sim::kEpoch + sim::Duration{sim::floor_quotient(wall_clock(world, node), kMillion)};
}

namespace {

/// How much of the ms that the node's clock shows is over, in millionths.
std::int64_t begun(const World& world, const Node& node) {
  return wall_clock(world, node) - (clock_of(world, node) - sim::kEpoch).ms * kMillion;
}

}  // namespace

sim::Expiry left_until(const World& world, const Node& node, const sim::Expiry& end) {
  const std::int64_t less = end.sooner + begun(world, node);
  const std::int64_t left_ms = (end - clock_of(world, node)).ms - less / kMillion;
  return sim::Expiry(sim::WallTime{left_ms}, less % kMillion);
}

sim::Duration lifetime_left(const World& world, const Node& node, const sim::Entry& entry) {
  return {left_until(world, node, *entry.expires).ms};
}

std::int64_t time_to_less(const World& world, const Node& node, const sim::Entry& entry,
                          std::int64_t ms) {
  const sim::Expiry left = left_until(world, node, *entry.expires);
  return time_to_show(node.drift_ppm, left.ms - ms + 1, left.sooner);
}

Keyspace with_lifetimes(const World& world, const Node& node, Keyspace keyspace) {
  keyspace.for_each([&](const std::string&, sim::Entry& entry) {
    entry.change_times([&](const sim::Expiry& end) { return left_until(world, node, end); });
    entry.settle_reliances(sim::WallTime{0});
  });
  return keyspace;
}

}  // namespace lockstep::checker::naive
