// See the header.
#include "sim/world/dates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <variant>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/turning.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

namespace {

/// What a run may come to, with clocks that are ahead, and a search that begins later.
constexpr std::int64_t kMonthsMs = 4 * kFarthestMs;

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  add_numbers(std::string(text), numbers);
  return numbers;
}

/// How much so many ms are in what this time counts.
std::int64_t units(std::int64_t time, std::int64_t ms) {
  return ms / unit_of(time) * larger_by_unit(time);
}

bool is_date(std::int64_t number) {
  return std::abs(ms_of(number, unit_of(number)) - kEpoch.ms) <= kMonthsMs;
}

}  // namespace

void DateUse::add(std::int64_t number) {
  if (number < kFirstTime) return;
  any = true;
  seconds = seconds || unit_of(number) == kSecondMs;
  odd = odd || !is_date(number);
}

void DateUse::add(std::string_view text) {
  for (const std::int64_t number : numbers_in(text)) {
    add(number);
    const bool in_digits = text.find(std::to_string(number)) != std::string_view::npos;
    odd = odd || (number >= kFirstTime && !in_digits);
  }
}

void DateUse::add_sent(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; };
  odd = odd || !std::ranges::all_of(text, is_plain);
}

void DateUse::add(double score) {
  if (score < static_cast<double>(kFirstTime)) return;
  if (score != std::floor(score) || score >= kFarthestScore)
    any = odd = true;
  else
    add(std::int64_t{std::llround(score)});
}

void DateUse::add(const DateUse& other) {
  any = any || other.any;
  seconds = seconds || other.seconds;
  odd = odd || other.odd;
}

std::string sooner(std::string_view text, std::int64_t ms) {
  std::string moved(text);
  const std::vector<std::int64_t> numbers = numbers_in(text);
  // The first one first, so that none is moved onto the next.
  for (const std::int64_t number : std::set(numbers.begin(), numbers.end()))
    if (number >= kFirstTime) moved = with_moved(moved, number, -units(number, ms));
  return moved;
}

Entry sooner(const Entry& entry, std::int64_t ms) {
  Entry moved = with_texts(entry, [ms](std::string_view text) { return sooner(text, ms); });
  if (auto* const set = std::get_if<SortedSet>(&moved.value))
    for (auto& [member, about] : *set)
      if (about.score >= static_cast<double>(kFirstTime))
        about.score -= static_cast<double>(units(std::llround(about.score), ms));
  return moved;
}

}  // namespace lockstep::sim
