// The tables and the descriptions put together as COMMAND shows them (Redis 7.0 server.c
// addReplyCommandInfo).
#include "sim/redis/commands/command_entry.hpp"

#include <algorithm>

namespace lockstep::sim {

namespace {

struct Flag {
  std::string_view name;
  unsigned in_table = 0;  ///< CommandFlag; 0: the description has it
};

/// In the order of Redis's bits. It does not show kMayReplicate.
constexpr Flag kFlags[] = {{"write", kWrite},
                           {"readonly"},
                           {"denyoom", kDenyOom},
                           {"admin"},
                           {"pubsub"},
                           {"noscript", kNoScript},
                           {"blocking"},
                           {"loading"},
                           {"stale"},
                           {"skip_monitor"},
                           {"skip_slowlog"},
                           {"asking"},
                           {"fast"},
                           {"no_auth"},
                           {"no_mandatory_keys"},
                           {"no_async_loading"},
                           {"no_multi", kNoMulti},
                           {"allow_busy", kAllowBusy},
                           {"movablekeys", kMovableKeys}};

constexpr std::string_view kCategories[] = {
    "keyspace", "read",     "write",     "set",        "sortedset",   "list",
    "hash",     "string",   "bitmap",    "pubsub",     "admin",       "fast",
    "slow",     "blocking", "dangerous", "connection", "transaction", "scripting"};

/// Whether a category follows from the flags (Redis 7.0 acl.c setImplicitACLCategories).
bool is_implied(std::string_view category, const CommandEntry& entry) {
  const auto flag = [&](std::string_view name) { return has_word(entry.more->flags, name); };
  if (category == "write") return (entry.flags & kWrite) != 0;
  if (category == "read") return flag("readonly") && !has_word(entry.more->categories, "scripting");
  if (category == "dangerous") return flag("admin");
  if (category == "slow") return !flag("fast");
  constexpr std::string_view kSameName[] = {"admin", "pubsub", "fast", "blocking"};
  return std::ranges::find(kSameName, category) != std::end(kSameName) && flag(category);
}

using Fields = std::vector<std::pair<const char*, Reply>>;

/// A map as RESP2 has it: names and values in turn.
Reply map_of(const Fields& fields) {
  std::vector<Reply> items;
  for (const auto& [name, value] : fields) {
    items.push_back(Reply::bulk(name));
    items.push_back(value);
  }
  return Reply::array(std::move(items));
}

/// One half of a key specification.
Reply half(const char* type, const Fields& spec) {
  return map_of({{"type", Reply::bulk(type)}, {"spec", map_of(spec)}});
}

Reply beginning(const KeySpec& spec) {
  if (spec.first == 0) return half("unknown", {});
  if (spec.keyword.empty()) return half("index", {{"index", Reply::number(spec.first)}});
  return half("keyword", {{"keyword", Reply::bulk(std::string(spec.keyword))},
                          {"startfrom", Reply::number(spec.first)}});
}

Reply extent(const KeySpec& spec) {
  if (spec.first == 0) return half("unknown", {});
  if (spec.last == kCounted) {
    return half("keynum", {{"keynumidx", Reply::number(0)},
                           {"firstkey", Reply::number(1)},
                           {"keystep", Reply::number(spec.step)}});
  }
  return half("range", {{"lastkey", Reply::number(spec.last)},
                        {"keystep", Reply::number(spec.step)},
                        {"limit", Reply::number(0)}});
}

Reply key_specs(const Description& about) {
  std::vector<Reply> specs;
  for (const KeySpec& spec : about.keys()) {
    specs.push_back(map_of({{"flags", statuses(words(spec.flags))},
                            {"begin_search", beginning(spec)},
                            {"find_keys", extent(spec)}}));
  }
  return Reply::array(std::move(specs));
}

Reply info_of(const CommandEntry& entry, std::vector<Reply> subcommands) {
  std::vector<Reply> tips;
  for (const std::string_view tip : words(entry.more->tips)) {
    tips.push_back(Reply::bulk(std::string(tip)));
  }
  return Reply::array({Reply::bulk(entry.name), Reply::number(entry.arity),
                       statuses(flags_of(entry)), Reply::number(entry.keys.first),
                       Reply::number(entry.keys.last), Reply::number(entry.keys.step),
                       statuses(categories_of(entry), "@"), Reply::array(std::move(tips)),
                       key_specs(*entry.more), Reply::array(std::move(subcommands))});
}

}  // namespace

CommandEntry entry_of(const Command& command) {
  return {std::string(command.name),
          command.arity,
          command.flags,
          {command.first_key, command.last_key, command.key_step},
          &describe(command.name)};
}

CommandEntry entry_of(const Subcommand& subcommand) {
  const Description& about = describe(full_name(subcommand));
  return {full_name(subcommand), subcommand.arity, subcommand.flags, about.range(), &about};
}

std::optional<CommandEntry> find_entry(const Request& request) {
  const Command* command = find_command(request[0]);
  if (!command) return {};
  if ((command->flags & kContainer) == 0 || request.size() == 1) return entry_of(*command);
  const Subcommand* sub = find_subcommand(command->name, request[1]);
  return sub ? std::optional(entry_of(*sub)) : std::nullopt;
}

Reply command_info(const Command& command) {
  std::vector<Reply> subcommands;
  for (const Subcommand& sub : subcommands_of(command.name)) {
    subcommands.push_back(info_of(entry_of(sub), {}));
  }
  return info_of(entry_of(command), std::move(subcommands));
}

Reply command_info(std::string_view name) {
  const std::size_t bar = name.find('|');
  const Command* command = find_command(name.substr(0, bar));
  if (!command) return Reply::null();
  if (bar == name.npos) return command_info(*command);
  const Subcommand* sub = find_subcommand(command->name, name.substr(bar + 1));
  return sub ? info_of(entry_of(*sub), {}) : Reply::null();
}

std::vector<std::string_view> flags_of(const CommandEntry& entry) {
  std::vector<std::string_view> flags;
  for (const Flag& flag : kFlags) {
    if ((entry.flags & flag.in_table) != 0 || has_word(entry.more->flags, flag.name)) {
      flags.push_back(flag.name);
    }
  }
  return flags;
}

std::vector<std::string_view> categories_of(const CommandEntry& entry) {
  std::vector<std::string_view> categories;
  for (const std::string_view category : kCategories) {
    if (has_word(entry.more->categories, category) || is_implied(category, entry)) {
      categories.push_back(category);
    }
  }
  return categories;
}

Reply statuses(const std::vector<std::string_view>& words, const std::string& prefix) {
  std::vector<Reply> items;
  for (const std::string_view word : words) {
    items.push_back(Reply::status(prefix + std::string(word)));
  }
  return Reply::array(std::move(items));
}

}  // namespace lockstep::sim
