// Absolute times that a request names or meets: where it turns by them, and with what they meet;
// see node_clocks.hpp.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/client/node_clocks.hpp"
#include "sim/client/node_tried.hpp"
#include "sim/client/phases.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// A time that its client sends decides with one that is stored.
void NodeClocks::note_time_sent(const Met& met, const KnownTime& time, TimeUse& use) {
  const Vary vary = [&](const Keyspace& keyspace, std::int64_t more, std::int64_t later_ms) {
    Request request = met.request;
    for (std::string& argument : request) argument = later_by_units(argument, time.number, more);
    return tried(met.with(keyspace, request), later_ms);
  };
  use.kept =
      use.kept ||
      different_numbers_in(vary(met.keyspace, 0, 0).keyspace, score_unit_).contains(time.number);
  note_time(met, time, vary, use);
}

/// Times that are stored decide with one another.
void NodeClocks::note_times_stored(const Met& met, TimeUse& use) {
  std::vector<KnownTime> times;
  for (const std::int64_t number : different_numbers_in(met.keyspace, score_unit_))
    if (const std::int64_t unit = unit_of(number, met.execution.now); unit != 0)
      times.push_back({number, unit});
  if (times.size() < 2) return;
  for (const KnownTime& time : times) {
    const Vary vary = [&](const Keyspace& keyspace, std::int64_t more, std::int64_t later_ms) {
      const Keyspace varied = with_moved(keyspace, time.number, more, score_unit_);
      return tried(met.with(varied, met.request), later_ms);
    };
    note_time(met, time, vary, use);
  }
}

/// The same request if all happened later: the clock, each time that is stored or sent, and when
/// keys expire; and the clock a little later still.
NodeClocks::Tried NodeClocks::tried_at_phase(const Met& met, const KnownTimes& times,
                                             std::int64_t later_ms, std::int64_t aside_ms) {
  Keyspace keyspace = met.keyspace;
  Request request = met.request;
  keyspace.shift_expiry({later_ms});
  for (const auto& [number, unit] : times) {
    keyspace = with_moved(std::move(keyspace), number, later_ms / unit, score_unit_);
    for (std::string& argument : request)
      argument = later_by_units(argument, number, later_ms / unit);
  }
  return tried(met.with(keyspace, request), later_ms + aside_ms);
}

/// Where it turns if it all happened at another time.
void NodeClocks::note_phases(const Met& met, Shown what, TimeUse& use) {
  std::vector<std::int64_t> numbers = numbers_in(met.keyspace, score_unit_);
  for (const std::string& argument : met.request) add_numbers(argument, numbers);
  KnownTimes times;
  for (const std::int64_t number : numbers)
    if (const std::int64_t unit = unit_of(number, met.execution.now); unit != 0)
      times[number] = unit;
  const bool in_seconds =
      std::ranges::any_of(times, [](const auto& time) { return time.second == kSecondMs; });
  std::vector<std::int64_t> times_ms;
  for (const auto& [number, unit] : times) times_ms.push_back(ms_of(number, unit));
  met.keyspace.for_each([&](const std::string&, const Entry& entry) {
    if (entry.expires) times_ms.push_back(entry.expires->ms);
  });
  const auto made = [&](const Tried& of) {
    std::vector<std::int64_t> all = numbers_in(of.keyspace, score_unit_);
    for (const std::int64_t number : times_told(of.reply)) all.push_back(number);
    std::erase_if(all, [&](auto number) { return unit_of(number, met.execution.now) == 0; });
    of.keyspace.for_each([&](const std::string&, const Entry& entry) {
      if (entry.expires) all.push_back(entry.expires->ms);
    });
    return all;
  };
  for (const std::int64_t aside_ms : {std::int64_t{0}, kAsideMs}) {
    MadeTimes times_made{made(tried_at_phase(met, times, 0, aside_ms)), {}};
    if (!in_seconds) times_made.soon = made(tried_at_phase(met, times, 1, aside_ms));
    const auto shifted = [&](std::int64_t later_ms) {
      const Tried then = tried_at_phase(met, times, later_ms, aside_ms);
      std::string all = then.shown(what) + made_times(times_made, made(then), later_ms);
      for (const Compared& each : then.compared) all += difference(each.left, each.right);
      return all;
    };
    std::vector<std::int64_t> meeting = times_ms;
    meeting.push_back(met.execution.now.ms + aside_ms);
    if (met.execution.mode.later_from > 0)  // what is read then is 1 ms later
      meeting.push_back(met.execution.now.ms + aside_ms + 1);
    sim::note_phases(shifted, meeting, in_seconds, use);
  }
  const auto made_ms = [&](std::int64_t later_ms) {
    std::vector<std::int64_t> all = made(tried_at_phase(met, times, later_ms, 0));
    for (std::int64_t& number : all)
      if (const std::int64_t unit = unit_of(number, met.execution.now); unit != 0)
        number = ms_of(number, unit);
    return all;
  };
  if (in_seconds) use.units.insert(kSecondMs);
  // Times in more than ms are moved by whole ones only; and where the clock goes on within a
  // script, rounding begins 1 ms sooner: judged where it does not.
  const bool known_elsewhere =
      met.execution.mode.later_from > 0 ||
      std::ranges::any_of(times, [](const auto& time) { return time.second > 1; });
  note_rounded(made_ms, met.execution.now.ms, known_elsewhere, use);
}

