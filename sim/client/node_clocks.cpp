// Executes requests at other times; see the header. Where windows of time are found, and what turns
// and why, is in node_windows.cpp, node_turns.cpp and node_times.cpp.
#include "sim/client/node_clocks.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "sim/base/bytes.hpp"
#include "sim/base/error.hpp"
#include "sim/client/node_tried.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/within_ms.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

Execution to_try(const Execution& given, ScriptVm& scripts, std::vector<Compared>* compared) {
  Execution execution = given;
  execution.scripts = &scripts;
  execution.compared = compared;
  execution.touched.clear();
  return execution;
}

NodeClocks::Tried NodeClocks::tried(const Met& met, std::int64_t later_ms) {
  Execution given = met.execution;
  given.now = given.now + Duration{later_ms};
  return tried(met, given);
}

NodeClocks::Tried NodeClocks::tried(const Met& met, const Execution& given) {
  Tried tried{windows_, score_unit_, met.execution.now, given.now, met.keyspace, Reply::null(), {}};
  if (is_over()) {
    tried.ran = false;
    return tried;
  }
  Session session = met.session;
  Execution execution = to_try(given, scripts_, &tried.compared);
  try {
    tried.reply = answer(met.served, tried.keyspace, session, met.request, execution);
  } catch (const BadInput&) {
    tried.ran = false;
  }
  tried.keyspace.purge(execution.now);
  parts_met_ = parts_met_ || has_parts_of_seconds(tried.keyspace);
  return tried;
}

bool NodeClocks::is_over() {
  over_ = over_ || (watch_ != nullptr && watch_->is_due() && !watch_->may_go_on());
  return over_;
}

bool NodeClocks::is_new(const Met& met) {
  ByteWriter out;
  const TextChange plain = [&](const std::string& text) {
    return without_times(text, met.execution.now, windows_);
  };
  for (const std::string& argument : met.request) out.text(plain(argument));
  out.text(bare(met.keyspace, plain));
  met.keyspace.for_each(
      [&](const std::string&, const Entry& entry) { out.number(entry.expires ? 1 : 0); });
  out.text(encode(met.session));
  std::vector<std::int64_t> numbers = numbers_in(met.keyspace, score_unit_);
  for (const std::string& argument : met.request) add_numbers(argument, numbers);
  std::map<std::int64_t, std::int64_t> different;  // which times are the same
  for (const std::int64_t number : numbers) {
    if (unit_of(number, met.execution.now) == 0) continue;
    const auto place = static_cast<std::int64_t>(different.size());
    out.number(different.try_emplace(number, place).first->second);
  }
  const Tried now = tried(met, 0);
  out.text(now.shown(Shown::comparisons));  // on another way it may look at other times
  out.number(now.hangs_on_rounding() ? 1 : 0);
  return known_.insert(out.take()).second;
}

void NodeClocks::know(const std::set<std::int64_t>& units, bool parts_of_seconds) {
  for (const std::int64_t unit : units)
    if (unit != kSecondMs) windows_.insert(unit);  // seconds are times by themselves
  if (parts_of_seconds) score_unit_ = ScoreUnit::ms;
}

std::int64_t NodeClocks::unit_of(std::int64_t number, WallTime now) const {
  return unit_of_time(number, now, windows_);
}

/// Tells what a try compares with a clock that shows `clock`.
void NodeClocks::tell(const Tried& tried, std::int64_t later_ms, WallTime clock,
                      Courses& courses) const {
  courses.begin(later_ms);
  for (const Compared& each : tried.compared) {
    const bool numbers_window = each.outcome == Compared::kSent &&
                                std::abs(each.left) < static_cast<double>(kFarthestMs) &&
                                unit_of(static_cast<std::int64_t>(each.left), clock) != 0;
    if (!numbers_window) courses.add(0, each);  // else it is as any time
  }
}

