// TIME tells microseconds, and what is simulated happens at whole milliseconds: whether that shows.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockstep::sim {

/// What comes of a step or an execution at some microsecond.
struct Outcome {
  std::string course;           ///< all but numbers
  std::vector<double> numbers;  ///< that it sends, tells or keeps
  std::vector<double> compared;
};

/// The text without its numbers (with a fraction, or an exponent), which are added to `numbers`.
std::string split_numbers(const std::string& text, std::vector<double>& numbers);

/// Whether, at some microsecond of a millisecond, it comes to something that it comes to neither
/// as the millisecond begins nor as the next one does: another course, or a number that does not
/// lie between the two. `outcome` is asked for 0 to 1000 microseconds later.
bool turns_within_ms(const std::function<Outcome(int)>& outcome);

}  // namespace lockstep::sim
