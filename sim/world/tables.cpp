// Interns what travels and what is kept; see the header.
#include "sim/world/tables.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/bytes.hpp"
#include "sim/base/check.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/world/automaton.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/node.hpp"
#include "sim/world/process.hpp"

namespace lockstep::sim {

namespace {

/// Whether the names of tokens decide the order of a sorted set: members of the same score.
bool ordered_by_tokens(const Entry& entry) {
  const auto* set = std::get_if<SortedSet>(&entry.value);
  if (!set) return false;
  const auto order = in_order(*set);
  return std::ranges::adjacent_find(order, [](const auto* a, const auto* b) {
           return a->second.score == b->second.score && !scan_tokens(a->first).tokens.empty() &&
                  !scan_tokens(b->first).tokens.empty();
         }) != order.end();
}

/// Puts down what each process has of a lease key of the lock. `stays`: by design, so that who has
/// left may leave it behind.
void add_own(OwnLocks& own, const Belongings& belongings, std::uint8_t lock, bool stays) {
  for (std::uint8_t process = 0; process < own.size(); ++process) {
    const auto bit = [&](Makers makers, bool counts) {
      return counts && has_maker(makers, maker_of(process)) ? only<LockSet>(lock) : LockSet{0};
    };
    own[process] |=
        {bit(belongings.any, true),
         bit(stays ? belongings.refused & ~belongings.number : belongings.refused, true),
         bit(belongings.left, !stays),
         bit(belongings.counting, !stays),
         bit(belongings.any, stays),
         bit(belongings.any, true),
         belongings.common ? only<LockSet>(lock) : LockSet{0},
         bit(belongings.sure, true)};
  }
}

/// Of a keyspace whose node's clock shows kEpoch.
Lifetime left_of(const Expiry& expiry) { return {(expiry - kEpoch).ms, expiry.sooner}; }

/// The keyspace with each name, and each entry, made into another one.
template <class Name, class Value>
Keyspace reworded(Keyspace keyspace, const Name& name, const Value& value) {
  const auto all = [&](const Keys& keys) {
    Keys changed;
    for (const auto& [key, entry] : keys) changed.emplace(name(key), value(entry));
    return changed;
  };
  keyspace.keys = all(keyspace.keys);
  for (auto& [number, other] : keyspace.others) other = all(other);
  for (const auto& [place, late] : std::exchange(keyspace.unnoticed, {}))
    keyspace.unnoticed.emplace(std::pair(place.first, name(place.second)), late);
  return keyspace;
}

}  // namespace

Tables::Tables(const Setting& setting) : setting_(setting) {
  empty_keyspace_ = intern(Keyspace{});
  const Id fresh = intern(Session{}), nowhere = intern(Places{});
  const Id nobody = intern(Listening{}), nothing = intern(Publications{});
  LOCKSTEP_CHECK(fresh == kFresh && nowhere == kNowhere);
  LOCKSTEP_CHECK(nobody == kNowhere && nothing == kNowhere);
  LOCKSTEP_CHECK(intern_node_state("") == 0);  // which no node is in
}

Tables::~Tables() = default;

const Reply& Tables::reply(Id id) const { return replies_[id]; }
const KeyspaceInfo& Tables::keyspace(Id id) const { return keyspaces_[id]; }
const SessionInfo& Tables::session(Id id) const { return sessions_[id]; }

Id Tables::reconnected(Id session) {
  const Session& now = sessions_[session].value;
  return now.database == 0 ? kFresh : intern(now.reconnected());
}

Id Tables::intern(const Request& request) {
  ByteWriter out;
  write(out, request);
  return requests_.intern(out.take(), [&] { return request; });
}

Id Tables::intern(const Reply& reply) {
  ByteWriter out;
  write(out, reply);
  return replies_.intern(out.take(), [&] { return reply; });
}

Id Tables::intern(const Keyspace& keyspace) {
  return keyspaces_.intern(encode(keyspace), [&] { return describe(keyspace); });
}

Id Tables::intern(const Session& session) {
  return sessions_.intern(encode(session), [&] {
    SessionInfo info{session, {}};
    for (const auto text : texts(session)) info.tokens.add(text);
    return info;
  });
}

Id Tables::intern(Places places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  ByteWriter out;
  for (const auto& place : places) {
    out.number(place.database);
    out.text(place.key);
  }
  return places_.intern(out.take(), [&] { return places; });
}

Id Tables::intern(Listening listening) {
  std::sort(listening.begin(), listening.end());
  ByteWriter out;
  for (const auto& listener : listening) {
    for (const auto* names : {&listener.channels, &listener.patterns, &listener.tracked}) {
      out.number(static_cast<std::int64_t>(names->size()));
      for (const auto& name : *names) out.text(name);
    }
  }
  return listening_.intern(out.take(), [&] { return listening; });
}

Id Tables::intern(const Publications& publications) {
  ByteWriter out;
  for (const auto& [channel, text, kind, keys] : publications) {
    out.text(channel);
    out.text(text);
    out.number(static_cast<int>(kind));
    out.number(static_cast<std::int64_t>(keys.size()));
    for (const auto& key : keys) out.text(key);
  }
  return publications_.intern(out.take(), [&] { return publications; });
}

Id Tables::moment(std::int64_t ms) {
  ByteWriter out;
  out.number(ms);
  return moments_.intern(out.take(), [&] { return ms; });
}

namespace {

/// Whether a text that is nobody's may say that a lock is free: it counts nobody, and names nobody.
bool says_free(const std::string& text) {
  return parse_integer(text) ? text == "0" : scan_tokens(text).tokens.empty();
}

}  // namespace

KeyspaceInfo Tables::describe(const Keyspace& keyspace) const {
  KeyspaceInfo info;
  info.value = keyspace;
  if (setting_.wakeups) info.marks.resize(setting_.locks.size());
  const auto describe_key = [&](int database, const std::string& key, const Entry& entry) {
    ++info.keys;
    info.tokens.add(std::string_view(key));
    for (const auto text : texts(entry)) info.tokens.add(text);
    if (const auto* set = std::get_if<SortedSet>(&entry.value))
      for (const auto& [member, about] : *set) info.tokens.dates.add(about.score);
    if (ordered_by_tokens(entry)) info.tokens.cut = true;  // renaming could change the order
    if (entry.expires) info.lifetimes.push_back(left_of(*entry.expires));
    for (const Reliance& each : entry.reliances) info.lifetimes.push_back(left_of(each.until));
    const auto lease = setting_.leases.find(key);
    if (lease == setting_.leases.end() || !keyspace.may_have_leases(database)) return;
    const bool stays = setting_.permanent.contains(key);
    const Belongings belongings = belongings_in(entry);
    for (const auto lock : lease->second) add_own(info.own, belongings, lock, stays);
    for (std::size_t i = 0; setting_.wakeups && i < lease->second.size(); ++i) {
      Marks& marks = info.marks[lease->second[i]];
      const auto* text = std::get_if<std::string>(&entry.value);
      const Makers nobody = text && says_free(*text) ? only_maker(kNobody) : 0;
      (text ? marks.in_strings : marks.elsewhere) |= belongings.any & ~nobody;
    }
    if (entry.expires)
      info.leases.push_back({lease->second, belongings.any, (*entry.expires - kEpoch).ms});
    if (!entry.expires && !stays) info.leaky = true;
  };
  for (const auto& [key, entry] : keyspace.keys) describe_key(0, key, entry);
  for (const auto& [number, keys] : keyspace.others)
    for (const auto& [key, entry] : keys) describe_key(number, key, entry);
  for (const auto& [place, late] : keyspace.unnoticed) info.tokens.add(place.second);
  for (const auto& [sha1, body] : keyspace.scripts) {
    const TokenScan scan = scan_tokens(body);  // renaming would change the SHA-1
    info.tokens.cut = info.tokens.cut || scan.cut || !scan.tokens.empty();
  }
  return info;
}

Id Tables::normalised(const Message& message, const Connection& on, std::uint8_t process) {
  Request normal = rename_tokens(requests_[message.request], [&](Token token) {
    return token.process == process ? Token{process, 0} : token;
  });
  normal.push_back(std::to_string(on.node));
  if (on.sent_for != on.node) normal.push_back(std::to_string(on.sent_for));
  if (message.asking) normal.push_back("asking");
  return intern(normal);
}

Id Tables::renamed_request(Id id, const Renaming& renaming) {
  return intern(rename_tokens(requests_[id], renaming.function()));
}

Id Tables::renamed_reply(Id id, const Renaming& renaming) {
  return intern(rename_tokens(replies_[id], renaming.function()));
}

Id Tables::renamed_session(Id id, const Renaming& renaming) {
  if (!sessions_[id].tokens.mentions(renaming.whose)) return id;
  const auto rename = renaming.function();
  return intern(with_texts(sessions_[id].value, [&rename](std::string_view text) {
    return rename_tokens(text, rename);
  }));
}

Id Tables::intern_node_state(const std::string& bytes) {
  return node_states_.intern(std::string(bytes), [&] {
    TokenUse tokens;
    tokens.add(std::string_view(bytes));
    tokens.cut = false;        // what stands for the tokens read alike is none
    tokens.dates.odd = false;  // a number may touch other bytes
    return NodeState{bytes, tokens};
  });
}

Id Tables::node_state(const Node& node, std::uint8_t process) {
  const std::uint64_t whose = process * 64U + (node.is_master() ? 0U : 1U) + (node.full ? 2U : 0U) +
                              (node.few ? 4U : 0U) + 8U * static_cast<unsigned>(node.slots) +
                              (node.is_loading() ? 32U : 0U);
  return node_state_.find_or_add(node.keyspace, whose, [&] {
    const std::string stored = encode(keyspaces_[node.keyspace].value);
    const std::string role = node.is_master() ? "" : "replica ";
    return intern_node_state(role + (node.full ? "full " : "") + (node.few ? "few " : "") +
                             (node.is_loading() ? "loading " : "") +
                             std::string(static_cast<std::size_t>(node.slots), '>') +
                             rename_tokens(std::string_view(stored), [&](Token token) {
                               return token.process == process ? Token{process, 0} : token;
                             }));
  });
}

Id Tables::renamed_node_state(Id id, const Renaming& renaming) {
  if (!node_states_[id].tokens.mentions(renaming.whose)) return id;
  return intern_node_state(
      rename_tokens(std::string_view(node_states_[id].bytes), renaming.function()));
}

const Tables::Aged& Tables::aged(Id id, std::uint8_t rate, std::int64_t parts) {
  const Id place = age_.find_or_add(both(id, rate), static_cast<std::uint64_t>(parts), [&] {
    aged_keyspaces_.push_back(age(id, setting_.rates[rate], parts));
    return static_cast<Id>(aged_keyspaces_.size() - 1);
  });
  return aged_keyspaces_[place];
}

Tables::Aged Tables::age(Id id, const Rate& rate, std::int64_t parts) {
  const Keyspace& before = keyspaces_[id].value;
  Keyspace after = before;
  after.for_each([&](const std::string&, Entry& entry) {
    entry.change_times([&](const Expiry& time) { return time.moved(-parts, rate.parts()); });
    entry.settle_reliances(kEpoch);
  });
  after.purge(kEpoch, tell_of_expired(setting_.model.keyspace_events));
  Aged aged;
  note_expired(before.keys, after.keys, aged);
  for (const auto& [number, keys] : before.others) {
    const Keys* left = after.database(number);
    if (before.may_have_leases(number)) note_expired(keys, left ? *left : Keys{}, aged);
  }
  aged.id = intern(after);
  return aged;
}

/// The lease keys that are gone, and whose they were.
void Tables::note_expired(const Keys& before, const Keys& after, Aged& aged) const {
  for (const auto& [name, locks] : setting_.leases) {
    const auto entry = before.find(name);
    if (entry == before.end() || after.contains(name)) continue;
    const Makers makers = belongings_in(entry->second).any;
    for (Maker maker = 1; maker <= setting_.processes; ++maker)
      for (const auto lock : locks)
        if (has_maker(makers, maker))
          aged.expired.push_back({LeaseChange::Kind::taken, lock, maker});
  }
}

Id Tables::renamed(Id id, const Renaming& renaming) {
  if (!keyspaces_[id].tokens.mentions(renaming.whose)) return id;
  return rename_.find_or_add(both(id, renaming.whose), renaming.digits, [&] {
    const auto name = [rename = renaming.function()](std::string_view text) {
      return rename_tokens(text, rename);
    };
    return intern(reworded(keyspaces_[id].value, name,
                           [&](const Entry& entry) { return with_texts(entry, name); }));
  });
}

Id Tables::sooner(Id id, std::int64_t ms) {
  if (!keyspaces_[id].tokens.dates.any) return id;
  return sooner_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    return intern(reworded(
        keyspaces_[id].value, [ms](std::string_view text) { return sim::sooner(text, ms); },
        [ms](const Entry& entry) { return sim::sooner(entry, ms); }));
  });
}

