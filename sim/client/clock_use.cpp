// See the header. An input of the step (the clock answers of one observation, or a number in a
// reply) is varied alone; what is compared with what tells where the step turns.
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
#include "sim/client/comparisons.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/step_numbers.hpp"
#include "sim/redis/commands/table.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::int64_t kFirstTime = 1'000'000'000;  // Unix seconds, in this century
constexpr std::size_t kMostKept = 16;               // numbers in what one process remembers
constexpr std::size_t kMostKeptInAll = 5000;
constexpr std::size_t kMostTold = 12;  // numbers from clocks in one operation, where clocks drift

/// What TIME answers, in ms: seconds, and microseconds of one.
std::optional<std::int64_t> time_told(const Reply& reply) {
  if (reply.items.size() != 2) return std::nullopt;
  std::array<std::int64_t, 2> parts{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Reply& item = reply.items[i];
    parts[i] = whole_number_in(item.text);
    if (item.kind != Reply::Kind::bulk || item.text != std::to_string(parts[i]))
      return std::nullopt;
  }
  const auto [seconds, us] = parts;
  const bool time =
      seconds >= kFirstTime && seconds < kFirstTime * kSecondMs && us >= 0 && us < 1'000'000;
  return time ? std::optional(seconds * kSecondMs + us / 1000) : std::nullopt;
}

Reply told_as_time(std::int64_t ms, std::int64_t us) {
  const std::int64_t seconds = floor_quotient(ms, kSecondMs);
  return Reply::array({Reply::bulk(std::to_string(seconds)),
                       Reply::bulk(std::to_string((ms - seconds * kSecondMs) * 1000 + us))});
}

/// So much later by the same clock.
Reply later_by(const Reply& reply, std::int64_t ms) {
  const std::int64_t us = whole_number_in(reply.items[1].text) % 1000;
  return told_as_time(time_told(reply).value() + ms, us);
}

void add_numbers_of(const Reply& reply, std::vector<std::int64_t>& numbers) {
  if (const auto time = time_told(reply)) return numbers.push_back(*time);
  if (reply.kind == Reply::Kind::integer) numbers.push_back(reply.integer);
  add_numbers(reply.text, numbers);
  for (const Reply& item : reply.items) add_numbers_of(item, numbers);
}

void write_without_times(ByteWriter& out, const Reply& reply) {
  out.number(static_cast<int>(reply.kind));
  if (time_told(reply)) return out.text("#");
  out.number(reply.integer > kFarthestMs ? 0 : reply.integer);
  out.text(without_times(reply.text));
  for (const Reply& item : reply.items) write_without_times(out, item);
}

/// The reply with the number `number`, wherever it is, larger.
Reply moved(Reply reply, std::int64_t number, std::int64_t by) {
  if (const auto time = time_told(reply)) return *time == number ? later_by(reply, by) : reply;
  if (reply.kind == Reply::Kind::integer && reply.integer == number) reply.integer += by;
  reply.text = with_moved(reply.text, number, by);
  for (Reply& item : reply.items) item = moved(std::move(item), number, by);
  return reply;
}

/// The text with the tokens of each process numbered in the order in which they appear.
std::string with_own_numbers(const std::string& text) {
  const std::vector<Token> tokens = scan_tokens(text).tokens;
  return rename_tokens(text, [&](Token token) {
    const auto place = std::find(tokens.begin(), tokens.end(), token) - tokens.begin();
    return Token{token.process, static_cast<std::uint16_t>(place + 1)};
  });
}

/// The text with the tokens of `names` where it has those of `own`.
std::string with_names(const std::string& text, const std::string& own, const std::string& names) {
  const std::vector<Token> from = scan_tokens(own).tokens, to = scan_tokens(names).tokens;
  return rename_tokens(text, [&](Token token) {
    const auto place = std::find(from.begin(), from.end(), token);
    return place == from.end() ? token : to[static_cast<std::size_t>(place - from.begin())];
  });
}

}  // namespace

/// One input of a step, varied.
class Look {
 public:
  Look(ClockUses& uses, const ProcessSetup& setup, const std::string& snapshot,
       std::span<const Observation> path, const Step& step, ClockUse& use)
      : uses_(uses),
        setup_(setup),
        snapshot_(snapshot),
        path_(path.begin(), path.end()),
        step_(step),
        use_(use) {}

