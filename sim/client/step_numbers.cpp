// See the header.
#include "sim/client/step_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "sim/client/clock_use.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/redis/commands/table.hpp"

namespace lockstep::sim {

namespace {

constexpr std::int64_t kMostParts = 24;  // of a unit, after some of which another one begins

/// The request and the argument that the number at `place` of numbers_of() is in; no request if it
/// is a wait.
std::pair<const Request*, std::size_t> argument_with(std::size_t place, const Step& step) {
  std::vector<std::int64_t> numbers;
  for (const Effect& effect : step.effects)
    for (std::size_t i = 0; i < effect.request.size(); ++i) {
      add_numbers(effect.request[i], numbers);
      if (place < numbers.size()) return {&effect.request, i};
    }
  return {};
}

/// Whether all of them grow at this place by so many units of ms for each ms that it is later.
bool grows(const std::map<std::int64_t, std::vector<std::int64_t>>& all, std::size_t place,
           std::int64_t slope, std::int64_t unit) {
  const std::int64_t now = all.at(0)[place];
  return std::ranges::all_of(all, [&](const auto& later) {
    const std::int64_t off = (later.second[place] - now) * unit - slope * later.first;
    return std::abs(off) < unit;
  });
}

/// Unix seconds with a fraction are told in ms, but for whole ones that are written without it:
/// those, too, where others are at the same place.
void all_in_ms(std::map<std::int64_t, std::vector<std::int64_t>>& all) {
  const auto in_seconds = [](std::int64_t number) {
    return number >= kFirstTime && unit_of(number) == kSecondMs;
  };
  const std::vector<std::int64_t> now = all.at(0);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] < kFirstTime) continue;
    const std::int64_t ms = in_seconds(now[i]) ? now[i] * kSecondMs : now[i];
    const bool others_in_ms = std::ranges::any_of(all, [&](const auto& later) {
      const std::int64_t number = later.second[i];
      return number >= kFirstTime && !in_seconds(number) && std::abs(number - ms) <= kFarthestMs;
    });
    for (auto& [by, numbers] : all)
      if (others_in_ms && in_seconds(numbers[i])) numbers[i] *= kSecondMs;
  }
}

}  // namespace

std::vector<std::int64_t> numbers_of(const Step& step) {
  std::vector<std::int64_t> numbers;
  for (const Effect& effect : step.effects)
    for (const std::string& argument : effect.request) add_numbers(argument, numbers);
  for (const Wait& wait : step.tasks)
    if (wait.fresh) numbers.push_back(wait.ms);
  return numbers;
}

bool waits_differ(const Step& one, const Step& other) {
  for (std::size_t i = 0; i < std::min(one.tasks.size(), other.tasks.size()); ++i)
    if (one.tasks[i].fresh && std::abs(one.tasks[i].ms - other.tasks[i].ms) > 1) return true;
  return false;
}

std::string outcomes_of(const Step& step) {
  std::string text;
  for (const Comparison& each : step.compared)
    text += fmt::format("{}{}", each.place, program::outcome(each));
  return text;
}

std::string way_of(const std::optional<Step>& step) {
  if (!step) return "";
  std::string text = (step->stopped ? "stopped" : "went") + outcomes_of(*step);
  for (const Effect& effect : step->effects) {
    text +=
        fmt::format(" {} {}{}", static_cast<int>(effect.kind), effect.task, effect.ok ? " ok" : "");
    for (const std::string& argument : effect.request) text += ' ' + without_numbers(argument);
  }
  return text;
}

std::string course_of(const Step& step) {
  std::string text = (step.stopped ? "stopped" : "went") + outcomes_of(step);
  for (const Effect& effect : step.effects)
    text += fmt::format(" {} {}{}", static_cast<int>(effect.kind), effect.request.size(),
                        effect.ok ? " ok" : "");
  return text;
}

void note_rests(const RestPlaces& rests, const Step& step, ClockUse& use) {
  if (rests.empty()) return;
  const auto place = rests.find(way_of(step));
  if (place == rests.end()) return;
  const std::vector<std::int64_t> numbers = numbers_of(step);
  for (const RestPlace& rest : place->second)
    if (rest.place < numbers.size()) use.computed.insert(numbers[rest.place] * rest.unit_ms);
}

