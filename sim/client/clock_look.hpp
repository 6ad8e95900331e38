// How a step of a process is looked at: an input of it (the clock answers of one observation, a
// number in a reply, what is remembered) is varied alone; what is compared with what tells where
// the step turns. For ClockUses alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/client/clock_use.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/program.hpp"
#include "sim/client/step_numbers.hpp"
#include "sim/client/turning.hpp"

namespace lockstep::sim {

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

  /// By observation: false where varying what it tells of clocks changes nothing of the step.
  std::vector<bool> that_matter() const;

  void at_answers(std::size_t observation, bool absolute);
  /// The microseconds of an answer to TIME.
  void at_micros(std::size_t observation);
  /// What is told of clock readings of before: each alone. A difference of two of them says how
  /// old the one was at the other.
  void at_earlier(std::size_t observation);
  /// All absolute times of the step, and that the process keeps, as if it all happened later.
  void at_phases();
  void at_reply(std::size_t observation);
  /// Absolute times that some reply tells, and that the process may keep.
  void at_times(std::size_t observation);
  /// Where clocks drift: whether the step turns, by one number that came from a clock, where
  /// another one decides.
  void at_pairs();
  /// What the process remembers of clocks that it read in earlier operations.
  void at_kept();

 private:
  using Kept = ClockUses::Kept;
  /// What is observed, by how many ms later what is varied is.
  using Paths = std::function<std::vector<Observation>(std::int64_t)>;
  /// What comes of that; nothing if it cannot be run.
  using Steps = std::function<std::optional<Step>(std::int64_t)>;

  /// A number that came from a clock: an answer of an observation, or a number in its reply.
  struct Told {
    std::size_t observation = 0;
    const ClockAnswer* answer = nullptr;  ///< null: of the reply
    std::int64_t said = 0;                ///< as it grows with time
  };

  /// An observation before the step's own that tells of clocks.
  struct Earlier {
    std::size_t place = 0;
    bool in_reply = false;  ///< and not in an answer alone
  };
  std::vector<Earlier> earlier() const;
  void find_matter(std::span<const Earlier> varied, std::vector<bool>& matter) const;
  bool may_matter(std::span<const Earlier> varied) const;
  /// The path with what these tell of clocks later, each by another multiple.
  std::vector<Observation> all_later(std::span<const Earlier> varied, std::int64_t by) const;

  std::vector<Told> told() const;
  static void move(std::vector<Observation>& path, const Told& told, std::int64_t by);

  /// How far an input can be varied, and how far to what all such have in common.
  struct Range {
    std::int64_t from = 0, to = 0, like = 0;
    std::vector<std::int64_t> ages = {};  ///< as they were read
  };

  /// What a step is run with: as it was, but for what is varied.
  struct Case {
    std::string remembered;
    std::vector<Observation> path;
  };
  /// By how much later it is; none where it cannot be.
  using Cases = std::function<std::optional<Case>(std::int64_t)>;

  Cases cases_of(const Paths& with) const;
  Cases cases_of(const Kept& kept) const;
  /// Nothing, too, of one that goes another way before the last observation.
  std::optional<Step> run(const std::optional<Case>& with) const;
  /// Step::before of the step itself.
  const std::vector<Effect>& effects_before() const;
  /// The step, if what the process remembers were varied.
  std::optional<Step> after(const Kept& kept, std::int64_t later_ms) const;

  /// Plain data, as an invariant is shown it.
  std::string known_after(const std::vector<Observation>& path) const;
  /// Whether what is remembered after the step, or its fencing token, depends on what is varied.
  void note_told(const Paths& with, const std::set<std::int64_t>& turns);

  /// What is remembered from a step on, which `vary` varies, if a number in it depends on that
  /// though the step goes the same way.
  void keep(const Steps& vary, Kept kept);
  void note_kept(const Paths& with, Range range, std::function<void(ClockUse&, std::int64_t)> note,
                 std::optional<std::int64_t> time_ms = std::nullopt);
  /// An absolute time, in this unit of ms, that the process may keep.
  void note_kept(const Paths& with, std::int64_t time_ms, std::int64_t unit);
  /// A step that uses what was kept, and no such one was looked at before.
  void note_new_kept(const Kept& kept, const Steps& with, const ClockUses::KeptThere& all,
                     RestPlaces& rests);
  /// What was kept, and still is.
  void note_kept_again(const std::shared_ptr<const Kept>& kept, const Steps& with);

