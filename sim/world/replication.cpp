// A node as one of several servers of a group: who follows whom, and what arrives
// (docs/semantics.md, section 7).
#include <algorithm>
#include <bit>

#include "sim/world/infos.hpp"
#include "sim/world/nodes.hpp"

namespace lockstep::sim {

/// Which does not notice it at once.
void Nodes::leave_master(const Node& node, Report& report) {
  report.left = node.counted_by();
  report.left_behind = node.misses;
}

/// It becomes a master, or follows the newest one.
Node Nodes::with_other_role(Node node, Action::Kind kind, Report& report) {
  leave_master(node, report);
  if (kind == Action::Kind::failover) {
    node.follows = node.newest = kNoServer;
    node.wait_for_nothing();
    report.spread = Spread::promoted;
    return node;
  }
  report.unlisted = node.lists.servers;
  report.spread = Spread::caught_up;
  return following(std::move(node));
}

/// It asks the newest master for everything; until that has come it has what it had.
Node Nodes::following(Node node) {
  node.follows = node.newest;
  node.full = false;
  node.miss(node.gone());
  node.lag_no_more();
  node.syncing = true;
  return node;
}

Id Nodes::synchronized(Id id, const Id* nodes) {
  Node node = nodes_[id].value;
  const Node& master = nodes_[nodes[node.follows]].value;
  if (setting_.model.persistence != Persistence::rdb || !master.up) return id;
  const Id received = tables_.mirrored(master.keyspace, node.keyspace,
                                       node.clock_offset_ms - master.clock_offset_ms);
  node.images[0].keyspace = tables_.without_scripts(received);
  return intern(node);
}

Id Nodes::without_master(Id id, std::uint8_t master) {
  if (nodes_[id].value.follows != master) return id;
  Node node = nodes_[id].value;
  node.syncing = true;
  node.receives = false;
  node.lag_no_more();
  return intern(node);
}

Id Nodes::told_of_master(Id id, std::uint8_t newest) {
  return told_of_master_.find_or_add(id, newest, [&] {
    Node node = nodes_[id].value;
    node.newest = newest;
    return intern(node);
  });
}

Id Nodes::left_by(Id id, std::uint8_t replica, bool behind) {
  const Node& master = nodes_[id].value;
  if (!master.is_master() || !master.up) return id;
  return left_by_.find_or_add(both(id, replica), behind ? 1 : 0, [&] {
    Node node = nodes_[id].value;
    if (setting_.model.min_replicas > 0)
      node.counts_gone.add(replica, setting_.rounded(setting_.model.counts_gone_ms));
    if (setting_.knowledge.replica_waits) {
      node.lists.add(replica, setting_.rounded(setting_.model.lists_gone_ms));
      if (behind) node.lists_behind |= only<NodeSet>(replica);
    }
    return intern(node);
  });
}

/// A full synchronization. May the server crash after it? With one crash for it to begin, or a
/// failover.
void Nodes::synchronize(Node& node) {
  if (setting_.volatile_ms > 0) node.images.clear();
  const unsigned crashes = setting_.budget(Fault::node_crash) + setting_.budget(Fault::power_loss);
  const bool again = crashes > 1 || (crashes == 1 && setting_.budget(Fault::failover) > 0);
  const bool appends = setting_.model.persistence != Persistence::none &&
                       setting_.model.persistence != Persistence::rdb;
  if (again && appends)
    setting_.leave_untried(
        "a server has had a full synchronization, and another one may crash: until Redis has "
        "rewritten its append-only file behind that, a crash leaves what was there before");
}

Id Nodes::joined_by(Id id, std::uint8_t replica) {
  Node node = nodes_[id].value;
  node.lists.remove(only<NodeSet>(replica));
  node.keep_to_gone();
  return intern(node);
}

Id Nodes::with_power(Id id, std::uint8_t replica, bool power) {
  if (!has(nodes_[id].value.gone(), replica)) return id;
  Node node = nodes_[id].value;
  node.gone_dark = without(node.gone_dark, replica);
  if (!power) node.gone_dark |= only<NodeSet>(replica);
  return intern(node);
}

NodeSet Nodes::listing(const Id* nodes, std::uint8_t replica) const {
  NodeSet listing = 0;
  for (unsigned n = 0; n < setting_.nodes; ++n)
    if (has(nodes_[nodes[n]].value.lists.servers, replica)) listing |= only<NodeSet>(n);
  return listing;
}

/// Whether each master counts enough replicas to write (Redis 7.0 `checkGoodReplicasStatus`).
void Nodes::count_replicas(Id* nodes) {
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const Node& master = nodes_[nodes[n]].value;
    NodeSet counted = master.counts_gone.servers;
    for (unsigned r = 0; r < setting_.nodes; ++r)
      if (nodes_[nodes[r]].value.is_counted_at(static_cast<std::uint8_t>(n)))
        counted |= only<NodeSet>(r);
    const bool few =
        master.is_master() && master.up && std::popcount(counted) < setting_.model.min_replicas;
    if (few == master.few) continue;
    Node node = master;
    node.few = few;
    nodes[n] = intern(node);
  }
}