void StepNumbers::note(const std::set<std::int64_t>& turns, RestPlaces& rests) {
  for (const std::int64_t base : both_sides(turns)) {
    const std::optional<Step> here = base < clock_.from ? std::nullopt : step_at_(base);
    if (!here) continue;
    const auto [place, added] = rests.try_emplace(way_of(here));
    if (added) place->second = note_at(base, *here, later_than(base, *here, place->first));
  }
}

/// The step's numbers with the clock so much later than at `base`: of each that goes the same way.
std::map<std::int64_t, StepNumbers::Numbers> StepNumbers::later_than(std::int64_t base,
                                                                     const Step& here,
                                                                     const std::string& way) const {
  std::map<std::int64_t, Numbers> all{{0, numbers_of(here)}};
  for (std::int64_t distance = 1; distance < kFarthestMs; distance *= 10)
    for (const std::int64_t later : {distance, -distance}) {
      const auto step = base + later < clock_.from ? std::nullopt : step_at_(base + later);
      if (!step || way_of(step) != way) continue;
      Numbers numbers = numbers_of(*step);
      if (numbers.size() == all.at(0).size()) all[later] = std::move(numbers);
    }
  all_in_ms(all);
  return all;
}

/// Numbers that are a reading, plus or minus something. Of others nothing is known.
std::vector<RestPlace> StepNumbers::note_at(std::int64_t base, const Step& here,
                                            const std::map<std::int64_t, Numbers>& all) {
  std::vector<RestPlace> rests;
  for (std::size_t i = 0; i < all.at(0).size(); ++i) {
    if (grows(all, i, 0, 1)) continue;
    use_.mixes = true;
    bool noted = false;
    for (const std::int64_t slope : {-1, 1})
      for (const std::int64_t unit : {std::int64_t{1}, kSecondMs}) {
        if (noted || (slope > 0 && !clock_.absolute)) continue;
        noted = note_reading(i, base, all, slope, unit);
        if (!noted || !is_duration(all.at(0)[i])) continue;
        rests.push_back({i, unit});
        note_duration(i, here, slope);
      }
    use_.sums = use_.sums && (noted || (clock_.absolute && note_unit(i, base, all.at(0))) ||
                              (clock_.counts && note_multiple(i, base, here, all)));
  }
  return rests;
}

/// Whether the number is such a reading, of this slope and in this unit of ms.
bool StepNumbers::note_reading(std::size_t place, std::int64_t base,
                               const std::map<std::int64_t, Numbers>& all, std::int64_t slope,
                               std::int64_t unit) {
  if (!grows(all, place, slope, unit)) return false;
  const std::int64_t number_ms = all.at(0)[place] * unit;
  for (const std::int64_t reading : clock_.readings) {
    const std::int64_t then = (reading + base) / unit * unit;
    if (!is_duration(all.at(0)[place])) {
      use_.made.insert(number_ms - then);
      continue;
    }
    use_.computed.insert(number_ms);
    if (!clock_.absolute && number_ms > slope * then)
      use_.durations.insert(number_ms - slope * then);
  }
  if (clock_.absolute && unit > 1) use_.units.insert(unit);
  return true;
}

/// Whether it waits for so many times what a reply counts, plus something: of such timers each is a
/// multiple of what the two have in common.
bool StepNumbers::note_multiple(std::size_t place, std::int64_t base, const Step& here,
                                const std::map<std::int64_t, Numbers>& all) {
  if (argument_with(place, here).first != nullptr) return false;
  const std::int64_t now = all.at(0)[place];
  const std::int64_t said = clock_.readings.front() + base;
  const auto next = all.contains(1) ? all.find(1) : all.find(-1);
  if (next == all.end() || std::abs(said) > kMostCounted) return false;
  const std::int64_t each = (next->second[place] - now) * next->first;
  const bool grows = std::ranges::all_of(
      all, [&](const auto& other) { return other.second[place] - now == each * other.first; });
  if (!grows || each == 0) return false;
  use_.durations.insert(std::gcd(each, now - each * said));
  return true;
}

