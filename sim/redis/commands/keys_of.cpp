// The keys of a request (Redis 7.0 db.c). Redis has two ways to find them, which differ in what
// they make of wrong arguments: a function of the command's own, or first, last and step; and key
// specifications.
#include "sim/redis/commands/keys_of.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "sim/base/check.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

namespace {

/// The keys of a command that says itself how many follow, read as C's atoi does; its target, if it
/// has one, is the last of them.
KeyArguments counted_keys(const CommandInfo& about, const Request& request) {
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

/// Redis has a function that finds the keys of these commands.
bool has_own_function(const Command& command) {
  return command.more.find_keys || has_movable_keys(command);
}

KeyArguments own_keys(const Command& command, const Request& request) {
  if (command.more.find_keys) return command.more.find_keys(request);
  return counted_keys(command, request);
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
std::optional<KeyArguments> by_specs(const CommandInfo& about, const Request& request) {
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

/// The specifications that are ranges and follow each other, as one range.
struct Joined {
  KeyRange range;
  bool leaves_some = false;  ///< there are keys elsewhere
};

Joined joined(const CommandInfo& info) {
  const auto specs = info.keys();
  Joined all;
  for (const KeySpec& spec : specs) {
    const bool is_range = spec.first != 0 && spec.keyword.empty() && spec.last != kCounted;
    const bool follows = all.range.first == 0 || all.range.last + 1 == spec.first;
    if (!is_range || !follows || (spec.step != 1 && specs.size() > 1)) {
      all.leaves_some = true;
      continue;
    }
    if (all.range.first == 0) all.range.first = spec.first;
    all.range.last = spec.last < 0 ? spec.last : spec.first + spec.last;
    all.range.step = spec.step;
  }
  return all;
}

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    found.push_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return found;
}

bool has_word(std::string_view text, std::string_view word) {
  return std::ranges::count(words(text), word) > 0;
}

bool may_have_keys(const Command& command) {
  return std::ranges::any_of(command.keys(), [](const KeySpec& spec) {
    return !has_word(spec.flags, "not_key");  // shard channels only look like keys
  });
}

KeyArguments keys_of(const Request& request) {
  const Command* command = find_command(request);
  LOCKSTEP_CHECK(command);
  if (has_own_function(*command)) return own_keys(*command, request);
  const KeyRange range = range_of(*command);
  KeyArguments keys;
  if (range.first == 0) return keys;
  const int size = static_cast<int>(request.size());
  const int last = range.last < 0 ? size + range.last : range.last;
  for (int i = range.first; i <= last && i < size; i += range.step) {
    keys.push_back({static_cast<std::size_t>(i), {}});
  }
  return keys;
}

KeyArguments specified_keys_of(const Command& command, const Request& request) {
  if (auto keys = by_specs(command, request)) return std::move(*keys);
  return has_own_function(command) ? own_keys(command, request) : KeyArguments{};
}

KeyRange range_of(const CommandInfo& info) { return joined(info).range; }

bool has_movable_keys(const CommandInfo& info) { return joined(info).leaves_some; }

}  // namespace lockstep::sim
