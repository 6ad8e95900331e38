// TYPE, GET, HGETALL and PTTL; see the header.
#include "live/observer.hpp"

namespace lockstep::live {

namespace {

using sim::Reply;

std::variant<std::string, std::map<std::string, std::string>> fields_of(const Reply& reply) {
  std::map<std::string, std::string> fields;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2)
    fields[reply.items[i].text] = reply.items[i + 1].text;
  return fields;
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
    const auto type = connection_.execute({"TYPE", name}).text;
    sim::VisibleKey key;
    if (type == "hash")
      key.value = fields_of(connection_.execute({"HGETALL", name}));
    else if (type == "string")
      key.value = connection_.execute({"GET", name}).text;
    else
      key.value = "(a " + type + ")";
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

std::string Observer::version() {
  const auto info = connection_.execute({"INFO", "server"}).text;
  const std::string mark = "redis_version:";
  const auto at = info.find(mark);
  if (at == std::string::npos) return "";
  const auto begin = at + mark.size();
  return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
}

}  // namespace lockstep::live
