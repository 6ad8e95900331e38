// Counters kept in strings (Redis 7.0 t_string.c incrDecrCommand, incrbyfloatCommand).
#include <cmath>
#include <limits>
#include <optional>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Writes a counter's new value, `by` more than the old one; an existing key keeps its expiry.
void store(Call& call, std::string* old, std::string value, std::optional<std::int64_t> by,
           Encoding encoding, std::string_view event) {
  const std::string before = old ? *old : "";
  if (old) {
    *old = std::move(value);
  } else {
    call.set(call.argv[1], std::move(value));
  }
  Entry& entry = *call.find(call.argv[1]);
  entry.encoding = encoding;
  count_in(entry.maker, entry.shares, call.execution.sender, before,
           std::get<std::string>(entry.value), by);
  call.notify(kStringEvents, event, call.argv[1]);
}

Reply add(Call& call, std::int64_t by) {
  std::string* text = call.string_at(call.argv[1]);
  const std::int64_t value = text ? integer_argument(*text) : 0;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(value, by, &sum)) {
    refuse("ERR increment or decrement would overflow");
  }
  store(call, text, std::to_string(sum), by, Encoding::compact, "incrby");
  return Reply::number(sum);
}

Reply run_incr(Call& call) { return add(call, 1); }
Reply run_decr(Call& call) { return add(call, -1); }
Reply run_incrby(Call& call) { return add(call, integer_argument(call.argv[2])); }

Reply run_decrby(Call& call) {
  const std::int64_t by = integer_argument(call.argv[2]);
  if (by == std::numeric_limits<std::int64_t>::min()) refuse("ERR decrement would overflow");
  return add(call, -by);
}

Reply run_incrbyfloat(Call& call) {
  std::string* text = call.string_at(call.argv[1]);
  const auto value = text ? parse_float(*text) : 0.0L;
  const auto by = parse_float(call.argv[2]);
  if (!value || !by) refuse("ERR value is not a valid float");
  const long double sum = *value + *by;
  if (!std::isfinite(sum)) refuse("ERR increment would produce NaN or Infinity");
  std::string shown = format_float(sum);
  store(call, text, shown, whole_part(*by), Encoding::embedded, "incrbyfloat");
  return Reply::bulk(std::move(shown));
}

constexpr Command kCountersRows[] = {
    {{"incr", 2, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_incr,
     {.touches = touches_always}},
    {{"decr", 2, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_decr,
     {.touches = touches_always}},
    {{"incrby", 3, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_incrby,
     {.touches = touches_always}},
    {{"decrby", 3, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_decrby,
     {.touches = touches_always}},
    {{"incrbyfloat", 3, kWrite | kDenyOom | kFast, "string", {{"RW access update", 1}}},
     run_incrbyfloat,
     {.touches = touches_always}},
};

}  // namespace

std::span<const Command> counter_commands() { return kCountersRows; }

}  // namespace lockstep::sim
