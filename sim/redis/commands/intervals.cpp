// The intervals of a sorted set (Redis 7.0 t_zset.c).
#include "sim/redis/commands/intervals.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/refused.hpp"
#include "sim/redis/commands/entries.hpp"

namespace lockstep::sim {

namespace {

using Item = Interval::Item;

struct ScoreBound {
  double score = 0;
  bool open = false;
};

/// As zslParseRange: whatever strtod reads up to the end of the C string, even nothing.
ScoreBound score_bound(const std::string& text) {
  ScoreBound bound;
  bound.open = text.starts_with('(');
  char* end = nullptr;
  bound.score = std::strtod(text.c_str() + (bound.open ? 1 : 0), &end);
  if (*end != '\0' || std::isnan(bound.score)) refuse("ERR min or max is not a float");
  return bound;
}

struct LexBound {
  enum class Kind : std::uint8_t { lowest, member, highest };
  Kind kind = Kind::member;
  std::string member;
  bool open = false;
};

LexBound lex_bound(const std::string& text) {
  const char first = text.empty() ? '\0' : text[0];
  const bool single = text.size() < 2 || text[1] == '\0';
  if (first == '-' && single) return {LexBound::Kind::lowest, "", false};
  if (first == '+' && single) return {LexBound::Kind::highest, "", false};
  if (first != '[' && first != '(') refuse("ERR min or max not valid string range item");
  return {LexBound::Kind::member, text.substr(1), first == '('};
}

/// Below 0, 0, above 0: the member against the bound.
int compare(const std::string& member, const LexBound& bound) {
  if (bound.kind == LexBound::Kind::lowest) return 1;
  if (bound.kind == LexBound::Kind::highest) return -1;
  return member.compare(bound.member);
}

bool is_empty(const LexBound& min, const LexBound& max) {
  if (min.kind != max.kind) return min.kind > max.kind;
  const int order = min.kind == LexBound::Kind::member ? min.member.compare(max.member) : 0;
  return order > 0 || (order == 0 && (min.open || max.open));
}

/// Whether nothing can be found without looking at more than the first and the last member.
bool out_of_reach(const SortedSetOrder& order, const Interval& interval) {
  return interval.empty || order.empty() || !interval.from_min(*order.back()) ||
         !interval.to_max(*order.front());
}

}  // namespace

void expect_decimal_bound(const std::string& text) {
  const std::string number = text.substr(text.starts_with('(') ? 1 : 0);
  const bool blank = !number.empty() && std::isspace(static_cast<unsigned char>(number[0])) != 0;
  if (blank || is_hexadecimal(number)) refuse("ERR min or max is not a float");
}

Interval score_interval(const std::string& min_text, const std::string& max_text) {
  const ScoreBound min = score_bound(min_text);
  const ScoreBound max = score_bound(max_text);
  Interval interval;
  interval.bounds = {min.score, max.score};
  interval.empty = min.score > max.score || (min.score == max.score && (min.open || max.open));
  interval.from_min = [min](const Item& item) {
    return min.open ? item.second.score > min.score : item.second.score >= min.score;
  };
  interval.to_max = [max](const Item& item) {
    return max.open ? item.second.score < max.score : item.second.score <= max.score;
  };
  return interval;
}

Interval lex_interval(const std::string& min_text, const std::string& max_text) {
  const LexBound min = lex_bound(min_text);
  const LexBound max = lex_bound(max_text);
  Interval interval;
  interval.empty = is_empty(min, max);
  interval.from_min = [min](const Item& item) {
    return compare(item.first, min) > (min.open ? 0 : -1);
  };
  interval.to_max = [max](const Item& item) {
    return compare(item.first, max) < (max.open ? 0 : 1);
  };
  return interval;
}

Span select(const SortedSetOrder& order, const Interval& interval, std::size_t skipped) {
  if (out_of_reach(order, interval)) return {};
  Span span;
  while (!interval.from_min(*order[span.begin])) ++span.begin;
  if (!interval.to_max(*order[span.begin])) return {};
  span.begin += std::min(skipped, order.size() - span.begin);
  span.end = span.begin;
  while (span.end < order.size() && interval.to_max(*order[span.end])) ++span.end;
  return span;
}

Span select_from_end(const SortedSetOrder& order, const Interval& interval, std::size_t skipped) {
  if (out_of_reach(order, interval)) return {};
  Span span{order.size(), order.size()};
  while (!interval.to_max(*order[span.end - 1])) --span.end;
  if (!interval.from_min(*order[span.end - 1])) return {};
  span.end -= std::min(skipped, span.end);
  span.begin = span.end;
  while (span.begin > 0 && interval.from_min(*order[span.begin - 1])) --span.begin;
  return span;
}

}  // namespace lockstep::sim
