// Scheduled steps: sentences that tell one documented order of events ("A acquires", "A pauses",
// "10001 ms pass"), and the walk that carries them out. A sentence about a client runs that client
// alone until the named event, however many requests that takes, so that a harmless edit of the
// protocol does not break the schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {
class Walk;
}

namespace lockstep::scenarios {

/// How long any duration of a scenario may be: 30 days.
inline constexpr std::int64_t kLongestMs = 2'592'000'000;
/// Of `overtakes`.
inline constexpr std::int64_t kMostOvertakes = 1000;

/// One sentence of a schedule, understood.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    acquires,
    refused,
    releasing,
    released,
    fails,
    sends,
    executes,
    hears,
    finishes,
    request_held,
    reply_held,
    pass,
    expires,
    stops_at_clock,  ///< after it has read one
    stops_between_sends,
    action  ///< any other sentence: the one action that it names
  };
  Kind kind = Kind::action;
  std::optional<sim::Action::Kind> action;  ///< where the sentence is one action, of one kind
  std::string text;                         ///< the sentence
  std::uint8_t client = 0;                  ///< where the sentence names one
  std::string words;                        ///< the request's first words, or the key that expires
  std::string node;                         ///< "redis", "redis-2" or "resource"; "": none is named
  std::int64_t amount = 0;                  ///< milliseconds, or the number of lost writes
};

/// A sentence form and what it means: `<client> pauses`.
struct Sentence {
  ScheduleStep::Kind kind;
  std::string form;
  std::string meaning;
  std::optional<sim::Action::Kind> action = {};  ///< the kind of action that it is, if it is one
};
/// All forms, in the order in which help and errors show them.
const std::vector<Sentence>& sentences();

/// Understands one sentence about `clients` clients. Throws BadInput "`place`: ..." with a near
/// miss, or with the range that the number should be in.
ScheduleStep parse_schedule_step(const std::string& text, int clients, const std::string& place);

/// The fault budget that these steps need, and the clock jumps among them.
sim::Budget budget_of(const std::vector<ScheduleStep>& steps);
std::vector<std::int64_t> jumps_of(const std::vector<ScheduleStep>& steps);

/// Carries out `steps` from the start, up to the first violation. Throws BadInput where a step
/// cannot happen, naming it
/// ("`file`: $.steps[3]") and what is possible there.
checker::Walk walk_schedule(const sim::Model& model, const std::vector<ScheduleStep>& steps,
                            const std::string& file);

}  // namespace lockstep::scenarios
