// Everything is tried at each ms of a second, at each second of two minutes, and, for what recurs,
// at each minute of two hours and each hour of five days.
#include "sim/client/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

#include "sim/client/reply_times.hpp"

namespace lockstep::sim {

namespace {

constexpr std::int64_t kMostInPeriod = 60;  // of a period

/// Whether something about it is another one at one of these: if not, no number in it depends on
/// when it all happens.
bool depends(const ShiftedBy& shifted, const std::string& now,
             std::initializer_list<std::int64_t> later) {
  return std::ranges::any_of(later, [&](auto later_ms) { return shifted(later_ms) != now; });
}

/// The unit, of those that are known, else the largest part of a second, of which one of the times
/// is a multiple, so much later; 0 if there is none.
std::int64_t unit_at(std::span<const std::int64_t> times_ms, std::int64_t later_ms,
                     const std::set<std::int64_t>& known) {
  std::vector<std::int64_t> units(known.begin(), known.end());
  for (const std::int64_t parts : {1, 2, 4, 5, 10}) units.push_back(kSecondMs / parts);
  for (const std::int64_t unit : units)
    if (std::ranges::any_of(times_ms, [&](auto time) { return (time + later_ms) % unit == 0; }))
      return unit;
  return 0;
}

/// What is rounded up turns 1 ms after a unit.
void note_within_second(const ShiftedBy& shifted, const std::string& now,
                        std::span<const std::int64_t> times_ms, TimeUse& use) {
  if (!depends(shifted, now, {1, 500, 999})) return;
  std::string before = now;
  std::set<std::int64_t> units{kSecondMs};
  bool rounds_up = false;
  for (std::int64_t later_ms = 1; later_ms < kSecondMs; ++later_ms) {
    std::string here = shifted(later_ms);
    if (here == before) continue;
    before = std::move(here);
    const std::int64_t unit = unit_at(times_ms, later_ms, use.units);
    rounds_up = rounds_up || unit == 0;
    units.insert(unit > 0 ? unit : unit_at(times_ms, later_ms - 1, use.units));
  }
  if (units.contains(0)) {
    use.explained = false;
    return;
  }
  use.units.insert(units.begin(), units.end());
  use.rounds_up = use.rounds_up || rounds_up;
}

/// Whether it is again what it was before it became another one.
bool recurs(const std::vector<std::string>& ways) {
  std::set<std::string> before;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (ways[i] == ways[i - 1]) continue;
    before.insert(ways[i - 1]);
    if (before.contains(ways[i])) return true;
  }
  return false;
}

/// What does not recur is a time in minutes or more, which is varied by itself.
void note_seconds(const ShiftedBy& shifted, const std::string& now, TimeUse& use) {
  constexpr std::int64_t kMinute = 60 * kSecondMs, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (!depends(shifted, now, {kSecondMs, kMinute, kHour})) {
    // A time that is rounded to so many seconds stays, or moves along by a whole minute.
    const std::int64_t by = kMinute + kSecondMs;
    if (depends(shifted, now, {by, kHour + by, kDay + kHour + by})) use.explained = false;
    return;
  }
  const auto ways_each = [&](std::int64_t step_ms) {
    std::vector<std::string> ways;
    for (std::int64_t i = 0; i < 2 * kMostInPeriod; ++i) ways.push_back(shifted(i * step_ms));
    return ways;
  };
  if (const std::vector<std::string> ways = ways_each(kSecondMs); recurs(ways)) {
    for (std::int64_t period = 2; period <= kMostInPeriod; ++period)
      if (std::equal(ways.begin() + period, ways.end(), ways.begin()))
        return use.units.insert({kSecondMs, period * kSecondMs});
    use.explained = false;
  }
  for (const std::int64_t step_ms : {kMinute, kHour})
    use.explained = use.explained && !recurs(ways_each(step_ms));
}

}  // namespace

std::string difference(double left, double right) {
  const double by = left - right;
  if (std::abs(by) > static_cast<double>(kFarthestMs)) return by > 0 ? " later" : " earlier";
  constexpr double kParts = 10'000;  // what seconds with a fraction are off is less
  return fmt::format(" {}", std::llround(by * kParts));
}

// By whole seconds a time that is rounded to one is moved along as well as one that is not; what is
// rounded to more of them shows in that it is neither so late nor as it was.
std::string made_times(const MadeTimes& made, const std::vector<std::int64_t>& numbers,
                       std::int64_t later_ms) {
  const auto later_by = [&](const std::vector<std::int64_t>& all, std::size_t i) {
    return ms_of(all[i], unit_of(all[i])) - ms_of(made.before[i], unit_of(made.before[i]));
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(made.before.size(), numbers.size()); ++i) {
    const std::int64_t by_ms = later_by(numbers, i);
    const bool in_seconds = i >= made.soon.size() || later_ms % kSecondMs == 0;
    if (in_seconds)
      text += by_ms == 0 || by_ms == later_ms ? " 0" : fmt::format(" {}", numbers[i]);
    else
      text += fmt::format(" {}", later_by(made.soon, i) == 1 ? by_ms - later_ms : by_ms);
  }
  return text;
}

void note_rounded(const MadeLater& made, std::int64_t clock_ms, TimeUse& use) {
  const std::vector<std::int64_t> now = made(0);
  if (now.empty()) return;
  for (const std::int64_t unit : use.units) {
    if (unit <= 1) continue;
    const std::int64_t begun_ms = clock_ms - floor_quotient(clock_ms, unit) * unit;
    std::vector<std::vector<std::int64_t>> after;  // the last multiple, by when
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, unit / 2, unit - 1, unit}) {
      after.push_back(made(at - begun_ms));
      for (std::int64_t& time_ms : after.back())
        time_ms -= clock_ms - begun_ms + (at == unit ? unit : 0);
    }
    for (std::size_t i = 0; i < now.size(); ++i)
      if (std::ranges::all_of(after, [&](const std::vector<std::int64_t>& each) {
            return each.size() == now.size() && each[i] == after.front()[i] &&
                   std::abs(each[i]) <= kFarthestMs;
          }))
        use.made.insert(after.front()[i]);
  }
}

void note_phases(const ShiftedBy& shifted, std::span<const std::int64_t> times_ms, bool in_seconds,
                 TimeUse& use) {
  const std::string now = shifted(0);
  if (in_seconds)
    use.units.insert(kSecondMs);
  else
    note_within_second(shifted, now, times_ms, use);
  note_seconds(shifted, now, use);
}

}  // namespace lockstep::sim
