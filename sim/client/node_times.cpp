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

std::vector<NodeClocks::KnownTime> NodeClocks::times_sent(const Met& met) const {
  std::vector<KnownTime> times;
  for (const auto& [number, unit] : times_in(met.request, met.execution.now, windows_))
    times.push_back({number, unit, true});
  return times;
}

std::vector<NodeClocks::KnownTime> NodeClocks::times_stored(const Met& met) const {
  std::vector<KnownTime> times;
  for (const std::int64_t number : different_numbers_in(met.keyspace, score_unit_))
    if (const std::int64_t unit = unit_of(number, met.execution.now); unit != 0)
      times.push_back({number, unit});
  return times;
}

/// A time that its client sends decides with one that is stored.
void NodeClocks::note_times_sent(const Met& met, TimeUse& use) {
  for (const KnownTime& time : times_sent(met)) {
    const Vary vary = [&](const Met& beside, std::int64_t more, std::int64_t later_ms) {
      Request request = beside.request;
      for (std::string& argument : request) argument = later_by_units(argument, time.number, more);
      return tried(beside.with(beside.keyspace, request), later_ms);
    };
    const Keyspace then = vary(met, 0, 0).keyspace;
    use.kept = use.kept || different_numbers_in(then, score_unit_).contains(time.number);
    note_time(met, time, vary, use);
  }
}

/// Times that are stored decide with one another.
void NodeClocks::note_times_stored(const Met& met, TimeUse& use) {
  const std::vector<KnownTime> times = times_stored(met);
  if (times.size() < 2) return;
  for (const KnownTime& time : times) {
    const Vary vary = [&](const Met& beside, std::int64_t more, std::int64_t later_ms) {
      const Keyspace varied = with_moved(beside.keyspace, time.number, more, score_unit_);
      return tried(beside.with(varied, beside.request), later_ms);
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
    const Tried here = vary(met, base, 0);
    const std::string way = here.shown(Shown::comparisons);
    const std::vector<double> as_here = ages(here);
    for (const std::int64_t more : {std::int64_t{1}, std::int64_t{-1}, kSecondMs}) {
      const Tried other = vary(met, base + more, 0);
      const std::vector<double> then = ages(other);
      const bool alike = other.shown(Shown::comparisons) == way &&
                         then.size() == as_here.size();  // else something is gone
      use.lifetimes = use.lifetimes && (!alike || then == as_here);
    }
  }
}

/// What decides where this time is `turn` units later: the clock, or another one that is stored or
/// sent; or several that are met there at once.
void NodeClocks::note_meeting(const Met& met, const KnownTime& time, std::int64_t turn, Shown what,
                              const Vary& vary, TimeUse& use) {
  const WallTime now = met.execution.now;
  const KnownTime clock{0, 1};
  std::vector<KnownTime> known = times_stored(met);  // the latest first, or one moves onto another
  std::ranges::reverse(known);
  for (const KnownTime& sent : times_sent(met)) known.push_back(sent);
  std::erase(known, time);  // it is no cause of its own turn
  known.push_back(clock);
  // It is there no more if they are a little later. Where a time is rounded that takes a second, by
  // which much else may change: then it has to come as much later.
  const auto decide = [&](const std::vector<KnownTime>& moved) {
    std::set<std::int64_t> units{time.unit};
    for (const KnownTime& one : moved) units.insert(one.unit);
    const auto moves = [&](std::int64_t by_ms, bool along) {
      Keyspace keyspace = met.keyspace;
      Request request = met.request;
      for (const KnownTime& one : moved) {
        const std::int64_t by = by_ms / one.unit;
        if (one == clock) continue;
        if (one.is_sent)
          for (std::string& argument : request) argument = later_by_units(argument, one.number, by);
        else
          keyspace = with_moved(std::move(keyspace), one.number, by, score_unit_);
      }
      const Met beside = met.with(keyspace, request);
      const std::int64_t later_ms = std::ranges::count(moved, clock) > 0 ? by_ms : 0;
      const auto turns_at = [&](std::int64_t more) {
        return vary(beside, more - 1, later_ms).shown(what) !=
               vary(beside, more, later_ms).shown(what);
      };
      return !turns_at(turn) && (!along || turns_at(turn + by_ms / time.unit));
    };
    const std::int64_t least_ms = common_multiple(units);
    return moves(least_ms, false) || moves(least_ms * kSecondMs, true);
  };
  const std::vector<KnownTime> causes = what_decides(known, decide);
  const std::int64_t turn_ms = ms_of(time.number, time.unit) + turn * time.unit;
  for (const KnownTime& cause : causes) {
    if (cause == clock) {
      use.met.add(now.ms - turn_ms, begins_unit(now.ms - turn_ms, time.unit));
      continue;
    }
    const std::int64_t after = turn_ms - ms_of(cause.number, cause.unit);
    const std::int64_t unit = std::min(time.unit, cause.unit);
    for (const std::int64_t apart : {after, 1 - after})  // either may be the later one
      use.between.add(apart, begins_unit(after, unit));
  }
  use.explained = use.explained && !causes.empty();
}

/// Where the step turns if this time were another one: by the clock, or by one that is stored.
void NodeClocks::note_time(const Met& met, const KnownTime& time, const Vary& vary, TimeUse& use) {
  const auto [number, unit, is_sent] = time;
  const Shown what =
      changes_with([&](std::int64_t more) { return vary(met, more, 0).shown(Shown::values); })
          ? Shown::forms
          : Shown::values;
  Courses courses;
  const auto here = [&](std::int64_t more) {
    const Tried then = vary(met, more, 0);
    tell(then, more, met.execution.now, courses);
    return then.shown(what);
  };
  // A window's number is known as one no farther away.
  const std::int64_t farthest = unit == 1 ? kFarthestMs : kFarthestMs / unit - 1;
  Turns turns = turning_points(here, -farthest, farthest);
  use.all = use.all && turns.all && courses.one_way();
  note_ages(met, turns.at, vary, use);
  for (const KnownTime& other : times_stored(met))
    add_turns_at(floor_quotient(ms_of(other.number, other.unit) - ms_of(number, unit), unit), 1,
                 here, turns.at);
  for (const std::int64_t turn : turns.at) note_meeting(met, time, turn, what, vary, use);
  if (unit > 1 && !turns.at.empty()) use.units.insert(unit);
}

}  // namespace lockstep::sim