  void at_answers(std::size_t observation, bool absolute) {
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
    if (!absolute)
      note_kept(with, {-youngest, kFarthestMs, -youngest}, [readings](ClockUse& use, auto turn) {
        for (const std::int64_t reading : readings) use.ages.insert(reading + turn);
      });
    const auto [rests, is_new] = known(fmt::format("{}{}", absolute ? "now" : "age", observation),
                                       with, absolute ? 0 : -youngest);
    if (is_new) {
      note_told(with);
      const auto found =
          turns([&](auto later) { return tried(with, later); }, -youngest, kFarthestMs);
      for (const std::int64_t turn : found)
        for (const std::int64_t reading : readings)
          absolute ? note_meeting(with, turn, reading + turn, false)
                   : void(use_.ages.insert(reading + turn));
      note_numbers(with, {readings, absolute ? -kFarthestMs : -youngest, absolute}, found, *rests);
    }
    note_rests(*rests, step_, use_);
  }

  void at_reply(std::size_t observation) {
    const Reply& reply = *path_[observation].reply;
    if (const auto time = time_told(reply)) {  // its two numbers are one
      const auto with = [observations = path_, reply, observation](std::int64_t more) {
        std::vector<Observation> path = observations;
        path[observation].reply = later_by(reply, more);
        return path;
      };
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

  /// Where clocks drift: whether the step turns, by one number that came from a clock, where
  /// another one decides.
  void at_pairs() {
    const std::vector<Told> all = told();
    if (all.size() < 2) return;
    std::vector<Observation> alike = path_;
    for (const Told& each : all) move(alike, each, -each.said);
    if (!uses_.known_.try_emplace(key_of(snapshot_) + written(alike) + way_of(step_)).second)
      return;
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

  /// What the process remembers of clocks that it read in earlier operations.
  void at_kept() {
    const auto place = uses_.kept_.find(key_of(snapshot_));
    if (place == uses_.kept_.end()) return;
    for (const auto& kept : ClockUses::KeptThere(place->second)) {
      const auto with = [&](std::int64_t later_ms) { return after(*kept, later_ms); };
      note_kept_again(kept, with);
      if (!uses_.known_.try_emplace(key_of(kept->like) + written(path_)).second) continue;
      const std::set<std::int64_t> found = turns(with, kept->from, kept->to);
      if (uses_.drift_) use_.mixes = use_.mixes || !found.empty() || works_out(with);
      for (const std::int64_t turn : found) kept->note(use_, turn);
    }
  }

 private:
  using Kept = ClockUses::Kept;

  /// A number that came from a clock: an answer of an observation, or a number in its reply.
  struct Told {
    std::size_t observation = 0;
    const ClockAnswer* answer = nullptr;  ///< null: of the reply
    std::int64_t said = 0;                ///< as it grows with time
  };

  std::vector<Told> told() const {
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

  static void move(std::vector<Observation>& path, const Told& told, std::int64_t by) {
    Observation& place = path[told.observation];
    if (told.answer == nullptr)
      place.reply = moved(*place.reply, told.said, by);
    else
      place.answers[told.answer->answer] = std::to_string(told.answer->slope * (told.said + by));
  }

  /// How far an input can be varied, and how far to what all such have in common.
  struct Range {
    std::int64_t from = 0, to = 0, like = 0;
  };

  /// The step, if what the process remembers were varied.
  std::optional<Step> after(const Kept& kept, std::int64_t later_ms) const {
    const std::optional<std::string> remembered = kept.remembered(later_ms);
    if (!remembered) return std::nullopt;
    return uses_.program_.what_if(setup_, with_names(*remembered, kept.was, snapshot_), path_);
  }

  /// Plain data, as an invariant is shown it.
  std::string known_after(const std::vector<Observation>& path) const {
    return uses_.program_.belief(setup_, snapshot_, path);
  }

  /// Whether what is remembered after the step, or its fencing token, depends on what is varied.
  template <class With>
  void note_told(const With& with) {
    for (const std::int64_t by : {std::int64_t{1}, kSecondMs, 60 * kSecondMs, 3600 * kSecondMs}) {
      const std::optional<Step> other = tried(with, by);
      if (!other || other->stopped || way_of(other) != way_of(step_)) continue;
      use_.kept = use_.kept || known_after(with(by)) != known_after(path_);
      for (std::size_t i = 0; i < std::min(other->effects.size(), step_.effects.size()); ++i)
        use_.fences = use_.fences || other->effects[i].fencing != step_.effects[i].fencing;
    }
  }

  /// What is remembered from a step on, which `vary` varies, if a number in it depends on that
  /// though the step goes the same way.
  template <class Vary>
  void keep(const Vary& vary, Kept kept) {
    if (!step_.boundary) return;
    const std::string way = way_of(step_);
    bool differs = false;
    for (const std::int64_t by : {std::int64_t{1}, kSecondMs, kept.from, kept.to}) {
      const std::optional<Step> other = by < kept.from ? std::nullopt : vary(by);
      differs = differs || (other && other->boundary && *other->boundary != *step_.boundary &&
                            way_of(other) == way);
    }
    if (!differs) return;
    ClockUses::KeptThere& all = uses_.kept_[key_of(*step_.boundary)];
    for (const auto& other : all)
      if (other->like == kept.like) return;
    use_.all = use_.all && all.size() < kMostKept && uses_.kept_count_ < kMostKeptInAll;
    if (!use_.all) return;
    ++uses_.kept_count_;
    all.push_back(std::make_shared<const Kept>(std::move(kept)));
  }

  template <class With>
  void note_kept(const With& with, Range range, std::function<void(ClockUse&, std::int64_t)> note) {
    if (!step_.boundary) return;
    const auto vary = [with, this](std::int64_t later_ms) { return tried(with, later_ms); };
    const std::optional<Step> like = vary(range.like);
    Kept kept{like && like->boundary ? *like->boundary : "",
              *step_.boundary,
              range.like,
              range.from,
              range.to,
              {},
              std::move(note)};
    kept.remembered = [with, program = &uses_.program_, setup = setup_,
                       snapshot = snapshot_](std::int64_t later_ms) {
      const std::optional<Step> step = program->what_if(setup, snapshot, with(later_ms));
      return step ? step->boundary : std::nullopt;
    };
    keep(vary, std::move(kept));
  }

  /// What was kept, and still is.
  template <class With>
  void note_kept_again(const std::shared_ptr<const Kept>& kept, const With& with) {
    if (!step_.boundary) return;
    const std::optional<Step> like = with(kept->like_by);
    Kept again = *kept;
    again.was = *step_.boundary;
    again.like = like && like->boundary ? *like->boundary : "";
    again.remembered = [kept, program = &uses_.program_, setup = setup_, snapshot = snapshot_,
                        path = path_](std::int64_t later_ms) -> std::optional<std::string> {
      const std::optional<std::string> before = kept->remembered(later_ms);
      if (!before) return std::nullopt;
      const std::optional<Step> step =
          program->what_if(setup, with_names(*before, kept->was, snapshot), path);
      return step ? step->boundary : std::nullopt;
    };
    keep(with, std::move(again));
  }

  /// A number that tells of no lifetime now, and may be one when it is larger.
  template <class With>
  void vary_sign(const std::string& input, const With& with, std::int64_t said) {
    if (!known(input + "-", with, -said).second) return;
    const auto step_at = [&](auto later) { return tried(with, later); };
    for (const std::int64_t turn : turns(step_at, -kFarthestMs, kFarthestMs))
      use_.replies.insert(said + turn);
  }

  /// A number of a reply: an absolute time, in ms or s, or what is left of a lifetime.
  template <class With>
  void vary_number(const std::string& input, const With& with, std::int64_t said) {
    if (said <= 0) return vary_sign(input, with, said);
    const bool absolute = said >= kFirstTime;
    const std::int64_t unit = absolute && said < kFirstTime * kSecondMs ? kSecondMs : 1;
    if (!absolute)
      note_kept(with, {-std::min(said, kFarthestMs), kFarthestMs, -said},
                [said](ClockUse& use, auto turn) { use.replies.insert(said + turn); });
    const auto [rests, is_new] = known(input, with, -said);
    if (is_new) {
      note_told(with);
      const auto found = turns([&](auto later) { return tried(with, later); },
                               -std::min(said, kFarthestMs), kFarthestMs);
      for (const std::int64_t turn : found)
        absolute ? note_meeting(with, turn, (said + turn) * unit, true)
                 : void(use_.replies.insert(said + turn));
      if (absolute && unit == 1) note_numbers(with, {{said}, -kFarthestMs, true}, found, *rests);
      if (!absolute) {  // the less is left, the later it is
        std::set<std::int64_t> later;
        for (const std::int64_t turn : found) later.insert(1 - turn);
        note_numbers([&](std::int64_t less) { return with(-less); }, {{-said}, -kFarthestMs, false},
                     later, *rests);
      }
    }
    note_rests(*rests, step_, use_);
  }

  template <class With>
  std::optional<Step> tried(const With& with, std::int64_t later_ms) const {
    const std::vector<Observation> path = with(later_ms);
    return uses_.program_.what_if(setup_, snapshot_, path);
  }

  /// What is known of steps like it in which the same input was varied, and whether there was none
  /// before. `like` varies it to what all such have in common. Steps that differ in absolute times
  /// alone are alike.
  template <class With>
  std::pair<RestPlaces*, bool> known(const std::string& input, const With& with,
                                     std::int64_t like) const {
    const auto [place, added] =
        uses_.known_.try_emplace(input + key_of(without_times(snapshot_)) + written(with(like)));
    return {&place->second, added};
  }

  /// A process that remembers this, but for the names of tokens.
  std::string key_of(const std::string& remembered) const {
    ByteWriter out;
    out.number(setup_.lease_ms);
    for (const std::string& key : setup_.lock_keys) out.text(key);
    out.text(with_own_numbers(remembered));
    return out.take();
  }

  static std::string written(const std::vector<Observation>& path) {
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

  /// Where the step turns, by how much later it is.
  std::set<std::int64_t> turns(const std::function<std::optional<Step>(std::int64_t)>& step_at,
                               std::int64_t from, std::int64_t to) const {
    Courses courses;
    const auto way_at = [&](std::int64_t later) {
      const std::optional<Step> step = step_at(later);
      courses.begin(later);
      if (step)
        for (const Comparison& each : step->compared)
          courses.add(each.place, {each.left, each.right, program::outcome(each)});
      return way_of(step);
    };
    const Turns turns = turning_points(way_at, from, to);
    use_.all = use_.all && turns.all && courses.one_way();
    return turns.at;
  }

  template <class With>
  void note_numbers(const With& with, const VariedClock& clock, const std::set<std::int64_t>& bases,
                    RestPlaces& rests) {
    StepNumbers([&](std::int64_t later) { return tried(with, later); }, clock, use_)
        .note(bases, rests);
  }

  /// Whether a number of what the step does would be another one if what is varied were, though it
  /// goes the same way.
  template <class Vary>
  bool works_out(const Vary& vary) const {
    return std::ranges::any_of(std::array{std::int64_t{1}, kSecondMs}, [&](std::int64_t by) {
      const std::optional<Step> other = vary(by);
      return other && numbers_of(*other) != numbers_of(step_) && way_of(other) == way_of(step_);
    });
  }

  /// With the clock `later` the step turns, at the absolute time `turn_ms`: that far after a time
  /// that it has heard of, and that decides. Of a reply that is varied, which may be the time that
  /// decides, also the other way round.
  template <class With>
  void note_meeting(const With& with, std::int64_t later, std::int64_t turn_ms, bool of_reply) {
    std::vector<std::int64_t> numbers;
    for (const Observation& observation : path_) {
      add_numbers_of(*observation.reply, numbers);
      for (const std::string& answer : observation.answers) add_numbers(answer, numbers);
    }
    bool explained = false;
    for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end()))
      for (const std::int64_t unit : {std::int64_t{1}, kSecondMs}) {
        const std::int64_t after = turn_ms - number * unit;
        if (number < kFirstTime || std::abs(after) > kFarthestMs) continue;
        if (!decides(with, later, number)) continue;
        explained = true;
        if (unit > 1) use_.units.insert(unit);
        use_.all = use_.all && on_unit(after, unit);
        use_.met.insert(after);
        if (of_reply) use_.met.insert(1 - after);
        if (of_reply && after > 1) use_.lefts.insert({after - 1, after});  // a key's time to die
      }
    use_.explained = use_.explained && explained;
  }

  /// Whether the step would turn at another time if it had heard of a later one: by 1, or by so
  /// much that it shows where it is rounded.
  template <class With>
  bool decides(const With& with, std::int64_t later, std::int64_t number) const {
    const std::vector<Observation> varied = with(1);
    const auto way = [&](std::int64_t at, std::int64_t by) {
      std::vector<Observation> path = with(at);
      for (std::size_t i = 0; i < path.size(); ++i) {  // but for what is varied
        if (*varied[i].reply == *path_[i].reply) path[i].reply = moved(*path[i].reply, number, by);
        for (std::size_t k = 0; k < path[i].answers.size(); ++k)
          if (varied[i].answers[k] == path_[i].answers[k])
            path[i].answers[k] = with_moved(path[i].answers[k], number, by);
      }
      return way_of(uses_.program_.what_if(setup_, snapshot_, path));
    };
    const auto moves = [&](std::int64_t by) { return way(later - 1, by) == way(later, by); };
    return moves(1) || moves(kSecondMs);
  }

  ClockUses& uses_;
  const ProcessSetup& setup_;
  const std::string& snapshot_;
  const std::vector<Observation> path_;
  const Step& step_;
  ClockUse& use_;
};

void ClockUses::look_at(const ProcessSetup& setup, const std::string& snapshot,
                        std::span<const Observation> path, const Step& step, ClockUse& use) {
  Look look(*this, setup, snapshot, path, step, use);
  for (std::size_t observation = 0; observation < path.size(); ++observation) {
    look.at_answers(observation, false);
    look.at_answers(observation, true);
    const bool reply = path[observation].kind == Observation::Kind::reply;
    if (reply && tells_clock_(*path[observation].reply)) look.at_reply(observation);
  }
  look.at_kept();
  if (drift_ && !mixed_) look.at_pairs();
  mixed_ = mixed_ || use.mixes;
}

}  // namespace lockstep::sim
