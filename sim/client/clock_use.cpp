// See the header: the inputs of a step, varied.
#include "sim/client/clock_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/bytes.hpp"
#include "sim/base/rate.hpp"
#include "sim/base/token.hpp"
#include "sim/client/clock_look.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/step_numbers.hpp"
#include "sim/client/within_ms.hpp"
#include "sim/redis/commands/table.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kMostTold = 12;  // numbers from clocks in one operation, where clocks drift

/// The text with the tokens of each process numbered in the order in which they appear.
std::string with_own_numbers(const std::string& text) {
  const std::vector<Token> tokens = scan_tokens(text).tokens;
  return rename_tokens(text, [&](Token token) {
    const auto place = std::find(tokens.begin(), tokens.end(), token) - tokens.begin();
    return Token{token.process, static_cast<std::uint16_t>(place + 1)};
  });
}

}  // namespace

void Look::at_answers(std::size_t observation, bool absolute) {
  std::vector<ClockAnswer> varied;
  for (const ClockAnswer& answer : step_.clock_answers)
    if (answer.observation == observation && answer.absolute == absolute && answer.slope != 0)
      varied.push_back(answer);
  if (varied.empty()) return;
  // By value, as what is remembered of this step may be asked for later.
  const auto with = [observations = path_, varied, observation](std::int64_t later_ms) {
    std::vector<Observation> path = observations;
    for (const ClockAnswer& answer : varied) {
      std::string& text = path[observation].answers[answer.answer];
      text = std::to_string(whole_number_in(text) + answer.slope * later_ms);
    }
    return path;
  };
  std::int64_t youngest = kFarthestMs;  // an age is at least 0
  std::vector<std::int64_t> readings;
  for (const ClockAnswer& answer : varied) {
    const std::int64_t said = whole_number_in(path_[observation].answers[answer.answer]);
    readings.push_back(answer.slope * said);
    if (!absolute) youngest = std::min(youngest, std::max<std::int64_t>(0, answer.slope * said));
  }
  if (absolute)
    note_kept(with, readings.front(), 1);
  else
    note_kept(with, {-youngest, kFarthestMs, -youngest, readings},
              [readings](ClockUse& use, auto turn) {
                for (const std::int64_t reading : readings) use.ages.insert(reading + turn);
              });
  const auto [rests, is_new] = known(fmt::format("{}{}", absolute ? "now" : "age", observation),
                                     with, absolute ? 0 : -youngest);
  if (is_new) {
    const auto found =
        turns([&](auto later) { return tried(with, later); }, -youngest, kFarthestMs);
    note_told(with, found);
    for (const std::int64_t turn : found)
      for (const std::int64_t reading : readings)
        absolute ? note_meeting(cases_of(with), turn, reading + turn, false)
                 : void(use_.ages.insert(reading + turn));
    note_numbers(with, {readings, absolute ? -kFarthestMs : -youngest, absolute}, found, *rests);
  }
  note_rests(*rests, step_, use_);
}

void Look::at_earlier(std::size_t observation) {
  for (const ClockAnswer& answer : step_.clock_answers) {
    if (answer.observation != observation || answer.slope != 0) continue;
    const std::int64_t said = whole_number_in(path_[observation].answers[answer.answer]);
    const auto with = [observations = path_, answer, said](std::int64_t more) {
      std::vector<Observation> path = observations;
      path[answer.observation].answers[answer.answer] = std::to_string(said + more);
      return path;
    };
    const auto note = [said](ClockUse& use, std::int64_t turn) {
      const std::int64_t first = said + turn;
      use.ages.insert(first > 0 ? first : 1 - first);
    };
    if (answer.absolute) use_.made.insert(0);
    if (answer.absolute)
      note_kept(with, said, 1);
    else
      note_kept(with, {-kFarthestMs, kFarthestMs, -said, {said}}, note);
    const auto [rests, is_new] =
        known(fmt::format("then{}.{}", observation, answer.answer), with, -said);
    if (is_new) {
      const auto found =
          turns([&](auto more) { return tried(with, more); }, -kFarthestMs, kFarthestMs);
      note_told(with, found);
      if (uses_.drift_) use_.mixes = use_.mixes || !found.empty();
      for (const std::int64_t turn : found)
        answer.absolute ? note_meeting(cases_of(with), turn, said + turn, true) : note(use_, turn);
      if (!answer.at_once)  // it is 0, or a jump
        note_numbers(with, {{said}, -kFarthestMs, answer.absolute}, found, *rests);
    }
    note_rests(*rests, step_, use_);
  }
}

