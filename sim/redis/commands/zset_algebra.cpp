// Unions, intersections and differences of sorted sets and sets (Redis 7.0 t_zset.c).
#include <algorithm>
#include <cmath>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/keyspace/sorted_set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

enum class ZsetOperation : std::uint8_t { unite, intersect, subtract };
enum class Aggregate : std::uint8_t { sum, min, max };
using Scores = std::map<std::string, double, std::less<>>;

struct Source {
  Scores scores;  ///< a set's members count 1 each
  double weight = 1;
};

struct AlgebraQuery {
  std::vector<Source> sources;
  Aggregate aggregate = Aggregate::sum;
  bool scores = false;     ///< WITHSCORES
  std::int64_t limit = 0;  ///< of ZINTERCARD; 0: none
};

enum class Form : std::uint8_t { show, store, count };

Scores scores_at(Call& call, const std::string& key) {
  Scores scores;
  Entry* entry = call.read(key);
  if (!entry) return scores;
  if (std::holds_alternative<Set>(entry->value)) {
    for (const std::string* member : members(*entry)) scores[*member] = 1;
    return scores;
  }
  for (const auto& [member, about] : *typed<SortedSet>(entry)) scores[member] = about.score;
  return scores;
}

Aggregate aggregate_argument(const std::string& text) {
  if (is_word(text, "sum")) return Aggregate::sum;
  if (is_word(text, "min")) return Aggregate::min;
  if (is_word(text, "max")) return Aggregate::max;
  refuse_syntax();
}

void read_weights(AlgebraQuery& query, const Call& call, std::size_t first) {
  for (std::size_t i = 0; i < query.sources.size(); ++i) {
    constexpr const char* kError = "ERR weight value is not a float";
    query.sources[i].weight = score_argument(call, call.argv[first + i], kError);
  }
}

/// Reads one option at argv[i]; the position after it.
std::size_t take_option(AlgebraQuery& query, const Call& call, std::size_t i,
                        ZsetOperation operation, Form form) {
  const Request& argv = call.argv;
  const std::string& word = argv[i];
  const std::size_t left = argv.size() - i;
  const bool weighed = operation != ZsetOperation::subtract && form != Form::count;
  if (weighed && left > query.sources.size() && is_word(word, "weights")) {
    read_weights(query, call, i + 1);
    return i + 1 + query.sources.size();
  }
  if (weighed && left >= 2 && is_word(word, "aggregate")) {
    query.aggregate = aggregate_argument(argv[i + 1]);
    return i + 2;
  }
  if (form == Form::show && is_word(word, "withscores")) {
    query.scores = true;
    return i + 1;
  }
  if (form == Form::count && left >= 2 && is_word(word, "limit")) {
    query.limit = integer_from(0, argv[i + 1], "ERR LIMIT can't be negative");
    return i + 2;
  }
  refuse_syntax();
}

/// Reads "numkeys key [key ...] [options]" from argv[at] on.
AlgebraQuery read_query(Call& call, std::size_t at, ZsetOperation operation, Form form) {
  const Request& argv = call.argv;
  const std::int64_t count = integer_argument(argv[at]);
  if (count < 1) {
    refuse("ERR at least 1 input key is needed for '" + lower_case(argv[0]) + "' command");
  }
  if (count > static_cast<std::int64_t>(argv.size() - at - 1)) refuse_syntax();
  AlgebraQuery query;
  const std::size_t after = at + 1 + static_cast<std::size_t>(count);
  for (std::size_t i = at + 1; i < after; ++i) query.sources.push_back({scores_at(call, argv[i])});
  for (std::size_t i = after; i < argv.size();) i = take_option(query, call, i, operation, form);
  return query;
}

/// inf - inf and 0 * inf count as 0.
double not_nan(double score) { return std::isnan(score) ? 0 : score; }

double weighed(const Source& source, double score) { return not_nan(source.weight * score); }

double aggregated(Aggregate how, double a, double b) {
  switch (how) {
    case Aggregate::min:
      return b < a ? b : a;
    case Aggregate::max:
      return b > a ? b : a;
    case Aggregate::sum:
      break;
  }
  return not_nan(a + b);
}

Scores unite(const AlgebraQuery& query) {
  Scores result;
  for (const Source& source : query.sources) {
    for (const auto& [member, score] : source.scores) {
      const double one = weighed(source, score);
      const auto [it, is_new] = result.try_emplace(member, one);
      if (!is_new) it->second = aggregated(query.aggregate, it->second, one);
    }
  }
  return result;
}

