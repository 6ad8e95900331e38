// See the header.
#include "sim/client/turning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/time.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kMostOfMany = 16;  ///< turns, where there are too many to find them all

/// Places at which it is tried first, ascending.
std::vector<std::int64_t> first_tries(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> tries{from, to};
  const auto add = [&](std::int64_t place) {
    if (from < place && place < to) tries.push_back(place);
  };
  add(0);
  std::int64_t distance = 1;
  for (std::int64_t count = 0; distance < std::max(-from, to); ++count) {
    add(distance);
    add(-distance);
    distance = (count % 2 == 0 ? 3 : 5) * distance + count % 3;  // remainders of many kinds
  }
  std::sort(tries.begin(), tries.end());
  return tries;
}

/// Spread over all of them: nothing holds for certain any more, and a violation is still found.
std::set<std::int64_t> some_of(const std::set<std::int64_t>& turns) {
  std::set<std::int64_t> some;
  std::size_t count = 0;
  for (const std::int64_t turn : turns)
    if (count++ % (turns.size() / kMostOfMany + 1) == 0) some.insert(turn);
  return some;
}

class Halving {
 public:
  Halving(const std::function<std::string(std::int64_t)>& shown, Turns& turns)
      : shown_(shown), turns_(turns) {}

  void halve(std::int64_t from, const std::string& at_from, std::int64_t to,
             const std::string& at_to) {
    if (at_from == at_to) return;
    if (to - from == 1) {
      if (!at_from.empty() && !at_to.empty()) turns_.at.insert(to);
      return;
    }
    turns_.all = turns_.all && ++halved_ <= kMostHalved;
    if (!turns_.all) return;
    const std::int64_t middle = from + (to - from) / 2;
    const std::string at_middle = shown_(middle);
    halve(from, at_from, middle, at_middle);
    halve(middle, at_middle, to, at_to);
  }

 private:
  static constexpr int kMostHalved = 500;

  const std::function<std::string(std::int64_t)>& shown_;
  Turns& turns_;
  int halved_ = 0;
};

}  // namespace

Turns turning_points(const std::function<std::string(std::int64_t)>& shown, std::int64_t from,
                     std::int64_t to) {
  Turns turns;
  Halving halving(shown, turns);
  const std::vector<std::int64_t> tries = first_tries(from, to);
  const std::string first = shown(tries.front());
  std::string before = first;
  for (std::size_t i = 1; i < tries.size(); ++i) {
    std::string here = shown(tries[i]);
    halving.halve(tries[i - 1], before, tries[i], here);
    before = std::move(here);
  }
  if (!turns.all) turns.at = some_of(turns.at);
  const auto turns_beyond = [&](std::int64_t end, const std::string& at_end) {
    for (std::int64_t times = 2; times <= kFarBeyond; times *= 2)
      if (shown(end * times) != at_end) return true;
    return false;
  };
  if (to == kFarthestMs && turns_beyond(to, before)) turns.all = false;
  if (from == -kFarthestMs && turns_beyond(from, first)) turns.all = false;
  return turns;
}

bool changes_with(const std::function<std::string(std::int64_t)>& shown) {
  std::set<std::string> first;
  for (const std::int64_t varied : {0, 1, 2, 3}) first.insert(shown(varied));
  return first.size() == 4;
}

void add_turns_at(std::int64_t same, std::int64_t unit,
                  const std::function<std::string(std::int64_t)>& shown,
                  std::set<std::int64_t>& turns) {
  if (std::abs(same) > kFarthestMs) return;
  for (const std::int64_t turn : {same, same + unit})
    if (shown(turn - 1) != shown(turn)) turns.insert(turn);
}

std::set<std::int64_t> both_sides(const std::set<std::int64_t>& turns) {
  std::set<std::int64_t> places{0};
  for (const std::int64_t turn : turns) places.insert({turn - 1, turn});
  return places;
}

std::int64_t common_multiple(const std::set<std::int64_t>& units) {
  std::int64_t common = 1;
  for (const std::int64_t unit : units)
    if (common < kFarthestMs) common = std::lcm(common, unit);
  return std::min(common, kFarthestMs);
}

int onwards(std::int64_t place, const std::set<std::int64_t>& turns) {
  return turns.contains(place + 1) ? -1 : 1;
}