void Look::at_reply(std::size_t observation) {
  const Reply& reply = *path_[observation].reply;
  if (const auto time = time_told(reply)) {  // its two numbers are one
    const auto with = [observations = path_, reply, observation](std::int64_t more) {
      std::vector<Observation> path = observations;
      path[observation].reply = later_by(reply, more);
      return path;
    };
    at_micros(observation);
    return vary_number(std::to_string(observation), with, *time);
  }
  for (std::size_t item = 0; item <= reply.items.size(); ++item) {
    const Reply& part = item == 0 ? reply : reply.items[item - 1];
    const bool text = part.kind == Reply::Kind::bulk;
    if (part.kind != Reply::Kind::integer && !text) continue;
    const std::int64_t said = text ? whole_number_in(part.text) : part.integer;
    if (text && part.text != std::to_string(said)) continue;
    const auto with = [observations = path_, reply, item, text, said,
                       observation](std::int64_t more) {
      std::vector<Observation> path = observations;
      Reply changed = reply;
      Reply& place = item == 0 ? changed : changed.items[item - 1];
      place = text ? Reply::bulk(std::to_string(said + more)) : Reply::number(said + more);
      path[observation].reply = changed;
      return path;
    };
    vary_number(fmt::format("{}.{}", observation, item), with, said);
  }
}

void Look::at_micros(std::size_t observation) {
  const Reply& reply = *path_[observation].reply;
  const auto with = [&](std::int64_t micros) {
    std::vector<Observation> path = path_;
    path[observation].reply = at_micros_of(reply, micros);
    return path;
  };
  if (!use_.whole_ms ||
      !known(fmt::format("us{} {}", observation, course_of(step_)), with, 0).second)
    return;
  const auto outcome = [&](int micros) {
    Outcome all;
    const std::optional<Step> step = tried(with, micros);
    if (!step) return all;
    all.course = outcomes_of(*step);
    for (const Comparison& each : step->compared)
      all.compared.insert(all.compared.end(), {each.left, each.right});
    for (const Effect& effect : step->effects) {
      all.course += fmt::format(" {} {}{}", static_cast<int>(effect.kind), effect.task, effect.ok);
      all.course += split_numbers(effect.fencing, all.numbers);
      for (const std::string& argument : effect.request)
        all.course += ' ' + split_numbers(argument, all.numbers);
    }
    for (const Wait& wait : step->tasks)
      if (wait.fresh) all.numbers.push_back(static_cast<double>(wait.ms));
    all.course += step->stopped ? "stopped" : split_numbers(known_after(with(micros)), all.numbers);
    return all;
  };
  note_within_ms(outcome, use_);
}

void Look::at_times(std::size_t observation) {
  const Reply& reply = *path_[observation].reply;
  std::vector<std::int64_t> numbers;
  add_numbers_of(reply, numbers);
  const std::set<std::int64_t> different(numbers.begin(), numbers.end());
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    if (number < kFirstTime || !seen.insert(number).second) continue;
    const auto with = [observations = path_, reply, number, observation](std::int64_t more) {
      std::vector<Observation> path = observations;
      path[observation].reply = moved(reply, number, more);
      return path;
    };
    const std::int64_t unit = number < kFirstTime * kSecondMs ? kSecondMs : 1;
    note_kept(with, number * unit, unit);
    const std::string input = fmt::format("time{}.{} of {}", observation, i, different.size());
    if (!known(input, with, 0).second) continue;
    const auto step_at = [&](std::int64_t later) { return tried(with, later); };
    const auto found =
        unit > 1 ? turns_by_seconds(step_at) : turns(step_at, -kFarthestMs, kFarthestMs);
    StepNumbers(step_at, {{}, -kFarthestMs, true}, use_).note_durations_sent();
    for (const std::int64_t turn : found)
      if (!made_beside(observation, number, turn))
        note_made(cases_of(with), turn, (number + turn) * unit, unit);
  }
}

void Look::at_pairs() {
  const std::vector<Told> all = told();
  if (all.size() < 2) return;
  std::vector<Observation> alike = path_;
  for (const Told& each : all) move(alike, each, -each.said);
  if (!uses_.known_.try_emplace(key_of(snapshot_) + written(alike) + way_of(step_)).second) return;
  use_.mixes = use_.mixes || all.size() > kMostTold;
  if (use_.mixes) return;
  for (const Told& one : all) {
    const auto way = [&](std::int64_t at, const Told& other, std::int64_t by) {
      std::vector<Observation> path = path_;
      move(path, one, at);
      if (&other != &one) move(path, other, by);
      return way_of(uses_.program_.what_if(setup_, snapshot_, path));
    };
    const Turns turns = turning_points([&](auto at) { return way(at, one, 0); },
                                       -std::min(one.said, kFarthestMs), kFarthestMs);
    use_.all = use_.all && turns.all;
    for (const Told& other : all)
      for (const std::int64_t by : {std::int64_t{1}, std::int64_t{-1}, kSecondMs, -kSecondMs}) {
        if (&other == &one || way(0, other, by) != way(0, other, 0)) continue;
        for (const std::int64_t turn : turns.at)
          use_.mixes = use_.mixes || way(turn - 1, other, by) == way(turn, other, by);
      }
  }
}

