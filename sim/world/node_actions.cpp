// What may happen at a node, and what comes of it.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/reliance.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/nodes.hpp"

namespace lockstep::sim {

namespace {

/// The keys that may be evicted, by database and name.
std::vector<Place> evictable(const Keyspace& keyspace, MaxmemoryPolicy policy) {
  std::vector<Place> places;
  for (int database = 0; database < kDatabases; ++database) {
    const Keys* const keys = keyspace.database(database);
    if (keys == nullptr) continue;
    for (const auto& [key, entry] : *keys)
      if (entry.expires || policy == MaxmemoryPolicy::allkeys) places.push_back({database, key});
  }
  return places;
}

void drop(Keyspace& keyspace, const Place& place) {
  if (place.database == 0) {
    keyspace.keys.erase(place.key);
    return;
  }
  const auto other = keyspace.others.find(static_cast<std::uint8_t>(place.database));
  other->second.erase(place.key);
  if (other->second.empty()) keyspace.others.erase(other);
}

/// An action of a node; what spends a fault is possible as long as there is budget for it.
LocalAction of_node(Action::Kind kind, std::size_t index, std::optional<Fault> fault = {}) {
  LOCKSTEP_CHECK(index <= std::numeric_limits<std::uint8_t>::max());
  LocalAction action;
  action.kind = kind;
  action.index = static_cast<std::uint8_t>(index);
  if (!fault) return action;
  action.within = only(*fault);
  action.spends = static_cast<std::uint8_t>(*fault);
  return action;
}

}  // namespace

void Nodes::list_actions(NodeInfo& info) const {
  using Kind = Action::Kind;
  const auto add = [&](Kind kind, std::size_t index) -> LocalAction& {
    return info.actions.emplace_back(of_node(kind, index));
  };
  const auto add_fault = [&](Kind kind, std::size_t index, Fault fault) {
    if (setting_.budget(fault) == 0) return;
    setting_.needs.clocks_jump = setting_.needs.clocks_jump || fault == Fault::jump;
    info.actions.push_back(of_node(kind, index, fault));
  };
  if (!info.value.up) {
    if (info.value.down_left_ms == 0) add(Kind::node_restart, 0);
    if (info.value.down_left_ms == 0 && reads_data(info.value)) add(Kind::node_load, 0);
    info.free_actions = 1;
    return;
  }
  const bool clock_matters = info.has_expiry || setting_.knowledge.absolute ||
                             setting_.servers.replicas > 0 || !info.value.queue.empty();
  if (clock_matters)
    info.timed_faults = static_cast<FaultSet>(only(Fault::jump) | only(Fault::freeze));
  // A write that a power loss may take back lasts from when it was made.
  if (setting_.writes_last())
    info.timed_faults |= static_cast<FaultSet>(only(Fault::evict) | only(Fault::flush));
  if (setting_.model.min_replicas > 0) info.timed_faults |= only(Fault::power_loss);
  if (clock_matters)
    for (std::size_t jump = 0; jump < setting_.model.jumps_ms.size(); ++jump)
      add_fault(Kind::jump_node, jump, Fault::jump);
  if (clock_matters && info.value.is_master() && !info.value.frozen)
    add_fault(Kind::freeze, 0, Fault::freeze);
  if (info.value.loading) {
    add(Kind::loaded, 0);
    return list_deaths(info);
  }
  if (setting_.servers.replicas > 0) list_replication(info);
  if (setting_.servers.spare > 0) list_migration(info);
  list_unnoticed(info);
  const bool master = info.value.is_master();
  const Keyspace& keyspace = tables_.keyspace(info.value.keyspace).value;
  if (setting_.budget(Fault::evict) > 0 && master) {
    const std::size_t keys = evictable(keyspace, setting_.model.maxmemory_policy).size();
    if (keys > std::numeric_limits<std::uint8_t>::max())
      throw BadInput("evict: a node has more than 255 keys that may be evicted");
    for (std::size_t key = 0; key < keys; ++key) add_fault(Kind::evict, key, Fault::evict);
  }
  if (master && !keyspace.empty()) add_fault(Kind::flush, 0, Fault::flush);
  if (info.value.full)
    add(Kind::relief, 0);
  else if (master)
    add_fault(Kind::oom, 0, Fault::oom);
  list_deaths(info);
  if (setting_.model.persistence == Persistence::rdb &&
      !same_keys(tables_.keyspace(info.value.images[0].keyspace).value, keyspace))
    add(Kind::save, 0).within =
        static_cast<FaultSet>(only(Fault::node_crash) | only(Fault::power_loss));
}

void Nodes::list_deaths(NodeInfo& info) const {
  const auto add = [&](Action::Kind kind, std::size_t image, Fault fault) {
    if (setting_.budget(fault) > 0) info.actions.push_back(of_node(kind, image, fault));
  };
  add(Action::Kind::node_crash, 0, Fault::node_crash);
  const std::size_t images = setting_.volatile_ms > 0 ? info.value.images.size() : 0;
  for (std::size_t image = 0; image <= images; ++image)
    add(Action::Kind::power_loss, image, Fault::power_loss);
}

/// Whether it has something on its disk to read when it starts.
bool Nodes::reads_data(const Node& node) const {
  return setting_.model.persistence != Persistence::none &&
         !tables_.keyspace(node.keyspace).value.empty();
}

/// One of its keys, or all of them, are gone by somebody else's doing.
Node Nodes::without_keys(Id id, const LocalAction& action, Report& report) {
  Keyspace keyspace = tables_.keyspace(nodes_[id].value.keyspace).value;
  if (action.kind == Action::Kind::evict) {
    const Place place = evictable(keyspace, setting_.model.maxmemory_policy).at(action.index);
    drop(keyspace, place);
    tell(told_of(setting_.model.keyspace_events, kEvictedEvents, "evicted", place), report);
  } else {
    keyspace.keys.clear();
    keyspace.others.clear();
    keyspace.unnoticed.clear();
    tell(told_of_flush(setting_.model.keyspace_events), report);
  }
  Node node = nodes_[written(id, tables_.intern(keyspace))].value;
  if (action.kind == Action::Kind::flush) save_empty(node, keyspace);
  return node;
}

/// Who listens hears of what the node does of its own accord.
void Nodes::tell(const Publications& published, Report& report) {
  if (published.empty()) return;
  report.spread = Spread::told;
  report.published = tables_.intern(published);
}

/// It notices that a key has expired, or is late with that.
void Nodes::notice(Node& node, const LocalAction& action, Report& report) {
  Keyspace keyspace = tables_.keyspace(node.keyspace).value;
  if (action.kind == Action::Kind::overlook)
    std::next(keyspace.unnoticed.begin(), action.index)->second = true;
  else
    tell(noticed(keyspace, action.index, setting_.model.keyspace_events), report);
  node.keyspace = tables_.intern(keyspace);
}

/// Keys that have expired, of which it has not told yet.
void Nodes::list_unnoticed(NodeInfo& info) const {
  std::size_t number = 0;
  for (const auto& [place, late] : tables_.keyspace(info.value.keyspace).value.unnoticed) {
    info.actions.push_back(
        of_node(late ? Action::Kind::notice_late : Action::Kind::notice, number));
    if (late) ++info.free_actions;
    info.urgent = info.urgent || !late;
    if (!late && setting_.budget(Fault::delay) > 0)
      info.actions.push_back(of_node(Action::Kind::overlook, number, Fault::delay));
    ++number;
  }
}

/// FLUSHALL saves, where a node saves at all: functions are all that is there.
void Nodes::save_empty(Node& node, Keyspace keyspace) const {
  if (setting_.model.persistence != Persistence::rdb) return;
  keyspace.keys.clear();
  keyspace.others.clear();
  node.images[0].keyspace = tables_.without_scripts(tables_.intern(keyspace));
}

/// What may become of its role, and what of its master's arrives. None of it begins anything that
/// lasts, but for writes that a power loss may take back.
void Nodes::list_replication(NodeInfo& info) const {
  using Kind = Action::Kind;
  const Node& node = info.value;
  const auto add = [&](Kind kind, std::optional<Fault> fault) {
    if (fault && setting_.budget(*fault) == 0) return;
    info.actions.push_back(of_node(kind, 0, fault));
    if (!setting_.replication_may_last()) return;
    const bool lasts = setting_.replication_lasts();
    if (fault)
      (lasts ? info.timed_faults : info.timed_while_blocked) |= only(*fault);
    else
      ++(lasts ? info.free_actions : info.free_while_blocked);
  };
  if (!node.is_master()) {
    if (node.lags || node.syncing)
      add(Kind::catch_up, {});
    else
      add(Kind::lag, Fault::lag);
    if (node.syncing && !node.receives) add(Kind::receive, {});
    if (!node.receives) add(Kind::failover, Fault::failover);
  }
  const bool may_be_silent = node.lags && !node.silent && setting_.model.min_replicas > 0;
  if ((node.gone() & ~node.gone_dark) != 0 || may_be_silent) add(Kind::miss, {});
  if (!node.is_in_place() && !node.receives) add(Kind::follow, {});
}

/// None of it begins or ends anything that lasts.
void Nodes::list_migration(NodeInfo& info) const {
  using Kind = Action::Kind;
  const auto add = [&](Kind kind, std::size_t key = 0, std::optional<Fault> fault = {}) {
    info.actions.push_back(of_node(kind, key, fault));
  };
  if (info.value.slots == Slots::own) add(Kind::migrate, 0, Fault::migrate);
  if (info.value.slots != Slots::migrating) return;
  const Keys& keys = tables_.keyspace(info.value.keyspace).value.keys;
  if (keys.empty()) add(Kind::hand_over);
  if (keys.size() > std::numeric_limits<std::uint8_t>::max())
    throw BadInput("migrate: a node has more than 255 keys");
  std::size_t number = 0;
  for (const auto& [key, entry] : keys) {
    if (!entry.expires || *entry.expires > kEpoch) add(Kind::move_key, number);
    ++number;
  }
}

/// A lifetime is what is left of it by a node's clock, so it goes as it is.
void Nodes::move_key(Node& source, Node& target, std::size_t key) {
  Keyspace from = tables_.keyspace(source.keyspace).value;
  Keyspace to = tables_.keyspace(target.keyspace).value;
  const auto place = std::next(from.keys.begin(), static_cast<std::ptrdiff_t>(key));
  to.keys.insert_or_assign(place->first, place->second);
  from.keys.erase(place);
  source.keyspace = tables_.intern(from);
  target.keyspace = tables_.intern(to);
}

const StepResult& Nodes::migration(Id id, unsigned a, Id other, unsigned other_slot) {
  using Kind = Action::Kind;
  const Id place = migrated_[{id, a}].find_or_add(other, other_slot, [&] {
    const LocalAction action = nodes_[id].actions[a];
    Node node = nodes_[id].value, there = nodes_[other].value;
    if (action.kind == Kind::move_key) {
      move_key(node, there, action.index);
    } else {
      const bool begins = action.kind == Kind::migrate;
      node.slots = begins ? Slots::migrating : Slots::elsewhere;
      there.slots = begins ? Slots::importing : Slots::own;
    }
    StepResult result;
    result.changes = Changes(intern(node), {static_cast<std::uint8_t>(other_slot), intern(there)});
    result.tokens_changed = action.kind == Kind::move_key;
    migrations_.push_back(result);
    return static_cast<Id>(migrations_.size() - 1);
  });
  return migrations_[place];
}

/// What a server does by its own clock, in whole seconds: who has acknowledged lately (Redis 7.0
/// refreshGoodSlavesCount, replicationCron), and when the next fsync is due (flushAppendOnlyFile).
void Nodes::note_other_clock(const Node& node, std::optional<std::int64_t> jump_ms) const {
  const bool slower = !jump_ms || *jump_ms < 0;
  if (slower && setting_.writes_last())
    setting_.leave_untried(
        "a server whose clock is set back, or stands still, puts off its next fsync as long");
  if (!node.is_master() || setting_.servers.replicas == 0) return;
  constexpr std::int64_t kAcknowledges = 2 * kSecondMs;  // at least once in so long
  const std::int64_t later_ms = jump_ms.value_or(0) + kAcknowledges;
  constexpr std::int64_t kCounted = 10 * kSecondMs;  // min-replicas-max-lag
  const bool may_go = setting_.budget(Fault::failover) + setting_.budget(Fault::power_loss) > 0;
  if (setting_.model.min_replicas > 0 && (later_ms >= kCounted || (slower && may_go)))
    setting_.leave_untried(
        "a master counts its replicas by its own clock: one that jumps ahead by ten seconds counts "
        "none until they acknowledge again, one that is set back counts for longer who has gone");
  constexpr std::int64_t kListed = 60 * kSecondMs;  // repl-timeout
  if (setting_.knowledge.replica_waits && later_ms >= kListed)
    setting_.leave_untried(
        "a master whose clock jumps ahead by a minute drops its replicas, and WAIT counts them no "
        "more until they are back");
}

/// Whoever waits at the node for a time does so by its clock.
Node Nodes::with_other_clock(Node node, const LocalAction& action, Report& report) {
  const bool jumps = action.kind == Action::Kind::jump_node;
  note_other_clock(node,
                   jumps ? std::optional(setting_.model.jumps_ms[action.index]) : std::nullopt);
  if (jumps) {
    report.jump_ms = setting_.model.jumps_ms[action.index];
    node = jumped(std::move(node), report.jump_ms);
  } else {
    node.frozen = true;
  }
  if (setting_.knowledge.blocks) report.spread = jumps ? Spread::jumped : Spread::stopped;
  return node;
}

Node Nodes::started(Node node, Report& report) const {
  if (node.dark) report.spread = Spread::lit;
  if (setting_.model.cluster)
    setting_.leave_untried("a node of a cluster answers CLUSTERDOWN for two seconds after a start");
  node.up = true;
  node.dark = false;
  node.keyspace = tables_.without_scripts(node.keyspace);  // nothing is to be noticed any more
  return node;
}

const StepResult& Nodes::step(Id id, unsigned a) {
  using Kind = Action::Kind;
  NodeInfo& info = nodes_[id];
  LocalAction& action = info.actions[a];
  if (action.alone) return action.only_result;
  Node node = info.value;
  Report report;
  switch (action.kind) {
    case Kind::node_restart:
    case Kind::node_load:
      node = started(std::move(node), report);
      node.loading = action.kind == Kind::node_load;
      break;
    case Kind::loaded:
      node.loading = false;
      break;
    case Kind::receive:
      node.receives = true;
      break;
    case Kind::save:
      node.images[0].keyspace = tables_.without_scripts(node.keyspace);
      break;
    case Kind::jump_node:
    case Kind::freeze:
      node = with_other_clock(std::move(node), action, report);
      break;
    case Kind::evict:
    case Kind::flush:
      node = without_keys(id, action, report);
      break;
    case Kind::notice:
    case Kind::overlook:
    case Kind::notice_late:
      notice(node, action, report);
      break;
    case Kind::oom:
    case Kind::relief:
      node.full = action.kind == Kind::oom;
      break;
    case Kind::lag:
      node.lags = true;
      break;
    case Kind::catch_up:
      report.spread = node.syncing ? Spread::emptied : Spread::caught_up;
      if (node.syncing) synchronize(node);
      node.wait_for_nothing();
      break;
    case Kind::miss:
      report.unlisted = node.lists.servers & static_cast<NodeSet>(~node.gone_dark);
      node.silent = node.lags;
      node.miss(static_cast<NodeSet>(~node.gone_dark));
      break;
    case Kind::failover:
    case Kind::follow:
      node = with_other_role(std::move(node), action.kind, report);
      break;
    case Kind::node_crash:
    case Kind::power_loss:
      node = died(std::move(node), action, report);
      break;
    default:
      LOCKSTEP_CHECK(!"an action of a node");
  }
  action.alone = true;
  action.only_result.changes = Changes(intern(node));
  action.only_result.report = reports_.add(std::move(report));
  action.only_result.tokens_changed =
      action.kind != Kind::node_restart || setting_.servers.replicas > 0 || info.value.dark;
  return action.only_result;
}

/// Relied on for as long as before, though the clock jumps.
Id Nodes::relied_on(Id keyspace, std::int64_t jump_ms) {
  if (!setting_.knowledge.relies) return keyspace;
  Keyspace kept = tables_.keyspace(keyspace).value;
  keep_reliances(kept, {jump_ms}, setting_.lease_map());
  return tables_.intern(kept);
}

Node Nodes::jumped(Node node, std::int64_t ms) {
  const std::int64_t parts = ms * rate_of(node).parts();
  node.keyspace = tables_.aged(relied_on(node.keyspace, ms), node.rate, parts).id;
  for (auto& image : node.images)
    image.keyspace = aged_image(relied_on(image.keyspace, ms), node.rate, parts);
  if (setting_.knowledge.absolute || setting_.servers.replicas > 0) node.clock_offset_ms += ms;
  return node;
}

Node Nodes::died(Node node, const LocalAction& action, Report& report) {
  const bool dark = action.kind == Action::Kind::power_loss;
  if (dark) leave_master(node, report);
  node = after_power_cut(std::move(node), action.index);
  node.dark = dark;
  report.spread = dark ? Spread::darkened : Spread::disconnected;
  return node;
}

/// `image`: which one a restart brings back; 0 is what the server's death alone leaves.
Node Nodes::after_power_cut(Node node, unsigned image) {
  node.up = false;
  node.full = node.loading = node.receives = false;
  node.lag_no_more();
  node.miss(node.gone());
  node.syncing = !node.is_master();  // it asks for everything when it is up again
  node.down_left_ms = setting_.rounded(setting_.model.restart_after_ms);
  node.queue.clear();
  node.came.clear();
  switch (setting_.model.persistence) {
    case Persistence::none:
      node.keyspace = tables_.empty_keyspace();
      break;
    case Persistence::rdb:
      node.keyspace = node.images[0].keyspace;
      break;
    case Persistence::aof_everysec:
    case Persistence::aof_everysec_2s:
      if (image > 0) node.keyspace = node.images[image - 1].keyspace;
      node.images.clear();
      break;
    case Persistence::aof_always:
      break;
  }
  node.keyspace = tables_.without_scripts(node.keyspace);
  return node;
}

}  // namespace lockstep::sim
