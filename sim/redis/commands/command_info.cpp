// The rows as COMMAND shows them (Redis 7.0 server.c addReplyCommandInfo).
#include "sim/redis/commands/command_info.hpp"

#include <algorithm>

#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// In the order of their bits, which is Redis's.
constexpr std::string_view kFlagNames[] = {
    "write",    "readonly",     "denyoom",           "admin",
    "pubsub",   "noscript",     "blocking",          "loading",
    "stale",    "skip_monitor", "skip_slowlog",      "asking",
    "fast",     "no_auth",      "no_mandatory_keys", "no_async_loading",
    "no_multi", "allow_busy"};

static_assert(kAllowBusy == 1U << (std::size(kFlagNames) - 1));

constexpr std::string_view kCategories[] = {
    "keyspace", "read",     "write",     "set",        "sortedset",   "list",
    "hash",     "string",   "bitmap",    "pubsub",     "admin",       "fast",
    "slow",     "blocking", "dangerous", "connection", "transaction", "scripting"};

/// Whether a category follows from the flags (Redis 7.0 acl.c setImplicitACLCategories).
bool is_implied(std::string_view category, const CommandInfo& info) {
  const auto is = [&](CommandFlag flag) { return (info.flags & flag) != 0; };
  if (category == "write") return is(kWrite);
  if (category == "read") return is(kReadOnly) && !has_word(info.categories, "scripting");
  if (category == "admin" || category == "dangerous") return is(kAdmin);
  if (category == "pubsub") return is(kPubsub);
  if (category == "fast") return is(kFast);
  if (category == "slow") return !is(kFast);
  return category == "blocking" && is(kBlocking);
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

Reply key_specs(const CommandInfo& about) {
  std::vector<Reply> specs;
  for (const KeySpec& spec : about.keys()) {
    specs.push_back(map_of({{"flags", statuses(words(spec.flags))},
                            {"begin_search", beginning(spec)},
                            {"find_keys", extent(spec)}}));
  }
  return Reply::array(std::move(specs));
}

Reply info_of(const Command& command, std::vector<Reply> subcommands) {
  std::vector<Reply> tips;
  for (const std::string_view tip : words(command.tips)) {
    tips.push_back(Reply::bulk(std::string(tip)));
  }
  const KeyRange range = range_of(command);
  return Reply::array({Reply::bulk(std::string(command.name)), Reply::number(command.arity),
                       statuses(flags_of(command)), Reply::number(range.first),
                       Reply::number(range.last), Reply::number(range.step),
                       statuses(categories_of(command), "@"), Reply::array(std::move(tips)),
                       key_specs(command), Reply::array(std::move(subcommands))});
}

}  // namespace

Reply command_info(const Command& command) {
  std::vector<Reply> subcommands;
  for (const Command& sub : subcommands_of(command)) subcommands.push_back(info_of(sub, {}));
  return info_of(command, std::move(subcommands));
}

Reply command_info(std::string_view name, ServerVersion version) {
  const std::size_t bar = name.find('|');
  const Command* command = find_command(name.substr(0, bar));
  if (command && bar != name.npos) command = find_subcommand(*command, name.substr(bar + 1));
  const bool there = command && command->more.servers.has(version);
  return there ? command_info(*command) : Reply::null();
}

std::vector<std::string_view> flags_of(const CommandInfo& info) {
  std::vector<std::string_view> flags;
  for (std::size_t bit = 0; bit < std::size(kFlagNames); ++bit) {
    if ((info.flags >> bit & 1U) != 0) flags.push_back(kFlagNames[bit]);
  }
  if (has_movable_keys(info)) flags.emplace_back("movablekeys");
  return flags;
}

std::vector<std::string_view> categories_of(const CommandInfo& info) {
  std::vector<std::string_view> categories;
  for (const std::string_view category : kCategories) {
    if (has_word(info.categories, category) || is_implied(category, info)) {
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