std::vector<Look::Told> Look::told() const {
  std::vector<Told> all;
  for (const ClockAnswer& answer : step_.clock_answers)
    if (answer.slope != 0)
      all.push_back(
          {answer.observation, &answer,
           answer.slope * whole_number_in(path_[answer.observation].answers[answer.answer])});
  for (std::size_t observation = 0; observation < path_.size(); ++observation) {
    if (path_[observation].kind != Observation::Kind::reply) continue;
    if (!uses_.tells_clock_(*path_[observation].reply)) continue;
    std::vector<std::int64_t> numbers;
    add_numbers_of(*path_[observation].reply, numbers);
    for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end()))
      if (number > 0) all.push_back({observation, nullptr, number});
  }
  return all;
}

void Look::move(std::vector<Observation>& path, const Told& told, std::int64_t by) {
  Observation& place = path[told.observation];
  if (told.answer == nullptr)
    place.reply = moved(*place.reply, told.said, by);
  else
    place.answers[told.answer->answer] = std::to_string(told.answer->slope * (told.said + by));
}

std::string Look::known_after(const std::vector<Observation>& path) const {
  return uses_.program_.belief(setup_, snapshot_, path);
}

void Look::note_told(const Paths& with, const std::set<std::int64_t>& turns) {
  for (const std::int64_t base : both_sides(turns)) {
    const std::optional<Step> here = base == 0 ? std::optional(step_) : tried(with, base);
    if (!here || here->stopped) continue;
    const std::string way = way_of(here), known = known_after(with(base));
    for (const std::int64_t more : {std::int64_t{1}, kSecondMs, 60 * kSecondMs, 3600 * kSecondMs}) {
      const std::int64_t by = onwards(base, turns) * more;
      const std::optional<Step> other = tried(with, base + by);
      if (!other || other->stopped || way_of(other) != way) continue;
      use_.kept = use_.kept || known_after(with(base + by)) != known;
      for (std::size_t i = 0; i < std::min(other->effects.size(), here->effects.size()); ++i)
        use_.fences = use_.fences || other->effects[i].fencing != here->effects[i].fencing;
    }
  }
}

void Look::vary_sign(const std::string& input, const Paths& with, std::int64_t said) {
  if (!known(input + "-", with, -said).second) return;
  const auto step_at = [&](auto later) { return tried(with, later); };
  for (const std::int64_t turn : turns(step_at, -kFarthestMs, kFarthestMs))
    use_.replies.insert(said + turn);
}

void Look::vary_number(const std::string& input, const Paths& with, std::int64_t said) {
  if (said <= 0) return vary_sign(input, with, said);
  const bool absolute = said >= kFirstTime;
  const std::int64_t unit = absolute && said < kFirstTime * kSecondMs ? kSecondMs : 1;
  if (absolute)
    note_kept(with, said * unit, unit);
  else
    note_kept(with, {-std::min(said, kFarthestMs), kFarthestMs, -said},
              [said](ClockUse& use, auto turn) { use.replies.insert(said + turn); });
  const auto [rests, is_new] = known(input, with, -said);
  if (is_new) {
    const auto step_at = [&](std::int64_t later) { return tried(with, later); };
    const auto found = unit > 1 ? turns_by_seconds(step_at)
                                : turns(step_at, -std::min(said, kFarthestMs), kFarthestMs);
    note_told(with, found);
    for (const std::int64_t turn : found)
      absolute ? note_meeting(cases_of(with), turn, (said + turn) * unit, true)
               : void(use_.replies.insert(said + turn));
    if (absolute && unit == 1) note_numbers(with, {{said}, -kFarthestMs, true}, found, *rests);
    if (!absolute) {  // the less is left, the later it is
      std::set<std::int64_t> later;
      for (const std::int64_t turn : found) later.insert(1 - turn);
      note_numbers([&](std::int64_t less) { return with(-less); },
                   {{-said}, -kFarthestMs, false, true}, later, *rests);
    }
  }
  if (!absolute) note_counted(with, said);
  note_rests(*rests, step_, use_);
}

void Look::note_counted(const Paths& with, std::int64_t said) {
  const std::optional<Step> other = tried(with, 1);
  if (!other || way_of(other) != way_of(step_) || !waits_differ(step_, *other)) return;
  use_.sums = use_.sums && said <= kMostCounted;
  for (std::int64_t count = 1; use_.sums && count <= said + 1; ++count) use_.replies.insert(count);
}

