// SCAN, SSCAN, HSCAN and ZSCAN (Redis 7.0 db.c scanGenericCommand). What Redis keeps in a compact
// form comes back at once, as in Redis. Anything else is gone through in batches, in the order of a
// hash of the names: what is there from the first call to the last one is returned, whatever comes
// and goes.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/ordered_parts.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

using Cursor = std::uint64_t;

/// Read by strtoul, with all that it takes; after 7.2 a blank may stand before it, but nothing and
/// a negative number are none.
Cursor cursor_argument(const Call& call, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const Cursor cursor = std::strtoull(text.c_str(), &end, 10);
  const bool blank = std::isspace(static_cast<unsigned char>(text.c_str()[0])) != 0;
  const bool negative = parse_integer(text).value_or(0) < 0;
  const bool later = after_72(call.execution.mode.version);
  if ((later ? text.empty() || negative : blank) || *end != '\0' || errno == ERANGE)
    refuse("ERR invalid cursor");
  return cursor;
}

struct ScanOptions {
  std::size_t count = 10;
  const std::string* match = nullptr;
  const std::string* type = nullptr;
};

ScanOptions scan_options(const Request& argv, std::size_t first, bool types) {
  ScanOptions o;
  for (std::size_t i = first; i < argv.size(); i += 2) {
    if (i + 1 == argv.size()) refuse_syntax();
    if (is_word(argv[i], "count")) {
      const std::int64_t count = integer_argument(argv[i + 1]);
      if (count < 1) refuse_syntax();
      o.count = static_cast<std::size_t>(count);
    } else if (is_word(argv[i], "match")) {
      o.match = &argv[i + 1];
    } else if (types && is_word(argv[i], "type")) {
      o.type = &argv[i + 1];
    } else {
      refuse_syntax();
    }
  }
  return o;
}

/// One thing to scan: what MATCH looks at, and what is replied for it.
struct ScanItem {
  std::string name;
  std::vector<std::string> rest;  ///< a field's value, a member's score
};

/// FNV-1a, folded to 48 bits; never 0, which as a cursor means the start and the end.
Cursor place_of(const std::string& name) {
  constexpr Cursor kPrime = 0x100'0000'01B3ULL, kStart = 0xCBF2'9CE4'8422'2325ULL;
  Cursor hash = kStart;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return ((hash >> 16) ^ (hash & 0xFFFF)) | 1;
}

/// Keeps the batch that begins at `cursor`; the cursor of the next one, 0 after the last.
Cursor keep_batch(Call& call, std::vector<ScanItem>& items, Cursor cursor, std::size_t count) {
  call.execution.looked_at_bytes = true;
  if (cursor == 0 && items.size() <= count) return 0;
  const auto place = [](const ScanItem& item) { return place_of(item.name); };
  std::erase_if(items, [&](const ScanItem& item) { return place(item) < cursor; });
  std::ranges::stable_sort(items, {}, place);
  std::size_t end = std::min(count, items.size());
  while (end > 0 && end < items.size() && place(items[end]) == place(items[end - 1])) ++end;
  const Cursor next = end < items.size() ? place(items[end]) : 0;
  items.resize(end);
  return next;
}

Reply scan_reply(Cursor next, const std::vector<ScanItem>& items, const std::string* match) {
  std::vector<Reply> shown;
  for (const ScanItem& item : items) {
    if (match && !glob_matches(*match, item.name)) continue;
    shown.push_back(Reply::bulk(item.name));
    for (const std::string& text : item.rest) shown.push_back(Reply::bulk(text));
  }
  return Reply::array({Reply::bulk(std::to_string(next)), Reply::array(std::move(shown))});
}

/// A listpack keeps whole scores as integers and shows them so: 1e17 as 100000000000000000. Others
/// it keeps as the server writes them; what is in a skiplist is shown in 17 digits everywhere.
std::string stored_score(const Call& call, const Entry& entry, double score) {
  constexpr double kMost = 4'611'686'018'427'387'904.0;  // LLONG_MAX / 2, as a double
  if (entry.encoding == Encoding::compact && std::abs(score) <= kMost &&
      std::trunc(score) == score) {
    return std::to_string(static_cast<std::int64_t>(score));
  }
  return entry.encoding == Encoding::compact ? shown_score(call, score).text : format_score(score);
}

std::vector<ScanItem> items_of(const Call& call, const Entry& entry) {
  std::vector<ScanItem> items;
  if (const auto* hash = std::get_if<Hash>(&entry.value)) {
    for (const auto* field : by_position(*hash))
      items.push_back({field->first, {field->second.value}});
  } else if (const auto* set = std::get_if<SortedSet>(&entry.value)) {
    for (const auto* member : in_order(*set)) {
      items.push_back({member->first, {stored_score(call, entry, member->second.score)}});
    }
  } else {
    for (const std::string* member : members(entry)) items.push_back({*member, {}});
  }
  return items;
}

template <class Type>
Reply scan_key(Call& call) {
  Cursor cursor = cursor_argument(call, call.argv[2]);
  const Entry* entry = call.read_entry<Type>(call.argv[1]);
  if (!entry) return scan_reply(0, {}, nullptr);
  const ScanOptions options = scan_options(call.argv, 3, false);
  std::vector<ScanItem> items = items_of(call, *entry);
  const bool at_once = entry->encoding == Encoding::compact;
  cursor = at_once ? 0 : keep_batch(call, items, cursor, options.count);
  return scan_reply(cursor, items, options.match);
}

/// Whether SCAN returns it: an expired key is met if it matches, and missed if types are compared.
bool is_scanned(Call& call, const std::string& key, const ScanOptions& options) {
  if (options.match && !glob_matches(*options.match, key)) return false;
  if (!options.type) {
    call.notice(key);
    return call.keyspace.find(key, call.execution.now) != nullptr;
  }
  const Entry* entry = call.read(key);
  return entry && is_word(*options.type, type_name(*entry));
}

Reply run_scan(Call& call) {
  Cursor cursor = cursor_argument(call, call.argv[1]);
  const ScanOptions options = scan_options(call.argv, 2, true);
  std::vector<ScanItem> items;
  for (const auto& [key, entry] : call.keyspace.keys) {
    if (call.keyspace.find(key, call.execution.now)) items.push_back({key, {}});
  }
  for (std::string& key : unnoticed_keys(call)) items.push_back({std::move(key), {}});
  cursor = keep_batch(call, items, cursor, options.count);
  std::erase_if(items, [&](const ScanItem& item) { return !is_scanned(call, item.name, options); });
  return scan_reply(cursor, items, options.match);
}

Reply run_sscan(Call& call) { return scan_key<Set>(call); }
Reply run_hscan(Call& call) { return scan_key<Hash>(call); }
Reply run_zscan(Call& call) { return scan_key<SortedSet>(call); }

constexpr Command kScanRows[] = {
    {{"scan", -2, kReadOnly, "keyspace", {}, "nondeterministic_output request_policy:special"},
     run_scan,
     {kUnordered}},
    {{"sscan", -3, kReadOnly, "set", {{"RO access", 1}}, "nondeterministic_output"},
     run_sscan,
     {kUnordered}},
    {{"hscan", -3, kReadOnly, "hash", {{"RO access", 1}}, "nondeterministic_output"},
     run_hscan,
     {kUnordered}},
    {{"zscan", -3, kReadOnly, "sortedset", {{"RO access", 1}}, "nondeterministic_output"},
     run_zscan},
};

}  // namespace

std::span<const Command> scan_commands() { return kScanRows; }

}  // namespace lockstep::sim