std::vector<std::int64_t> parts_of(std::int64_t unit) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t count : {1, 2, 4, 5, 10})
    if (unit % count == 0 && unit / count > 1) parts.push_back(unit / count);
  return parts;
}

void note_in_unit(std::int64_t after_ms, std::int64_t unit, TimeUse& use) {
  const std::int64_t rest = (after_ms % unit + unit) % unit;
  if (rest <= 1 || rest == unit - 1) return;
  for (const std::int64_t part : parts_of(unit)) {
    if (rest % part > 1) continue;
    use.units.insert(part);
    use.rounds_up = use.rounds_up || rest % part == 1;
    return;
  }
  use.all = false;
}

void Courses::begin(std::int64_t later_ms, std::string_view before) {
  later_ms_ = later_ms;
  way_ = 0;
  for (const char each : before) go(static_cast<unsigned char>(each));
}

/// FNV's step.
void Courses::go(std::size_t by) { way_ = (way_ ^ by) * 0x100000001b3U; }

namespace {

bool is_whole(double number) { return number == std::floor(number); }

/// Whether two numbers differ by no more than seconds with a fraction are off as floating-point
/// numbers: which one is larger hangs on the ms in which it all happens. Not if both are whole
/// ones; nor if they are equal, but for a duration that is no multiple of what such seconds are
/// multiples of.
bool differ_by_rounding(double left, double right) {
  constexpr double kOff = 0.75e-6;      // three units in the last place of Unix seconds
  constexpr double kUnits = 1U << 22U;  // in a second
  if (!(std::abs(left - right) < kOff) || (is_whole(left) && is_whole(right))) return false;
  return left != right || (std::abs(left) < kFirstTime && !is_whole(left * kUnits));
}

}  // namespace

bool hangs_on_rounding(double left, double right) {
  const bool times = left == right && !is_whole(left) && std::abs(left) >= kFirstTime;
  return times || differ_by_rounding(left, right);
}

void Courses::add(int place, const Compared& compared) {
  rounding_ = rounding_ || differ_by_rounding(compared.left, compared.right);
  go(static_cast<std::size_t>(place));
  const bool sent = compared.outcome == Compared::kSent;
  if (sent && compared.left > kFarthestMs) return;  // a time
  if (sent || compared.outcome == Compared::kUnknown) {
    const auto [sought, added] = sought_.try_emplace(way_, compared.left);
    known_ = known_ && sought->second == compared.left;
  } else if (compared.outcome != Compared::kCall && compared.outcome != Compared::kNothing &&
             kept_ < kMostKept) {
    courses_[way_][later_ms_] = {compared.left, compared.right};
    known_ = known_ && ++kept_ < kMostKept;
  }
  go(static_cast<unsigned char>(compared.outcome));
}

namespace {

/// Whether numbers only grow, or only fall; what is no finite number has to stay the same.
class OneWay {
 public:
  void add(double value, double error) {
    if (before_ && std::isfinite(value) && std::isfinite(*before_)) {
      grows_ = grows_ && value - *before_ >= -(error + error_before_);
      falls_ = falls_ && value - *before_ <= error + error_before_;
    } else if (before_) {
      const bool same = value == *before_ || (std::isnan(value) && std::isnan(*before_));
      grows_ = falls_ = same && grows_ && falls_;
    }
    before_ = value;
    error_before_ = error;
  }
  bool holds() const { return grows_ || falls_; }

 private:
  std::optional<double> before_;
  double error_before_ = 0;
  bool grows_ = true, falls_ = true;
};

}  // namespace

/// Each side by itself, too: what is next to nothing beside the other one may be so for a while.
bool Courses::is_one_way(const Course& course) {
  constexpr double kError =
      4 * std::numeric_limits<double>::epsilon();  // of floating-point numbers
  OneWay left, right, difference;
  for (const auto& [later_ms, sides] : course) {
    const double largest = std::max(std::abs(sides.left), std::abs(sides.right));
    left.add(sides.left, kError * std::abs(sides.left));
    right.add(sides.right, kError * std::abs(sides.right));
    difference.add(sides.left - sides.right, kError * largest);
  }
  return left.holds() && right.holds() && difference.holds();
}

bool Courses::one_way() const {
  return known_ && !rounding_ && std::ranges::all_of(courses_, [](const auto& course) {
           return is_one_way(course.second);
         });
}