std::optional<Step> Look::tried(const Paths& with, std::int64_t later_ms) const {
  return run(Case{snapshot_, with(later_ms)});
}

std::pair<RestPlaces*, bool> Look::known(const std::string& input, const Paths& with,
                                         std::int64_t like) const {
  const auto [place, added] = uses_.known_.try_emplace(input + key_of(without_times(snapshot_)) +
                                                       written(with(like)) + course());
  return {&place->second, added};
}

std::string Look::course() const { return uses_.missed_ ? "" : course_of(step_); }

std::string Look::key_of(const std::string& remembered) const {
  ByteWriter out;
  out.number(setup_.lease_ms);
  for (std::size_t lock = 0; lock < setup_.lock_keys.size(); ++lock) {
    out.text(setup_.lock_keys[lock]);
    out.number(is_shared(setup_, lock));
  }
  for (const auto& [name, value] : setup_.settings) out.text(name + "=" + worded(value));
  out.text(with_own_numbers(remembered));
  return out.take();
}

std::string Look::written(const std::vector<Observation>& path) {
  ByteWriter out;
  for (const Observation& observation : path) {
    out.number(static_cast<int>(observation.kind));
    out.number(observation.task);
    out.number(observation.node);
    ByteWriter reply;
    write_without_times(reply, *observation.reply);
    out.text(reply.take());
    for (const std::string& answer : observation.answers) out.text(without_times(answer));
  }
  return out.take();
}

std::set<std::int64_t> Look::turns(const Steps& step_at, std::int64_t from, std::int64_t to) const {
  Courses courses;
  const auto way_at = [&](std::int64_t later) {
    const std::optional<Step> step = step_at(later);
    courses.begin(later, step ? step->way_before : "");
    if (step)
      for (const Comparison& each : step->compared)
        courses.add(each.place, {each.left, each.right, program::outcome(each)});
    return way_of(step);
  };
  const Turns turns = turning_points(way_at, from, to);
  use_.all = use_.all && turns.all && courses.one_way();
  // Of what turns again and again the first ones will do: from each place they are others.
  if (!(turns.all && courses.one_way()) && std::exchange(uses_.missed_, true)) return {};
  return turns.at;
}

/// The same of a step that is told a time in seconds, as far as of one in ms: in seconds.
std::set<std::int64_t> Look::turns_by_seconds(const Steps& step_at) const {
  const auto in_ms = [&](std::int64_t later_ms) {
    return step_at(floor_quotient(later_ms, kSecondMs));
  };
  std::set<std::int64_t> seconds;
  for (const std::int64_t turn_ms : turns(in_ms, -kFarthestMs, kFarthestMs))
    seconds.insert(turn_ms / kSecondMs);
  return seconds;
}

void Look::note_numbers(const Paths& with, const VariedClock& clock,
                        const std::set<std::int64_t>& bases, RestPlaces& rests) {
  StepNumbers([&](std::int64_t later) { return tried(with, later); }, clock, use_)
      .note(bases, rests);
  uses_.windows_.insert(use_.units.upper_bound(kSecondMs), use_.units.end());
}

bool Look::works_out(const Steps& vary) const {
  return std::ranges::any_of(std::array{std::int64_t{1}, kSecondMs}, [&](std::int64_t by) {
    const std::optional<Step> other = vary(by);
    return other && numbers_of(*other) != numbers_of(step_) && way_of(other) == way_of(step_);
  });
}

void ClockUses::look_at(const ProcessSetup& setup, const std::string& snapshot,
                        std::span<const Observation> path, const Step& step, ClockUse& use) {
  Look look(*this, setup, snapshot, path, step, use);
  constexpr std::size_t kAskedEvery = 16;  // to look at as many takes long enough
  const std::vector<bool> matter = look.that_matter();
  for (std::size_t observation = 0; observation < path.size(); ++observation) {
    if (watch_ != nullptr && observation % kAskedEvery == kAskedEvery - 1 && !watch_->may_go_on()) {
      use.all = false;
      return;
    }
    if (!matter[observation]) continue;
    look.at_answers(observation, false);
    look.at_answers(observation, true);
    look.at_earlier(observation);
    const bool reply = path[observation].kind == Observation::Kind::reply;
    if (reply && tells_clock_(*path[observation].reply))
      look.at_reply(observation);
    else if (reply)
      look.at_times(observation);
  }
  look.at_kept();
  look.at_phases();
  use.all = use.all && std::ranges::none_of(step.compared, [](const Comparison& each) {
              return hangs_on_rounding(each.left, each.right);
            });
  if (drift_ && !mixed_) look.at_pairs();
  mixed_ = mixed_ || use.mixes;
}

}  // namespace lockstep::sim
