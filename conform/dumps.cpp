// Dumps for RESTORE, and when two dumps count as equal.
#include "conform/dumps.hpp"

#include <optional>

#include "conform/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/dump/rdb.hpp"
#include "sim/keyspace/dump/rdb_format.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

/// A command that makes the key k.
sim::Request random_making(Dice& dice) {
  constexpr std::size_t kSizes[] = {1, 2, 3, 5, 127, 128, 129, 511, 512, 513};
  const std::string command = dice.of({"SET", "RPUSH", "SADD", "ZADD", "HSET"});
  const std::size_t size = kSizes[dice.below(dice.one_in(4) ? 10 : 4)];
  const bool counted = size > 5 || dice.one_in(3);
  sim::Request request{command, "k"};
  for (std::size_t i = 0; i < (command == "SET" ? 1 : size); ++i) {
    if (command == "ZADD") request.push_back(std::to_string(dice.below(5)));
    request.push_back(counted ? std::to_string(i * 300) : random_word('V', dice));
    if (command == "HSET") request.emplace_back(random_word('V', dice));
  }
  return request;
}

template <class Parts>
void forget_order(sim::Entry& entry) {
  if (auto* parts = std::get_if<Parts>(&entry.value)) {
    for (auto& [name, part] : *parts) part.position = 0;
  }
}

bool is_hash_table(const std::string& dump) {
  if (dump.empty()) return false;
  const auto type = static_cast<sim::RdbType>(dump[0]);
  return type == sim::RdbType::hash || type == sim::RdbType::set;
}

std::optional<sim::Entry> value_of(const std::string& dump, bool ordered) {
  try {
    auto entry = sim::restored(dump, 0);
    if (!ordered) {
      forget_order<sim::Hash>(entry);
      forget_order<sim::Set>(entry);
    }
    return entry;
  } catch (const sim::Refused&) {
  } catch (const sim::BadInput&) {
  }
  return std::nullopt;
}

}  // namespace

std::string random_dump(Dice& dice) {
  sim::Keyspace keyspace;
  sim::Execution execution;
  sim::execute(keyspace, random_making(dice), execution);
  std::string dump = sim::dump(keyspace.keys.at("k"));
  if (dice.one_in(20)) dump[dice.below(dump.size())] ^= 1;
  return dump;
}

bool same_values(const sim::Reply& dump, const sim::Reply& other) {
  // What was a hash table on one server may have been packed again on its way to the other.
  const bool ordered = !is_hash_table(dump.text) && !is_hash_table(other.text);
  const auto value = value_of(dump.text, ordered);
  return value && value == value_of(other.text, ordered);
}

}  // namespace lockstep::conform
