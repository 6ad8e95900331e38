// Absolute times that meet: which one decides where a step turns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "sim/base/ascii.hpp"
#include "sim/client/clock_look.hpp"
#include "sim/client/phases.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// By how much what may decide is moved: by two seconds as well, for where equal ones turn there
/// are two turns side by side.
constexpr std::array<std::int64_t, 3> kShifts{1, kSecondMs, 2 * kSecondMs};

/// In seconds or ms: of microseconds nothing is claimed that a client compares.
bool is_time(std::int64_t number) { return number >= kFirstTime && number < kFirstMicros; }

/// Also the number of a window of more than a second.
bool is_time_in(std::int64_t number, std::int64_t unit) {
  return unit > kSecondMs ? number > 0 && number < kFirstTime : is_time(number);
}

/// But for the numbers in it: what answers the one is an answer to the other.
bool is_alike(const Effect& a, const Effect& b) {
  return a.kind == b.kind && (a.request == b.request || form_of(a.request) == form_of(b.request));
}

}  // namespace

Look::Cases Look::cases_of(const Paths& with) const {
  return [&with, this](std::int64_t later_ms) { return Case{snapshot_, with(later_ms)}; };
}

std::optional<Step> Look::run(const std::optional<Case>& with) const {
  if (!with) return std::nullopt;
  std::optional<Step> step = uses_.program_.what_if(setup_, with->remembered, with->path);
  // One that has gone another way before its last observation was looked at there.
  const bool answered =
      step && (path_.size() == 1 || std::ranges::equal(step->before, effects_before(), is_alike));
  return answered ? step : std::nullopt;
}

const std::vector<Effect>& Look::effects_before() const {
  if (!before_) before_ = uses_.program_.what_if(setup_, snapshot_, path_).value_or(Step{}).before;
  return *before_;
}

void Look::note_meeting(const Cases& cases, std::int64_t later, std::int64_t turn_ms, bool either) {
  bool explained = false;
  std::set<std::int64_t> units = uses_.windows_;
  units.insert({1, kSecondMs});
  for (const std::int64_t number : numbers_heard())
    for (const std::int64_t unit : units) {
      if (!is_time_in(number, unit)) continue;
      const std::int64_t after = turn_ms - number * unit;
      if (std::abs(after) > kFarthestMs || !decides(cases, later, number)) continue;
      explained = true;
      if (told_by_time(number)) use_.made.insert(0);
      note_met(after, unit, either, begins_unit(after, unit));
      if (either && after > 1) use_.lefts.insert({after - 1, after});  // a key's time to die
    }
  for (const auto& kept : times_kept()) {
    const std::int64_t after = turn_ms - *kept->time_ms;
    if (std::abs(after) > kFarthestMs || !decides(cases, later, *kept)) continue;
    explained = true;
    use_.made.insert(0);
    note_met(after, 1, either, turn_ms % kSecondMs == 0 && is_rounded(cases, later, *kept));
  }
  use_.explained = use_.explained && explained;
}

void Look::note_made(const Cases& cases, std::int64_t later, std::int64_t turn_ms,
                     std::int64_t in_unit) {
  const std::set<std::int64_t> replied = numbers_replied();
  bool explained = false;
  for (const std::int64_t number : numbers_heard())
    for (const std::int64_t unit : {std::int64_t{1}, kSecondMs}) {
      const std::int64_t after = turn_ms - number * unit;
      if (!is_time(number) || std::abs(after) > kFarthestMs) continue;
      if (!decides(cases, later, number)) continue;
      explained = true;
      if (!replied.contains(number)) continue;
      use_.between.add(after, begins_unit(after, std::min(unit, in_unit)));
      note_in_unit(after, unit, use_);
    }
  for (const auto& kept : times_kept()) explained = explained || decides(cases, later, *kept);
  use_.explained = use_.explained && explained;
}

void Look::note_met(std::int64_t after, std::int64_t unit, bool either, bool at_unit) {
  if (unit > 1) use_.units.insert(unit);
  note_in_unit(after, unit, use_);
  use_.met.add(after, at_unit);
  if (either) use_.met.add(1 - after, at_unit);
  const bool of_instant = std::ranges::any_of(
      step_.clock_answers, [](const auto& answer) { return answer.absolute && answer.slope == 0; });
  if (of_instant) use_.ages.insert(after > 0 ? after : 1 - after);
}