Id Tables::without_reliances(Id id) {
  Keyspace keyspace = keyspaces_[id].value;
  keyspace.for_each([](const std::string&, Entry& entry) { entry.reliances.clear(); });
  return intern(keyspace);
}

Id Tables::disowned(Id id, Maker maker) {
  Keyspace changed = keyspaces_[id].value;
  changed.disown(maker);
  return intern(changed);
}

Id Tables::mirrored(Id master, Id replica, std::int64_t ahead_ms) {
  const Id seen = aged(master, 0, ahead_ms * setting_.rates[0].parts()).id;
  return intern(mirror_of(keyspaces_[seen].value, keyspaces_[replica].value));
}

Id Tables::without_scripts(Id id) {
  Keyspace bare = keyspaces_[id].value;
  bare.forget_scripts();
  bare.script_random = kInitialScriptRandom;
  bare.unnoticed.clear();
  if (bare == keyspaces_[id].value) return id;
  return intern(bare);
}

Id Tables::without_lifetimes(Id id) {
  return without_lifetimes_.find_or_add(id, 0, [&] {
    Keyspace timeless = keyspaces_[id].value;
    timeless.for_each([](const std::string&, Entry& entry) {
      entry.reliances.clear();
      if (!entry.expires) return;
      const bool gone = kEpoch > *entry.expires;  // a replica keeps it until its master says so
      entry.expires = Expiry(kEpoch + Duration{gone ? -1 : 0});
    });
    return intern(timeless);
  });
}

}  // namespace lockstep::sim
