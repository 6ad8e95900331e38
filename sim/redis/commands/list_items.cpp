// Commands that look at and change single elements of a list (Redis 7.0 t_list.c).
#include <algorithm>
#include <optional>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// The element that an index means, negative ones counting from the end; null if there is none.
ListElement* element_at(List& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  return index < 0 || index >= size ? nullptr : &list[static_cast<std::size_t>(index)];
}

auto iterator(List& list, std::size_t index) {
  return list.begin() + static_cast<std::ptrdiff_t>(index);
}

/// Options of LPOS.
struct Search {
  std::int64_t rank = 1;
  std::optional<std::int64_t> count;  ///< 0: all
  std::int64_t longest = 0;           ///< MAXLEN; 0: no limit
};

Search search_options(const Request& argv) {
  Search search;
  for (std::size_t i = 3; i < argv.size(); i += 2) {
    if (i + 1 == argv.size()) refuse_syntax();
    const std::string& value = argv[i + 1];
    if (is_word(argv[i], "rank")) {
      search.rank = integer_argument(value);
      if (search.rank == 0) {
        refuse(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... "
            "or use negative to start from the end of the list");
      }
    } else if (is_word(argv[i], "count")) {
      search.count = integer_from(0, value, "ERR COUNT can't be negative");
    } else if (is_word(argv[i], "maxlen")) {
      search.longest = integer_from(0, value, "ERR MAXLEN can't be negative");
    } else {
      refuse_syntax();
    }
  }
  return search;
}

std::vector<Reply> positions(const List& list, const std::string& wanted, const Search& search) {
  std::vector<Reply> found;
  const bool backwards = search.rank < 0;
  // Redis negates the smallest rank without a check and then skips nothing.
  const std::int64_t rank = search.rank < -kLongest ? -1 : search.rank;
  std::int64_t skip = (backwards ? -rank : rank) - 1;
  const std::int64_t limit = search.count.value_or(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (search.longest != 0 && static_cast<std::int64_t>(i) >= search.longest) break;
    const std::size_t at = backwards ? list.size() - 1 - i : i;
    if (list[at].value != wanted || skip-- > 0) continue;
    found.push_back(Reply::count(at));
    if (limit != 0 && static_cast<std::int64_t>(found.size()) == limit) break;
  }
  return found;
}

Reply run_llen(Call& call) {
  const List* list = call.read<List>(call.argv[1]);
  return Reply::count(list ? list->size() : 0);
}

Reply run_lindex(Call& call) {
  List* list = call.read<List>(call.argv[1]);
  if (!list) return Reply::null();
  const ListElement* element = element_at(*list, integer_argument(call.argv[2]));
  return element ? Reply::bulk(element->value) : Reply::null();
}

Reply run_lset(Call& call) {
  List* list = call.at<List>(call.argv[1]);
  if (!list) refuse("ERR no such key");
  ListElement* element = element_at(*list, integer_argument(call.argv[2]));
  if (!element) refuse("ERR index out of range");
  if (element->value != call.argv[3] || !call.stays(element->maker, element->value))
    *element = {call.argv[3], call.execution.sender};
  call.notify(kListEvents, "lset", call.argv[1]);
  return Reply::ok();
}

Reply run_lrange(Call& call) {
  const std::int64_t first = integer_argument(call.argv[2]);
  const std::int64_t last = integer_argument(call.argv[3]);
  const List* list = call.read<List>(call.argv[1]);
  std::vector<Reply> items;
  const Span span = index_span(first, last, list ? list->size() : 0);
  for (std::size_t i = span.begin; i < span.end; ++i)
    items.push_back(Reply::bulk((*list)[i].value));
  return Reply::array(std::move(items));
}

Reply run_ltrim(Call& call) {
  const std::int64_t first = integer_argument(call.argv[2]);
  const std::int64_t last = integer_argument(call.argv[3]);
  List* list = call.at<List>(call.argv[1]);
  if (!list) return Reply::ok();
  const Span span = index_span(first, last, list->size());
  list->erase(iterator(*list, span.end), list->end());
  list->erase(list->begin(), iterator(*list, span.begin));
  call.notify(kListEvents, "ltrim", call.argv[1]);
  if (list->empty()) call.remove(call.argv[1]);
  return Reply::ok();
}

Reply run_linsert(Call& call) {
  const bool after = is_word(call.argv[2], "after");
  if (!after && !is_word(call.argv[2], "before")) refuse_syntax();
  List* list = call.at<List>(call.argv[1]);
  if (!list) return Reply::number(0);
  auto pivot = std::ranges::find(*list, call.argv[3], &ListElement::value);
  if (pivot == list->end()) return Reply::number(-1);
  if (after) ++pivot;
  list->insert(pivot, {call.argv[4], call.execution.sender});
  call.notify(kListEvents, "linsert", call.argv[1]);
  return Reply::count(list->size());
}

/// Removes from the head for a positive count, from the tail for a negative one, all for 0.
Reply run_lrem(Call& call) {
  const bool later = after_72(call.execution.mode.version);
  const std::int64_t count = later ? signed_count(call.argv[2]) : integer_argument(call.argv[2]);
  List* list = call.at<List>(call.argv[1]);
  if (!list) return Reply::number(0);
  const std::int64_t limit = count == 0  ? kLongest
                             : count < 0 ? -std::max(count, -kLongest)
                                         : count;
  std::int64_t removed = 0;
  const auto matches = [&](const ListElement& element) {
    if (removed == limit || element.value != call.argv[3]) return false;
    ++removed;
    return true;
  };
  if (count < 0) std::ranges::reverse(*list);
  std::erase_if(*list, matches);
  if (count < 0) std::ranges::reverse(*list);
  if (removed != 0) call.notify(kListEvents, "lrem", call.argv[1]);
  if (list->empty()) call.remove(call.argv[1]);
  return Reply::number(removed);
}

Reply run_lpos(Call& call) {
  const Search search = search_options(call.argv);
  const List* list = call.read<List>(call.argv[1]);
  auto found = list ? positions(*list, call.argv[2], search) : std::vector<Reply>{};
  if (search.count) return Reply::array(std::move(found));
  return found.empty() ? Reply::null() : found[0];
}

constexpr Command kListItemsRows[] = {
    {{"llen", 2, kReadOnly | kFast, "list", {{"RO", 1}}}, run_llen},
    {{"lindex", 3, kReadOnly, "list", {{"RO access", 1}}}, run_lindex},
    {{"lset", 4, kWrite | kDenyOom, "list", {{"RW update", 1}}},
     run_lset,
     {.touches = touches_always}},
    {{"lrange", 4, kReadOnly, "list", {{"RO access", 1}}}, run_lrange},
    {{"ltrim", 4, kWrite, "list", {{"RW delete", 1}}}, run_ltrim, {.touches = touches_if_there}},
    {{"linsert", 5, kWrite | kDenyOom, "list", {{"RW insert", 1}}}, run_linsert},
    {{"lrem", 4, kWrite, "list", {{"RW delete", 1}}}, run_lrem},
    {{"lpos", -3, kReadOnly, "list", {{"RO access", 1}}}, run_lpos},
};

}  // namespace

std::span<const Command> list_item_commands() { return kListItemsRows; }

}  // namespace lockstep::sim
