// Executes requests at other times; see the header.
#include "sim/client/node_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/bytes.hpp"
#include "sim/base/error.hpp"
#include "sim/base/rate.hpp"
#include "sim/client/phases.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/within_ms.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

namespace {

/// Whether a number of what is shown changes with what is varied: then every try shows another one,
/// and only the form of it tells where something turns.
bool changes_with(const std::function<std::string(std::int64_t)>& shown) {
  std::set<std::string> first;
  for (const std::int64_t varied : {0, 1, 2, 3}) first.insert(shown(varied));
  return first.size() == 4;
}

/// Adds the turns where a time becomes `same`, which is so for `unit`: a command may compare them
/// with nobody seeing it.
void add_turns_at(std::int64_t same, std::int64_t unit,
                  const std::function<std::string(std::int64_t)>& shown,
                  std::set<std::int64_t>& turns) {
  if (std::abs(same) > kFarthestMs) return;
  for (const std::int64_t turn : {same, same + unit})
    if (shown(turn - 1) != shown(turn)) turns.insert(turn);
}

/// The times that a reply tells, but for what TIME answers, which tells nothing but the clock.
std::vector<std::int64_t> times_told(const Reply& reply) {
  std::vector<std::int64_t> numbers;
  if (!time_told(reply)) add_numbers_of(reply, numbers);
  return numbers;
}

}  // namespace

Execution to_try(const Execution& given, ScriptVm& scripts, std::vector<Compared>* compared) {
  Execution execution = given;
  execution.scripts = &scripts;
  execution.compared = compared;
  execution.touched.clear();
  return execution;
}

struct NodeClocks::Tried {
  const Windows& windows;
  ScoreUnit score_unit;
  WallTime now, clock;  ///< what it shows, and showed here
  Keyspace keyspace;
  Reply reply;
  std::vector<Compared> compared;
  bool ran = true;  ///< false: at that time it cannot be run

  /// By how much the sides of its comparisons differ; and those of the reply.
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const Compared& each : compared) all.push_back(each.left - each.right);
    const std::vector<double> told = numbers_told(reply);
    all.insert(all.end(), told.begin(), told.end());
    return all;
  }

  /// Whatever whole numbers it stores (in names of keys and as their expiries, too), answers and
  /// compares.
  std::set<std::int64_t> all_numbers() const {
    std::set<std::int64_t> all = different_numbers_in(keyspace, score_unit);
    std::vector<std::int64_t> named;
    keyspace.for_each([&](const std::string& key, const Entry& entry) {
      add_numbers(key, named);
      if (entry.expires) named.push_back(entry.expires->ms);
    });
    all.insert(named.begin(), named.end());
    const auto add = [&](double number) {
      if (std::abs(number) < static_cast<double>(kFirstMicros))
        all.insert(static_cast<std::int64_t>(number));
    };
    for (const Compared& each : compared) {
      add(each.left);
      add(each.right);
    }
    std::vector<std::int64_t> told;
    add_numbers_of(reply, told);
    all.insert(told.begin(), told.end());
    return all;
  }

  bool hangs_on_rounding() const {
    return std::ranges::any_of(compared, [](const Compared& each) {
      return sim::hangs_on_rounding(each.left, each.right);
    });
  }

  std::string shown(const View& view) const {
    if (!view.number || !ran) return shown(view.what);
    std::string text = "ran";
    for (const double told : numbers_told(reply))
      text += relation(told, static_cast<double>(*view.number)) == '<' ? '-' : '+';
    return text;
  }

  std::string shown(Shown what) const {
    if (!ran) return "";
    std::string text = "ran";
    for (const Compared& each : compared) text += each.outcome;
    if (what == Shown::comparisons) return text;
    const TextChange plain = [&](const std::string& told) {
      if (what != Shown::values) return without_numbers(told);
      return without_times(without_times(told, now, windows), clock, windows);
    };
    ByteWriter out;
    write(out, with_texts(reply, plain));
    return text + out.take() + bare(keyspace, plain);
  }
};

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
    tried.reply = execute(tried.keyspace, session, met.request, execution);
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

namespace {

/// Lengths in ms that are tried where a time may be one of the clock rounded down.
constexpr std::array<std::int64_t, 20> kRoundings = [] {
  std::array<std::int64_t, 20> lengths{2,  3,   4,   5,   6,   10,   12,   15,   20,   30,
                                       60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 86'400};
  for (std::int64_t& length : lengths) length *= kSecondMs;
  return lengths;
}();

}  // namespace

/// The numbers that one request shows at other times; each time is tried once.
class NodeClocks::NumbersAt {
 public:
  NumbersAt(NodeClocks& clocks, const Met& met) : clocks_(clocks), met_(met) {}