/// What it makes of such a time is no time: an age that it stores, or answers, and nobody varies.
void NodeClocks::note_ages(const Met& met, const std::set<std::int64_t>& turns, const Vary& vary,
                           TimeUse& use) {
  const auto ages = [&](const Tried& of) {
    std::vector<double> all = numbers_told(of.reply);
    for (const std::int64_t number : numbers_in(of.keyspace, score_unit_))
      if (std::abs(number) <= kFarthestMs && unit_of(number, met.execution.now) == 0)
        all.push_back(static_cast<double>(number));
    return all;
  };
  for (const std::int64_t base : both_sides(turns)) {
    const Tried here = vary(met.keyspace, base, 0);
    const std::string way = here.shown(Shown::comparisons);
    const std::vector<double> as_here = ages(here);
    for (const std::int64_t more : {std::int64_t{1}, std::int64_t{-1}, kSecondMs}) {
      const Tried other = vary(met.keyspace, base + more, 0);
      const std::vector<double> then = ages(other);
      const bool alike = other.shown(Shown::comparisons) == way &&
                         then.size() == as_here.size();  // else something is gone
      use.lifetimes = use.lifetimes && (!alike || then == as_here);
    }
  }
}

/// What decides where this time is `turn` units later: the clock, or one that is stored; or several
/// that are met there at once.
void NodeClocks::note_meeting(const Met& met, const KnownTime& time, std::int64_t turn, Shown what,
                              const Vary& vary, TimeUse& use) {
  const WallTime now = met.execution.now;
  constexpr std::int64_t kClock = 0;  // no time that is stored
  std::vector<std::int64_t> known;    // the latest first, so that none is moved onto another one
  const std::set<std::int64_t> stored = different_numbers_in(met.keyspace, score_unit_);
  std::copy_if(stored.rbegin(), stored.rend(), std::back_inserter(known),
               [&](auto number) { return unit_of(number, now) != 0; });
  known.push_back(kClock);
  const auto turns_with = [&](const std::vector<std::int64_t>& moved, std::int64_t by) {
    Keyspace keyspace = met.keyspace;
    for (const std::int64_t one : moved) {
      if (one == kClock) continue;
      const std::int64_t in_units = std::max<std::int64_t>(time.unit / unit_of(one, now), 1);
      keyspace = with_moved(std::move(keyspace), one, by == 1 ? 1 : by * in_units, score_unit_);
    }
    const std::int64_t later_ms = std::ranges::count(moved, kClock) > 0 ? by : 0;
    return vary(keyspace, turn - 1, later_ms).shown(what) !=
           vary(keyspace, turn, later_ms).shown(what);
  };
  const auto decide = [&](const std::vector<std::int64_t>& moved) {
    return !turns_with(moved, 1) || !turns_with(moved, kSecondMs);
  };
  const std::vector<std::int64_t> causes = what_decides(known, decide);
  const std::int64_t turn_ms = ms_of(time.number, time.unit) + turn * time.unit;
  for (const std::int64_t cause : causes) {
    const std::int64_t cause_ms = cause == kClock ? now.ms : ms_of(cause, unit_of(cause, now));
    const std::int64_t after = turn_ms - cause_ms;
    if (cause == kClock)
      use.met.insert(-after);
    else
      use.between.insert({after, 1 - after});  // either may be the later one
  }
  use.explained = use.explained && !causes.empty();
}

/// Where the step turns if this time were another one: by the clock, or by one that is stored.
void NodeClocks::note_time(const Met& met, const KnownTime& time, const Vary& vary, TimeUse& use) {
  const auto [number, unit] = time;
  const auto shown = [&](const Keyspace& keyspace, std::int64_t more, Shown what,
                         std::int64_t later_ms = 0) {
    return vary(keyspace, more, later_ms).shown(what);
  };
  const Shown what =
      changes_with([&](std::int64_t more) { return shown(met.keyspace, more, Shown::values); })
          ? Shown::forms
          : Shown::values;
  Courses courses;
  const auto here = [&](std::int64_t more) {
    const Tried then = vary(met.keyspace, more, 0);
    tell(then, more, met.execution.now, courses);
    return then.shown(what);
  };
  // A window's number is known as one no farther away.
  const std::int64_t farthest = unit == 1 ? kFarthestMs : kFarthestMs / unit - 1;
  Turns turns = turning_points(here, -farthest, farthest);
  use.all = use.all && turns.all && courses.one_way();
  note_ages(met, turns.at, vary, use);
  const std::set<std::int64_t> stored = different_numbers_in(met.keyspace, score_unit_);
  for (const std::int64_t other : stored)
    if (const std::int64_t its_unit = unit_of(other, met.execution.now); its_unit != 0)
      add_turns_at(floor_quotient(ms_of(other, its_unit) - ms_of(number, unit), unit), 1, here,
                   turns.at);
  for (const std::int64_t turn : turns.at) note_meeting(met, time, turn, what, vary, use);
  if (unit > 1 && !turns.at.empty()) use.units.insert(unit);
}

}  // namespace lockstep::sim
