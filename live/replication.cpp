// REPLICAOF, and gates that are closed and opened; see the header.
#include "live/replication.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "live/real_server.hpp"
#include "live/stream.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

/// A server that appends to a file begins a new one when it has got a copy; until that is done, a
/// restart would bring back what it had before.
void await_stored(Connection& server) {
  await_replica(
      [&] {
        const auto info = server.execute({"INFO", "persistence"}).text;
        return info_field(info, "aof_rewrite_in_progress") == "0" &&
               info_field(info, "aof_rewrite_scheduled") == "0";
      },
      "stored its copy");
}

/// Between the shortest and the longest time for which a real master counts a replica that has left
/// it: its last word may be a second old then; seconds are whole ones; it is looked once a second.
/// And a second for a busy machine.
constexpr std::int64_t kUnsureMs = 4000;

/// How many replicas a master counts, by its own word.
std::size_t counted_by(Connection& master) {
  const auto info = master.execute({"INFO", "replication"}).text;
  return std::strtoul(info_field(info, "min_slaves_good_slaves").c_str(), nullptr, 10);
}

/// Whether a piece of the stream only asks how far the replica is.
bool only_asks(std::string_view stream) {
  constexpr std::string_view asks = "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n";
  while (stream.starts_with(asks)) stream.remove_prefix(asks.size());
  return stream.empty();
}

}  // namespace

Replication::Replication(const sim::Model& model, Nodes& nodes, bool waits)
    : model_(model),
      waits_(waits),
      servers_(sim::servers_of(model)),
      nodes_(nodes),
      roles_(servers_.count()) {
  if (servers_.spare > 0) return;
  for (std::uint8_t group = 0; group < servers_.nodes; ++group) newest_.push_back(group);
  for (std::size_t n = servers_.nodes; n < servers_.count(); ++n) {
    const auto server = static_cast<std::uint8_t>(n);
    roles_[server].follows = servers_.group_of(server);
    synchronize(server);
  }
}

void Replication::lag(std::uint8_t server) {
  roles_[server].gate->close();
  roles_[server].lags = true;
}

void Replication::catch_up(std::uint8_t server) {
  auto& role = roles_[server];
  if (role.syncing)
    synchronize(server);
  else
    role.gate->open();
  role.lags = role.syncing = false;
}

/// What waits in its gate is lost.
void Replication::fail_over(std::uint8_t server) {
  leave(server);
  nodes_.connection(server).execute({"REPLICAOF", "NO", "ONE"});
  roles_[server] = {};
  newest_[servers_.group_of(server)] = server;
}

void Replication::follow(std::uint8_t server) {
  leave(server);
  roles_[server] = {newest_[servers_.group_of(server)], false, true, nullptr, {}};
  lead(server, false);
}

/// Nobody tells its master.
void Replication::leave(std::uint8_t server) {
  Role& role = roles_[server];
  const bool counts = model_.min_replicas > 0 || waits_;
  if (!counts || !role.gate || !is_online(server)) return;
  Role& master = roles_[*role.follows];
  if (master.follows) return;
  if (waits_) await_acknowledged(*role.follows);  // its last word
  role.gate->keep_master();
  master.gone.push_back(
      {server, std::move(role.gate), model_.counts_gone_ms, model_.lists_gone_ms});
}

/// Its end of each connection is closed.
void Replication::miss(std::uint8_t master) {
  std::erase_if(roles_[master].gone, [&](const Gone& gone) { return nodes_.is_up(gone.server); });
}

/// A master whose time is over counts them no more by itself; the longer one, which lets it drop
/// them, does not end sooner than the model says (options_for_replicas()).
void Replication::pass(std::int64_t ms) {
  for (Role& role : roles_) {
    for (Gone& gone : role.gone) {
      gone.left_ms = std::max<std::int64_t>(0, gone.left_ms - ms);
      gone.listed_ms = std::max<std::int64_t>(0, gone.listed_ms - ms);
    }
    std::erase_if(role.gone, [](const Gone& gone) { return gone.listed_ms == 0; });
  }
}

/// Who follows it would ask it for everything as soon as it is up again.
void Replication::crashed(std::uint8_t server) {
  auto& died = roles_[server];
  died.lags = false;
  died.gone.clear();
  died.syncing = died.follows.has_value();
  for (auto& role : roles_) {
    if (role.follows != server) continue;
    role.gate->close();
    role.lags = false;
    role.syncing = true;
  }
}

/// A redis-server that is started follows nobody.
void Replication::restarted(std::uint8_t server) {
  if (roles_[server].follows) lead(server, false);
}

/// Through a new gate: to one whose port it knows already it would connect when its timer says so.
void Replication::lead(std::uint8_t server, bool open) {
  auto gate = std::make_unique<Gate>();
  gate->lead_to(nodes_.address(*roles_[server].follows));
  if (!open) gate->close();
  nodes_.connection(server).execute({"REPLICAOF", "127.0.0.1", std::to_string(gate->port())});
  roles_[server].gate = std::move(gate);
}