void NodeClocks::look_at(const Met& met, bool looked_at_time, const std::set<std::int64_t>& replies,
                         TimeUse& use) {
  if (is_new(met)) try_at_other_times(met, looked_at_time, replies, use);
  use.parts_of_seconds = use.parts_of_seconds || parts_met_;
}

void NodeClocks::try_at_other_times(const Met& met, bool looked_at_time,
                                    const std::set<std::int64_t>& replies, TimeUse& use) {
  const Tried now = tried(met, 0);
  use.all = use.all && !now.hangs_on_rounding();
  if (looked_at_time) find_windows(met, now, use);
  const Shown what = what_tells(met, looked_at_time);
  const std::set<std::int64_t> found = turns(met, what, use);
  for (const std::int64_t turn : found) note_turn(met, turn, {what}, use);
  for (const std::int64_t later_ms : both_sides(found)) {
    use.explained = use.explained && !joins_lifetimes(met, later_ms);
    note_results(met, later_ms, onwards(later_ms, found), use);
  }
  if (over_) use.all = false;
  if (looked_at_time) note_within_ms(met, use);
  note_times_sent(met, use);
  note_times_stored(met, use);
  note_phases(met, what, use);
  if (numbers_told(now.reply).empty()) return;
  for (const std::int64_t number : replies) note_reply(met, number, what, use);
}

NodeClocks::Shown NodeClocks::what_tells(const Met& met, bool looked_at_time) {
  if (!looked_at_time) return Shown::comparisons;
  const auto values = [&](std::int64_t later) { return tried(met, later).shown(Shown::values); };
  const auto in_seconds = [&](std::int64_t later) { return values(later * kSecondMs); };
  return changes_with(values) || changes_with(in_seconds) ? Shown::forms : Shown::values;
}

void NodeClocks::look_at_duration(const Met& met, std::size_t argument, TimeUse& use) {
  std::vector<std::int64_t> numbers;
  add_numbers(met.request.at(argument), numbers);
  for (const std::int64_t number : numbers) {
    Courses courses;
    const auto shown = [&](std::int64_t more) {
      Request request = met.request;
      request[argument] = sim::with_moved(request[argument], number, more);
      const Tried then = tried(met.with(met.keyspace, request), 0);
      tell(then, more, met.execution.now, courses);
      return then.shown(Shown::values);
    };
    if (number < 1 || number > kFarthestMs) continue;       // no lifetime: the key ends at once
    if (unit_of(number, met.execution.now) != 0) continue;  // the number of a window
    const Turns turns = turning_points(shown, 1 - number, kFarthestMs);
    use.lifetimes = use.lifetimes && turns.at.empty() && turns.all && courses.one_way();
    for (const std::int64_t turn : turns.at) {  // what is violated by it is found
      use.met.add(number + turn, false);
      if (number + turn > 1) use.lefts.insert({number + turn - 1, number + turn});
    }
  }
}

/// Absolute times that were made of a clock: one that shows so much more, a unit, makes later ones.
void NodeClocks::note_made(const std::vector<std::int64_t>& numbers,
                           const std::vector<std::int64_t>& others, std::int64_t by, WallTime now,
                           TimeUse& use) const {
  if (others.size() != numbers.size()) return;
  const std::int64_t unit = std::abs(by);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t made_ms = ms_of(numbers[i], unit);
    if (ms_of(others[i], unit) - made_ms != by || unit_of(numbers[i], now) != unit) continue;
    use.made.insert(made_ms - now.ms / unit * unit);
    if (unit > 1) use.units.insert(unit);
  }
}