/// Of two absolute times, too.
bool StepNumbers::is_duration(std::int64_t number) const {
  return !clock_.absolute || std::abs(number) < kFirstTime;
}

/// One that grows is the difference of two absolute times. As long as such a one nothing lasts.
void StepNumbers::note_duration(std::size_t place, const Step& here, std::int64_t slope) {
  const Request* request = argument_with(place, here).first;
  const Command* command = request ? find_command(*request) : nullptr;
  const bool lasts = !request || (command && command->has(kGivesLifetime));
  use_.sums = use_.sums && (slope < 0 || !lasts);
  note_sent(place, here);
}

void StepNumbers::note_durations_sent() {
  const std::optional<Step> here = step_at_(0);
  if (!here) return;
  const std::map<std::int64_t, Numbers> all = later_than(0, *here, way_of(here));
  for (std::size_t i = 0; i < all.at(0).size(); ++i)
    if (is_duration(all.at(0)[i]) && !grows(all, i, 0, 1)) note_sent(i, *here);
}

/// Nobody varies a duration that is kept as data, and read again.
void StepNumbers::note_sent(std::size_t place, const Step& here) {
  const auto [request, argument] = argument_with(place, here);
  if (request == nullptr) return;
  const Command* command = find_command(*request);
  if (command != nullptr && (command->has(kGivesLifetime) || command->has(kRunsScript)))
    use_.sent[form_of(*request)].insert(argument);
  else
    use_.lifetimes = false;
}

/// A number that is the same for so long, and then another one: that of the minute, of the hour;
/// or of the nearest one, or the day of another time zone, which begins so much later.
bool StepNumbers::note_unit(std::size_t place, std::int64_t base, const Numbers& now) {
  const auto number_at = [&](std::int64_t later) -> std::optional<std::int64_t> {
    const std::optional<Step> step = step_at_(later);
    const Numbers numbers = step ? numbers_of(*step) : Numbers{};
    if (numbers.size() != now.size()) return std::nullopt;
    return numbers[place];
  };
  const auto end_of = [&](std::int64_t from) {  // when it becomes another one
    const auto same = number_at(from);
    std::int64_t least = from, most = from + 1;
    while (most - from < kFarthestMs && number_at(most) == same) most += most - from;
    while (most - least > 1) {
      const std::int64_t middle = least + (most - least) / 2;
      (number_at(middle) == same ? least : most) = middle;
    }
    return most;
  };
  const std::int64_t first = end_of(base), second = end_of(first), unit = second - first;
  if (unit <= 1 || unit >= kFarthestMs || end_of(second) - second != unit) return false;
  std::set<std::int64_t> units{unit};
  bool rounds_up = false;
  for (const std::int64_t reading : clock_.readings) {
    std::int64_t part = std::gcd(unit, reading + first);  // the whole unit, or an offset
    const bool up = part == 1;                            // 1 ms after that
    if (up) part = std::gcd(unit, reading + first - 1);
    if (part <= 1 || unit / part > kMostParts) return false;
    units.insert(part);
    rounds_up = rounds_up || up;
  }
  const auto one = number_at(first), next = number_at(second);
  if (!one || !next) return false;
  for (const std::int64_t count : {2, 13, 61, 1441}) {  // it is no remainder
    const auto far = number_at(first + count * unit);
    if (!far || *far - *one != count * (*next - *one)) return false;
  }
  use_.units.insert(units.begin(), units.end());
  use_.rounds_up = use_.rounds_up || rounds_up;
  note_made_of_unit(*one, first, unit);
  if (const auto before = number_at(first - 1)) note_made_of_unit(*before, first - 1, unit);
  return true;
}

/// How far after the last multiple of the unit such a time lies.
void StepNumbers::note_made_of_unit(std::int64_t number, std::int64_t base, std::int64_t unit) {
  const std::int64_t time_ms = number * (number < kFirstTime ? unit : unit_of(number));
  for (const std::int64_t reading : clock_.readings) {
    const std::int64_t after = time_ms - (reading + base) / unit * unit;
    if (std::abs(after) <= kFarthestMs) use_.made.insert(after);  // else that of a short one
  }
}

}  // namespace lockstep::sim
