// Likeness of replies; see the header.
#include "conform/likeness.hpp"

#include <algorithm>
#include <cmath>

#include "conform/dumps.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

bool has_trait(const sim::Request& request, std::uint32_t traits) {
  const sim::Command* command = sim::find_command(request);
  return command && command->has(traits);
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

namespace {

/// Whether the request names a key whose members have no order of their own in Redis.
bool names_a_hash_table(const sim::Keyspace& keyspace, const sim::Request& request) {
  return std::ranges::any_of(request, [&](const std::string& word) {
    const auto it = keyspace.keys.find(word);
    return it != keyspace.keys.end() && it->second.encoding == sim::Encoding::large &&
           (std::holds_alternative<sim::Set>(it->second.value) ||
            std::holds_alternative<sim::Hash>(it->second.value));
  });
}

/// Whether the order of the reply's items is a matter of chance.
bool is_unordered(const sim::Keyspace& before, const sim::Request& request) {
  return has_trait(request, sim::kUnordered) &&
         (sim::is_word(request[0], "keys") || names_a_hash_table(before, request));
}

/// Whether Redis's answer depends on the random levels of a skiplist or on an unstable sort.
bool is_unspecified(const sim::Keyspace& before, const sim::Request& request) {
  const std::string name = sim::lower_case(request[0]);
  const auto has = [&](std::string_view option) {
    return std::ranges::any_of(request,
                               [&](const std::string& word) { return sim::is_word(word, option); });
  };
  if (name == "sort" || name == "sort_ro") {
    return has("by") && (has("alpha") || (names_a_hash_table(before, request) &&
                                          (has("limit") || has("get") || has("store"))));
  }
  if (name.find("lex") == std::string::npos && !has("bylex")) return false;
  return std::ranges::any_of(request, [&](const std::string& word) {
    const auto it = before.keys.find(word);
    if (it == before.keys.end() || it->second.encoding != sim::Encoding::large) return false;
    const auto* set = std::get_if<sim::SortedSet>(&it->second.value);
    return set && std::ranges::any_of(*set, [&](const auto& item) {
             return item.second.score != set->begin()->second.score;
           });
  });
}

bool precedes(const sim::Reply& a, const sim::Reply& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.integer != b.integer) return a.integer < b.integer;
  if (a.text != b.text) return a.text < b.text;
  return std::ranges::lexicographical_compare(a.items, b.items, precedes);
}

/// The reply with nothing in place of every text: what a random choice must agree on.
sim::Reply without_texts(sim::Reply reply) {
  if (!reply.is_error()) reply.text.clear();
  for (sim::Reply& item : reply.items) item = without_texts(std::move(item));
  return reply;
}

}  // namespace

bool is_random(const sim::Request& request) { return has_trait(request, sim::kByChance); }

sim::Reply in_one_order(sim::Reply reply) {
  for (sim::Reply& item : reply.items) item = in_one_order(std::move(item));
  std::ranges::sort(reply.items, precedes);
  return reply;
}

bool compares_lifetimes(const sim::Request& request) {
  return is_one_of(sim::lower_case(request[0]), {"expire", "pexpire"}) &&
         std::ranges::any_of(request, [](const std::string& word) {
           return sim::is_word(word, "gt") || sim::is_word(word, "lt");
         });
}

std::string without_nan_signs(std::string text) {
  for (auto at = text.find("-nan"); at != text.npos; at = text.find("-nan", at)) text.erase(at, 1);
  return text;
}

