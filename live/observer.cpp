// TYPE, PTTL and the command that reads each type; see the header.
#include "live/observer.hpp"

#include <cstdlib>

#include "live/real_server.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Reply;

sim::VisibleHash pairs_of(const Reply& reply) {
  sim::VisibleHash pairs;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2)
    pairs[reply.items[i].text] = reply.items[i + 1].text;
  return pairs;
}

sim::VisibleSortedSet scores_of(const Reply& reply) {
  sim::VisibleSortedSet scores;
  for (const auto& [member, score] : pairs_of(reply))
    scores[member] = std::strtod(score.c_str(), nullptr);
  return scores;
}

sim::VisibleValue value_of(Connection& connection, const std::string& name) {
  const auto type = connection.execute({"TYPE", name}).text;
  if (type == "string") return connection.execute({"GET", name}).text;
  if (type == "hash") return pairs_of(connection.execute({"HGETALL", name}));
  if (type == "zset")
    return scores_of(connection.execute({"ZRANGE", name, "0", "-1", "WITHSCORES"}));
  const bool list = type == "list", set = type == "set";
  if (!list && !set) return "(a " + type + ")";
  const auto reply = list ? connection.execute({"LRANGE", name, "0", "-1"})
                          : connection.execute({"SMEMBERS", name});
  sim::VisibleList texts;
  for (const auto& item : reply.items) texts.push_back(item.text);
  if (list) return texts;
  return sim::VisibleSet(texts.begin(), texts.end());
}

}  // namespace

Observer::Names Observer::names_now() {
  if (names_) return *names_;
  Names names;
  for (const auto& item : connection_.execute({"KEYS", "*"}).items) names.insert(item.text);
  return names;
}

sim::VisibleKeys Observer::keys() {
  sim::VisibleKeys keys;
  for (const auto& name : names_now()) {
    sim::VisibleKey key{value_of(connection_, name), {}};
    const auto left_ms = connection_.execute({"PTTL", name}).integer;
    if (left_ms >= 0) key.left_ms = left_ms;
    if (left_ms >= -1) keys[name] = key;  // -1: no expiry, -2: no such key
  }
  return keys;
}

std::string Observer::existing(const Names& names) {
  for (const auto& name : names)
    if (connection_.execute({"EXISTS", name}).integer > 0) return name;
  return "";
}

void Observer::remove(const Names& names) {
  for (const auto& name : names) connection_.execute({"DEL", name});
}

void Observer::save() { connection_.execute({"SAVE"}); }
void Observer::flush() { connection_.execute({"FLUSHALL"}); }

std::string Observer::version() { return real_server(connection_).shown; }

}  // namespace lockstep::live
