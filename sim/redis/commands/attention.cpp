// A key is touched if it changed, or if Redis signals it although nothing changed: SET to the same
// value breaks a watch, SADD of a member that is there does not.
#include "sim/redis/commands/attention.hpp"

#include <algorithm>
#include <array>

namespace lockstep::sim {

namespace {

/// When a command touches a key that stays as it is.
enum class Touch : std::uint8_t {
  if_no_error,
  if_there,     ///< and the key existed before
  if_positive,  ///< its reply is a number above 0
  if_not_null,
  if_not_nx,       ///< SET: it existed, and there is no NX
  if_any_text,     ///< SETRANGE: argument 3 is not empty
  if_expiry_given  ///< GETEX: an option that sets an expiry
};

struct Rule {
  std::string_view command;
  Touch when;
  /// Positions of the keys that it is about; the second may be 0.
  std::size_t first = 1;
  std::size_t second = 0;
};

/// Seen on Redis 7.0.15: which commands break a watch without a change.
constexpr auto kRules = std::to_array<Rule>({
    {"append", Touch::if_no_error},       {"bitop", Touch::if_positive, 2},
    {"blmove", Touch::if_not_null, 1, 2}, {"brpoplpush", Touch::if_not_null, 1, 2},
    {"copy", Touch::if_positive, 2},      {"decr", Touch::if_no_error},
    {"decrby", Touch::if_no_error},       {"expire", Touch::if_positive},
    {"expireat", Touch::if_positive},     {"getex", Touch::if_expiry_given},
    {"getset", Touch::if_no_error},       {"hincrby", Touch::if_no_error},
    {"hincrbyfloat", Touch::if_no_error}, {"hmset", Touch::if_no_error},
    {"hset", Touch::if_no_error},         {"incr", Touch::if_no_error},
    {"incrby", Touch::if_no_error},       {"incrbyfloat", Touch::if_no_error},
    {"lmove", Touch::if_not_null, 1, 2},  {"lset", Touch::if_no_error},
    {"ltrim", Touch::if_there},           {"pexpire", Touch::if_positive},
    {"pexpireat", Touch::if_positive},    {"psetex", Touch::if_no_error},
    {"rename", Touch::if_no_error, 2},    {"restore", Touch::if_there},
    {"restore-asking", Touch::if_there},  {"rpoplpush", Touch::if_not_null, 1, 2},
    {"sdiffstore", Touch::if_positive},   {"set", Touch::if_not_nx},
    {"setex", Touch::if_no_error},        {"setrange", Touch::if_any_text},
    {"sinterstore", Touch::if_positive},  {"sunionstore", Touch::if_positive},
    {"zdiffstore", Touch::if_positive},   {"zinterstore", Touch::if_positive},
    {"zrangestore", Touch::if_positive},  {"zunionstore", Touch::if_positive},
});

bool has_option(const Request& argv, std::string_view option, std::size_t from) {
  for (std::size_t i = from; i < argv.size(); ++i) {
    if (is_word(argv[i], option)) return true;
  }
  return false;
}

bool holds(Touch when, const Request& argv, const Reply& reply, bool was_there) {
  switch (when) {
    case Touch::if_no_error:
      return true;
    case Touch::if_there:
      return was_there;
    case Touch::if_positive:
      return reply.kind == Reply::Kind::integer && reply.integer > 0;
    case Touch::if_not_null:
      return reply.kind != Reply::Kind::null;
    case Touch::if_not_nx:
      return was_there && !has_option(argv, "nx", 3);
    case Touch::if_any_text:
      return !argv[3].empty();
    case Touch::if_expiry_given:
      return was_there && argv.size() > 2 && !has_option(argv, "persist", 2);
  }
  return false;
}

bool about(const Rule& rule, const Request& argv, const std::string& key) {
  return argv[rule.first] == key || (rule.second != 0 && argv[rule.second] == key);
}

/// MSET k v ..., and SORT ... STORE k, have their keys elsewhere.
bool touched_elsewhere(const Command& command, const Request& argv, const Reply& reply,
                       const std::string& key) {
  if (command.name == "mset") {
    for (std::size_t i = 1; i < argv.size(); i += 2) {
      if (argv[i] == key) return true;
    }
  }
  if (command.name == "sort" && reply.kind == Reply::Kind::integer && reply.integer > 0) {
    for (std::size_t i = 2; i + 1 < argv.size(); ++i) {
      if (is_word(argv[i], "store") && argv[i + 1] == key) return true;
    }
  }
  return false;
}

bool touches_unchanged(const Command& command, const Request& argv, const Reply& reply,
                       const std::string& key, bool was_there) {
  if (reply.is_error()) return false;
  if (touched_elsewhere(command, argv, reply, key)) return true;
  if (command.name == "rename" && argv[1] == argv[2]) return false;
  const auto rule = std::ranges::lower_bound(kRules, command.name, {}, &Rule::command);
  return rule != kRules.end() && rule->command == command.name && about(*rule, argv, key) &&
         holds(rule->when, argv, reply, was_there);
}

bool in_swapped_database(const Command& command, const Request& argv, const Place& place) {
  const std::string number = std::to_string(place.database);
  return command.name == "swapdb" && argv[1] != argv[2] && (argv[1] == number || argv[2] == number);
}

/// Who made it, and how it is stored, are no content.
bool same_content(const Entry& a, const Entry& b) {
  return a.value == b.value && a.expires == b.expires;
}

bool awaited(const ServerState& server, const Place& place, const Entry& entry) {
  return std::ranges::any_of(server.blocked, [&](SessionId id) {
    const BlockedOn& wait = *server.sessions.at(id).wait;
    return serves(entry, wait.kind) && std::ranges::count(wait.places, place) > 0;
  });
}

}  // namespace

static_assert(std::ranges::is_sorted(kRules, {}, &Rule::command));

const Entry* entry_at(const Call& call, const Place& place) {
  const Keys* keys = call.keyspace.database(place.database, call.execution.database);
  if (!keys) return nullptr;
  const auto it = keys->find(place.key);
  return it == keys->end() ? nullptr : &it->second;
}

bool serves(const Entry& entry, BlockedOn::Kind kind) {
  return (kind == BlockedOn::Kind::list && std::holds_alternative<List>(entry.value)) ||
         (kind == BlockedOn::Kind::sorted_set && std::holds_alternative<SortedSet>(entry.value));
}

void touch(ServerState& server, const Place& place) {
  for (auto& [id, session] : server.sessions) {
    if (!session.watched.contains(place)) continue;
    session.watch_broken = true;
    session.watched.clear();
  }
}

Attention::Attention(const Call& call) {
  const auto look_at = [&](const Place& place) {
    const Entry* entry = entry_at(call, place);
    before_.emplace(place, entry ? std::optional(*entry) : std::nullopt);
  };
  for (const auto& [id, session] : call.execution.caller->server.sessions) {
    for (const Place& place : session.watched) look_at(place);
    if (!session.wait) continue;
    for (const Place& place : session.wait->places) look_at(place);
  }
}

void Attention::notice(const Command& command, const Call& call, const Reply& reply) const {
  ServerState& server = call.execution.caller->server;
  for (const auto& [place, before] : before_) {
    const Entry* after = entry_at(call, place);
    const bool changed = after ? !before || !same_content(*before, *after) : before.has_value();
    const bool here = place.database == call.execution.database;
    const bool signalled =
        (here && touches_unchanged(command, call.argv, reply, place.key, before.has_value())) ||
        (before && !reply.is_error() && in_swapped_database(command, call.argv, place));
    if (changed || signalled) touch(server, place);
    const bool came = after && (!before || before->value.index() != after->value.index());
    if (came && awaited(server, place, *after) && std::ranges::count(server.ready, place) == 0) {
      server.ready.push_back(place);
    }
  }
}

}  // namespace lockstep::sim
