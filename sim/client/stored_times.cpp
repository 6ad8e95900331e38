// See the header.
#include "sim/client/stored_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/base/ascii.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/turning.hpp"

namespace lockstep::sim {

namespace {

template <class Parts>
void change_names(Parts& parts, const TextChange& change) {
  Parts changed;
  for (auto& [name, rest] : parts) changed.emplace(change(name), std::move(rest));
  parts = std::move(changed);
}

void change_texts(Entry& entry, const TextChange& change) {
  if (auto* text = std::get_if<std::string>(&entry.value)) *text = change(*text);
  if (auto* hash = std::get_if<Hash>(&entry.value))
    for (auto& [name, field] : *hash) field.value = change(field.value);
  if (auto* list = std::get_if<List>(&entry.value))
    for (ListElement& element : *list) element.value = change(element.value);
  if (auto* set = std::get_if<Set>(&entry.value)) change_names(*set, change);
  if (auto* set = std::get_if<SortedSet>(&entry.value)) change_names(*set, change);
}

using ChangeScore = std::function<double(double)>;

void change_scores(Entry& entry, const ChangeScore& change) {
  if (auto* set = std::get_if<SortedSet>(&entry.value))
    for (auto& [member, rest] : *set) rest.score = change(rest.score);
}

/// Unix seconds: with a fraction, as Python's time.time() makes them, or at a whole one.
bool is_in_seconds(double score) { return score >= kFirstTime && score < 10 * kFirstTime; }

bool is_told_in_ms(double score, ScoreUnit unit) {
  return unit == ScoreUnit::ms && is_in_seconds(score);
}

/// A score as a whole number. Nothing if it is none.
std::optional<std::int64_t> number_of_score(double score, ScoreUnit unit) {
  if (std::abs(score) >= kFarthestScore) return std::nullopt;
  if (!is_told_in_ms(score, unit)) return std::llround(score);
  return std::llround(score * static_cast<double>(kSecondUs)) / 1000;
}

}  // namespace

std::string bare(Keyspace keyspace, const TextChange& plain, int decimals) {
  keyspace.for_each([&](const std::string&, Entry& entry) {
    entry.expires.reset();
    entry.reliances.clear();
    change_texts(entry, plain);
    change_scores(entry, [&](double score) {
      return plain(fmt::format("{:.{}f}", std::abs(score), decimals)) == "#" ? 0 : score;
    });
  });
  return encode(keyspace);
}

Reply with_texts(Reply reply, const TextChange& change) {
  reply.text = change(reply.text);
  std::string digits = std::to_string(reply.integer);
  if (reply.integer < 0) digits.erase(0, 1);
  if (change(digits) == "#") reply.integer = reply.integer < 0 ? -1 : 0;
  for (Reply& item : reply.items) item = with_texts(std::move(item), change);
  return reply;
}

bool has_parts_of_seconds(const Keyspace& keyspace) {
  bool found = false;
  keyspace.for_each([&](const std::string&, const Entry& entry) {
    const auto* set = std::get_if<SortedSet>(&entry.value);
    found = found || (set != nullptr && std::ranges::any_of(*set, [](const auto& member) {
                        const double score = member.second.score;
                        return is_in_seconds(score) && score != std::floor(score);
                      }));
  });
  return found;
}

std::vector<std::int64_t> numbers_in(Keyspace keyspace, ScoreUnit unit) {
  std::vector<std::int64_t> numbers;
  keyspace.for_each([&](const std::string&, Entry& entry) {
    change_texts(entry, [&](const std::string& text) {
      add_numbers(text, numbers);
      return text;
    });
    change_scores(entry, [&](double score) {
      if (const auto number = number_of_score(score, unit)) numbers.push_back(*number);
      return score;
    });
  });
  return numbers;
}

std::set<std::int64_t> different_numbers_in(const Keyspace& keyspace, ScoreUnit unit) {
  const std::vector<std::int64_t> all = numbers_in(keyspace, unit);
  return {all.begin(), all.end()};
}

std::string later_by_units(const std::string& text, std::int64_t number, std::int64_t units) {
  return sim::with_moved(text, number, units * larger_by_unit(number));
}

Keyspace with_moved(Keyspace keyspace, std::int64_t number, std::int64_t units, ScoreUnit unit) {
  const auto by = static_cast<double>(units * larger_by_unit(number));
  keyspace.for_each([&](const std::string&, Entry& entry) {
    change_texts(entry,
                 [&](const std::string& text) { return later_by_units(text, number, units); });
    change_scores(entry, [&](double score) {
      if (number_of_score(score, unit) != number) return score;
      return is_told_in_ms(score, unit) ? score + by / static_cast<double>(kSecondMs) : score + by;
    });
  });
  return keyspace;
}

std::int64_t window_of(std::int64_t number, WallTime now) {
  constexpr std::int64_t kFewest = 2;  // a smaller number would be one of a window of years
  if (number < kFewest || number >= now.ms) return 0;
  const std::int64_t least = now.ms / (number + 1) + 1, most = now.ms / number;
  if (most >= kFarthestMs) return 0;
  for (const std::int64_t round : {86'400'000, 3'600'000, 60'000, 1000, 100, 10, 1})
    if (const std::int64_t window = most / round * round; window >= std::max(least, kFewest))
      return window;
  return 0;
}

std::int64_t unit_of_time(std::int64_t number, WallTime now, const Windows& windows) {
  if (number >= kFirstMicros) return std::abs(ms_of(number, 1) - now.ms) <= kFarthestMs ? 1 : 0;
  const auto counts = [&](std::int64_t unit) {
    return number > 0 && number < std::numeric_limits<std::int64_t>::max() / unit &&
           std::abs(number * unit - now.ms) <= kFarthestMs;
  };
  for (const std::int64_t unit : {std::int64_t{1}, kSecondMs})
    if (counts(unit)) return unit;
  const auto window = std::ranges::find_if(windows, counts);
  return window == windows.end() ? 0 : *window;
}

std::string without_times(const std::string& text, WallTime now, const Windows& windows) {
  std::string plain = without_times(text);
  if (windows.empty()) return plain;
  return with_digit_runs(plain, [&](std::string_view run) {
    const bool whole = run.find('.') == std::string_view::npos;
    const bool is_time = whole && unit_of_time(whole_number_in(run), now, windows) != 0;
    return is_time ? std::string_view("#") : run;
  });
}

std::map<std::int64_t, std::int64_t> times_in(const Request& request, WallTime now,
                                              const Windows& windows) {
  std::map<std::int64_t, std::int64_t> times;
  for (const std::string& argument : request) {
    std::vector<std::int64_t> numbers;
    add_numbers(argument, numbers);
    for (const std::int64_t number : numbers) {
      // In a longer text the number of a window is part of a key's name.
      const bool alone = argument == std::to_string(number);
      const std::int64_t unit = unit_of_time(number, now, alone ? windows : Windows{});
      if (unit != 0) times[number] = unit;
    }
  }
  return times;
}

std::vector<double> numbers_told(const Reply& reply) {
  std::vector<std::int64_t> told;
  if (reply.kind == Reply::Kind::integer) told.push_back(reply.integer);
  add_numbers(reply.text, told);
  std::vector<double> numbers;
  for (const std::int64_t number : told)
    numbers.push_back(static_cast<double>(std::min(number, kFarthestMs + 1)));
  for (const Reply& item : reply.items) {
    const std::vector<double> others = numbers_told(item);
    numbers.insert(numbers.end(), others.begin(), others.end());
  }
  return numbers;
}

std::map<Place, WallTime> expiries(const Keyspace& keyspace) {
  std::map<Place, WallTime> all;
  const auto add = [&](int database, const Keys& keys) {
    for (const auto& [key, entry] : keys)
      if (entry.expires) all.emplace(Place{database, key}, *entry.expires);
  };
  add(0, keyspace.keys);
  for (const auto& [database, keys] : keyspace.others) add(database, keys);
  return all;
}

Keyspace with_longer(Keyspace keyspace, const Place& place, std::int64_t by_ms) {
  Keys& keys = place.database == 0 ? keyspace.keys
                                   : keyspace.others.at(static_cast<std::uint8_t>(place.database));
  auto& expires = keys.at(place.key).expires;
  expires = *expires + Duration{by_ms};
  return keyspace;
}

bool meets_times(const Keyspace& keyspace, const Request& request, WallTime now,
                 const Windows& windows) {
  if (!times_in(request, now, windows).empty()) return true;
  const std::set<std::int64_t> stored = different_numbers_in(keyspace, ScoreUnit::second);
  return std::ranges::any_of(
      stored, [&](std::int64_t number) { return unit_of_time(number, now, windows) != 0; });
}

}  // namespace lockstep::sim
