// SORT and SORT_RO: lists, sets and sorted sets, sorted by themselves or by other keys (Redis 7.0
// sort.c).
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

struct SortOptions {
  bool descending = false, alpha = false;
  std::int64_t offset = 0, count = -1;
  const std::string* by = nullptr;
  const std::string* store = nullptr;
  std::vector<std::string> gets;

  /// BY without a place for the element: the order is left as it is.
  bool unsorted() const { return by && by->find('*') == std::string::npos; }
};

/// In a cluster the keys that a pattern finds may be elsewhere.
void refuse_in_cluster(const Call& call, const char* option) {
  if (!call.execution.mode.cluster) return;
  refuse(std::string("ERR ") + option + " option of SORT denied in Cluster mode.");
}

/// Reads one option at argv[i]; the position after it.
std::size_t take_option(SortOptions& o, const Call& call, std::size_t i, bool may_store) {
  const Request& argv = call.argv;
  const std::string& word = argv[i];
  const std::size_t left = argv.size() - i - 1;
  if (is_word(word, "asc") || is_word(word, "desc")) {
    o.descending = is_word(word, "desc");
    return i + 1;
  }
  if (is_word(word, "alpha")) {
    o.alpha = true;
    return i + 1;
  }
  if (is_word(word, "limit") && left >= 2) {
    o.offset = integer_argument(argv[i + 1]);
    o.count = integer_argument(argv[i + 2]);
    return i + 3;
  }
  if (may_store && is_word(word, "store") && left >= 1) {
    o.store = &argv[i + 1];
  } else if (is_word(word, "by") && left >= 1) {
    o.by = &argv[i + 1];
    if (!o.unsorted()) refuse_in_cluster(call, "BY");
  } else if (is_word(word, "get") && left >= 1) {
    o.gets.push_back(argv[i + 1]);
    refuse_in_cluster(call, "GET");
  } else {
    refuse_syntax();
  }
  return i + 2;
}

/// What a pattern such as "weight_*" or "object_*->field" finds for an element: the text, or
/// nothing.
std::optional<std::string> look_up(Call& call, const std::string& pattern,
                                   const std::string& element) {
  if (pattern == "#") return element;
  const auto star = pattern.find('*');
  if (star == std::string::npos) return std::nullopt;
  const auto arrow = pattern.find("->", star + 1);
  const bool field = arrow != std::string::npos && arrow + 2 < pattern.size();
  const std::size_t end = field ? arrow : pattern.size();
  const Entry* entry =
      call.read(pattern.substr(0, star) + element + pattern.substr(star + 1, end - star - 1));
  if (!entry) return std::nullopt;
  if (field) {
    const auto* hash = std::get_if<Hash>(&entry->value);
    const auto it = hash ? hash->find(pattern.substr(arrow + 2)) : Hash::const_iterator{};
    return hash && it != hash->end() ? std::optional(it->second.value) : std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&entry->value);
  return text ? std::optional(*text) : std::nullopt;
}

struct SortItem {
  std::string element;
  double score = 0;                ///< sorted by number
  std::optional<std::string> key;  ///< sorted by text, BY
};

/// The elements in the order of the key. What has an order of its own can be gone through
/// backwards.
std::vector<SortItem> items_of(const Entry* entry, bool backwards) {
  std::vector<SortItem> items;
  if (!entry) return items;
  if (std::holds_alternative<Set>(entry->value)) {
    for (const std::string* member : members(*entry)) items.push_back({*member, 0, {}});
    return items;
  }
  if (const auto* list = std::get_if<List>(&entry->value)) {
    for (const auto& element : *list) items.push_back({element.value, 0, {}});
  } else {
    for (const auto* member : in_order(std::get<SortedSet>(entry->value))) {
      items.push_back({member->first, 0, {}});
    }
  }
  if (backwards) std::ranges::reverse(items);
  return items;
}

std::optional<double> number(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || errno == ERANGE || std::isnan(value)) return std::nullopt;
  return value;
}