Scores intersect(const AlgebraQuery& query) {
  Scores result;
  for (const auto& [member, first] : query.sources[0].scores) {
    double score = weighed(query.sources[0], first);
    bool everywhere = true;
    for (std::size_t i = 1; i < query.sources.size() && everywhere; ++i) {
      const auto it = query.sources[i].scores.find(member);
      everywhere = it != query.sources[i].scores.end();
      if (everywhere) {
        // Not a number here loses against every other, where ZUNION counts it as 0.
        score = aggregated(query.aggregate, score, query.sources[i].weight * it->second);
      }
    }
    if (everywhere) result[member] = score;
  }
  return result;
}

Scores subtract(const AlgebraQuery& query) {
  Scores result = query.sources[0].scores;
  for (std::size_t i = 1; i < query.sources.size(); ++i) {
    for (const auto& [member, score] : query.sources[i].scores) result.erase(member);
  }
  return result;
}

/// Sums are formed from the smallest source on, which decides how they round.
SortedSet compute(AlgebraQuery& query, ZsetOperation operation) {
  if (operation != ZsetOperation::subtract) {
    std::ranges::stable_sort(query.sources, {}, [](const Source& s) { return s.scores.size(); });
  }
  SortedSet result;
  for (const auto& [member, score] : operation == ZsetOperation::unite       ? unite(query)
                                     : operation == ZsetOperation::intersect ? intersect(query)
                                                                             : subtract(query)) {
    result[member].score = score;
  }
  return result;
}

Reply show_scores(Call& call, ZsetOperation operation) {
  AlgebraQuery query = read_query(call, 1, operation, Form::show);
  const SortedSet result = compute(query, operation);
  std::vector<Reply> items;
  for (const auto* item : in_order(result)) {
    items.push_back(Reply::bulk(item->first));
    if (query.scores) items.push_back(shown_score(call, item->second.score));
  }
  return Reply::array(std::move(items));
}

Reply store_scores(Call& call, ZsetOperation operation, std::string_view event) {
  AlgebraQuery query = read_query(call, 2, operation, Form::store);
  const SortedSet result = compute(query, operation);
  Entry made = new_entry(SortedSet{}, call.execution.sender);
  if (exceeds_listpack(result)) made.encoding = Encoding::large;
  for (const auto& [member, about] : result)
    put_score(made, member, about.score, call.execution.sender);
  return store_made(call, call.argv[1], std::move(made), kSortedSetEvents, event);
}

Reply run_zunion(Call& call) { return show_scores(call, ZsetOperation::unite); }
Reply run_zinter(Call& call) { return show_scores(call, ZsetOperation::intersect); }
Reply run_zdiff(Call& call) { return show_scores(call, ZsetOperation::subtract); }
Reply run_zunionstore(Call& call) {
  return store_scores(call, ZsetOperation::unite, "zunionstore");
}
Reply run_zinterstore(Call& call) {
  return store_scores(call, ZsetOperation::intersect, "zinterstore");
}
Reply run_zdiffstore(Call& call) {
  return store_scores(call, ZsetOperation::subtract, "zdiffstore");
}

Reply run_zintercard(Call& call) {
  AlgebraQuery query = read_query(call, 1, ZsetOperation::intersect, Form::count);
  const auto size = static_cast<std::int64_t>(compute(query, ZsetOperation::intersect).size());
  return Reply::number(query.limit == 0 ? size : std::min(size, query.limit));
}

constexpr Command kZsetAlgebraRows[] = {
    {{"zunion", -3, kReadOnly, "sortedset", {{"RO access", 1, kCounted}}},
     run_zunion,
     {.resp3 = {Resp3Type::scored, 3, "withscores"}}},
    {{"zinter", -3, kReadOnly, "sortedset", {{"RO access", 1, kCounted}}},
     run_zinter,
     {.resp3 = {Resp3Type::scored, 3, "withscores"}}},
    {{"zdiff", -3, kReadOnly, "sortedset", {{"RO access", 1, kCounted}}},
     run_zdiff,
     {.resp3 = {Resp3Type::scored, 3, "withscores"}}},
    {{"zunionstore",
      -4,
      kWrite | kDenyOom,
      "sortedset",
      {{"OW update", 1}, {"RO access", 2, kCounted}}},
     run_zunionstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"zinterstore",
      -4,
      kWrite | kDenyOom,
      "sortedset",
      {{"OW update", 1}, {"RO access", 2, kCounted}}},
     run_zinterstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"zdiffstore",
      -4,
      kWrite | kDenyOom,
      "sortedset",
      {{"OW update", 1}, {"RO access", 2, kCounted}}},
     run_zdiffstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"zintercard", -3, kReadOnly, "sortedset", {{"RO access", 1, kCounted}}}, run_zintercard},
};

}  // namespace

std::span<const Command> sorted_set_algebra_commands() { return kZsetAlgebraRows; }

}  // namespace lockstep::sim
