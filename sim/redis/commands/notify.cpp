// Keyspace events (Redis 7.0 notify.c), also of keys that have expired: Redis tells of those when
// it meets them, a command or its own cycle (db.c deleteExpiredKeyAndPropagate).
#include "sim/redis/commands/notify.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"

namespace lockstep::sim {

std::vector<Publication> events_at(KeyspaceEvents wanted, KeyspaceEvents of_class,
                                   std::string_view event, const Place& place) {
  std::vector<Publication> said;
  if ((wanted & of_class) == 0) return said;
  const std::string at = "@" + std::to_string(place.database) + "__:";
  if ((wanted & kByKey) != 0) said.push_back({"__keyspace" + at + place.key, std::string(event)});
  if ((wanted & kByEvent) != 0) said.push_back({"__keyevent" + at + std::string(event), place.key});
  return said;
}

void Call::notify(KeyspaceEvents of_class, std::string_view event, const std::string& key,
                  std::optional<int> database) {
  const KeyspaceEvents wanted = execution.mode.keyspace_events;
  if ((wanted & of_class) == 0) return;  // most servers tell nothing
  const Place place{database.value_or(execution.session->database), key};
  for (Publication& said : events_at(wanted, of_class, event, place))
    publish(execution, std::move(said));
}

void Call::notice(const std::string& key) {
  if (keyspace.unnoticed.empty()) return;
  const auto place = std::pair(static_cast<std::uint8_t>(execution.session->database), key);
  if (keyspace.unnoticed.erase(place) != 0) notify(kExpiredEvents, "expired", key);
}

std::vector<Publication> noticed(Keyspace& keyspace, std::size_t index, KeyspaceEvents wanted) {
  const auto first = std::next(keyspace.unnoticed.begin(), static_cast<std::ptrdiff_t>(index));
  const auto [database, key] = first->first;
  keyspace.unnoticed.erase(first);
  return events_at(wanted, kExpiredEvents, "expired", {database, key});
}

}  // namespace lockstep::sim