  /// Whether a number is there from the beginning of a window of the clock to its end, and then one
  /// that is so much more.
  bool stay_for_window(std::int64_t number, std::int64_t window_ms, std::int64_t more) {
    const std::int64_t begun_ms = begin_of(window_ms);
    constexpr std::int64_t kParts = 8;  // a second that meets another one stays no whole window
    for (std::int64_t part = 0; part < kParts; ++part)
      if (!have(number, begun_ms + window_ms * part / kParts)) return false;
    return have(number, begun_ms + window_ms - 1) && have(number + more, begun_ms + window_ms) &&
           !have(number, begun_ms - 1);
  }

  /// Whether this is the number of the clock's window: it is one more as soon as the next begins.
  bool number_windows(std::int64_t number, std::int64_t window_ms) {
    for (const std::int64_t count : {-1, 0, 1, 2, 13}) {
      const std::int64_t begin_ms = begin_of(window_ms) + count * window_ms, here = number + count;
      if (!have(here, begin_ms) || !have(here, begin_ms + window_ms - 1)) return false;
      if (have(here, begin_ms - 1) && count != 0) return false;
    }
    return true;
  }

 private:
  /// Of the clock's window, in ms from now on: 0 or less.
  std::int64_t begin_of(std::int64_t window_ms) const {
    const std::int64_t now_ms = met_.execution.now.ms;
    return floor_quotient(now_ms, window_ms) * window_ms - now_ms;
  }
  bool have(std::int64_t number, std::int64_t later_ms) {
    const auto [place, is_new] = known_.try_emplace(later_ms);
    if (is_new) place->second = clocks_.tried(met_, later_ms).all_numbers();
    return place->second.contains(number);
  }