/// Redis looks for the keys of all elements before it says no to one.
void weigh(Call& call, std::vector<SortItem>& items, const SortOptions& o) {
  bool fine = true;
  for (SortItem& item : items) {
    const auto key = o.by ? look_up(call, *o.by, item.element) : item.element;
    if (!key) continue;
    if (o.alpha) {
      item.key = key;
    } else {
      const auto score = number(*key);
      item.score = score.value_or(0);
      fine = fine && score;
    }
  }
  if (!fine) refuse("ERR One or more scores can't be converted into double");
}

/// Numbers that are equal are told apart by the element; texts found by BY are not.
void sort_items(std::vector<SortItem>& items, const SortOptions& o) {
  const auto less = [&o](const SortItem& a, const SortItem& b) {
    if (o.alpha) return a.key < b.key;
    return a.score != b.score ? a.score < b.score : a.element < b.element;
  };
  std::ranges::stable_sort(items, [&](const SortItem& a, const SortItem& b) {
    return o.descending ? less(b, a) : less(a, b);
  });
}

/// LIMIT. A negative offset counts as 0, a negative count as all.
void limit(std::vector<SortItem>& items, const SortOptions& o) {
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t first = std::clamp<std::int64_t>(o.offset, 0, size);
  const std::int64_t kept = o.count < 0 ? size - first : std::min(o.count, size - first);
  items.erase(items.begin() + first + kept, items.end());
  items.erase(items.begin(), items.begin() + first);
}

Reply store(Call& call, const std::string& key, const std::vector<Reply>& result) {
  List list;
  for (const Reply& item : result) list.push_back({item.text, call.execution.sender});
  Entry made = new_entry(std::move(list), call.execution.sender);
  return store_made(call, key, std::move(made), kListEvents, "sortstore");
}

Reply sort(Call& call, bool may_store) {
  const Request& argv = call.argv;
  SortOptions o;
  for (std::size_t i = 2; i < argv.size();) i = take_option(o, call, i, may_store);
  Entry* entry = call.read(argv[1]);
  const bool set = entry && std::holds_alternative<Set>(entry->value);
  if (entry && !set && !std::holds_alternative<List>(entry->value)) typed<SortedSet>(entry);
  if (entry && std::holds_alternative<SortedSet>(entry->value)) {
    entry->encoding = Encoding::large;  // Redis converts it in order to sort it
  }
  bool sorted = !o.unsorted();
  if (set && !sorted && (o.store || call.execution.in_script)) {
    // What is stored, or decides what a script does, must not depend on a hash table's order.
    sorted = o.alpha = true;
    o.by = nullptr;
  }
  std::vector<SortItem> items = items_of(entry, !sorted && o.descending);
  if (sorted) {
    call.execution.looked_at_bytes = true;
    weigh(call, items, o);
    sort_items(items, o);
  }
  limit(items, o);
  if (o.gets.empty()) o.gets.emplace_back("#");
  std::vector<Reply> result;
  for (const SortItem& item : items) {
    for (const std::string& get : o.gets) {
      auto text = look_up(call, get, item.element);
      result.push_back(text ? Reply::bulk(std::move(*text)) : Reply::null());
    }
  }
  return o.store ? store(call, *o.store, result) : Reply::array(std::move(result));
}

Reply run_sort(Call& call) { return sort(call, true); }
Reply run_sort_ro(Call& call) { return sort(call, false); }

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

KeyArguments sort_ro_keys(const Request&) { return {{1, "RO access"}}; }

constexpr Command kSortRows[] = {
    {{"sort",
      -2,
      kWrite | kDenyOom,
      "set sortedset list dangerous",
      {{"RO access", 1}, {"RO access"}, {"OW update"}}},
     run_sort,
     {.traits = kMultiplies | kUnordered, .touches = touches_if_positive, .find_keys = sort_keys}},
    {{"sort_ro", -2, kReadOnly, "set sortedset list dangerous", {{"RO access", 1}, {"RO access"}}},
     run_sort_ro,
     {.traits = kUnordered, .find_keys = sort_ro_keys}},
};

}  // namespace

std::span<const Command> sort_commands() { return kSortRows; }

}  // namespace lockstep::sim
