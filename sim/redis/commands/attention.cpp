// A key is touched if it changed, or if Redis signals it although nothing changed: SET to the same
// value breaks a watch, SADD of a member that is there does not.
#include "sim/redis/commands/attention.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Whether a command that left this key as it is touched it nevertheless (see Touches).
bool touches_unchanged(const Command& command, const Request& argv, const Reply& reply,
                       const std::string& key, bool was_there) {
  const Touches touches = command.more.touches;
  if (!touches || reply.is_error() || !touches(argv, reply, was_there)) return false;
  return std::ranges::any_of(specified_keys_of(command, argv), [&](const KeyArgument& argument) {
    return argv[argument.position] == key && !argument.flags.starts_with("RO");
  });
}

bool in_swapped_database(const Command& command, const Request& argv, const Place& place) {
  const std::string number = std::to_string(place.database);
  return command.has(kSwapsDatabases) && argv[1] != argv[2] &&
         (argv[1] == number || argv[2] == number);
}

/// Whether what takes the place of another value is a new key, for which clients that wait are
/// served. What only overwrites (SORT STORE, ZRANGESTORE, ZUNIONSTORE, ...) is none: Redis 7.0
/// db.c signals in dbAdd, not in dbOverwrite.
bool makes_anew(const Command& command) {
  constexpr std::array<std::string_view, 3> kRemoveFirst{"copy", "rename", "restore"};
  return command.has(kSwapsDatabases) ||
         std::ranges::find(kRemoveFirst, command.name) != kRemoveFirst.end();
}

/// Who made it, and how it is stored, are no content.
bool same_content(const Entry& a, const Entry& b) {
  return a.value == b.value && a.expires == b.expires;
}

void add(std::vector<Place>& places, const Place& place) {
  if (std::ranges::find(places, place) == places.end()) places.push_back(place);
}

}  // namespace

const Entry* entry_at(const Call& call, const Place& place) {
  const Keys* keys = call.keyspace.database(place.database, call.execution.session->database);
  if (!keys) return nullptr;
  const auto it = keys->find(place.key);
  return it == keys->end() ? nullptr : &it->second;
}

Attention::Attention(const Call& call) {
  const auto look_at = [&](const Place& place) {
    const Entry* entry = entry_at(call, place);
    before_.emplace(place, entry ? std::optional(*entry) : std::nullopt);
  };
  for (const Place& place : call.execution.watched) look_at(place);
  for (const auto& [place, was_there] : call.execution.session->watched) look_at(place);
}

void Attention::notice(const Command& command, const Call& call, const Reply& reply) const {
  for (const auto& [place, before] : before_) {
    const Entry* after = entry_at(call, place);
    const bool changed = after ? !before || !same_content(*before, *after) : before.has_value();
    const bool here = place.database == call.execution.session->database;
    const bool signalled =
        (here && touches_unchanged(command, call.argv, reply, place.key, before.has_value())) ||
        (before && !reply.is_error() && in_swapped_database(command, call.argv, place));
    if (changed || signalled) add(call.execution.touched, place);
    const bool came = after && (!before || (makes_anew(command) && (changed || signalled)));
    if (came) add(call.execution.came, place);
  }
}

}  // namespace lockstep::sim
