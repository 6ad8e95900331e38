// Everything is tried at each ms of a second, at each second of three minutes, and, for what
// recurs, at each minute of three hours and each hour of a week.
#include "sim/client/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/base/rate.hpp"
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
  const std::vector<std::int64_t> parts = parts_of(kSecondMs);
  units.insert(units.end(), parts.begin(), parts.end());
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

/// After how many of them they recur, in the second and third of three minutes; 0: not.
std::int64_t period_of(const std::vector<std::string>& ways) {
  const auto second = ways.begin() + kMostInPeriod;
  for (std::int64_t period = 2; period <= kMostInPeriod; ++period)
    if (std::equal(second + period, ways.end(), second)) return period;
  return 0;
}

/// What does not recur is a time in minutes or more, which is varied by itself.
void note_seconds(const ShiftedBy& shifted, const std::string& now, TimeUse& use) {
  constexpr std::int64_t kMinute = 60 * kSecondMs, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (!depends(shifted, now, {kSecondMs, kMinute, kHour})) {
    // A time that is rounded to so many seconds stays, or moves along by a whole minute; what is
    // known to be rounded to (in units of which all of these are) moves along by that.
    std::set<std::int64_t> known = use.units;
    known.insert(kSecondMs);
    const std::int64_t all = common_multiple(known);
    const auto about = [&](std::int64_t ms) { return ms / all * all + 61 * all; };
    if (all >= kDay || depends(shifted, now, {about(0), about(kHour), about(kDay + kHour)}))
      use.explained = false;
    return;
  }
  const auto ways_each = [&](std::int64_t step_ms) {
    std::vector<std::string> ways;
    for (std::int64_t i = 0; i < 3 * kMostInPeriod; ++i) ways.push_back(shifted(i * step_ms));
    return ways;
  };
  std::int64_t period_ms = kSecondMs;  // of what recurs within a minute
  if (const std::vector<std::string> ways = ways_each(kSecondMs); recurs(ways)) {
    const std::int64_t period = period_of(ways);
    use.explained = use.explained && period > 0;
    if (period > 0) {
      period_ms *= period;
      use.units.insert({kSecondMs, period_ms});
    }
  }
  for (const std::int64_t step_ms : {kMinute, kHour})
    use.explained = use.explained && !recurs(ways_each(std::lcm(period_ms, step_ms)));
}

/// A place in what a step makes, and how far after the last multiple of a unit that lies when so
/// much of the unit is over.
class InUnit {
 public:
  InUnit(const MadeLater& made, std::int64_t clock_ms, std::int64_t unit, std::size_t size)
      : made_(made),
        multiple_ms_(floor_quotient(clock_ms, unit) * unit),
        begun_ms_(multiple_ms_ - clock_ms),
        size_(size) {}

  std::optional<std::int64_t> after(std::size_t place, std::int64_t over_ms) {
    const auto [found, added] = tried_.try_emplace(over_ms);
    if (added) found->second = made_(over_ms + begun_ms_);
    if (found->second.size() != size_) return std::nullopt;
    return found->second[place] - multiple_ms_;
  }

 private:
  const MadeLater& made_;
  std::int64_t multiple_ms_;
  std::int64_t begun_ms_;  ///< the beginning of the unit, seen from the clock
  std::size_t size_;
  std::map<std::int64_t, std::vector<std::int64_t>> tried_;
};

/// What lies so far after a multiple of the unit for as long as a part of it lasts, if it is so in
/// each part, and again in the next unit: with the first ms of a part it may still be what it was
/// in the part before (rounded up). Nothing if it is not so.
struct Stays {
  std::set<std::int64_t> after;
  bool rounds_up = false;
};
Stays stays_in_parts(InUnit& in_unit, std::size_t place, std::int64_t unit, std::int64_t part) {
  Stays stays;
  std::optional<std::int64_t> before = in_unit.after(place, 0);
  if (!before || in_unit.after(place, unit) != *before + unit) return {};
  stays.after.insert(*before);
  for (std::int64_t from = 0; from < unit; from += part) {
    const auto first = in_unit.after(place, from), then = in_unit.after(place, from + 1);
    const bool same = then && in_unit.after(place, from + part / 2) == then &&
                      in_unit.after(place, from + part - 1) == then;
    const bool up = from == 0 ? then == *before + unit : first == before;
    if (!same || (first != then && !up) || std::abs(*then) > kFarthestMs) return {};
    stays.after.insert(*then);
    stays.rounds_up = stays.rounds_up || first != then;
    before = then;
  }
  return stays;
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
      text += fmt::format(" {}", by_ms == 0 ? 0 : by_ms - later_ms);
    else
      text += fmt::format(" {}", later_by(made.soon, i) == 1 ? by_ms - later_ms : by_ms);
  }
  return text;
}

void note_rounded(const MadeLater& made, std::int64_t clock_ms, bool known_elsewhere,
                  TimeUse& use) {
  const std::vector<std::int64_t> now = made(0), soon = now.empty() ? now : made(1);
  if (now.empty() || soon.size() != now.size()) return;
  std::set<std::size_t> stay, found;  // a while, and then do not
  const std::set<std::int64_t> units = use.units;
  for (const std::int64_t unit : units) {
    const std::vector<std::int64_t> next = made(unit);
    if (unit <= 1 || next.size() != now.size()) continue;
    std::set<std::size_t> rounded;  // that may be: all others move along, or stay for good
    for (std::size_t i = 0; i < now.size(); ++i)
      if (soon[i] != now[i] + 1 && next[i] != now[i]) rounded.insert(i);
    if (rounded.empty()) continue;
    stay.insert(rounded.begin(), rounded.end());
    InUnit in_unit(made, clock_ms, unit, now.size());
    for (const std::size_t place : rounded)
      for (const std::int64_t part : parts_of(unit)) {
        if (found.contains(place)) break;
        const Stays stays = stays_in_parts(in_unit, place, unit, part);
        if (stays.after.empty()) continue;
        use.rounds_up = use.rounds_up || stays.rounds_up;
        use.made.insert(stays.after.begin(), stays.after.end());
        use.units.insert(part);
        found.insert(place);
      }
  }
  use.explained = use.explained && (known_elsewhere || stay == found);
}

void note_phases(const ShiftedBy& shifted, std::span<const std::int64_t> times_ms, bool in_seconds,
                 TimeUse& use) {
  const std::string now = shifted(0);
  if (!in_seconds) note_within_second(shifted, now, times_ms, use);
  note_seconds(shifted, now, use);
}

}  // namespace lockstep::sim
