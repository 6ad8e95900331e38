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
bool touches_unchanged(const Command& command, const Call& call, const Reply& reply,
                       const std::string& key, bool was_there) {
  const Touches touches = command.more.touches;
  const Request& argv = call.argv;
  if (reply.is_error()) return false;
  if (!call.signalled && (!touches || !touches(argv, reply, was_there))) return false;
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

std::optional<Entry> copy_of(const Entry* entry) {
  return entry != nullptr ? std::optional(*entry) : std::nullopt;
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

Attention::Attention(const Command& command, const Call& call) {
  const auto look_at = [&](const Place& place) {
    before_.emplace(place, copy_of(entry_at(call, place)));
  };
  for (const Place& place : call.execution.watched) look_at(place);
  for (const auto& [place, was_there] : call.execution.session->watched) look_at(place);
  if (tells_who_tracks(call.execution)) note_tracked(command, call);
}

void Attention::note_tracked(const Command& command, const Call& call) {
  const int selected = call.execution.session->database;
  for (const KeyArgument& argument : specified_keys_of(command, call.argv)) {
    const std::string& key = call.argv[argument.position];
    const Place here{selected, key};
    tracked_.emplace(here, copy_of(entry_at(call, here)));
    for (const auto& [database, keys] : call.keyspace.others) {
      const Place there{database, key};
      tracked_.emplace(there, copy_of(entry_at(call, there)));
    }
  }
}

void Attention::notice(const Command& command, const Call& call, const Reply& reply) const {
  const auto changed_at = [&](const Place& place, const std::optional<Entry>& before) {
    const Entry* after = entry_at(call, place);
    return after ? !before || !same_content(*before, *after) : before.has_value();
  };
  const auto signalled_at = [&](const Place& place, const std::optional<Entry>& before) {
    const bool here = place.database == call.execution.session->database;
    return here && touches_unchanged(command, call, reply, place.key, before.has_value());
  };
  for (const auto& [place, before] : tracked_)
    if (changed_at(place, before) || signalled_at(place, before))
      call.execution.invalidated.insert(place.key);
  for (const auto& [place, before] : before_) {
    const Entry* after = entry_at(call, place);
    const bool changed = changed_at(place, before);
    const bool signalled =
        signalled_at(place, before) ||
        (before && !reply.is_error() && in_swapped_database(command, call.argv, place));
    if (changed || signalled) add(call.execution.touched, place);
    const bool came = after && (!before || (makes_anew(command) && (changed || signalled)));
    if (came) add(call.execution.came, place);
  }
}

}  // namespace lockstep::sim
