// Compares texts; see the header.
#include "live/stand_ins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sim/base/ascii.hpp"

namespace lockstep::live {

namespace {

constexpr std::string_view kToken = "lockstep-token-", kKey = "lockstep-key-";
constexpr std::size_t kLength = 32;  // of both, with a number

constexpr std::int64_t kSlack_us = 500'000;  // a client reads its clock, and connects
constexpr std::int64_t kDay_us = 86'400'000'000;

bool begins_with_stand_in(std::string_view text) {
  return text.size() >= kLength && (text.starts_with(kToken) || text.starts_with(kKey));
}

std::size_t digits_of(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

/// What the last of so many digits of a Unix time counts, in microseconds; 0: no Unix time.
std::int64_t unit_us(std::size_t digits) {
  constexpr std::size_t kOfSeconds = 10, kOfMilliseconds = 13, kOfMicroseconds = 16;
  if (digits == kOfSeconds) return 1'000'000;
  if (digits == kOfMilliseconds) return 1000;
  return digits == kOfMicroseconds ? 1 : 0;
}

/// Two Unix times near `when` that can be the same one, read a little later.
bool same_time(std::string_view said, std::string_view real, WhenSent when) {
  const auto unit = unit_us(said.size());
  if (unit == 0 || said.size() != real.size()) return false;
  const auto a = sim::whole_number_in(said) * unit, b = sim::whole_number_in(real) * unit;
  const auto slack = kSlack_us + unit + (when.came_us - when.computed_us);
  return std::abs(a - when.came_us) < kDay_us && std::abs(a - b) <= slack;
}

/// A short value is part of much that has nothing to do with it.
bool is_part_of(std::string_view text, const std::string& value) {
  constexpr std::size_t kShort = 4;
  return text == value || (value.size() >= kShort && text.find(value) != std::string_view::npos);
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::string StandIns::fresh_token(std::size_t number) {
  return fmt::format("{}{:0{}}", kToken, number, kLength - kToken.size());
}

std::string StandIns::fresh_key(std::size_t number) {
  return fmt::format("{}{:0{}}", kKey, number, kLength - kKey.size());
}

bool StandIns::bind(std::string_view said, std::string_view real, WhenSent when) {
  auto before = values_;
  if (fits(said, real, when)) return true;
  values_ = std::move(before);
  return false;
}

/// From left to right; a stand-in is as short as what follows it allows.
bool StandIns::fits(std::string_view said, std::string_view real, WhenSent when) {
  while (!said.empty()) {
    if (begins_with_stand_in(said)) break;
    const auto a = digits_of(said), b = digits_of(real);
    const bool times = a > 0 && same_time(said.substr(0, a), real.substr(0, b), when);
    const auto same = std::max<std::size_t>(a, 1);  // characters, where it is no time
    if (!times && !real.starts_with(said.substr(0, same))) return false;
    said.remove_prefix(same);
    real.remove_prefix(times ? b : same);
  }
  if (said.empty()) return real.empty();
  const std::string name(said.substr(0, kLength));
  said.remove_prefix(kLength);
  if (const auto bound = values_.find(name); bound != values_.end())
    return real.starts_with(bound->second) && fits(said, real.substr(bound->second.size()), when);
  for (std::size_t length = 1; length <= real.size(); ++length) {
    const std::string value(real.substr(0, length));
    if (std::ranges::any_of(values_, [&](const auto& each) { return each.second == value; }))
      continue;
    values_[name] = value;
    if (fits(said, real.substr(length), when)) return true;
    values_.erase(name);
  }
  return false;
}

std::string StandIns::as_said(std::string text) const {
  for (const auto& [name, value] : values_)
    if (is_part_of(text, value)) replace_all(text, value, name);
  return text;
}

std::string StandIns::as_real(std::string text) const {
  for (const auto& [name, value] : values_) replace_all(text, name, value);
  for (const auto& [begin, shown] : {std::pair{kToken, "<token>"}, std::pair{kKey, "<key>"}})
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin))
      text.replace(at, kLength, shown);
  return text;
}

std::set<std::string> StandIns::tokens() const {
  std::set<std::string> tokens;
  for (const auto& [name, value] : values_)
    if (name.starts_with(kToken)) tokens.insert(value);
  return tokens;
}

bool StandIns::knows_part_of(std::string_view text) const {
  return std::ranges::any_of(values_,
                             [&](const auto& each) { return is_part_of(text, each.second); });
}

}  // namespace lockstep::live
