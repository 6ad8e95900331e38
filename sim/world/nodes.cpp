// What is worked out once for a state of a node, and what it becomes; see the header.
#include "sim/world/nodes.hpp"

#include <algorithm>
#include <span>

#include "sim/client/program.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::sim {

Nodes::Nodes(Setting& setting, Tables& tables, Reports& reports, checker::Watch& watch)
    : setting_(setting),
      tables_(tables),
      reports_(reports),
      scripts_({.known_only = true}, setting.model.server),
      clocks_(setting.model.server, &watch),
      token_bytes_(*setting.model.program, setting.model.server) {
  clocks_.know(setting.knowledge.units, setting.knowledge.parts_of_seconds);
}

Id Nodes::initial(unsigned index) {
  Node node;
  node.rate = setting_.node_rate(index);
  const bool has_replicas = setting_.servers.replicas > 0;
  const std::uint8_t group = setting_.servers.group_of(static_cast<std::uint8_t>(index));
  if (setting_.servers.spare > 0) {
    if (index > 0) node.slots = Slots::elsewhere;
  } else if (group != index) {
    node.follows = node.newest = group;
  }
  if (setting_.knowledge.absolute || has_replicas)
    node.clock_offset_ms = of_clock(setting_.model.node_clocks_ms, index);
  node.keyspace = tables_.empty_keyspace();
  if (setting_.model.persistence == Persistence::rdb) node.images.push_back({node.keyspace, 0});
  return intern(node);
}

/// Equal neighbours are one (section 6), whatever has made them equal: the newest, which can be
/// lost for longest.
void Nodes::unite_images(Node& node) const {
  if (setting_.volatile_ms == 0 || node.images.empty()) return;
  const auto same_for_clients = [this](Id one, Id other) {
    return one == other || same_keys(tables_.keyspace(one).value, tables_.keyspace(other).value);
  };
  const auto same = [&](const Image& one, const Image& other) {
    return same_for_clients(one.keyspace, other.keyspace);
  };
  node.images.erase(std::unique(node.images.begin(), node.images.end(), same), node.images.end());
  if (same_for_clients(node.images.front().keyspace, node.keyspace))
    node.images.erase(node.images.begin());
}

Id Nodes::intern(Node node) {
  unite_images(node);
  return nodes_.intern(encode(node), [&] {
    NodeInfo info = describe(node);
    list_actions(info);
    if (info.tokens.cut) setting_.needs.recycles_tokens = false;
    setting_.note_dates(info.tokens.dates);
    return info;
  });
}

NodeInfo Nodes::describe(const Node& node) const {
  NodeInfo info;
  info.value = node;
  const std::int64_t tick_ms = setting_.model.tick_ms;
  // The tick with which less is left than so much.
  const auto tick_with_less = [&](const Lifetime& lifetime, std::int64_t ms) {
    return rate_of(node).true_ms(lifetime.left_ms - ms + tick_ms, lifetime.less);
  };
  const auto look_at = [&](const KeyspaceInfo& keyspace) {
    const std::span<const Lifetime> ending =
        node.frozen ? std::span<const Lifetime>() : keyspace.lifetimes;
    for (const Lifetime& lifetime : ending) {
      const std::int64_t gone = tick_with_less(lifetime, 0);
      if (gone > tick_ms) info.ahead.deadlines.push_back(gone - tick_ms);
      info.ahead.deadlines.push_back(gone);
      for (const std::int64_t threshold : setting_.knowledge.lefts)
        if (const std::int64_t ahead = tick_with_less(lifetime, threshold); ahead > 0)
          info.ahead.deadlines.push_back(ahead);
    }
    info.tokens.add(keyspace.tokens);
    info.has_expiry = info.has_expiry || !keyspace.lifetimes.empty();
  };
  const KeyspaceInfo& keyspace = tables_.keyspace(node.keyspace);
  look_at(keyspace);
  for (const auto& image : node.images) {
    look_at(tables_.keyspace(image.keyspace));
    if (setting_.volatile_ms > 0)
      info.ahead.deadlines.push_back(setting_.rounded(setting_.volatile_ms + 1 - image.age_ms));
  }
  info.serves = !node.came.empty();
  info.settled = node.is_settled() && keyspace.value.unnoticed.empty();
  for (const Place& place : node.came) info.tokens.add(place.key);
  if (node.down_left_ms > 0) info.ahead.deadlines.push_back(node.down_left_ms);
  for (const std::int64_t left_ms : node.counts_gone.left_ms)
    if (left_ms > 0) info.ahead.deadlines.push_back(left_ms);
  sort_without_twins(info.ahead.deadlines);
  info.leaky = node.up && node.is_master() && keyspace.leaky;
  if (node.up && node.is_master()) info.own = keyspace.own;
  info.disowned.assign(setting_.processes, FlatMap::kAbsent);
  return info;
}
/// What a restart would bring back, so much later: nobody is told of what has expired there.
Id Nodes::aged_image(Id keyspace, std::uint8_t rate, std::int64_t parts) {
  const Id aged = tables_.aged(keyspace, rate, parts).id;
  return tell_of_expired(setting_.model.keyspace_events) ? tables_.without_scripts(aged) : aged;
}