bool Look::made_beside(std::size_t observation, std::int64_t number, std::int64_t turn) {
  constexpr std::int64_t kAside = 1'000'000'000'000'000;  // where no other number is
  const Reply& reply = *path_[observation].reply;
  const auto way = [&](std::int64_t later, std::int64_t other, std::int64_t by) {
    std::vector<Observation> path = path_;
    const Reply varied = moved(moved(reply, other, kAside), number, later);
    path[observation].reply = moved(varied, other + kAside, by - kAside);
    return way_of(run(Case{snapshot_, path}));
  };
  std::vector<std::int64_t> numbers;
  add_numbers_of(reply, numbers);
  bool met = false;
  if (!is_time(number)) return false;
  for (const std::int64_t other : std::set<std::int64_t>(numbers.begin(), numbers.end())) {
    if (other == number || !is_time(other)) continue;
    const auto moves = [&](std::int64_t by) {
      return way(turn - 1, other, by) == way(turn, other, by);
    };
    const std::int64_t after = (number + turn) * unit_of(number) - other * unit_of(other);
    if (std::abs(after) > kFarthestMs || !(moves(1) || moves(kSecondMs))) continue;
    met = true;
    use_.between.add(after, begins_unit(after, std::min(unit_of(number), unit_of(other))));
    note_in_unit(after, unit_of(number), use_);
  }
  return met;
}

void Look::at_phases() {
  use_.all = use_.all && std::ranges::none_of(step_.compared, [](const Comparison& each) {
               return hangs_on_rounding(each.left, each.right);
             });
  constexpr std::int64_t kLastTime = 10'000 * kFirstTime;  // a number beyond is no time in ms
  std::set<std::int64_t, std::greater<>> times;            // so that none is moved onto the next
  std::vector<std::int64_t> numbers;
  add_numbers(snapshot_, numbers);
  for (const std::int64_t number : numbers_heard()) numbers.push_back(number);
  for (const std::int64_t number : numbers)
    if (number >= kFirstTime && number < kLastTime) times.insert(number);
  const auto nowhere = [&](std::int64_t) { return path_; };
  if (times.empty() || !known(fmt::format("phase{}", times.size()), nowhere, 0).second) return;
  const auto step_at = [&](std::int64_t later_ms, std::int64_t aside_ms) {
    Case all{snapshot_, path_};
    for (const std::int64_t time : times) {
      const bool last = time == *times.begin();  // what the clock shows, if anything
      const std::int64_t by = (later_ms + (last ? aside_ms : 0)) / unit_of(time);
      all.remembered = with_moved(all.remembered, time, by);
      for (Observation& observation : all.path) {
        observation.reply = moved(*observation.reply, time, by);
        for (std::string& answer : observation.answers) answer = with_moved(answer, time, by);
      }
    }
    return run(all);
  };
  std::vector<std::int64_t> times_ms;
  for (const std::int64_t time : times) times_ms.push_back(time * unit_of(time));
  const bool in_seconds = std::ranges::any_of(times, [&](std::int64_t time) {
    return unit_of(time) == kSecondMs && is_near_a_clock(time * kSecondMs);
  });
  const auto made = [&](const std::optional<Step>& step) {
    std::vector<std::int64_t> all;
    if (step) all = numbers_of(*step);
    if (step && step->boundary) add_numbers(*step->boundary, all);  // what it remembers
    std::erase_if(all, [&](std::int64_t number) {
      return std::abs(number * unit_of(number) - times_ms[0]) > kFarthestMs;
    });
    return all;
  };
  for (const std::int64_t aside_ms : {std::int64_t{0}, kAsideMs}) {
    MadeTimes times_made{made(step_at(0, aside_ms)), {}};
    if (!in_seconds) times_made.soon = made(step_at(1, aside_ms));
    const auto shifted = [&](std::int64_t later_ms) {
      const std::optional<Step> step = step_at(later_ms, aside_ms);
      std::string then = way_of(step) + made_times(times_made, made(step), later_ms);
      if (step)
        for (const Comparison& each : step->compared) then += difference(each.left, each.right);
      return then;
    };
    times_ms.push_back(*times_ms.begin() + aside_ms);
    note_phases(shifted, times_ms, in_seconds, use_);
  }
  if (in_seconds) use_.units.insert(kSecondMs);
  const auto made_ms = [&](std::int64_t later_ms) {
    std::vector<std::int64_t> all = made(step_at(later_ms, 0));
    for (std::int64_t& number : all) number *= unit_of(number);
    return all;
  };
  for (const std::int64_t reading : readings_told())
    note_rounded(made_ms, reading, in_seconds, use_);
}

