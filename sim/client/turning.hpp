// Where something that depends on a clock turns: found by trying.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace lockstep::sim {

struct Turns {
  std::set<std::int64_t> at;
  bool all = true;  ///< false: there were too many to find them all
};

/// Every d in (from, to] for which shown(d - 1) != shown(d), as far as d is met when time is tried
/// at distances from 0 that grow by a factor, and every stretch whose ends differ is halved. What
/// turns once and stays so is always found: `shown` tells each comparison by itself. Where nothing
/// is shown ("": it cannot be run there) nothing turns.
Turns turning_points(const std::function<std::string(std::int64_t)>& shown, std::int64_t from,
                     std::int64_t to);

inline constexpr std::int64_t kSecondMs = 1000;

/// Far more than any lease, far less than an absolute time: two weeks.
inline constexpr std::int64_t kFarthestMs = 1'209'600'000;

/// Adds every run of digits in the text, as far as it is a number of 64 bits; and what it says if
/// it is a time packed into 4 or 8 bytes.
void add_numbers(const std::string& text, std::vector<std::int64_t>& numbers);

/// The text with `number` as `number + by`, wherever add_numbers() finds it.
std::string with_moved(const std::string& text, std::int64_t number, std::int64_t by);

/// The text with every number left out.
std::string without_numbers(const std::string& text);

/// The text with every number that may be an absolute time left out.
std::string without_times(const std::string& text);

}  // namespace lockstep::sim