/// After a copy without a file the stream begins when the replica says that it has it; that may
/// come too early, and then again a second later. So a WAIT, in vain, has something sent behind it.
void Replication::synchronize(std::uint8_t server) {
  lead(server, true);
  const auto master = *roles_[server].follows;
  await_copy(nodes_.connection(master), nodes_.connection(server));
  if (!roles_[master].follows) nodes_.connection(master).execute({"WAIT", "100", "1"});
  await_copy(nodes_.connection(master), nodes_.connection(server));
  await_stored(nodes_.connection(server));
}

bool Replication::is_online(std::uint8_t server) const {
  const auto& role = roles_[server];
  return role.follows && !role.syncing && nodes_.is_up(server) && nodes_.is_up(*role.follows);
}

/// Whether it is a master that looks how many replicas it has.
bool Replication::is_counting(std::uint8_t server) const {
  return model_.min_replicas > 0 && nodes_.is_up(server) && !roles_[server].follows;
}

std::size_t Replication::online_at(std::uint8_t master) const {
  std::size_t online = 0;
  for (std::uint8_t server = 0; server < roles_.size(); ++server)
    if (roles_[server].follows == master && is_online(server)) ++online;
  return online;
}

bool Replication::is_counted(const Gone& gone) { return gone.left_ms > 0; }

bool Replication::is_unsure(const Gone& gone) {
  return is_counted(gone) && gone.left_ms <= kUnsureMs;
}

std::optional<std::uint8_t> Replication::await_counts() {
  for (std::uint8_t server = 0; server < roles_.size(); ++server) {
    if (!is_counting(server)) continue;
    Role& role = roles_[server];
    const auto gone = std::ranges::count_if(role.gone, is_counted);
    const bool sure = std::ranges::none_of(role.gone, is_unsure);
    const auto expected = online_at(server) + static_cast<std::size_t>(gone);
    std::size_t counted = 0;
    await_replica(
        [&] {
          counted = counted_by(nodes_.connection(server));
          return counted == expected || (counted < expected && gone > 0);
        },
        "been counted, or missed, by its master");
    if (counted < expected && sure) return server;
  }
  return std::nullopt;
}

bool Replication::may_have_missed(std::uint8_t master) const {
  if (!is_counting(master)) return false;
  const Role& role = roles_[master];
  const auto least = static_cast<std::size_t>(model_.min_replicas);
  const auto most =
      online_at(master) + static_cast<std::size_t>(std::ranges::count_if(role.gone, is_counted));
  const auto unsure = static_cast<std::size_t>(std::ranges::count_if(role.gone, is_unsure));
  return most >= least && most - unsure < least;
}

bool Replication::is_mirror(std::uint8_t server) const {
  return is_online(server) && !roles_[server].lags;
}

/// How many servers lie between this one and a master, with that.
std::size_t Replication::depth(std::uint8_t server) const {
  std::size_t depth = 0;
  for (auto master = roles_[server].follows; master; master = roles_[*master].follows) ++depth;
  return depth;
}

/// Each after the one that it follows.
void Replication::await_mirrors() {
  std::vector<std::uint8_t> mirrors;
  for (std::uint8_t server = 0; server < roles_.size(); ++server)
    if (is_mirror(server)) mirrors.push_back(server);
  std::ranges::stable_sort(mirrors, {}, [&](std::uint8_t server) { return depth(server); });
  for (const auto server : mirrors)
    await_copy(nodes_.connection(*roles_[server].follows), nodes_.connection(server));
}

/// Whether its gate holds a write. What its master has sent may be on its way there.
bool Replication::misses(std::uint8_t server) {
  auto& role = roles_[server];
  const auto sent = position_of(nodes_.connection(*role.follows)).sent;
  const auto waits = static_cast<std::size_t>(sent - position_of(nodes_.connection(server)).read);
  await_replica([&] { return role.gate->held().size() >= waits; },
                "been sent what is in the stream");
  return !only_asks(role.gate->held());
}

/// The master asks them when somebody waits. One that lags hears that, if it is all that is held
/// back: that is no write.
void Replication::await_acknowledged(std::uint8_t master) {
  if (roles_[master].follows) return;
  std::vector<Gate*> closed;
  std::size_t replicas = 0;
  for (std::uint8_t server = 0; server < roles_.size(); ++server) {
    auto& role = roles_[server];
    if (role.follows != master || !is_online(server)) continue;
    if (role.lags && misses(server)) continue;
    if (role.lags) closed.push_back(role.gate.get());
    ++replicas;
  }
  if (replicas == 0) return;
  for (auto* gate : closed) gate->open();
  nodes_.connection(master).execute({"PING"});
  nodes_.connection(master).execute({"WAIT", std::to_string(replicas), "10000"});
  for (auto* gate : closed) gate->close();
}

std::vector<Address> Replication::addresses() const {
  std::vector<Address> addresses;
  for (std::uint8_t server = 0; server < roles_.size(); ++server)
    addresses.push_back(nodes_.address(server < servers_.nodes ? newest_[server] : server));
  return addresses;
}

}  // namespace lockstep::live