/// Whether the path has a reading of a clock near it: else it may be four letters of a text.
bool Look::is_near_a_clock(std::int64_t time_ms) const {
  return std::ranges::any_of(path_, [&](const Observation& observation) {
    std::vector<std::int64_t> numbers;
    for (const std::string& answer : observation.answers) add_numbers(answer, numbers);
    if (const auto told = time_told(*observation.reply)) numbers.push_back(*told);
    return std::ranges::any_of(numbers, [&](std::int64_t number) {
      return is_time(number) && std::abs(number * unit_of(number) - time_ms) <= kFarthestMs;
    });
  });
}

/// The absolute times of its clock that it was told in the path's last observation.
std::set<std::int64_t> Look::readings_told() const {
  std::set<std::int64_t> readings;
  for (const ClockAnswer& each : step_.clock_answers) {
    std::vector<std::int64_t> numbers;
    if (each.absolute && each.observation + 1 == path_.size())
      add_numbers(path_[each.observation].answers.at(each.answer), numbers);
    readings.insert(numbers.begin(), numbers.end());
  }
  return readings;
}

bool Look::told_by_time(std::int64_t ms) const {
  return std::ranges::any_of(
      path_, [&](const Observation& observation) { return time_told(*observation.reply) == ms; });
}

std::set<std::int64_t> Look::numbers_replied() const {
  std::vector<std::int64_t> numbers;
  for (const Observation& observation : path_) add_numbers_of(*observation.reply, numbers);
  return {numbers.begin(), numbers.end()};
}

std::set<std::int64_t> Look::numbers_heard() const {
  std::vector<std::int64_t> numbers;
  for (const Observation& observation : path_)
    for (const std::string& answer : observation.answers) add_numbers(answer, numbers);
  std::set<std::int64_t> heard = numbers_replied();
  heard.insert(numbers.begin(), numbers.end());
  return heard;
}

bool Look::decides(const Cases& cases, std::int64_t later, std::int64_t number) const {
  const std::optional<Case> varied = cases(1);
  if (!varied) return false;
  const auto way = [&](std::int64_t at, std::int64_t by) {
    std::optional<Case> with = cases(at);
    for (std::size_t i = 0; with && i < with->path.size(); ++i) {  // but for what is varied
      Observation& changed = with->path[i];
      if (*varied->path[i].reply == *path_[i].reply)
        changed.reply = moved(*changed.reply, number, by);
      for (std::size_t k = 0; k < changed.answers.size(); ++k)
        if (varied->path[i].answers[k] == path_[i].answers[k])
          changed.answers[k] = with_moved(changed.answers[k], number, by);
    }
    return way_of(run(with));
  };
  const auto moves = [&](std::int64_t by) { return way(later - 1, by) == way(later, by); };
  return std::ranges::any_of(kShifts, moves);
}

bool Look::decides(const Cases& cases, std::int64_t later, const Kept& kept) const {
  return std::ranges::any_of(kShifts, [&](auto by) { return moves(cases, later, kept, by); });
}

/// One that is compared to the ms moves the turn by one either way (by two, where it turns at two
/// neighbours).
bool Look::is_rounded(const Cases& cases, std::int64_t later, const Kept& kept) const {
  const auto either = [&](std::int64_t by) {
    return moves(cases, later, kept, by) || moves(cases, later, kept, 2 * by);
  };
  return !either(1) || !either(-1);
}

bool Look::moves(const Cases& cases, std::int64_t later, const Kept& kept, std::int64_t by) const {
  const auto way = [&](std::int64_t at) {
    std::optional<Case> with = cases(at);
    const std::optional<Case> other = cases_of(kept)(by);
    if (!with || !other || with->remembered != snapshot_) return std::string();
    with->remembered = other->remembered;
    return way_of(run(with));
  };
  const std::string before = way(later - 1);
  return !before.empty() && before == way(later);
}

}  // namespace lockstep::sim
