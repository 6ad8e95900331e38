// Where something that depends on a clock turns: found by trying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/compared.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

/// How far times lie from one another, in ms.
struct TimesApart {
  std::set<std::int64_t> all;
  std::set<std::int64_t> to_ms;  ///< of these, those that may end within a unit

  /// `at_unit`: from a time that is rounded to a unit, to where a unit begins.
  void add(std::int64_t ms, bool at_unit) {
    all.insert(ms);
    if (!at_unit) to_ms.insert(ms);
  }
  void add(const TimesApart& others) {
    all.insert(others.all.begin(), others.all.end());
    to_ms.insert(others.to_ms.begin(), others.to_ms.end());
  }
  friend bool operator==(const TimesApart&, const TimesApart&) = default;
};

/// Whether a unit begins so long after a time that is rounded to it. (1: to none.)
inline bool begins_unit(std::int64_t after_ms, std::int64_t unit) {
  return unit > 1 && after_ms % unit == 0;
}

/// What a step or a command makes of times, as far as it is one for both.
struct TimeUse {
  std::set<std::int64_t> lefts;     ///< of a key: the last remaining lifetime before it differs
  std::set<std::int64_t> made;      ///< how far an absolute time that it makes lies after the clock
  TimesApart met;                   ///< how far after a time that it knows it turns
  TimesApart between;               ///< how far one such time lies after another where it turns
  std::set<std::int64_t> units;     ///< what an absolute time is rounded to: a second, a minute
  std::set<std::int64_t> computed;  ///< durations that it works out
  bool all = true;                  ///< false: it turns more often than could be found out
  bool explained = true;            ///< false: it turns at a time that nothing it knows decides
  bool sums = true;   ///< false: it works out a number that is no reading plus or minus something
  bool kept = false;  ///< a number of a clock is remembered, or stored in a key
  bool whole_ms = true;       ///< false: it turns within a millisecond (within_ms.hpp)
  bool whole_micros = false;  ///< it takes of an answer to TIME whole milliseconds, rounded down
  bool each_micro = false;    ///< it takes of it every microsecond
  bool rounds_up = false;     ///< an absolute time is rounded up to a unit
  bool parts_of_seconds = false;  ///< a score is Unix seconds with a fraction
  bool fences = false;            ///< a fencing token is made of one
  bool lifetimes = true;          ///< false: a duration that is worked out becomes data
  /// What one clock shows is put together with something else: where it turns by that depends on
  /// another reading, or it works something out of it, or turns by one that was kept. Matters only
  /// where clocks drift.
  bool mixes = false;
};

/// Arguments of requests, by what these are like but for their numbers, that are durations.
using SentDurations = std::map<std::string, std::set<std::size_t>>;
/// What a request is like.
std::string form_of(const Request& request);

struct Turns {
  std::set<std::int64_t> at;
  bool all = true;  ///< false: there were too many to find them all, and `at` has some
};

/// Every d in (from, to] for which shown(d - 1) != shown(d), as far as d is met when time is tried
/// at distances from 0 that grow by a factor, and every stretch whose ends differ is halved. What
/// turns once and stays so is always found: `shown` tells each comparison by itself. Where nothing
/// is shown ("": it cannot be run there) nothing turns. What turns beyond kFarthestMs is not found,
/// but seen: then not all were.
Turns turning_points(const std::function<std::string(std::int64_t)>& shown, std::int64_t from,
                     std::int64_t to);

/// Whether a number of what is shown changes with what is varied: then every try shows another one,
/// and only the form of it tells where something turns.
bool changes_with(const std::function<std::string(std::int64_t)>& shown);

/// Adds the turns where a time becomes `same`, which is so for `unit`: a command may compare them
/// with nobody seeing it.
void add_turns_at(std::int64_t same, std::int64_t unit,
                  const std::function<std::string(std::int64_t)>& shown,
                  std::set<std::int64_t>& turns);

/// Of what may be why something turns: each that decides alone, or those without which the others
/// do not decide together. `decides`: whether it no longer turns there with these moved.
template <class Cause, class Decides>
std::vector<Cause> what_decides(const std::vector<Cause>& possible, Decides decides) {
  std::vector<Cause> causes;
  for (const Cause& cause : possible)
    if (decides(std::vector{cause})) causes.push_back(cause);
  if (!causes.empty() || !decides(possible)) return causes;
  for (const Cause& cause : possible) {  // several at one instant
    std::vector<Cause> others = possible;
    std::erase(others, cause);
    if (!decides(others)) causes.push_back(cause);
  }
  return causes;
}

/// A place on each way between turns: 0, and both sides of each of them.
std::set<std::int64_t> both_sides(const std::set<std::int64_t>& turns);
/// From such a place, in which direction its way goes on for certain: 1 or -1.
int onwards(std::int64_t place, const std::set<std::int64_t>& turns);

/// Of two numbers that were compared: whether they are times in seconds with a fraction, or made of
/// such, and are equal, or differ by no more than floating-point numbers are off. At another ms it
/// may be the other way round.
bool hangs_on_rounding(double left, double right);

/// Whether what is compared only grows, or only falls, while a clock goes on: if so, it turns once,
/// and halving finds it. Told of all that each try compares.
class Courses {
 public:
  /// `before`: what came of comparisons that it has made before, and that are not told.
  void begin(std::int64_t later_ms, std::string_view before = {});
  /// The next comparison of the try, told apart from others by `place`.
  void add(int place, const Compared& compared);
  bool one_way() const;

 private:
  struct Sides {
    double left = 0, right = 0;
  };
  void go(std::size_t by);
  using Course = std::map<std::int64_t, Sides>;  ///< by how much later it is
  static bool is_one_way(const Course& course);
  std::int64_t later_ms_ = 0;
  std::size_t way_ = 0;  ///< what came of the comparisons before
  /// Comparisons; more are not followed.
  static constexpr std::size_t kMostKept = 1'000'000;
  std::map<std::size_t, Course> courses_;  ///< by way
  std::size_t kept_ = 0;
  bool known_ = true;
  bool rounding_ = false;  ///< two numbers differ by no more than they are rounded by
  std::map<std::size_t, double> sought_;
};

/// The time after which all of these begin together again; kFarthestMs if that is more.
std::int64_t common_multiple(const std::set<std::int64_t>& units);

inline constexpr std::int64_t kSecondMs = 1000;
inline constexpr std::int64_t kSecondUs = 1'000'000;

/// How long the parts are in which a unit is looked at, the longest first: all of it, and its
/// halves, quarters, fifths and tenths, as far as they are whole numbers above 1. What is rounded
/// to the nearest unit turns in the middle of one.
std::vector<std::int64_t> parts_of(std::int64_t unit);

/// Notes that something turns so long after a time that is rounded to `unit`: points are tried
/// where a clock shows a multiple of a unit, and beside one, wherever in it a run begins. A part of
/// the unit is one, too, if it turns there; what turns elsewhere is not found.
void note_in_unit(std::int64_t after_ms, std::int64_t unit, TimeUse& use);

/// Far more than any lease, far less than an absolute time: two weeks.
inline constexpr std::int64_t kFarthestMs = 1'209'600'000;

/// Where more than kFarthestMs is asked, it is only looked whether anything turns there: so many
/// times that, ten years.
inline constexpr std::int64_t kFarBeyond = 256;

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
