// A node executes a command: the command or script is really run, once for each distinct input.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/keyspace/reliance.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/nodes.hpp"

namespace lockstep::sim {

std::int64_t Nodes::clock(Id id, std::int64_t now_ms) const {
  if (!setting_.knowledge.absolute) return 0;
  const Node& node = nodes_[id].value;
  return rate_of(node).shown_after(now_ms) + node.clock_offset_ms * rate_of(node).parts();
}

namespace {

/// With every expiry so many parts of a ms later.
Keyspace moved(Keyspace keyspace, const Rate& rate, std::int64_t parts) {
  keyspace.for_each([&](const std::string&, Entry& entry) {
    entry.change_times([&](const Expiry& time) { return time.moved(parts, rate.parts()); });
  });
  return keyspace;
}

ServerMode mode_for(const Model& model, const Asked& asked) {
  return {.version = model.server,
          .replica = asked.replica,
          .few_replicas = asked.few,
          .over_memory = asked.full,
          .loading = asked.loading,
          .cluster = model.cluster,
          .slots = asked.slots,
          .other_node = asked.other,
          .draw_seed = model.draw_seed,
          .later_from = model.later_from,
          .field_order = model.field_order,
          .keyspace_events = model.keyspace_events};
}

/// How long a session waits that has begun to; 0: for ever. Its instant is no part of a world.
std::optional<std::int64_t> wait_begun(Session& session, WallTime now) {
  if (!session.wait) return {};
  const auto until = std::exchange(session.wait->until, std::nullopt);
  return until ? (*until - now).ms : 0;
}

}  // namespace

/// Executes; what cannot be is named by its file: a script's, which says more than its SHA-1, or
/// the client's.
Reply Nodes::execute_named(Keyspace& keyspace, Session& session, const Request& request,
                           Execution& execution) {
  try {
    refuse_unknown(request, execution.mode.version);
    if (setting_.servers.replicas > 0) refuse_with_replicas(request, execution.mode.replica);
    if (execution.mode.replica && setting_.budget(Fault::freeze) > 0) refuse_at_replica(request);
    return execute(keyspace, session, request, execution);
  } catch (const BadInput& error) {
    throw BadInput(setting_.model.program->file_of(request).string() + ": " + error.what());
  }
}

/// What the node answers; for a request that has waited for a key, what that serves.
Reply Nodes::answer(const Asked& asked, Keyspace& keyspace, Session& session,
                    Execution& execution) {
  if (asked.served == Tables::kNowhere)
    return execute_named(keyspace, session, tables_.request(asked.request), execution);
  return serve(keyspace, session, tables_.places(asked.served).front(), execution);
}

/// What has waited is known by the request that it waits with.
Met Nodes::met_by(const Asked& asked, const Keyspace& keyspace, const Execution& given) const {
  const Session& session = tables_.session(asked.session).value;
  if (asked.served == Tables::kNowhere)
    return {keyspace, session, tables_.request(asked.request), given, std::nullopt};
  return {keyspace, session, session.wait->request, given, tables_.places(asked.served).front()};
}

const CommandRun& Nodes::run(const Asked& asked) {
  FlatMap& memo = run_[circumstances(asked)];
  const std::uint64_t a = both(asked.keyspace, asked.request);
  const std::uint64_t b = both(static_cast<Id>(asked.micros << 16 | asked.sender),
                               setting_.knowledge.absolute ? tables_.moment(asked.clock) : 0);
  if (const Id found = memo.find(a, b); found != FlatMap::kAbsent) return commands_[found];

  const Request& request = tables_.request(asked.request);
  const KeyspaceInfo& before = tables_.keyspace(asked.keyspace);
  const Rate& rate = setting_.rates[asked.rate];
  Keyspace keyspace = moved(before.value, rate, asked.clock);
  Execution execution;
  execution.now = kEpoch + Duration{floor_quotient(asked.clock, rate.parts())};
  execution.micros = asked.micros;
  execution.acknowledged = asked.acknowledged;
  execution.sender = asked.sender;
  execution.idle = asked.idle;
  execution.scripts = &scripts_;
  execution.may_wait = true;
  execution.may_listen = asked.may_listen;
  execution.listening = tables_.listening(asked.listening);
  execution.watched = tables_.places(asked.watched);
  Session session = tables_.session(asked.session).value;
  execution.mode = mode_for(setting_.model, asked);
  CommandRun command;
  const Keyspace met_keyspace = keyspace;
  const Execution given = execution;
  const Met met = met_by(asked, met_keyspace, given);
  command.reply = tables_.intern(answer(asked, keyspace, session, execution));
  note_error(asked, tables_.reply(command.reply));
  command.wait_ms = wait_begun(session, execution.now);
  command.session = tables_.intern(session);
  command.touched = tables_.intern(std::move(execution.touched));
  command.published = tables_.intern(execution.published);
  command.came = std::move(execution.came);
  command.flushed = execution.flushed_all;
  command.called = execution.called;
  if (execution.looked_at_time) setting_.needs.absolute = command.read_time = true;
  if (execution.looked_at_clock)
    setting_.clock_replies.insert(bytes_of(tables_.reply(command.reply)));
  if (execution.looked_at_time || execution.looked_at_clock ||
      clocks_.meets_times(met_keyspace, met.request, given.now))
    note_clock_use(met, execution.looked_at_time);
  note_durations_sent(met);
  note_circumstances(request, execution);
  if (execution.rewrote) setting_.needs.rewrites = true;
  if (!tables_.reply(command.reply).is_error()) note_slots(request, keyspace);
  if (!execution.ordered_tokens || !same_if_swapped(request, before.tokens))
    note_token_bytes(asked, met, tables_.reply(command.reply), keyspace, execution);
  if (execution.ordered_tokens || (execution.looked_at_bytes && !before.tokens.tokens.empty()))
    setting_.needs.recycles_tokens = false;  // another name could change the result
  keyspace.purge(execution.now, tell_of_expired(setting_.model.keyspace_events));
  command.given_to_gone = tell_whose(asked, execution.now, met_keyspace, keyspace);
  if (setting_.model.part_of_ms == PartOfMs::off_leases &&
      (rate.drifts() || clients_drift(setting_.model)))
    expire_sooner(met_keyspace, keyspace);
  keyspace = moved(std::move(keyspace), rate, -asked.clock);
  const LooksAt looks{command.read_time, execution.looked_at_clock};
  command.started = note_lifetimes(met, looks, before.value, keyspace) || command.read_time;
  if (!asked.releases) note_lease_databases(before.value, keyspace, asked.sender);
  note_leases(before.value, keyspace, asked, command);
  command.keyspace = tables_.intern(keyspace);
  memo.add(a, b, static_cast<Id>(commands_.size()));
  commands_.push_back(std::move(command));
  return commands_.back();
}

/// Whose is what a request has left. Returns to whom it would have handed something over but that
/// they have crashed.
Makers Nodes::tell_whose(const Asked& asked, WallTime now, const Keyspace& before,
                         Keyspace& after) const {
  const Request& request = tables_.request(asked.request);
  const auto is_lease = [&](const auto& key) { return setting_.leases.contains(key); };
  drop_shares_unless(after, is_lease);
  Rewriter rewriter{asked.sender, asked.idle};
  if (hides_what_is_equal(request)) keep_what_is_as_before(before, after, rewriter);
  if (rewriter.rewrote) setting_.needs.rewrites = true;
  if (setting_.model.program->is_shared())
    keep_owners(before, after, WrittenBy{asked.sender, runs_several(request)}, is_lease);
  const Makers to_gone = hand_over(before, after, {asked.sender, asked.gone, asked.late}, is_lease);
  if (asked.releases) give_back(before, after, asked.sender, is_lease);
  if (setting_.knowledge.relies && !asked.alone) {
    ReliedBy by{asked.sender, 0, asked.releases, false, now, script_tick(setting_.model)};
    if (asked.sender != kNobody) {
      const ProcessSetup& setup = setting_.setups[setting_.setup_of[asked.sender - 1U]];
      by.lease_ms = setting_.rounded(setup.lease_ms);
      by.leaves = asked.leaves && setup.threads == 1;
    }
    note_reliances(before, after, by, setting_.lease_map());
  }
  return to_gone;
}

/// What a search that holds has to say.
void Nodes::note_circumstances(const Request& request, const Execution& execution) {
  if (execution.left_open && setting_.left_open.empty())
    setting_.left_open = printed(argument_texts(request, *setting_.model.program, {}));
  setting_.draws = setting_.draws || execution.drew;
  setting_.clock_goes_on = setting_.clock_goes_on || execution.times_within > 1;
  setting_.readings_apart |= execution.readings_apart;
  setting_.ordered_fields = std::max(setting_.ordered_fields, execution.ordered_fields);
  setting_.asks_replicas = setting_.asks_replicas || execution.mode.replica;
  // How many messages may still come is not counted.
  const bool tells = !execution.published.empty() && !execution.listening.empty();
  setting_.countless = setting_.countless || (tells && setting_.latency_ms > 0);
}

/// EVALSHA is expected to be answered with NOSCRIPT.
void Nodes::note_error(const Asked& asked, const Reply& reply) {
  if (!setting_.first_error.empty() || !reply.is_error()) return;
  const std::string told = worded(reply);
  if (told.find("NOSCRIPT") != std::string::npos) return;
  setting_.first_error =
      (asked.served == Tables::kNowhere
           ? printed(argument_texts(tables_.request(asked.request), *setting_.model.program, {}))
           : "what has waited for " + tables_.places(asked.served).front().key) +
      " -> " + told;
}

void Nodes::note_slots(const Request& request, const Keyspace& keyspace) {
  if (setting_.budget(Fault::migrate) == 0) return;
  for (const std::string& key : key_names_of(request)) setting_.slots.insert(hash_slot(key));
  for (const auto& [key, entry] : keyspace.keys) setting_.slots.insert(hash_slot(key));
}

void Nodes::note_clock_use(const Met& met, bool looked_at_time) {
  TimeUse use;
  clocks_.look_at(met, looked_at_time, setting_.knowledge.replies, use);
  setting_.note(use);
}

/// What is left open anyhow need not be looked at.
void Nodes::note_token_bytes(const Asked& asked, const Met& met, const Reply& reply,
                             const Keyspace& after, const Execution& execution) {
  if ((setting_.orders_tokens && !setting_.probes) || execution.left_open) return;
  if (!execution.looked_at_time && !execution.looked_at_clock) {
    FlatMap& tried = spelt_[circumstances(asked)];
    const std::uint64_t what = both(tables_.without_lifetimes(asked.keyspace), asked.request);
    if (tried.find(what, asked.sender) != FlatMap::kAbsent) return;
    tried.add(what, asked.sender, 0);
  }
  if (execution.ordered_tokens && token_bytes_.decide_by_order(met, reply, after))
    setting_.orders_tokens = true;
  else
    setting_.note_hanging(
        token_bytes_.decide(met, reply, after, TokenBytes::tries(setting_.probes)));
}

/// Whether the runs in which tokens have another order are tried, too: with the clients swapped.
bool Nodes::same_if_swapped(const Request& request, TokenUse tokens) const {
  tokens.add(request);
  return setting_.clients_alike() &&
         std::ranges::all_of(tokens.tokens, [](Token token) { return token.number == 1; });
}

/// The arguments that are durations which its client worked out from a clock; null: none.
const std::set<std::size_t>* Nodes::durations_sent(const Request& request) const {
  if (setting_.sent_durations.empty()) return nullptr;
  const auto sent = setting_.sent_durations.find(form_of(request));
  return sent == setting_.sent_durations.end() ? nullptr : &sent->second;
}

void Nodes::note_durations_sent(const Met& met) {
  const std::set<std::size_t>* const sent = durations_sent(met.request);
  if (sent == nullptr) return;
  TimeUse use;
  for (const std::size_t argument : *sent) clocks_.look_at_duration(met, argument, use);
  setting_.note(use);
}

/// Where nobody but a release() has made a lease key, one is of no lock.
void Nodes::note_lease_databases(const Keyspace& before, Keyspace& after, Maker sender) const {
  for (const auto& [number, keys] : after.others) {
    for (const auto& [key, entry] : keys) {
      if (!setting_.leases.contains(key)) continue;
      const PartsChange change = change_of(before.find(number, key), &entry, sender);
      if (change.made || change.made_by_nobody) after.has_leases_in(number);
    }
  }
}

/// What has become of the lease keys. A key may be the lease of several locks.
void Nodes::note_leases(const Keyspace& before, const Keyspace& after, const Asked& asked,
                        CommandRun& command) const {
  TokenUse named;  // by the request of a process that has crashed since
  if (asked.sender == 0) {
    named = tables_.session(asked.session).tokens;  // of what EXEC executes
    named.add(tables_.request(asked.request));
  }
  const bool one_database = before.others.empty() && after.others.empty();
  for (int database = 0; database < (one_database ? 1 : kDatabases); ++database) {
    for (const auto& [key, locks] : setting_.leases) {
      const Entry* had = before.find(database, key);
      const Entry* has_now = after.find(database, key);
      if ((!had && !has_now) || !after.may_have_leases(database)) continue;
      PartsChange change = change_of(had, has_now, asked.sender);
      if (setting_.may_rely && had && has_now && ends_sooner(*had, *has_now))
        setting_.needs.relies = true;
      if (has_now && names_one_of(*has_now, named.tokens)) change.extended = 0;
      if (has_now && !setting_.names_several && !setting_.model.program->is_shared())
        setting_.names_several = names_several(visible(*has_now));
      command.made = command.made || change.made;
      command.marked = command.marked || change.marked;
      for (const auto lock : locks) {
        if (change.freed) command.freed |= only<LockSet>(lock);
        if (change.replaced) command.replaced |= only<LockSet>(lock);
      }
      command.counted = command.counted || change.counted;
      for (Maker maker = 1; maker <= setting_.processes; ++maker)
        note_change(change, maker, locks, command);
    }
  }
}

/// What it did to this owner of a lease key of these locks.
void Nodes::note_change(const PartsChange& change, Maker maker,
                        const std::vector<std::uint8_t>& locks, CommandRun& command) const {
  using Kind = LeaseChange::Kind;
  if (has_maker(change.given, maker)) {
    for (const auto lock : locks) command.given.push_back({Kind::given, lock, maker});
    setting_.needs.hands_over = true;
  }
  const bool taken = has_maker(change.taken, maker);
  const bool extended = has_maker(change.extended, maker);
  if (!taken && !extended && !has_maker(change.prolonged, maker)) return;
  // Among readers, what one has written over, or counts in, stands for the other, too.
  const bool for_both =
      has_maker(change.overwritten, maker) || (extended && !taken && change.by_count);
  for (const auto lock : locks) {
    const bool shared = has(setting_.shared, lock);
    if (for_both && shared) continue;
    const bool one_of_many = (change.by_count && setting_.permits > 1) || (change.common && shared);
    const bool changed = taken || (extended && !one_of_many);
    (changed ? command.leases : command.prolonged)
        .push_back({taken ? Kind::taken : Kind::extended, lock, maker});
    if (has_maker(change.rewritten, maker)) command.leases.push_back({Kind::extended, lock, maker});
  }
}

Id Nodes::micros_on(Id id) {
  constexpr std::uint16_t kLast = 999;
  Node node = nodes_[id].value;
  if (!setting_.model.distinct_micros || node.micros == kLast) return id;
  ++node.micros;
  return intern(node);
}

Id Nodes::flushed(Id id) {
  Node node = nodes_[id].value;
  save_empty(node, tables_.keyspace(node.keyspace).value);
  return intern(node);
}

/// With a power loss to come, the keyspace from before a write may come back (section 6).
void Nodes::write(Node& node, Id keyspace) const {
  if (keyspace == node.keyspace) return;
  if (setting_.writes_last())
    node.images.insert(node.images.begin(), {tables_.without_scripts(node.keyspace), 0});
  node.keyspace = keyspace;
}

Id Nodes::written(Id id, Id keyspace) {
  if (keyspace == nodes_[id].value.keyspace) return id;
  Node node = nodes_[id].value;
  write(node, keyspace);
  return intern(node);
}

}  // namespace lockstep::sim
