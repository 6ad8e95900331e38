// OBJECT: how Redis 7.0 stores a value (object.c).
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

bool is_integer(const Entry& entry, const std::string& text) {
  return entry.encoding == Encoding::compact && parse_integer(text).has_value();
}

const char* string_encoding(const Entry& entry, const std::string& text) {
  constexpr std::size_t kLongestEmbedded = 44;
  if (is_integer(entry, text)) return "int";
  return entry.encoding != Encoding::large && text.size() <= kLongestEmbedded ? "embstr" : "raw";
}

const char* encoding_name(const Entry& entry) {
  const bool compact = entry.encoding == Encoding::compact;
  if (const auto* text = std::get_if<std::string>(&entry.value)) {
    return string_encoding(entry, *text);
  }
  if (std::holds_alternative<List>(entry.value)) return "quicklist";
  if (std::holds_alternative<Set>(entry.value)) return compact ? "intset" : "hashtable";
  if (std::holds_alternative<SortedSet>(entry.value)) return compact ? "listpack" : "skiplist";
  return compact ? "listpack" : "hashtable";
}

/// The integers below 10,000 are shared by all that use them: counted as never to be freed.
std::int64_t reference_count(const Entry& entry) {
  constexpr std::int64_t kShared = 10'000, kForEver = 2'147'483'647;
  const auto* text = std::get_if<std::string>(&entry.value);
  if (!text || !is_integer(entry, *text)) return 1;
  const std::int64_t value = *parse_integer(*text);
  return value >= 0 && value < kShared ? kForEver : 1;
}

Reply object_help(Call&) {
  std::vector<Reply> lines;
  for (const char* line :
       {"OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", "ENCODING <key>",
        "    Return the kind of internal representation used in order to store the value",
        "    associated with a <key>.", "FREQ <key>",
        "    Return the access frequency index of the <key>. The returned integer is",
        "    proportional to the logarithm of the recent access frequency of the key.",
        "IDLETIME <key>",
        "    Return the idle time of the <key>, that is the approximated number of",
        "    seconds elapsed since the last access to the key.", "REFCOUNT <key>",
        "    Return the number of references of the value associated with the specified",
        "    <key>.", "HELP", "    Prints this help."}) {
    lines.push_back(Reply::status(line));
  }
  return Reply::array(std::move(lines));
}

Reply object_encoding(Call& call) {
  const Entry* entry = call.find(call.argv[2]);
  return entry ? Reply::bulk(encoding_name(*entry)) : Reply::null();
}

Reply object_refcount(Call& call) {
  const Entry* entry = call.find(call.argv[2]);
  return entry ? Reply::number(reference_count(*entry)) : Reply::null();
}

/// Always 0: when a key was last used is not remembered.
Reply object_idletime(Call& call) {
  return call.find(call.argv[2]) ? Reply::number(0) : Reply::null();
}

Reply object_freq(Call& call) {
  if (!call.find(call.argv[2])) return Reply::null();
  refuse(
      "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
      "when switching between policies at runtime LRU and LFU data will take some time to adjust.");
}

constexpr Command kObjectRows[] = {
    {{"object", -2}, nullptr, {kContainer}},
    {{"object|encoding", 3, kReadOnly, "keyspace", {{"RO", 2}}, "nondeterministic_output"},
     object_encoding},
    {{"object|freq", 3, kReadOnly, "keyspace", {{"RO", 2}}, "nondeterministic_output"},
     object_freq},
    {{"object|help", 2, kLoading | kStale, "keyspace"}, object_help},
    {{"object|idletime", 3, kReadOnly, "keyspace", {{"RO", 2}}, "nondeterministic_output"},
     object_idletime,
     {kLooksAtClock | kLooksAtUsage}},
    {{"object|refcount", 3, kReadOnly, "keyspace", {{"RO", 2}}, "nondeterministic_output"},
     object_refcount},
};

}  // namespace

std::span<const Command> object_commands() { return kObjectRows; }

}  // namespace lockstep::sim