/// Lifetimes and values that it works out from a clock which shows so much more: seen with one that
/// shows a little more still, or (-1) less.
void NodeClocks::note_results(const Met& met, std::int64_t later_ms, int sign, TimeUse& use) {
  const WallTime clock = met.execution.now + Duration{later_ms};
  const Tried now = tried(met, later_ms);
  const std::vector<std::int64_t> numbers = numbers_in(now.keyspace, score_unit_);
  const auto is_time = [&](std::int64_t number) {
    return std::abs(number) > kFarthestMs || unit_of(number, clock) != 0;
  };
  Windows units = windows_;
  units.insert({1, kSecondMs});
  std::set<Place> still;
  for (const std::int64_t unit : units) {
    const Tried other = tried(met, later_ms + sign * unit);
    if (other.shown(Shown::forms) != now.shown(Shown::forms)) continue;
    note_lifetimes(met, now, other, sign * unit, still, use);
    note_made(times_told(now.reply), times_told(other.reply), sign * unit, clock, use);
    const std::vector<std::int64_t> moved = numbers_in(other.keyspace, score_unit_);
    if (moved.size() != numbers.size()) continue;
    use.mixes = use.mixes || moved != numbers;
    use.kept = use.kept || moved != numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      use.lifetimes = use.lifetimes && (moved[i] == numbers[i] || is_time(numbers[i]));
    note_made(numbers, moved, sign * unit, clock, use);
  }
}

NodeClocks::Prolonged NodeClocks::prolonged(const Met& met, const Place& place) {
  const auto end_in = [&](const Keyspace& keyspace, std::int64_t later_ms) {
    const Tried then = tried(met.with(keyspace, met.request), later_ms);
    const Entry* const entry = then.keyspace.find(place.database, place.key);
    return entry != nullptr && entry->expires ? std::optional(entry->expires->ms) : std::nullopt;
  };
  Prolonged found;
  const std::optional<std::int64_t> end = end_in(met.keyspace, 0);
  bool stays = false;
  for (const std::int64_t by : {1, -1}) {
    const std::optional<std::int64_t> then = end_in(met.keyspace, by);
    stays = stays || then == end;
    found.or_anew = found.or_anew || (end && then == *end + by);
  }
  if (!end || !stays) return found;
  for (const auto& [key, expires] : expiries(met.keyspace))
    for (const std::int64_t by : {1, -1})
      if (!found.key && end_in(with_longer(met.keyspace, key, by), 0) == *end + by) found.key = key;
  return found;
}

/// `still`: keys that expire at the same time 1 ms later.
void NodeClocks::note_lifetimes(const Met& met, const Tried& now, const Tried& other,
                                std::int64_t by, std::set<Place>& still, TimeUse& use) {
  const std::map<Place, WallTime> before = expiries(met.keyspace), then = expiries(other.keyspace);
  for (const auto& [place, expires] : expiries(now.keyspace)) {
    const auto was = before.find(place), later = then.find(place);
    if (later == then.end() || (was != before.end() && was->second == expires)) continue;
    const std::int64_t moved_ms = (later->second - expires).ms;
    use.mixes = use.mixes || moved_ms != by;
    if (moved_ms == by && still.contains(place)) use.units.insert(std::abs(by));
    if (moved_ms == 0) still.insert(place);
  }
}

/// Who looks at no time is executed alike at all microseconds.
void NodeClocks::note_within_ms(const Met& met, TimeUse& use) {
  constexpr int kOfMs = 3;  // decimals: microseconds
  const auto outcome = [&](int micros) {
    Execution given = met.execution;
    given.now = given.now + Duration{micros / kMicrosOfMs};
    given.micros = micros % kMicrosOfMs;
    const Tried then = tried(met, given);
    Outcome all;
    for (const Compared& each : then.compared) {
      all.course += each.outcome;
      all.compared.insert(all.compared.end(), {each.left, each.right});
    }
    const TextChange split = [&](const std::string& text) {
      return split_numbers(text, all.numbers);
    };
    ByteWriter out;
    if (!time_told(then.reply)) write(out, with_texts(then.reply, split));  // told as it is
    all.course += out.take() + bare(then.keyspace, split, kOfMs);
    then.keyspace.for_each([&](const std::string&, const Entry& entry) {
      if (entry.expires) all.expiries.push_back(static_cast<double>(entry.expires->ms));
    });
    return all;
  };
  sim::note_within_ms(outcome, use);
}

}  // namespace lockstep::sim
