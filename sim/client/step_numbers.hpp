// What a step does, as far as a clock that it read may show in it: the way that it goes, and the
// numbers that it works out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/client/program.hpp"

namespace lockstep::sim {

struct ClockUse;

/// Where it went, by what came of its comparisons.
std::string outcomes_of(const Step& step);

/// Where it went, by what it compared; and what it did, but for numbers, which a comparison need
/// not have decided (the key of a table, the bounds of a loop). "" if there is no such step.
std::string way_of(const std::optional<Step>& step);

/// The same but for all arguments: equal of many steps that differ in what they know.
std::string course_of(const Step& step);

/// The numbers of what a step does: what it sends, how long it waits.
std::vector<std::int64_t> numbers_of(const Step& step);

/// A number of a step that is what is left of a duration, in this unit of ms.
struct RestPlace {
  std::size_t place = 0;  ///< in numbers_of()
  std::int64_t unit_ms = 1;
};
using RestPlaces =
    std::map<std::string, std::vector<RestPlace>>;  ///< by the way that the step goes

/// What is left of a duration is none of its own.
void note_rests(const RestPlaces& rests, const Step& step, ClockUse& use);

/// The clock readings that a step's numbers may come from, and how far back they can be varied.
struct VariedClock {
  std::vector<std::int64_t> readings;
  std::int64_t from = 0;
  bool absolute = false;
  bool counts = false;  ///< it is a number of a reply, in a unit of its own: seconds left
};

/// The most that a reply may count of what a client waits for so many times.
inline constexpr std::int64_t kMostCounted = 100;
/// Whether two steps that go the same way wait for different times, by more than 1 ms.
bool waits_differ(const Step& one, const Step& other);

/// The numbers of a step that would be others if a clock showed something else.
class StepNumbers {
 public:
  /// `step_at`: the step with the clock so many ms later.
  StepNumbers(std::function<std::optional<Step>(std::int64_t)> step_at, const VariedClock& clock,
              ClockUse& use)
      : step_at_(std::move(step_at)), clock_(clock), use_(use) {}

  /// On each way that the step can go: it turns where the clock is so much later.
  void note(const std::set<std::int64_t>& turns, RestPlaces& rests);

  /// Only which of them are durations that become data.
  void note_durations_sent();

 private:
  using Numbers = std::vector<std::int64_t>;

  std::map<std::int64_t, Numbers> later_than(std::int64_t base, const Step& here,
                                             const std::string& way) const;
  std::vector<RestPlace> note_at(std::int64_t base, const Step& here,
                                 const std::map<std::int64_t, Numbers>& all);
  bool note_reading(std::size_t place, std::int64_t base,
                    const std::map<std::int64_t, Numbers>& all, std::int64_t slope,
                    std::int64_t unit);
  bool is_duration(std::int64_t number) const;
  void note_duration(std::size_t place, const Step& here, std::int64_t slope);
  void note_sent(std::size_t place, const Step& here);
  bool note_unit(std::size_t place, std::int64_t base, const Numbers& now);
  void note_made_of_unit(std::int64_t number, std::int64_t base, std::int64_t unit);
  bool note_multiple(std::size_t place, std::int64_t base, const Step& here,
                     const std::map<std::int64_t, Numbers>& all);

  const std::function<std::optional<Step>(std::int64_t)> step_at_;
  const VariedClock clock_;
  ClockUse& use_;
};

}  // namespace lockstep::sim