Id Nodes::durable(Id id) {
  if (nodes_[id].value.images.empty()) return id;
  Node node = nodes_[id].value;
  node.images.clear();
  return intern(node);
}

Nodes::Aged Nodes::aged(Id id, std::int64_t ms) {
  return aged_[age_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    aged_.push_back(age(id, ms));
    return static_cast<Id>(aged_.size() - 1);
  })];
}

Nodes::Aged Nodes::age(Id id, std::int64_t ms) {
  Node node = nodes_[id].value;
  const bool ages = setting_.volatile_ms > 0;
  const std::int64_t shown = shown_after(node, ms);
  if (node.frozen && setting_.knowledge.absolute) node.clock_offset_ms -= ms;
  Aged aged;
  const Tables::Aged& keyspace = aged_keyspace(id, ms);
  node.keyspace = keyspace.id;
  node.down_left_ms = std::max<std::int64_t>(0, node.down_left_ms - ms);
  node.counts_gone.age(ms);
  aged.unlisted = node.lists.age(ms);
  setting_.forgets_gone = setting_.forgets_gone || aged.unlisted != 0;
  node.keep_to_gone();
  aged.leases_expired = node.up && node.is_master() && !keyspace.expired.empty();
  if (!clocks_drift(setting_.model)) node.micros = 0;  // of a slow clock it may be the same ms
  for (auto& image : node.images) {
    image.keyspace = aged_image(image.keyspace, node.rate, shown);
    if (ages) image.age_ms += ms;
  }
  std::erase_if(node.images,
                [&](const Image& image) { return image.age_ms > setting_.volatile_ms; });
  aged.id = intern(node);
  aged.tokens_changed = nodes_[id].tokens.tokens != nodes_[aged.id].tokens.tokens;
  return aged;
}

namespace {

/// The node with what it stores, and each image of it, made into another keyspace.
template <class Change>
Node with_keyspaces(Node node, const Change& change) {
  node.keyspace = change(node.keyspace);
  for (auto& image : node.images) image.keyspace = change(image.keyspace);
  return node;
}

}  // namespace

Id Nodes::without_reliances(Id id) {
  if (!setting_.knowledge.relies) return id;
  return unrelied_.find_or_add(id, 0, [&] {
    return intern(with_keyspaces(
        nodes_[id].value, [this](Id keyspace) { return tables_.without_reliances(keyspace); }));
  });
}

Id Nodes::renamed(Id id, const Renaming& renaming) {
  if (!nodes_[id].tokens.mentions(renaming.whose)) return id;
  return rename_.find_or_add(both(id, renaming.whose), renaming.digits, [&] {
    Node node = with_keyspaces(nodes_[id].value,
                               [&](Id keyspace) { return tables_.renamed(keyspace, renaming); });
    for (Place& place : node.came) place.key = rename_tokens(place.key, renaming.function());
    return intern(node);
  });
}

Id Nodes::sooner(Id id, std::int64_t ms) {
  if (!nodes_[id].tokens.dates.any) return id;
  return sooner_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Node node =
        with_keyspaces(nodes_[id].value, [&](Id keyspace) { return tables_.sooner(keyspace, ms); });
    for (Place& place : node.came) place.key = sim::sooner(place.key, ms);
    return intern(node);
  });
}

Id Nodes::disowned(Id id, std::uint8_t process) {
  NodeInfo& info = nodes_[id];
  if (info.disowned[process] != FlatMap::kAbsent) return info.disowned[process];
  const Maker maker = maker_of(process);
  return info.disowned[process] = intern(with_keyspaces(
             info.value, [&](Id keyspace) { return tables_.disowned(keyspace, maker); }));
}

}  // namespace lockstep::sim
