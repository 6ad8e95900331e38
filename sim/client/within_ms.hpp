// TIME tells microseconds, and what is simulated happens at whole milliseconds: whether that shows.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockstep::sim {

struct TimeUse;

inline constexpr int kMicrosOfMs = 1000;

/// What comes of a step or an execution at some microsecond.
struct Outcome {
  std::string course;           ///< all but numbers
  std::vector<double> numbers;  ///< that it sends, tells or keeps
  std::vector<double> expiries;
  std::vector<double> compared;
};

/// The text without its numbers (with a fraction, or an exponent), which are added to `numbers`.
std::string split_numbers(const std::string& text, std::vector<double>& numbers);

/// Notes in `use` whether, at some microsecond of a millisecond, it comes to something that it
/// comes to neither as the millisecond begins nor as the next one does (another course, or a number
/// that does not lie between the two); or rounds otherwise than down, or in more ways than one:
/// then less than a millisecond may lie between two instants that whole ones tell apart. `outcome`
/// is asked for 0 to 1000 microseconds later.
void note_within_ms(const std::function<Outcome(int)>& outcome, TimeUse& use);

}  // namespace lockstep::sim
