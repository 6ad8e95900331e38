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

}  // namespace

/// A node that is importing a slot answers of its keys after ASKING.
Reply Observer::look(const sim::Request& request) {
  auto reply = connection_.execute(request);
  if (!reply.text.starts_with("MOVED ") || !reply.is_error()) return reply;
  connection_.execute({"ASKING"});
  return connection_.execute(request);
}

sim::VisibleValue Observer::value_of(const std::string& name) {
  const auto type = look({"TYPE", name}).text;
  if (type == "string") return look({"GET", name}).text;
  if (type == "hash") return pairs_of(look({"HGETALL", name}));
  if (type == "zset") return scores_of(look({"ZRANGE", name, "0", "-1", "WITHSCORES"}));
  const bool list = type == "list", set = type == "set";
  if (!list && !set) return "(a " + type + ")";
  const auto reply = list ? look({"LRANGE", name, "0", "-1"}) : look({"SMEMBERS", name});
  sim::VisibleList texts;
  for (const auto& item : reply.items) texts.push_back(item.text);
  if (list) return texts;
  return sim::VisibleSet(texts.begin(), texts.end());
}

Observer::Names Observer::names_now() {
  if (names_) return *names_;
  Names names;
  for (const auto& item : connection_.execute({"KEYS", "*"}).items) names.insert(item.text);
  return names;
}

sim::VisibleKeys Observer::keys() {
  sim::VisibleKeys keys;
  for (const auto& name : names_now()) {
    sim::VisibleKey key{value_of(name), {}};
    const auto left = look({"PTTL", name});
    if (left.is_error() || left.integer < -1) continue;  // it is gone meanwhile
    if (left.integer >= 0) key.left_ms = left.integer;   // -1: no expiry
    keys[name] = key;
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

/// Somebody who empties it may have to allow it that first: with min-replicas-to-write.
void Observer::flush() {
  const auto least = connection_.execute({"CONFIG", "GET", "min-replicas-to-write"});
  connection_.execute({"CONFIG", "SET", "min-replicas-to-write", "0"});
  connection_.execute({"FLUSHALL"});
  connection_.execute({"CONFIG", "SET", "min-replicas-to-write", least.items.back().text});
}

}  // namespace lockstep::live
