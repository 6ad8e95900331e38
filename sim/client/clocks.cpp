// The client API's clocks. An instant is opaque: what the program learns of it goes through
// queries, so that the state can hold it as an age.
#include <fmt/format.h>

#include "sim/client/api_parts.hpp"
#include "sim/client/comparisons.hpp"

namespace lockstep::sim::program {
namespace {

const char* const kSleep = "sleep";
int sleep(Vm& vm, Run& run, lua_State* lua) {
  const auto ms = whole_number(lua, 1);
  if (!ms || *ms < 0)
    return refuse(vm, lua,
                  fmt::format("sleep: expected whole milliseconds, found {} (use // to divide)",
                              text_of(lua, 1)));
  run.wait(Wait::Kind::sleep, *ms);
  return kWait;
}

int read_clock(Vm& vm, Run& run, lua_State* lua, bool wall) {
  const auto id = run.read_clock(wall);
  if (!id) return refuse(vm, lua, "read the clock too often without coming to an end");
  push_value(lua, InstantValue{*id, wall, 0});
  return done_or_cut(run, lua, Cut::clock);
}
const char* const kNow = "now";
int now(Vm& vm, Run& run, lua_State* lua) { return read_clock(vm, run, lua, true); }
const char* const kMonotonic = "monotonic";
int monotonic(Vm& vm, Run& run, lua_State* lua) { return read_clock(vm, run, lua, false); }

/// first - second in ms, or nothing: then the run must end.
std::optional<std::int64_t> difference(Vm& vm, lua_State* lua, const InstantValue& first,
                                       const InstantValue& second) {
  if (first.wall != second.wall) {
    vm.complain(lua,
                "compares an instant of now() with one of monotonic(): they are different clocks");
    return std::nullopt;
  }
  const std::int64_t offset_ms = first.offset_ms - second.offset_ms;
  if (first.id == second.id) return offset_ms;
  Query query;
  query.kind = Query::Kind::difference;
  query.first = first.id;
  query.second = second.id;
  const std::string* answer = vm.run->answer(query);
  if (answer == nullptr) return std::nullopt;
  return number_of(*answer) + offset_ms;
}

int shift_instant(Vm& vm, lua_State* lua, InstantValue instant, int number_index, int sign) {
  const auto ms = whole_number(lua, number_index);
  if (!ms)
    return refuse(vm, lua,
                  fmt::format("adds {} to an instant; expected whole milliseconds",
                              text_of(lua, number_index)));
  instant.offset_ms += sign * *ms;
  push_value(lua, instant);
  return 1;
}

int instant_add(Vm& vm, lua_State* lua) {
  const InstantValue* first = value_at<InstantValue>(lua, 1);
  return first != nullptr ? shift_instant(vm, lua, *first, 2, 1)
                          : shift_instant(vm, lua, *value_at<InstantValue>(lua, 2), 1, 1);
}

int instant_subtract(Vm& vm, lua_State* lua) {
  const InstantValue *first = value_at<InstantValue>(lua, 1),
                     *second = value_at<InstantValue>(lua, 2);
  if (first == nullptr) return refuse(vm, lua, "subtracts an instant from something else");
  if (second == nullptr) return shift_instant(vm, lua, *first, 2, -1);
  const auto ms = difference(vm, lua, *first, *second);
  if (!ms) return refused(lua);
  lua_pushinteger(lua, *ms);
  return 1;
}

template <bool (*Compare)(std::int64_t)>
int instant_compare(Vm& vm, lua_State* lua) {
  const InstantValue *first = value_at<InstantValue>(lua, 1),
                     *second = value_at<InstantValue>(lua, 2);
  if (first == nullptr || second == nullptr)
    return refuse(vm, lua,
                  "compares an instant with something else; use millis(instant) for a number");
  const auto ms = difference(vm, lua, *first, *second);
  if (!ms) return refused(lua);
  constexpr int kInstants = place_of(0, Relation::equal);  // a place of its own
  vm.run->show_comparison(kInstants, {static_cast<double>(*ms), {}}, {0.0, {}});
  lua_pushboolean(lua, Compare(*ms));
  return 1;
}
bool is_negative(std::int64_t ms) { return ms < 0; }
bool is_not_positive(std::int64_t ms) { return ms <= 0; }
bool is_zero(std::int64_t ms) { return ms == 0; }

/// Equality with something that is no instant is false, as everywhere in Lua.
int instant_equal(Vm& vm, lua_State* lua) {
  if (value_at<InstantValue>(lua, 1) != nullptr && value_at<InstantValue>(lua, 2) != nullptr)
    return instant_compare<is_zero>(vm, lua);
  lua_pushboolean(lua, 0);
  return 1;
}

const char* const kMillis = "millis";
int millis(Vm& vm, Run& run, lua_State* lua) {
  const InstantValue* instant = value_at<InstantValue>(lua, 1);
  if (instant == nullptr)
    return refuse(vm, lua,
                  fmt::format("millis: expected an instant of now(), found {}", text_of(lua, 1)));
  if (!instant->wall)
    return refuse(vm, lua, "millis: a monotonic clock has no Unix time; use now()");
  Query query;
  query.kind = Query::Kind::absolute;
  query.first = instant->id;
  const std::string* answer = run.answer(query);
  if (answer == nullptr) return refused(lua);
  lua_pushinteger(lua, number_of(*answer) + instant->offset_ms);
  return 1;
}

constexpr lua_CFunction kSleepFunction = native<in_run<sleep, kSleep>, nothing>;

}  // namespace

bool is_sleep(lua_State* lua, int index) { return lua_tocfunction(lua, index) == kSleepFunction; }

void add_clocks(lua_State* lua) {
  add_type<InstantValue>(lua);
  set_function(lua, "__add", native<instant_add>);
  set_function(lua, "__sub", native<instant_subtract>);
  set_function(lua, "__lt", native<instant_compare<is_negative>>);
  set_function(lua, "__le", native<instant_compare<is_not_positive>>);
  set_function(lua, "__eq", native<instant_equal>);
  lua_pop(lua, 1);
  set_function(lua, kSleep, kSleepFunction);
  set_function(lua, kNow, native<in_run<now, kNow>, result_before_cut>);
  set_function(lua, kMonotonic, native<in_run<monotonic, kMonotonic>, result_before_cut>);
  set_function(lua, kMillis, native<in_run<millis, kMillis>>);
}

}  // namespace lockstep::sim::program