  /// A number that tells of no lifetime now, and may be one when it is larger.
  void vary_sign(const std::string& input, const Paths& with, std::int64_t said);
  /// A number of a reply: an absolute time, in ms or s, or what is left of a lifetime.
  void vary_number(const std::string& input, const Paths& with, std::int64_t said);

  /// What it waits for so many times: each number of them is another wait.
  void note_counted(const Paths& with, std::int64_t said);

  std::optional<Step> tried(const Paths& with, std::int64_t later_ms) const;
  /// What is known of steps like it in which the same input was varied, and whether there was none
  /// before. `like` varies it to what all such have in common. Steps that differ in absolute times
  /// alone are alike.
  std::pair<RestPlaces*, bool> known(const std::string& input, const Paths& with,
                                     std::int64_t like) const;
  /// Of the step, for on another one other inputs may decide. Where turns were missed, nothing can
  /// be shown, and there would be ever more of them.
  std::string course() const;
  /// A process that remembers this, but for the names of tokens.
  std::string key_of(const std::string& remembered) const;
  static std::string written(const std::vector<Observation>& path);

  /// Where the step turns, by how much later it is.
  std::set<std::int64_t> turns(const Steps& step_at, std::int64_t from, std::int64_t to) const;
  std::set<std::int64_t> turns_by_seconds(const Steps& step_at) const;
  void note_numbers(const Paths& with, const VariedClock& clock,
                    const std::set<std::int64_t>& bases, RestPlaces& rests);
  /// Whether a number of what the step does would be another one if what is varied were, though it
  /// goes the same way.
  bool works_out(const Steps& vary) const;

  /// With what is varied so much `later` the step turns, at the absolute time `turn_ms`: that far
  /// after a time that it has heard of or keeps, and that decides. Of what may itself be the time
  /// that decides (`either`), also the other way round.
  void note_meeting(const Cases& cases, std::int64_t later, std::int64_t turn_ms, bool either);
  /// Of one in a reply, that somebody made: others in replies may decide. What a clock showed, or
  /// what is kept, may, too; that is noted where it is varied. It is in this unit.
  void note_made(const Cases& cases, std::int64_t later, std::int64_t turn_ms,
                 std::int64_t in_unit);
  /// `at_unit`: where a unit begins, whenever what decides was made.
  void note_met(std::int64_t after, std::int64_t unit, bool either, bool at_unit);
  /// With this absolute time of a reply so much later the step turns: whether others in the same
  /// reply decide, which are noted.
  bool made_beside(std::size_t observation, std::int64_t number, std::int64_t turn);
  /// The step turns if a time that is kept were `turn` later: by one that it has heard of, or by
  /// another one of those that are kept, which would have to be as much sooner.
  void note_kept_time(const Kept& kept, std::int64_t turn, const ClockUses::KeptThere& all);
  /// Whether a node has answered TIME with it.
  bool told_by_time(std::int64_t ms) const;
  std::set<std::int64_t> numbers_replied() const;
  std::set<std::int64_t> numbers_heard() const;
  std::set<std::int64_t> readings_told() const;
  bool is_near_a_clock(std::int64_t time_ms) const;
  ClockUses::KeptThere times_kept() const;
  /// Whether the step would turn at another time if it had heard of a later one: by 1, or by so
  /// much that it shows where it is rounded.
  bool decides(const Cases& cases, std::int64_t later, std::int64_t number) const;
  /// Whether it would if it kept a later one, which is not what is varied.
  bool decides(const Cases& cases, std::int64_t later, const Kept& kept) const;
  /// Whether of one that decides only the second matters, or another unit.
  bool is_rounded(const Cases& cases, std::int64_t later, const Kept& kept) const;
  /// Whether the step would turn at another time if it kept one that is so much later.
  bool moves(const Cases& cases, std::int64_t later, const Kept& kept, std::int64_t by) const;

  ClockUses& uses_;
  const ProcessSetup& setup_;
  const std::string& snapshot_;
  const std::vector<Observation> path_;
  const Step& step_;
  ClockUse& use_;
  mutable std::optional<std::vector<Effect>> before_;  ///< once a varied run is compared with it
};

}  // namespace lockstep::sim