namespace {

/// SPOP that leaves some: nobody knows which.
bool takes_by_chance(const sim::Keyspace& before, const sim::Request& request) {
  if (sim::lower_case(request[0]) != "spop" || request.size() < 2) return false;
  const auto it = before.keys.find(request[1]);
  const auto* set = it == before.keys.end() ? nullptr : std::get_if<sim::Set>(&it->second.value);
  if (!set) return false;
  if (request.size() == 2) return set->size() > 1;
  const auto count = sim::parse_integer(request[2]);
  return count && *count > 0 && *count < static_cast<std::int64_t>(set->size());
}

/// The scans of a hash table give its elements in pieces and in an order of their own.
bool scans_by_chance(const sim::Keyspace& before, const sim::Request& request) {
  const auto name = sim::lower_case(request[0]);
  if (name == "scan") return true;
  if (!is_one_of(name, {"hscan", "sscan", "zscan"}) || request.size() < 2) return false;
  const auto it = before.keys.find(request[1]);
  return it != before.keys.end() && it->second.encoding == sim::Encoding::large;
}

/// Libraries and their functions are in the order of a hash table.
bool lists_libraries(const sim::Request& request) {
  return request.size() > 1 && sim::is_word(request[0], "function") &&
         sim::is_word(request[1], "list");
}

/// FUNCTION LOAD of functions that other libraries have, told of one.
bool tells_of_clash(const sim::Reply& reply) {
  return reply.text.starts_with("ERR Function ") && reply.text.ends_with(" already exists");
}

/// The source of the script that a request runs, of all libraries for a function; empty: none.
std::string source_of(const sim::Request& request, const sim::Keyspace& server) {
  const auto name = sim::lower_case(request[0]);
  if (request.size() < 2) return {};
  if (name == "eval" || name == "eval_ro") return request[1];
  std::string source;
  if (name.starts_with("evalsha")) {
    const auto it = server.scripts.find(sim::lower_case(request[1]));
    if (it != server.scripts.end()) source = it->second;
  } else if (name.starts_with("fcall")) {
    for (const auto& [library, code] : server.libraries) source += code;
  }
  return source;
}

/// Whether the name of such a command stands somewhere in a script.
bool names_any(const std::string& source, sim::CommandTrait trait) {
  const auto script = sim::lower_case(source);
  return std::ranges::any_of(sim::all_commands(), [&](const auto* command) {
    return command->has(trait) && script.find(command->name) != std::string::npos;
  });
}

/// EXPIRE ... GT with about the lifetime that the key has: its answer hangs on single milliseconds.
bool hangs_on_clock(const sim::Keyspace& before, const sim::Request& request, sim::WallTime now) {
  constexpr std::int64_t kNearMs = 5000;
  if (!compares_lifetimes(request) || request.size() < 3) return false;
  const auto* entry = before.find(request[1], now);
  const auto given = sim::parse_integer(request[2]);
  if (!entry || !entry->expires || !given) return false;
  const double ms = sim::is_word(request[0], "expire") ? 1000.0 * static_cast<double>(*given)
                                                       : static_cast<double>(*given);
  return std::abs(ms - static_cast<double>((*entry->expires - now).ms)) < kNearMs;
}

/// In Redis a small integer that was copied is no longer shared.
bool counts_references(const sim::Request& request) {
  return request.size() > 1 && sim::is_word(request[0], "object") &&
         sim::is_word(request[1], "refcount");
}

Likeness left_open_in(const sim::Keyspace& before, const sim::Request& request) {
  const auto name = sim::lower_case(request[0]);
  Likeness likeness;
  likeness.chance = is_unspecified(before, request);
  likeness.random = is_random(request);
  likeness.unordered = is_unordered(before, request);
  likeness.large = has_trait(request, sim::kUnordered);
  likeness.timed = is_one_of(name, {"ttl", "pttl", "expiretime", "pexpiretime"});
  likeness.seconds = name == "ttl" || name == "expiretime";
  return likeness;
}

/// As it is in a transaction, where nobody knows what comes before it. `server` has the scripts.
Likeness queued_likeness(const sim::Request& request, const sim::Keyspace& server) {
  const auto name = sim::lower_case(request[0]);
  const auto source = source_of(request, server);
  Likeness likeness;
  likeness.random = is_random(request);
  likeness.timed = has_trait(request, sim::kLooksAtClock) || names_any(source, sim::kLooksAtClock);
  likeness.seconds = name == "ttl" || name == "expiretime";
  likeness.any = is_one_of(name, {"scan", "hscan", "sscan", "zscan"}) || counts_references(request);
  likeness.unordered = has_trait(request, sim::kUnordered) || lists_libraries(request);
  likeness.clashes = name == "function";
  likeness.dump = name == "dump";
  likeness.nans = true;
  likeness.large = !source.empty();
  if (!source.empty()) likeness.unordered = names_any(source, sim::kUnordered);
  return likeness;
}

Likeness likeness_in(const sim::Keyspace& before, const sim::Request& request,
                     const sim::Session& session, const sim::Keyspace& server, sim::WallTime now) {
  const auto name = sim::lower_case(request[0]);
  Likeness likeness = queued_likeness(request, server);
  likeness.any = scans_by_chance(before, request) || counts_references(request);
  const Likeness open = left_open_in(before, request);
  likeness.large = likeness.large || open.large;
  if (source_of(request, server).empty())
    likeness.unordered = open.unordered || name == "pubsub" || lists_libraries(request);
  likeness.chance =
      open.chance || takes_by_chance(before, request) || hangs_on_clock(before, request, now);
  // The subscriptions that end are named in the order of a hash table.
  if (request.size() == 1 && name.ends_with("unsubscribe")) likeness.chance = true;
  // When it will be processed is not the same in an event loop that reads several connections.
  if (session.wait) likeness.chance = true;
  // What it meets then is not known yet.
  if (session.in_transaction &&
      (is_one_of(name, {"spop", "sort", "sort_ro"}) || name.find("lex") != std::string::npos ||
       name.starts_with("zrange") || compares_lifetimes(request)))
    likeness.chance = true;
  if (has_trait(request, sim::kRunsQueue))
    for (const auto& queued : session.queued)
      likeness.parts.push_back(queued_likeness(queued, server));
  return likeness;
}

/// What `keyspace` has in the database of `session`.
sim::Keyspace selected(const sim::Keyspace& keyspace, const sim::Session& session) {
  sim::Keyspace found;
  if (const auto* keys = keyspace.database(session.database)) found.keys = *keys;
  return found;
}

}  // namespace

