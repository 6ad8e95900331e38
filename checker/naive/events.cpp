// Keyspace events that a node tells of its own accord: section 10 of docs/semantics.md.
#include <algorithm>
#include <iterator>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/keyspace_events.hpp"

namespace lockstep::checker::naive {

using sim::Action;

/// Keys that have just expired there are yet to be told of.
void Rules::note_unnoticed(const World& world, Node& node) const {
  if (!node.up || !sim::tell_of_expired(model_.keyspace_events)) return;
  const auto look_at = [&](std::uint8_t database, const sim::Keys& keys) {
    for (const auto& [key, entry] : keys)
      if (entry.expires && lifetime_left(world, node, entry).ms < 0)
        node.keyspace.unnoticed.emplace(std::pair(database, key), false);
  };
  look_at(0, node.keyspace.keys);
  for (const auto& [database, keys] : node.keyspace.others) look_at(database, keys);
}

/// How soon a key expires there of which somebody is to be told; nothing if none does.
std::optional<std::int64_t> Rules::till_unnoticed_ms(const World& world, const Node& node) const {
  std::optional<std::int64_t> soonest;
  if (!node.up || node.frozen || !sim::tell_of_expired(model_.keyspace_events)) return soonest;
  node.keyspace.for_each([&](const std::string&, const sim::Entry& entry) {
    if (!entry.expires) return;
    const std::int64_t ms = time_to_less(world, node, entry, 0);
    soonest = std::min(soonest.value_or(ms), ms);
  });
  return soonest;
}

void Rules::enabled_to_notice(const World& world, std::uint8_t n,
                              std::vector<Action>& actions) const {
  std::uint8_t number = 0;
  for (const auto& [place, late] : world.nodes[n].keyspace.unnoticed) {
    Action action;
    action.node = n;
    action.key = number++;
    action.kind = late ? Action::Kind::notice_late : Action::Kind::notice;
    actions.push_back(action);
    if (late || world.budget[static_cast<std::size_t>(sim::Fault::delay)] == 0) continue;
    action.kind = Action::Kind::overlook;
    actions.push_back(action);
  }
}

void Rules::notice(World& world, const Action& action) const {
  sim::Keyspace& keyspace = world.nodes[action.node].keyspace;
  if (action.kind == Action::Kind::overlook)
    std::next(keyspace.unnoticed.begin(), action.key)->second = true;
  else
    spread_messages(world, action.node, noticed(keyspace, action.key, model_.keyspace_events));
}

/// Somebody listens for what is evicted.
void Rules::tell_evicted(World& world, std::uint8_t n, const sim::Place& place) const {
  spread_messages(world, n, told_of(model_.keyspace_events, sim::kEvictedEvents, "evicted", place));
}

}  // namespace lockstep::checker::naive
