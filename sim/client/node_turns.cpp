// Where a request turns as a node's clock goes on, and which key or time decides it; see
// node_clocks.hpp.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/client/node_clocks.hpp"
#include "sim/client/node_tried.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// When it would turn, in ms from now.
std::set<std::int64_t> NodeClocks::turns(const Met& met, Shown what, TimeUse& use) {
  const bool looked_at_time = what != Shown::comparisons;
  if (!looked_at_time && tried(met, 0).compared.empty()) return {};
  std::int64_t left_ms = 0;
  met.keyspace.for_each([&](const std::string&, const Entry& entry) {
    if (entry.expires) left_ms = std::max(left_ms, (*entry.expires - met.execution.now).ms);
  });
  Courses courses;
  const auto shown = [&](std::int64_t later) {
    const Tried then = tried(met, later);
    tell(then, later, met.execution.now + Duration{later}, courses);
    return then.shown(what);
  };
  Turns found = turning_points(shown, -kFarthestMs, looked_at_time ? kFarthestMs : left_ms + 1);
  use.all = use.all && found.all && courses.one_way();
  if (!found.all && std::exchange(missed_, true)) return {};  // as in Look::turns()
  if (looked_at_time)
    for (const std::int64_t time : different_numbers_in(met.keyspace, score_unit_))
      if (const std::int64_t unit = unit_of(time, met.execution.now); unit != 0)
        add_turns_at(ms_of(time, unit) - met.execution.now.ms, unit, shown, found.at);
  return found.at;
}

/// What may be why something turns: how long a key lives, or a time that is known here.
struct NodeClocks::Cause {
  std::optional<Place> key;
  std::int64_t time = 0;  ///< without a key
  bool operator==(const Cause&) const = default;
};

/// `later_ms` from now it would turn: a key whose lifetime is looked at has so much left then, and
/// a time that is known here, and that decides, lies so far away.
void NodeClocks::note_turn(const Met& met, std::int64_t later_ms, const View& view, TimeUse& use) {
  const auto lives = [](const Cause& cause) { return cause.key.has_value(); };
  std::vector<Cause> causes;
  for (const bool of_named_keys : {true, false}) {  // a script may put other names together
    std::vector<Cause> possible = possible_causes(met, view.what, of_named_keys);
    const WallTime then = met.execution.now + Duration{later_ms};
    std::erase_if(possible, [&](const Cause& cause) {
      return !cause.key && unit_of(cause.time, then) == 0;  // no time that matters
    });
    use.mixes = use.mixes || std::ranges::count_if(possible, lives) > 1;
    causes = what_decides(possible, [&](const std::vector<Cause>& moved) {
      return moves_with(met, later_ms, view, moved);
    });
    if (!causes.empty()) break;
  }
  bool explained = false;
  for (const Cause& cause : causes) explained = note_cause(met, later_ms, cause, use) || explained;
  use.explained = use.explained && (explained || view.what == Shown::comparisons);
}

/// Keys that the request names, or all; and the times that are known.
std::vector<NodeClocks::Cause> NodeClocks::possible_causes(const Met& met, Shown what,
                                                           bool of_named_keys) const {
  std::vector<Cause> causes;
  const std::map<Place, WallTime> expiring = expiries(met.keyspace);
  const auto asked = [&](const std::string& key) {
    return std::find(met.request.begin(), met.request.end(), key) != met.request.end();
  };
  for (const auto& [place, expires] : expiring)
    if (!of_named_keys || asked(place.key)) causes.push_back({place, 0});
  if (what == Shown::comparisons) return causes;
  std::vector<std::int64_t> numbers = numbers_in(met.keyspace, score_unit_);
  for (const std::string& argument : met.request) add_numbers(argument, numbers);
  for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end()))
    if (number > kFarthestMs || unit_of(number, met.execution.now) != 0)
      causes.push_back({{}, number});
  return causes;
}

