// The keys of a request (Redis 7.0 db.c). Redis has two ways to find them, which differ in what
// they make of wrong arguments: a function of the command's own, or first, last and step; and key
// specifications.
#include "sim/redis/commands/keys_of.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "sim/base/check.hpp"
#include "sim/redis/commands/numbers.hpp"

namespace lockstep::sim {

namespace {

/// The keys of a command that says itself how many follow, read as C's atoi does; its target, if it
/// has one, is the last of them.
KeyArguments counted_keys(const Description& about, const Request& request) {
  const auto* const counted = std::ranges::find(about.key_specs, kCounted, &KeySpec::last);
  LOCKSTEP_CHECK(counted != std::end(about.key_specs));
  const auto first = static_cast<std::size_t>(counted->first) + 1;
  const int count = static_cast<int>(std::strtol(request.at(first - 1).c_str(), nullptr, 10));
  KeyArguments keys;
  if (count < 1 || count > static_cast<int>(request.size() - first)) return keys;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) keys.push_back({first + i, {}});
  if (counted != about.key_specs) keys.push_back({1, {}});
  return keys;
}

/// SORT key [BY p] [LIMIT a b] [GET p ...] [STORE target]: the last target counts.
KeyArguments sort_keys(const Request& request) {
  KeyArguments keys{{1, "RO access"}};
  std::size_t target = 0;
  for (std::size_t i = 2; i < request.size(); ++i) {
    if (is_word(request[i], "limit")) {
      i += 2;
    } else if (is_word(request[i], "get") || is_word(request[i], "by")) {
      i += 1;
    } else if (is_word(request[i], "store") && i + 1 < request.size()) {
      target = i + 1;
    }
  }
  if (target != 0) keys.push_back({target, "OW update"});
  return keys;
}

KeyArguments set_keys(const Request& request) {
  const bool reads = std::any_of(request.begin() + 3, request.end(),
                                 [](const std::string& word) { return is_word(word, "get"); });
  return {{1, reads ? "RW access update" : "OW update"}};
}

/// MIGRATE host port key|"" db timeout [COPY] [REPLACE] [AUTH p] [AUTH2 u p] [KEYS key ...].
KeyArguments migrate_keys(const Request& request) {
  constexpr std::string_view kFlags = "RW access delete";
  std::size_t i = 6;
  while (i < request.size() && !is_word(request[i], "keys")) {
    i += is_word(request[i], "auth") ? 2 : is_word(request[i], "auth2") ? 3 : 1;
  }
  if (i >= request.size()) return {{3, kFlags}};
  KeyArguments keys;
  if (!request[3].empty()) return keys;
  while (++i < request.size()) keys.push_back({i, kFlags});
  return keys;
}

/// Redis has a function that finds the keys of these commands.
bool has_own_function(const CommandEntry& entry) {
  return (entry.flags & kMovableKeys) != 0 || entry.name == "set";
}

KeyArguments own_keys(const CommandEntry& entry, const Request& request) {
  if (entry.name == "set") return set_keys(request);
  if (entry.name == "sort") return sort_keys(request);
  if (entry.name == "sort_ro") return {{1, "RO access"}};
  if (entry.name == "migrate") return migrate_keys(request);
  return counted_keys(*entry.more, request);
}

/// Whether Redis finds the keyword of a specification, which it seeks from a place near the end.
bool has_keyword(const KeySpec& spec, const Request& request) {
  LOCKSTEP_CHECK(spec.first < 0);
  const std::string keyword = lower_case(spec.keyword);
  for (int i = static_cast<int>(request.size()) + spec.first; i > 1; --i) {
    if (is_word(request[static_cast<std::size_t>(i)], keyword)) return true;
  }
  return false;
}

/// Position of the last key; before the first one if there are none.
int last_of(const KeySpec& spec, const Request& request) {
  if (spec.last == kCounted) {
    const auto count = parse_integer(request.at(static_cast<std::size_t>(spec.first)));
    return count && *count >= 0 ? spec.first + static_cast<int>(*count) : 0;
  }
  return spec.last < 0 ? static_cast<int>(request.size()) + spec.last : spec.first + spec.last;
}

/// By the key specifications; nothing if one of them does not tell all of its keys.
std::optional<KeyArguments> by_specs(const Description& about, const Request& request) {
  KeyArguments keys;
  for (const KeySpec& spec : about.keys()) {
    if (has_word(spec.flags, "variable_flags") || spec.first == 0) return {};
    if (has_word(spec.flags, "not_key")) continue;
    if (!spec.keyword.empty()) {
      if (!has_keyword(spec, request)) continue;
      LOCKSTEP_CHECK(has_word(spec.flags, "incomplete"));
      return {};
    }
    const int first = spec.last == kCounted ? spec.first + 1 : spec.first;
    const int last = last_of(spec, request);
    if (last < first || last >= std::ssize(request)) return {};
    for (int i = first; i <= last; i += spec.step) {
      keys.push_back({static_cast<std::size_t>(i), spec.flags});
    }
  }
  return keys;
}

}  // namespace

bool may_have_keys(const CommandEntry& entry) {
  return std::ranges::any_of(entry.more->keys(), [](const KeySpec& spec) {
    return !has_word(spec.flags, "not_key");  // shard channels only look like keys
  });
}

KeyArguments keys_of(const Request& request) {
  const auto entry = find_entry(request);
  LOCKSTEP_CHECK(entry);
  if (has_own_function(*entry)) return own_keys(*entry, request);
  const KeyRange& range = entry->keys;
  KeyArguments keys;
  if (range.first == 0) return keys;
  const int size = static_cast<int>(request.size());
  const int last = range.last < 0 ? size + range.last : range.last;
  for (int i = range.first; i <= last && i < size; i += range.step) {
    keys.push_back({static_cast<std::size_t>(i), {}});
  }
  return keys;
}

KeyArguments specified_keys_of(const CommandEntry& entry, const Request& request) {
  if (auto keys = by_specs(*entry.more, request)) return std::move(*keys);
  return has_own_function(entry) ? own_keys(entry, request) : KeyArguments{};
}

}  // namespace lockstep::sim
