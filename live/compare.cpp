// Differences in words; see the header.
#include "live/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "live/naming.hpp"
#include "live/pace.hpp"
#include "live/wording.hpp"
#include "sim/base/ascii.hpp"
#include "sim/base/time.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Effect;
using sim::Reply;

/// Numbers up to this are answers (0, 1, counters), never a lifetime in ms that could be told
/// apart.
constexpr std::int64_t kLargestAnswer = 10;

/// What stands at the front of both texts: a run of digits in each, or one character.
std::string_view take_piece(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view piece = text.substr(0, std::max<std::size_t>(digits, 1));
  text.remove_prefix(piece.size());
  return piece;
}

/// Whether both are times, at most the tolerance apart; in seconds they may be rounded apart.
bool same_time(std::string_view expected, std::string_view found, std::int64_t tolerance_ms) {
  const auto one = unix_time_in(expected, sim::kEpoch.ms),
             other = unix_time_in(found, sim::kEpoch.ms);
  if (!one || !other || one->unit_ms != other->unit_ms) return false;
  return std::abs(one->since_ms - other->since_ms) < tolerance_ms + one->unit_ms;
}

/// Texts are the same if only times in them differ, by no more than the tolerance: a clock was read
/// when the run came to it.
bool same_text(std::string_view expected, std::string_view found, std::int64_t tolerance_ms) {
  while (!expected.empty() && !found.empty()) {
    const std::string_view one = take_piece(expected), other = take_piece(found);
    if (one != other && !same_time(one, other, tolerance_ms)) return false;
  }
  return expected.empty() && found.empty();
}

/// What may differ, in ms.
struct Tolerance {
  std::int64_t lifetime_ms = 0, time_ms = 0;
};

/// What TIME said, in microseconds: the seconds, and the microseconds of them.
std::optional<std::int64_t> time_said(const Reply& reply) {
  if (reply.items.size() != 2) return std::nullopt;
  const auto seconds = unix_time_in(reply.items[0].text, sim::kEpoch.ms);
  const std::string& rest = reply.items[1].text;
  if (!seconds || rest.empty() || rest.size() > 6 || !std::ranges::all_of(rest, sim::is_digit))
    return std::nullopt;
  return seconds->since_ms * 1000 + std::stoll(rest);
}

bool same(const Reply& expected, const Reply& found, Tolerance tolerance) {
  const auto one = time_said(expected), other = time_said(found);
  if (one && other) return std::abs(*one - *other) <= (tolerance.time_ms + 1) * 1000;
  if (expected.kind != found.kind || expected.items.size() != found.items.size()) return false;
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    if (!same(expected.items[i], found.items[i], tolerance)) return false;
  if (!same_text(expected.text, found.text, tolerance.time_ms)) return false;
  const bool lifetime = expected.integer > kLargestAnswer;
  return std::abs(expected.integer - found.integer) <= (lifetime ? tolerance.lifetime_ms : 0) ||
         same_time(std::to_string(expected.integer), std::to_string(found.integer),
                   tolerance.time_ms);
}

std::string expected_but(const std::string& expected, const std::string& found) {
  return fmt::format("expected: {}; found: {}", expected, found);
}

bool same_effect(const Effect& expected, Effect found, std::int64_t tolerance_ms) {
  const auto take = [&](const std::string& expected_text, std::string& text) {
    if (same_text(expected_text, text, tolerance_ms)) text = expected_text;
  };
  if (expected.request.size() == found.request.size())
    for (std::size_t i = 0; i < found.request.size(); ++i)
      take(expected.request[i], found.request[i]);
  take(expected.fencing, found.fencing);
  take(expected.text, found.text);
  return expected == found;
}

/// The texts of a value in an order that times do not change, but for that of neighbours.
std::vector<std::string> texts_of(const sim::VisibleValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {*text};
  if (const auto* list = std::get_if<sim::VisibleList>(&value)) return *list;
  std::vector<std::string> texts;
  if (const auto* hash = std::get_if<sim::VisibleHash>(&value))
    for (const auto& [field, content] : *hash) texts.insert(texts.end(), {field, content});
  if (const auto* set = std::get_if<sim::VisibleSet>(&value))
    texts.assign(set->begin(), set->end());
  if (const auto* scores = std::get_if<sim::VisibleSortedSet>(&value))
    for (const auto& [member, score] : *scores)
      texts.insert(texts.end(), {member, fmt::format("{}", score)});
  return texts;
}

bool same_value(const sim::VisibleValue& expected, const sim::VisibleValue& found,
                std::int64_t tolerance_ms) {
  const auto one = texts_of(expected), other = texts_of(found);
  return expected.index() == found.index() &&
         std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](const std::string& text, const std::string& other_text) {
                      return same_text(text, other_text, tolerance_ms);
                    });
}

bool same_lifetime(const sim::VisibleKey& expected, const sim::VisibleKey& found,
                   std::int64_t tolerance_ms) {
  if (expected.left_ms.has_value() != found.left_ms.has_value()) return false;
  return !expected.left_ms || std::abs(*expected.left_ms - *found.left_ms) <= tolerance_ms;
}

}  // namespace

std::optional<std::string> reply_difference(const sim::Model& model, const Answered& expected,
                                            const Reply& found, std::int64_t tolerance_ms) {
  const Tolerance tolerance{expected.looked_at_clock ? tolerance_ms : 0, tolerance_ms};
  if (same(*expected.reply, found, tolerance)) return std::nullopt;
  return expected_but(
      worded_to(model, expected.request, expected.node) + " -> " + sim::worded(*expected.reply),
      sim::worded(found));
}

std::optional<std::string> effects_difference(const sim::Model& model, std::uint8_t process,
                                              const std::vector<Effect>& expected,
                                              const std::vector<Effect>& found,
                                              std::int64_t tolerance_ms) {
  const auto told = [&](const Effect& effect) { return worded_of(model, process, effect); };
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const bool missing = i >= found.size(), extra = i >= expected.size();
    if (!missing && !extra && same_effect(expected[i], found[i], tolerance_ms)) continue;
    return expected_but(extra ? "the client does nothing more" : "the client " + told(expected[i]),
                        missing ? "it does not" : "it " + told(found[i]));
  }
  return std::nullopt;
}

std::optional<KeysDifference> keys_difference(const sim::VisibleKeys& expected,
                                              const sim::VisibleKeys& found,
                                              std::int64_t tolerance_ms) {
  for (const auto& [name, key] : expected) {
    const auto other = found.find(name);
    const bool early = key.left_ms && *key.left_ms <= tolerance_ms + kMarginMs;
    if (other == found.end())
      return KeysDifference{expected_but(sim::worded_key(name, key), "no such key"), early};
    if (!same_value(key.value, other->second.value, tolerance_ms) ||
        !same_lifetime(key, other->second, tolerance_ms))
      return KeysDifference{
          expected_but(sim::worded_key(name, key), sim::worded_key(name, other->second)), false};
  }
  for (const auto& [name, key] : found)
    if (!expected.contains(name))
      return KeysDifference{
          expected_but("no key " + sim::worded_value(name), sim::worded_key(name, key)), false};
  return std::nullopt;
}

}  // namespace lockstep::live
