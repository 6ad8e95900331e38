// Commands on ranges of a sorted set: by rank, by score, by member (Redis 7.0 t_zset.c).
#include <algorithm>
#include <optional>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/sorted_set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/intervals.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

enum class By : std::uint8_t { rank, score, member };

/// What ZRANGE and its older forms ask for. The older forms fix `by` and `reverse`, ZRANGE and
/// ZRANGESTORE leave them to options.
struct RangeQuery {
  std::optional<By> by;
  std::optional<bool> reverse;
  bool store = false;
  bool scores = false;
  bool unordered = false;  ///< which members, but not in which order
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

/// Reads one option at argv[i]; the position after it, or 0 if it cannot stand here.
std::size_t take_option(RangeQuery& query, const Request& argv, std::size_t i) {
  const std::string& word = argv[i];
  if (!query.store && is_word(word, "withscores")) {
    query.scores = true;
  } else if (is_word(word, "limit") && i + 2 < argv.size()) {
    query.offset = integer_argument(argv[i + 1]);
    query.limit = integer_argument(argv[i + 2]);
    return i + 3;
  } else if (!query.reverse && is_word(word, "rev")) {
    query.reverse = true;
  } else if (!query.by && is_word(word, "bylex")) {
    query.by = By::member;
  } else if (!query.by && is_word(word, "byscore")) {
    query.by = By::score;
  } else {
    return 0;
  }
  return i + 1;
}

/// The options after key, min and max, which begin at argv[first], added to what the form fixes.
RangeQuery read_query(const Request& argv, std::size_t first, RangeQuery query) {
  for (std::size_t i = first + 3; i < argv.size();) {
    i = take_option(query, argv, i);
    if (i == 0) refuse_syntax();
  }
  const By by = query.by.value_or(By::rank);
  if (query.limit != -1 && by == By::rank) {
    refuse("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (query.scores && by == By::member) {
    refuse("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }
  return query;
}

/// Whether a negative offset counts from the last one that is selected: in the skiplist of a server
/// after 7.2.
bool counts_from_end(const Call& call, const Entry& entry) {
  return entry.encoding == Encoding::large && after_72(call.execution.mode.version);
}

/// Of what lies behind an offset that is not negative. One that is leaves out all, or counts from
/// the end; then keeps `limit` (all, if negative).
Span limited(Span span, const RangeQuery& query, bool reverse, bool from_end) {
  const auto size = static_cast<std::int64_t>(span.empty() ? 0 : span.end - span.begin);
  const std::int64_t offset = query.offset >= 0 ? 0 : query.offset + (from_end ? size : 0);
  if (offset < 0 || offset >= size || query.limit == 0) return {};
  std::int64_t kept = size - offset;
  if (query.limit > 0 && query.limit < kept) kept = query.limit;
  const auto skipped = static_cast<std::size_t>(offset);
  const auto width = static_cast<std::size_t>(kept);
  if (reverse) return {span.end - skipped - width, span.end - skipped};
  return {span.begin + skipped, span.begin + skipped + width};
}

/// What a query selects, as a function of the set's order. Bad bounds are refused before there is a
/// set to look at.
class Selector {
 public:
  Selector(Call& call, const std::string& min, const std::string& max, const RangeQuery& query)
      : by_(query.by.value_or(By::rank)), reverse_(query.reverse.value_or(false)), query_(query) {
    if (by_ == By::member) call.execution.looked_at_bytes = true;
    if (by_ == By::rank) {
      first_ = integer_argument(min);
      last_ = integer_argument(max);
    } else {
      if (by_ == By::score && kDecimalBounds.has(call.execution.mode.version))
        for (const std::string* bound : {&min, &max}) expect_decimal_bound(*bound);
      const auto interval = by_ == By::score ? score_interval : lex_interval;
      interval_ = reverse_ ? interval(max, min) : interval(min, max);
    }
  }

  /// The selected members, in the query's direction.
  SortedSetOrder operator()(Call& call, const Entry& entry) const {
    const auto& set = std::get<SortedSet>(entry.value);
    const SortedSetOrder order = query_.unordered ? in_order(set) : ordered(call, set);
    for (const auto* item : order)
      for (const double bound : interval_.bounds) call.compare(item->second.score, bound);
    Span span;
    if (by_ != By::rank) {
      const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, query_.offset));
      span =
          reverse_ ? select_from_end(order, interval_, skipped) : select(order, interval_, skipped);
      span = limited(span, query_, reverse_, counts_from_end(call, entry));
    } else {
      span = index_span(first_, last_, order.size());
      if (reverse_) span = {order.size() - span.end, order.size() - span.begin};
    }
    if (span.empty()) return {};
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(span.begin);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(span.end);
    if (!reverse_) return {begin, end};
    return {std::make_reverse_iterator(end), std::make_reverse_iterator(begin)};
  }

 private:
  By by_;
  bool reverse_;
  RangeQuery query_;
  std::int64_t first_ = 0, last_ = 0;
  Interval interval_;
};

/// A query whose key, min and max begin at argv[first]; nothing if there is no such key.
struct FoundItems {
  SortedSetOrder items;
  bool scores = false;
};

FoundItems find(Call& call, std::size_t first, const RangeQuery& form) {
  const Request& argv = call.argv;
  const RangeQuery query = read_query(argv, first, form);
  const Selector selector(call, argv[first + 1], argv[first + 2], query);
  const Entry* entry = call.read_entry<SortedSet>(argv[first]);
  if (!entry) return {};
  return {selector(call, *entry), query.scores};
}

Reply show(Call& call, std::optional<By> by, std::optional<bool> reverse) {
  RangeQuery form;
  form.by = by;
  form.reverse = reverse;
  const FoundItems found = find(call, 1, form);
  std::vector<Reply> items;
  for (const auto* item : found.items) {
    items.push_back(Reply::bulk(item->first));
    if (found.scores) items.push_back(shown_score(call, item->second.score));
  }
  return Reply::array(std::move(items));
}

using Look = Entry* (Call::*)(const std::string&);  // find or read

/// The members between argv[2] and argv[3], from the start, of a set that `look` finds.
SortedSetOrder between(Call& call, By by, Look look) {
  RangeQuery query;
  query.by = by;
  query.unordered = by == By::score;
  const Selector selector(call, call.argv[2], call.argv[3], query);
  Entry* entry = (call.*look)(call.argv[1]);
  typed<SortedSet>(entry);
  return entry ? selector(call, *entry) : SortedSetOrder{};
}

std::int64_t count_between(Call& call, By by) {
  return static_cast<std::int64_t>(between(call, by, &Call::read).size());
}

Reply remove(Call& call, By by, std::string_view event) {
  const SortedSetOrder items = between(call, by, &Call::find);
  const std::size_t count = items.size();
  auto* set = call.at<SortedSet>(call.argv[1]);
  for (const auto* item : items) set->erase(set->find(item->first));
  if (count != 0) call.notify(kSortedSetEvents, event, call.argv[1]);
  if (set && set->empty()) call.remove(call.argv[1]);
  return Reply::count(count);
}

Reply run_zrange(Call& call) { return show(call, {}, {}); }
Reply run_zrevrange(Call& call) { return show(call, By::rank, true); }
Reply run_zrangebyscore(Call& call) { return show(call, By::score, false); }
Reply run_zrevrangebyscore(Call& call) { return show(call, By::score, true); }
Reply run_zrangebylex(Call& call) { return show(call, By::member, false); }
Reply run_zrevrangebylex(Call& call) { return show(call, By::member, true); }

Reply run_zrangestore(Call& call) {
  RangeQuery form;
  form.store = true;
  Entry stored = new_entry(SortedSet{}, call.execution.sender);
  for (const auto* item : find(call, 2, form).items) {
    put_score(stored, item->first, item->second.score, call.execution.sender);
  }
  return store_made(call, call.argv[1], std::move(stored), kSortedSetEvents, "zrangestore");
}

Reply run_zcount(Call& call) { return Reply::number(count_between(call, By::score)); }
Reply run_zlexcount(Call& call) { return Reply::number(count_between(call, By::member)); }
Reply run_zremrangebyrank(Call& call) { return remove(call, By::rank, "zremrangebyrank"); }
Reply run_zremrangebyscore(Call& call) { return remove(call, By::score, "zremrangebyscore"); }
Reply run_zremrangebylex(Call& call) { return remove(call, By::member, "zremrangebylex"); }

constexpr Command kZsetRangesRows[] = {
    {{"zrange", -4, kReadOnly, "sortedset", {{"RO access", 1}}},
     run_zrange,
     {.resp3 = {Resp3Type::scored, 4, "withscores"}}},
    {{"zrevrange", -4, kReadOnly, "sortedset", {{"RO access", 1}}},
     run_zrevrange,
     {.resp3 = {Resp3Type::scored, 4, "withscores"}}},
    {{"zrangebyscore", -4, kReadOnly, "sortedset", {{"RO access", 1}}},
     run_zrangebyscore,
     {.resp3 = {Resp3Type::scored, 4, "withscores"}}},
    {{"zrevrangebyscore", -4, kReadOnly, "sortedset", {{"RO access", 1}}},
     run_zrevrangebyscore,
     {.resp3 = {Resp3Type::scored, 4, "withscores"}}},
    {{"zrangebylex", -4, kReadOnly, "sortedset", {{"RO access", 1}}}, run_zrangebylex},
    {{"zrevrangebylex", -4, kReadOnly, "sortedset", {{"RO access", 1}}}, run_zrevrangebylex},
    {{"zrangestore", -5, kWrite | kDenyOom, "sortedset", {{"OW update", 1}, {"RO access", 2}}},
     run_zrangestore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"zcount", 4, kReadOnly | kFast, "sortedset", {{"RO access", 1}}}, run_zcount},
    {{"zlexcount", 4, kReadOnly | kFast, "sortedset", {{"RO access", 1}}}, run_zlexcount},
    {{"zremrangebyrank", 4, kWrite, "sortedset", {{"RW delete", 1}}}, run_zremrangebyrank},
    {{"zremrangebyscore", 4, kWrite, "sortedset", {{"RW delete", 1}}}, run_zremrangebyscore},
    {{"zremrangebylex", 4, kWrite, "sortedset", {{"RW delete", 1}}}, run_zremrangebylex},
};

}  // namespace

std::span<const Command> sorted_set_range_commands() { return kZsetRangesRows; }

}  // namespace lockstep::sim