/// Whether the turn is there no more if these are a little later. Where a time is rounded that
/// takes a second, by which much else may change: then it has to come as much later.
bool NodeClocks::moves_with(const Met& met, std::int64_t later_ms, const View& view,
                            const std::vector<Cause>& moved) {
  const WallTime then = met.execution.now + Duration{later_ms};
  std::set<std::int64_t> units;
  for (const Cause& cause : moved)
    if (!cause.key) units.insert(unit_of(cause.time, then));
  const auto moves = [&](std::int64_t by_ms, bool along) {
    Keyspace keyspace = met.keyspace;
    Request request = met.request;
    for (const Cause& cause : moved) {
      if (cause.key) {
        keyspace = with_longer(std::move(keyspace), *cause.key, by_ms);
        continue;
      }
      const std::int64_t by = by_ms / unit_of(cause.time, then);
      keyspace = with_moved(std::move(keyspace), cause.time, by, score_unit_);
      for (std::string& argument : request) argument = later_by_units(argument, cause.time, by);
    }
    const Met other = met.with(keyspace, request);
    const auto turns_at = [&](std::int64_t at) {
      return tried(other, at - 1).shown(view) != tried(other, at).shown(view);
    };
    return !turns_at(later_ms) && (!along || turns_at(later_ms + by_ms));
  };
  const std::int64_t least_ms = common_multiple(units);
  return moves(least_ms, false) || moves(least_ms * kSecondMs, true);
}

/// Whether a number that it compares or answers depends on what is left of several keys: on their
/// sum, or on how much longer one lives than the other, which no time that passes changes.
bool NodeClocks::joins_lifetimes(const Met& met, std::int64_t later_ms) {
  const std::map<Place, WallTime> expiring = expiries(met.keyspace);
  if (expiring.size() < 2) return false;
  const Tried now = tried(met, later_ms);
  const std::vector<double> numbers = now.numbers();
  std::set<std::size_t> of_others;
  for (const auto& [place, expires] : expiring) {
    std::set<std::size_t> of_this;
    for (const std::int64_t by : {std::int64_t{1}, std::int64_t{-1}, kSecondMs}) {
      const Keyspace keyspace = with_longer(met.keyspace, place, by);
      const Tried other = tried(met.with(keyspace, met.request), later_ms);
      const std::vector<double> then = other.numbers();
      if (other.shown(Shown::comparisons) != now.shown(Shown::comparisons)) continue;
      for (std::size_t i = 0; i < std::min(numbers.size(), then.size()); ++i)
        if (then[i] != numbers[i]) of_this.insert(i);
    }
    for (const std::size_t each : of_this)
      if (!of_others.insert(each).second) return true;
  }
  return false;
}

/// False if so long a time is none that matters.
bool NodeClocks::note_cause(const Met& met, std::int64_t later_ms, const Cause& cause,
                            TimeUse& use) const {
  if (cause.key) {
    const WallTime expires = expiries(met.keyspace).at(*cause.key);
    const std::int64_t left_ms = (expires - met.execution.now).ms - later_ms + 1;
    if (left_ms > 0) use.lefts.insert(left_ms);  // 0: it expires
    return left_ms >= 0;
  }
  const WallTime then = met.execution.now + Duration{later_ms};
  const std::int64_t unit = unit_of(cause.time, then);
  const std::int64_t after = then.ms - ms_of(cause.time, unit);
  use.met.add(after, begins_unit(after, unit));
  if (unit > 1) use.units.insert(unit);
  note_in_unit(after, unit, use);
  return true;
}

/// A client does something else with a reply below `number`. What the reply tells grows and falls
/// with what was compared (EXPIRE GT: 0, then 1, then 0 of a key that is gone): on each such way by
/// itself it goes one way.
void NodeClocks::note_reply(const Met& met, std::int64_t number, Shown what, TimeUse& use) {
  constexpr int kReply = 1;  // no place of a comparison
  Courses courses;
  const View view{what, number};
  const auto both = [&](std::int64_t later) {
    const Tried then = tried(met, later);
    tell(then, later, met.execution.now + Duration{later}, courses);
    for (const double told : numbers_told(then.reply))
      courses.add(kReply,
                  {told, static_cast<double>(number), relation(told, static_cast<double>(number))});
    return then.shown(Shown::comparisons) + then.shown(view);
  };
  const Turns turns = turning_points(both, -kFarthestMs, kFarthestMs);
  use.all = use.all && turns.all && courses.one_way();
  if (!use.all) return;
  for (const std::int64_t turn : turns.at)
    if (tried(met, turn - 1).shown(view) != tried(met, turn).shown(view))
      note_turn(met, turn, view, use);
}

}  // namespace lockstep::sim