Likeness left_open(const sim::Request& request, const sim::Session& session,
                   const sim::Keyspace& keyspace) {
  if (session.database == 0) return left_open_in(keyspace, request);
  return left_open_in(selected(keyspace, session), request);
}

Likeness likeness_of(const sim::Request& request, const sim::Session& session,
                     const sim::Keyspace& keyspace, sim::WallTime now) {
  if (session.database == 0) return likeness_in(keyspace, request, session, keyspace, now);
  return likeness_in(selected(keyspace, session), request, session, keyspace, now);
}

bool alike(const Likeness& likeness, const sim::Reply& redis, const sim::Reply& lockstep,
           std::int64_t slack_ms) {
  constexpr std::size_t kLargestIntset = 512;
  using Kind = sim::Reply::Kind;
  if (redis == lockstep) return true;
  if (redis.kind != lockstep.kind) return false;
  if (likeness.any) return !redis.is_error();
  if (likeness.dump && same_values(redis, lockstep)) return true;
  if (likeness.clashes && tells_of_clash(redis) && tells_of_clash(lockstep)) return true;
  if (likeness.random && without_texts(redis) == without_texts(lockstep)) return true;
  const bool unordered =
      likeness.unordered || (likeness.large && redis.items.size() > kLargestIntset);
  if (unordered && in_one_order(redis) == in_one_order(lockstep)) return true;
  if (redis.items.size() != lockstep.items.size()) return false;
  if (likeness.nans && redis.items.empty() && redis.integer == lockstep.integer &&
      without_nan_signs(redis.text) == without_nan_signs(lockstep.text)) {
    return true;
  }
  if (likeness.timed && redis.kind == Kind::integer) {
    const auto apart = redis.integer - lockstep.integer;
    const auto allowed = likeness.seconds ? slack_ms / 1000 + 1 : slack_ms;
    return apart <= allowed && -apart <= allowed;
  }
  if (redis.kind != Kind::array || (likeness.parts.empty() && !likeness.timed)) return false;
  for (std::size_t i = 0; i < redis.items.size(); ++i) {
    const auto& part = likeness.parts.empty() ? likeness : likeness.parts[i];
    if (!alike(part, redis.items[i], lockstep.items[i], slack_ms)) return false;
  }
  return true;
}

}  // namespace lockstep::conform
