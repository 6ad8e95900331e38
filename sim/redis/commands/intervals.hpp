// The intervals of scores and of members that commands select in a sorted set.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/arguments.hpp"

namespace lockstep::sim {

/// An interval of scores, or of members in the order of their bytes.
struct Interval {
  using Item = SortedSet::value_type;
  bool empty = false;
  std::function<bool(const Item&)> from_min;  ///< not below the interval
  std::function<bool(const Item&)> to_max;    ///< not above it
  std::vector<double> bounds;                 ///< of scores
};

/// Bounds as ZRANGEBYSCORE has them: "1.5", "(1.5", "-inf". Throws Refused.
Interval score_interval(const std::string& min, const std::string& max);
/// Throws Refused for a bound of scores that later servers do not read: with a blank before it, or
/// hexadecimal.
void expect_decimal_bound(const std::string& text);
/// Bounds as ZRANGEBYLEX has them: "[a", "(a", "-", "+". Throws Refused.
Interval lex_interval(const std::string& min, const std::string& max);

/// What of a sorted set is in the interval, seen from its start. Members of different scores are
/// not in the order of their bytes; then it is the first run that Redis's listpack finds. Of the
/// first `skipped` members from there it is not asked whether they are in the interval (Redis 7.0
/// genericZrangebylexCommand).
Span select(const SortedSetOrder& order, const Interval& interval, std::size_t skipped = 0);
/// The same, seen from its end.
Span select_from_end(const SortedSetOrder& order, const Interval& interval,
                     std::size_t skipped = 0);

}  // namespace lockstep::sim
