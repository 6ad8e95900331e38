// Keyspace events (Redis 7.0 notify.c), and what those are told who track keys (tracking.c), also
// of keys that have expired: Redis tells of those when it meets them, a command or its own cycle
// (db.c deleteExpiredKeyAndPropagate).
#include "sim/redis/commands/notify.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"

namespace lockstep::sim {

namespace {

std::vector<Publication> events_of(KeyspaceEvents wanted, KeyspaceEvents of_class,
                                   std::string_view event, const Place& place) {
  std::vector<Publication> said;
  if ((wanted & of_class) == 0) return said;
  const std::string at = "@" + std::to_string(place.database) + "__:";
  if ((wanted & kByKey) != 0) said.push_back({"__keyspace" + at + place.key, std::string(event)});
  if ((wanted & kByEvent) != 0) said.push_back({"__keyevent" + at + std::string(event), place.key});
  return said;
}

}  // namespace

Publication invalidation(std::set<std::string> keys) {
  return {kTrackingChannel, "", Publication::Kind::invalidation, std::move(keys)};
}

std::vector<Publication> told_of(KeyspaceEvents wanted, KeyspaceEvents of_class,
                                 std::string_view event, const Place& place) {
  std::vector<Publication> said = events_of(wanted, of_class, event, place);
  if ((wanted & kInvalidations) != 0) said.push_back(invalidation({place.key}));
  return said;
}

void Call::notify(KeyspaceEvents of_class, std::string_view event, const std::string& key,
                  std::optional<int> database) {
  const KeyspaceEvents wanted = execution.mode.keyspace_events;
  if ((wanted & of_class) == 0) return;  // most servers tell nothing
  const Place place{database.value_or(execution.session->database), key};
  for (Publication& said : events_of(wanted, of_class, event, place))
    publish(execution, std::move(said));
}

bool tells_who_tracks(const Execution& execution) {
  return (execution.mode.keyspace_events & kInvalidations) != 0;
}

void tell_who_tracks(Execution& execution) {
  if (execution.invalidated.empty()) return;
  publish(execution, invalidation(std::exchange(execution.invalidated, {})));
}

std::vector<Publication> told_of_flush(KeyspaceEvents wanted) {
  if ((wanted & kInvalidations) == 0) return {};
  return {{kTrackingChannel, "", Publication::Kind::flush}};
}

void tell_of_flush(Execution& execution) {
  for (Publication& said : told_of_flush(execution.mode.keyspace_events))
    publish(execution, std::move(said));
}

bool Call::forget(const std::string& key) {
  if (keyspace.unnoticed.empty()) return false;
  const auto database = static_cast<std::uint8_t>(execution.session->database);
  const bool there = keyspace.unnoticed.erase({database, key}) != 0;
  if (there && tells_who_tracks(execution)) execution.invalidated.insert(key);
  return there;
}

void Call::notice(const std::string& key) {
  if (forget(key)) notify(kExpiredEvents, "expired", key);
}

void Call::remove_unseen(const std::string& key) {
  const bool there = keyspace.keys.erase(key) != 0;
  if (forget(key) || there) notify(kGenericEvents, "del", key);
}

std::vector<std::string> unnoticed_keys(const Call& call) {
  std::vector<std::string> keys;
  for (const auto& [place, late] : call.keyspace.unnoticed)
    if (place.first == call.execution.session->database) keys.push_back(place.second);
  return keys;
}

std::vector<Publication> noticed(Keyspace& keyspace, std::size_t index, KeyspaceEvents wanted) {
  const auto first = std::next(keyspace.unnoticed.begin(), static_cast<std::ptrdiff_t>(index));
  const auto [database, key] = first->first;
  keyspace.unnoticed.erase(first);
  return told_of(wanted, kExpiredEvents, "expired", {database, key});
}

}  // namespace lockstep::sim
