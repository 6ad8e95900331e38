// When two replies to one command count as equal though their bytes differ: Redis's order of a hash
// table depends on a random seed, and some commands choose at random.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "sim/commands/command.hpp"
#include "sim/execute.hpp"

namespace lockstep::test {

inline bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether the request names a key whose members have no order of their own in Redis.
inline bool names_a_hash_table(const sim::Keyspace& keyspace, const sim::Request& request) {
  return std::ranges::any_of(request, [&](const std::string& word) {
    const auto it = keyspace.keys.find(word);
    return it != keyspace.keys.end() && it->second.encoding == sim::Encoding::large &&
           (std::holds_alternative<sim::Set>(it->second.value) ||
            std::holds_alternative<sim::Hash>(it->second.value));
  });
}

/// Whether the order of the reply's items is a matter of chance. `before`: the keyspace that the
/// command met. A result of more than 512 integers is a hash table too.
inline bool is_unordered(const sim::Keyspace& before, const sim::Request& request,
                         const sim::Reply& reply) {
  constexpr std::size_t kLargestIntset = 512;
  const std::string name = sim::lower_case(request[0]);
  if (name == "keys") return true;
  return is_one_of(name, {"smembers", "sinter", "sunion", "sdiff", "hgetall", "hkeys", "hvals",
                          "hscan", "sscan", "sort", "sort_ro"}) &&
         (names_a_hash_table(before, request) || reply.items.size() > kLargestIntset);
}

inline bool is_random(const sim::Request& request) {
  return is_one_of(sim::lower_case(request[0]),
                   {"spop", "srandmember", "hrandfield", "zrandmember", "randomkey"});
}

/// Whether Redis's answer depends on the random levels of a skiplist or on an unstable sort.
inline bool is_unspecified(const sim::Keyspace& before, const sim::Request& request) {
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

/// The reply with the items of every array in one order.
inline sim::Reply in_one_order(sim::Reply reply) {
  for (sim::Reply& item : reply.items) item = in_one_order(std::move(item));
  std::ranges::sort(reply.items, [](const sim::Reply& a, const sim::Reply& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.text < b.text;
  });
  return reply;
}

/// The reply with nothing in place of every text: what a random choice must agree on.
inline sim::Reply without_texts(sim::Reply reply) {
  if (!reply.is_error()) reply.text.clear();
  for (sim::Reply& item : reply.items) item = without_texts(std::move(item));
  return reply;
}

}  // namespace lockstep::test
