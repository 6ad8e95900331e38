// Whether it matters when it all happens, and not only how long one thing is after another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/client/turning.hpp"

namespace lockstep::sim {

/// What something comes to if the clocks and every absolute time in it were later by so many ms:
/// which way it goes, and each difference() that it compares.
using ShiftedBy = std::function<std::string(std::int64_t later_ms)>;
/// By how much two sides of a comparison differ, as text; of an absolute time only that it is one.
std::string difference(double left, double right);
/// Absolute times that something makes.
struct MadeTimes {
  std::vector<std::int64_t> before;  ///< of what is not later
  std::vector<std::int64_t> soon;    ///< 1 ms later; empty: times are moved by whole seconds only
};
/// Of those that it makes of what is so much later: how far each is from where it would be, which
/// is as far along, or where it was.
std::string made_times(const MadeTimes& made, const std::vector<std::int64_t>& numbers,
                       std::int64_t later_ms);

/// Two times that lie a multiple of a unit apart meet its borders together: so it is also tried
/// with the clock this much later than it is.
inline constexpr std::int64_t kAsideMs = 337;

/// Differences of times stay what they are. So what turns has to do with a clock's own seconds, or
/// some part or multiple of them: that is noted as a unit, if one of `times_ms` is at a multiple of
/// it there (what else turns within a second is not explained). Of times `in_seconds` nobody knows
/// where in one they lie: they are moved by whole ones only.
void note_phases(const ShiftedBy& shifted, std::span<const std::int64_t> times_ms, bool in_seconds,
                 TimeUse& use);

/// The absolute times that something makes, in ms and in a fixed order, if the clock were later by
/// so many ms.
using MadeLater = std::function<std::vector<std::int64_t>(std::int64_t later_ms)>;

/// A time that is made of a clock rounded to a unit lies just as far after the last multiple of it
/// whenever within the unit, or within the same part of it (parts_of()), it is made: so far after
/// a look at a multiple, too. One that is rounded otherwise is not explained, unless it is
/// `known_elsewhere`.
void note_rounded(const MadeLater& made, std::int64_t clock_ms, bool known_elsewhere, TimeUse& use);

}  // namespace lockstep::sim
