// The keys of a request (Redis 7.0 db.c, getKeysFromCommand).
#include "sim/commands/keys_of.hpp"

#include <array>

#include "sim/commands/numbers.hpp"

namespace lockstep::sim {

namespace {

/// Commands that say themselves how many keys follow.
struct Counted {
  std::string_view name;
  std::size_t count;        ///< position of that number
  bool has_target = false;  ///< argument 1 is a key too
};

constexpr auto kCounted = std::to_array<Counted>({
    {"blmpop", 2},
    {"bzmpop", 2},
    {"eval", 2},
    {"eval_ro", 2},
    {"evalsha", 2},
    {"evalsha_ro", 2},
    {"fcall", 2},
    {"fcall_ro", 2},
    {"lmpop", 1},
    {"sintercard", 1},
    {"zdiff", 1},
    {"zdiffstore", 2, true},
    {"zinter", 1},
    {"zintercard", 1},
    {"zinterstore", 2, true},
    {"zmpop", 1},
    {"zunion", 1},
    {"zunionstore", 2, true},
});

using Positions = std::optional<std::vector<std::size_t>>;

Positions counted_keys(const Counted& command, const Request& request) {
  std::vector<std::size_t> keys;
  const auto count = parse_integer(request.at(command.count));
  const auto left = static_cast<std::int64_t>(request.size() - command.count - 1);
  const bool script = command.name.starts_with("eval") || command.name.starts_with("fcall");
  if (!count || *count < (script ? 0 : 1) || *count > left) {
    return script ? std::optional(keys) : std::nullopt;  // a script says itself what is wrong
  }
  if (command.has_target) keys.push_back(1);
  for (std::size_t i = 1; i <= static_cast<std::size_t>(*count); ++i) {
    keys.push_back(command.count + i);
  }
  return keys;
}

/// SORT key [BY p] [LIMIT a b] [GET p ...] [STORE target]: the last target counts.
std::vector<std::size_t> sort_keys(const Request& request) {
  std::vector<std::size_t> keys{1};
  std::size_t target = 0;
  for (std::size_t i = 2; i < request.size(); ++i) {
    if (is_word(request[i], "limit")) {
      i += 2;
    } else if (is_word(request[i], "get") || is_word(request[i], "by")) {
      i += 1;
    } else if (is_word(request[i], "store") && i + 1 < request.size()) {
      target = ++i;
    }
  }
  if (target != 0) keys.push_back(target);
  return keys;
}

}  // namespace

bool may_have_keys(const Command& command) {
  const bool channels = command.name.starts_with("s") && command.name.ends_with("subscribe");
  if (channels || command.name == "spublish") return false;  // shard channels only look like keys
  return command.first_key != 0 || (command.flags & kMovableKeys) != 0;
}

Positions keys_of(const Command& command, const Request& request) {
  if ((command.flags & kMovableKeys) != 0) {
    for (const Counted& counted : kCounted) {
      if (counted.name == command.name) return counted_keys(counted, request);
    }
    if (command.name == "sort") return sort_keys(request);
  }
  std::vector<std::size_t> keys;
  if (command.first_key == 0) return keys;
  const int size = static_cast<int>(request.size());
  const int last = command.last_key < 0 ? size + command.last_key : command.last_key;
  for (int i = command.first_key; i <= last && i < size; i += command.key_step) {
    keys.push_back(static_cast<std::size_t>(i));
  }
  return keys;
}

}  // namespace lockstep::sim