bool Nodes::differ_in_stream(Id one, Id other) const {
  return !same_keys(tables_.keyspace(nodes_[one].value.keyspace).value,
                    tables_.keyspace(nodes_[other].value.keyspace).value);
}

bool Nodes::differ_in_keys(Id one, Id other) const {
  const auto keys_of = [&](Id id) {
    std::size_t keys = 0;
    tables_.keyspace(nodes_[id].value.keyspace).value.for_each([&](const auto&, const auto&) {
      ++keys;
    });
    return keys;
  };
  return keys_of(one) != keys_of(other);
}

Id Nodes::missing(Id id) {
  Node node = nodes_[id].value;
  node.misses = node.lags;
  node.lists_behind = node.lists.servers;
  return intern(node);
}

bool Nodes::replicate(Id* nodes, bool by_time) {
  bool tokens_changed = false;
  // Who follows a replica comes after it.
  for (unsigned round = 0; round < setting_.servers.replicas; ++round)
    for (unsigned n = 0; n < setting_.nodes; ++n) {
      const Node& replica = nodes_[nodes[n]].value;
      if (!replica.is_mirror() || !replica.up) continue;
      const Id master = nodes[replica.follows];
      if (!nodes_[master].value.up) continue;
      const Id mirror = mirrored(nodes[n], master, by_time);
      tokens_changed =
          tokens_changed || nodes_[mirror].tokens.tokens != nodes_[nodes[n]].tokens.tokens;
      nodes[n] = mirror;
    }
  if (setting_.model.min_replicas > 0) count_replicas(nodes);
  return tokens_changed;
}

void Nodes::note_ended(const Id* nodes) {
  for (unsigned n = 0; n < setting_.nodes && !setting_.shows_ended; ++n) {
    const Node& replica = nodes_[nodes[n]].value;
    if (!replica.is_mirror()) continue;
    const Node& master = nodes_[nodes[replica.follows]].value;
    if (replica.clock_offset_ms >= master.clock_offset_ms) continue;
    const Keyspace& at_master = tables_.keyspace(master.keyspace).value;
    const auto ended = [&](const Keys& keys, const Keys* there) {
      return std::ranges::any_of(keys, [&](const auto& item) {
        return item.second.expires && (!there || !there->contains(item.first));
      });
    };
    const Keyspace& here = tables_.keyspace(replica.keyspace).value;
    setting_.shows_ended = ended(here.keys, &at_master.keys);
    for (const auto& [number, keys] : here.others)
      setting_.shows_ended = setting_.shows_ended || ended(keys, at_master.database(number));
  }
}

/// What reaches it is a write there; what time takes is not.
Id Nodes::mirrored(Id replica, Id master, bool by_time) {
  FlatMap& memo = by_time ? mirrored_by_time_ : mirrored_;
  return memo.find_or_add(replica, master, [&] {
    Node node = nodes_[replica].value;
    const Node& of = nodes_[master].value;
    if (setting_.budget(Fault::freeze) > 0) {  // what it has is no matter then
      node.clock_offset_ms = of.clock_offset_ms;
      node.frozen = of.frozen;
    }
    const Id keyspace =
        tables_.mirrored(of.keyspace, node.keyspace, node.clock_offset_ms - of.clock_offset_ms);
    if (by_time)
      node.keyspace = keyspace;
    else
      write(node, keyspace);
    return intern(node);
  });
}

}  // namespace lockstep::sim