namespace {

/// A time of this century packed into bytes (string.pack, struct.pack), the highest byte first or
/// last.
struct Packed {
  std::int64_t number = 0;
  bool highest_first = false;
};

std::vector<Packed> packed_times(const std::string& text) {
  constexpr std::int64_t kFirstSecond = 1'000'000'000;
  constexpr std::int64_t kLastMs = 100'000'000'000 * kSecondMs;
  std::vector<Packed> found;
  if ((text.size() != 4 && text.size() != 8) || !is_packed(text)) return found;  // "lock" is none
  for (const bool highest_first : {true, false}) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t at = highest_first ? i : text.size() - 1 - i;
      number = number << 8U | static_cast<unsigned char>(text[at]);
    }
    if (number >= kFirstSecond && number <= kLastMs)
      found.push_back({static_cast<std::int64_t>(number), highest_first});
  }
  return found;
}

/// Unix seconds with a fraction, in microseconds: what a floating-point number is off is less than
/// half of one. Nothing if it is a run of digits only.
std::optional<std::int64_t> micros_of(std::string_view run) {
  const std::size_t point = run.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  double fraction = 0;
  std::from_chars(run.data() + point, run.data() + run.size(), fraction);
  return whole_number_in(run) * kSecondUs + std::llround(fraction * static_cast<double>(kSecondUs));
}

/// Microseconds as seconds with a fraction, with as many digits as `like` has. Who writes fewer
/// than three leaves out zeros at the end.
std::string as_seconds(std::int64_t us, std::string_view like) {
  constexpr std::size_t kMsDigits = 3, kUsDigits = 6;
  const std::size_t digits = like.size() - like.find('.') - 1;
  std::string text = fmt::format("{}.{:06}", us / kSecondUs, us % kSecondUs);
  text.resize(text.size() - kUsDigits + std::max(digits, kMsDigits), '0');
  if (digits < kMsDigits)
    while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

/// Whether it may be what SCRIPT LOAD answers, a SHA1: the digits in it are no numbers.
bool names_script(std::string_view text) {
  constexpr std::size_t kSha1Digits = 40;
  return text.size() == kSha1Digits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string packed(Packed time, std::size_t size) {
  std::string text(size, '\0');
  auto number = static_cast<std::uint64_t>(time.number);
  for (std::size_t i = 0; i < size; ++i, number >>= 8U)
    text[time.highest_first ? size - 1 - i : i] = static_cast<char>(number & 0xFFU);
  return text;
}

}  // namespace

void add_numbers(const std::string& text, std::vector<std::int64_t>& numbers) {
  for (const Packed time : packed_times(text)) numbers.push_back(time.number);
  if (is_packed(text) || names_script(text)) return;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at]) && text[at] != '-') {
      ++at;
      continue;
    }
    const std::size_t run_end = end_of_run(text, at);
    if (const auto us = micros_of(std::string_view(text).substr(at, run_end - at))) {
      numbers.push_back(*us / 1000);
      at = run_end;
      continue;
    }
    std::int64_t number = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    if (error == std::errc{}) numbers.push_back(number);
    at += end == begin ? 1 : static_cast<std::size_t>(end - begin);
  }
}

std::string with_moved(const std::string& text, std::int64_t number, std::int64_t by) {
  for (const Packed time : packed_times(text))
    if (time.number == number) return packed({number + by, time.highest_first}, text.size());
  const std::string digits = std::to_string(number);
  return with_digit_runs(text, [&](std::string_view run) {
    if (const auto us = micros_of(run); us && *us / 1000 == number)
      return as_seconds(*us + by * 1000, run);
    return run == digits ? std::to_string(number + by) : std::string(run);
  });
}

namespace {

/// The text with every run of so many digits or more as "#".
std::string without_digits(const std::string& text, std::size_t fewest) {
  return with_digit_runs(text, [&](std::string_view run) {
    return run.size() < fewest ? run : std::string_view("#");
  });
}

}  // namespace

std::string without_times(const std::string& text) {
  constexpr std::size_t kDigits = 10;
  return packed_times(text).empty() ? without_digits(text, kDigits) : "#";
}

std::string without_numbers(const std::string& text) {
  return packed_times(text).empty() ? without_digits(text, 1) : "#";
}

std::string form_of(const Request& request) {
  std::string form;
  for (const std::string& argument : request) form += without_numbers(argument) + '\n';
  return form;
}

}  // namespace lockstep::sim
