// How commands get at the entries of their node.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

/// The entry's value, or null if there is no entry. Throws Refused (WRONGTYPE) for another type.
template <class Type>
Type* typed(Entry* entry) {
  if (!entry) return nullptr;
  auto* value = std::get_if<Type>(&entry->value);
  if (!value) refuse("WRONGTYPE Operation against a key holding the wrong kind of value");
  return value;
}

template <class Type>
Entry* Call::entry_at(const std::string& key) {
  Entry* entry = find(key);
  typed<Type>(entry);
  return entry;
}

template <class Type>
Entry& Call::entry_at_or_new(const std::string& key) {
  Entry* entry = entry_at<Type>(key);
  return entry ? *entry : put(key, Type{});
}

template <class Type>
Type* Call::at(const std::string& key) {
  return typed<Type>(find(key));
}

template <class Type>
Entry* Call::read_entry(const std::string& key) {
  Entry* entry = read(key);
  typed<Type>(entry);
  return entry;
}

template <class Type>
Type* Call::read(const std::string& key) {
  return typed<Type>(read(key));
}

template <class Type>
Type& Call::at_or_new(const std::string& key) {
  if (Type* value = at<Type>(key)) return *value;
  return std::get<Type>(put(key, Type{}).value);
}

/// A number that is a score, or multiplies some. Throws Refused with `error` for anything else.
double score_argument(const Call& call, const std::string& text, const char* error);
/// A sorted set's score as the server's version shows it.
Reply shown_score(const Call& call, double score);

/// The set's members in order, for a command on which that hangs: so it compares their scores.
SortedSetOrder ordered(Call& call, const SortedSet& set);

/// The database that this and the following commands of the session work on.
void select_database(Call& call, int database);

/// Whose a string is that `sender` writes over what is there: a text that bears a lock token is not
/// the sender's for being written again.
Maker maker_of_written(const Entry* old, const std::string& text, Maker sender);

/// Puts an entry at `key`, in place of what is there; a key that was not there is told of as new.
Entry& place_entry(Call& call, const std::string& key, Entry entry);
/// The same; what was there counts as removed before, so that the key is new.
Entry& add_entry(Call& call, const std::string& key, Entry entry);

/// Overwrites `key` in the keyspace, as Call::put.
Entry& put_entry(Call& call, const std::string& key, decltype(Entry::value) value);

/// Stores what a command has made of other keys at `key`, in place of what is there; nothing if it
/// is empty. What was there already stays whose it is. `event` of this class tells of it.
Reply store_made(Call& call, const std::string& key, Entry made, KeyspaceEvents of_class,
                 std::string_view event);

template <class Type>
Entry& Call::put(const std::string& key, Type value) {
  return put_entry(*this, key, std::move(value));
}

}  // namespace lockstep::sim