  NodeClocks& clocks_;
  const Met& met_;
  std::map<std::int64_t, std::set<std::int64_t>> known_;
};

/// Numbers of windows of time that it works out, stores or compares; and times that are rounded
/// down to more than a second, plus or minus something.
void NodeClocks::find_windows(const Met& met, const Tried& tried_now, TimeUse& use) {
  const WallTime now = met.execution.now;
  NumbersAt numbers(*this, met);
  for (const std::int64_t number : tried_now.all_numbers()) {
    if (const std::int64_t window = window_of(number, now);
        window != 0 && unit_of(number, now) == 0 && numbers.number_windows(number, window))
      windows_.insert(window);
    const std::int64_t unit = unit_of(number, now);
    if (windows_.contains(unit)) use.units.insert(unit);
    if (unit != 1 && unit != kSecondMs) continue;
    for (const std::int64_t rounded_ms : kRoundings)
      if (numbers.stay_for_window(number, rounded_ms, rounded_ms / unit))
        use.units.insert(rounded_ms);
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
  for (const auto& [number, unit] : times_in(met.request, met.execution.now, windows_))
    note_time_sent(met, {number, unit}, use);
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
    causes = what_decides(met, later_ms, view, possible);
    if (!causes.empty()) break;
  }
  bool explained = false;
  for (const Cause& cause : causes) explained = note_cause(met, later_ms, cause, use) || explained;
  use.explained = use.explained && (explained || view.what == Shown::comparisons);
}

/// Of these: each that it turns with, or those that it turns with only together.
std::vector<NodeClocks::Cause> NodeClocks::what_decides(const Met& met, std::int64_t later_ms,
                                                        const View& view,
                                                        const std::vector<Cause>& possible) {
  std::vector<Cause> causes;
  for (const Cause& cause : possible)
    if (!turns_with(met, later_ms, view, {cause})) causes.push_back(cause);
  if (causes.empty() && !turns_with(met, later_ms, view, possible)) {  // several at one instant
    for (const Cause& cause : possible) {
      std::vector<Cause> others;
      for (const Cause& other : possible)
        if (other != cause) others.push_back(other);
      if (turns_with(met, later_ms, view, others)) causes.push_back(cause);
    }
  }
  return causes;
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

/// Whether it turns there if these were later: by 1, or by so much that it shows where a time is
/// rounded.
bool NodeClocks::turns_with(const Met& met, std::int64_t later_ms, const View& view,
                            const std::vector<Cause>& moved) {
  const auto turns = [&](std::int64_t by) {
    Keyspace keyspace = met.keyspace;
    Request request = met.request;
    for (const Cause& cause : moved) {
      if (cause.key) {
        keyspace = with_longer(std::move(keyspace), *cause.key, by);
        continue;
      }
      keyspace = with_moved(std::move(keyspace), cause.time, by, score_unit_);
      for (std::string& argument : request) argument = later_by_units(argument, cause.time, by);
    }
    const Met other{keyspace, met.session, request, met.execution};
    return tried(other, later_ms - 1).shown(view) != tried(other, later_ms).shown(view);
  };
  return turns(1) && turns(kSecondMs);
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
      const Tried other = tried({keyspace, met.session, met.request, met.execution}, later_ms);
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
  use.met.insert(after);
  if (unit > 1) use.units.insert(unit);
  use.all = use.all && on_unit(after, unit);
  return true;
}

/// A time that its client sends decides with one that is stored.
void NodeClocks::note_time_sent(const Met& met, const KnownTime& time, TimeUse& use) {
  const Vary vary = [&](const Keyspace& keyspace, std::int64_t more, std::int64_t later_ms) {
    Request request = met.request;
    for (std::string& argument : request) argument = later_by_units(argument, time.number, more);
    return tried({keyspace, met.session, request, met.execution}, later_ms);
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
      return tried({varied, met.session, met.request, met.execution}, later_ms);
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
  return tried({keyspace, met.session, request, met.execution}, later_ms + aside_ms);
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
  std::vector<std::int64_t> causes;
  for (const std::int64_t one : known)
    if (decide({one})) causes.push_back(one);
  if (causes.empty() && decide(known)) {
    for (const std::int64_t one : known) {
      std::vector<std::int64_t> others = known;
      std::erase(others, one);
      if (!decide(others)) causes.push_back(one);
    }
  }
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

void NodeClocks::look_at_duration(const Met& met, std::size_t argument, TimeUse& use) {
  std::vector<std::int64_t> numbers;
  add_numbers(met.request.at(argument), numbers);
  for (const std::int64_t number : numbers) {
    Courses courses;
    const auto shown = [&](std::int64_t more) {
      Request request = met.request;
      request[argument] = sim::with_moved(request[argument], number, more);
      const Tried then = tried({met.keyspace, met.session, request, met.execution}, 0);
      tell(then, more, met.execution.now, courses);
      return then.shown(Shown::values);
    };
    if (number < 1 || number > kFarthestMs) continue;       // no lifetime: the key ends at once
    if (unit_of(number, met.execution.now) != 0) continue;  // the number of a window
    const Turns turns = turning_points(shown, 1 - number, kFarthestMs);
    use.lifetimes = use.lifetimes && turns.at.empty() && turns.all && courses.one_way();
    for (const std::int64_t turn : turns.at) {  // what is violated by it is found
      use.met.insert(number + turn);
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
    note_lifetimes(met, clock, now, other, sign * unit, still, use);
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

/// `still`: keys that expire at the same time 1 ms later.
void NodeClocks::note_lifetimes(const Met& met, WallTime clock, const Tried& now,
                                const Tried& other, std::int64_t by, std::set<Place>& still,
                                TimeUse& use) {
  const std::map<Place, WallTime> before = expiries(met.keyspace), then = expiries(other.keyspace);
  for (const auto& [place, expires] : expiries(now.keyspace)) {
    const auto was = before.find(place), later = then.find(place);
    if (later == then.end() || (was != before.end() && was->second == expires)) continue;
    const std::int64_t moved_ms = (later->second - expires).ms;
    use.mixes = use.mixes || moved_ms != by;
    if (moved_ms == by && still.contains(place)) use.units.insert(std::abs(by));
    if (moved_ms != 0) continue;  // as long, whenever it begins
    use.computed.insert((expires - clock).ms);
    still.insert(place);
  }
}

/// Who looks at no time is executed alike at all microseconds.
void NodeClocks::note_within_ms(const Met& met, TimeUse& use) {
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
    all.course += out.take() + bare(then.keyspace, split);
    then.keyspace.for_each([&](const std::string&, const Entry& entry) {
      if (entry.expires) all.expiries.push_back(static_cast<double>(entry.expires->ms));
    });
    return all;
  };
  sim::note_within_ms(outcome, use);
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
