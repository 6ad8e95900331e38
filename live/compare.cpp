// Differences in words; see the header.
#include "live/compare.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "live/pace.hpp"
#include "live/wording.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Effect;
using sim::Reply;

/// Numbers up to this are answers (0, 1, counters), never a lifetime in ms that could be told
/// apart.
constexpr std::int64_t kLargestAnswer = 10;

bool same(const Reply& expected, const Reply& found, std::int64_t tolerance) {
  if (expected.kind != found.kind || expected.items.size() != found.items.size()) return false;
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    if (!same(expected.items[i], found.items[i], tolerance)) return false;
  if (expected.text != found.text) return false;
  const bool lifetime = expected.integer > kLargestAnswer;
  return std::abs(expected.integer - found.integer) <= (lifetime ? tolerance : 0);
}

std::string expected_but(const std::string& expected, const std::string& found) {
  return fmt::format("expected: {}; found: {}", expected, found);
}

bool same_lifetime(const sim::VisibleKey& expected, const sim::VisibleKey& found,
                   std::int64_t tolerance_ms) {
  if (expected.left_ms.has_value() != found.left_ms.has_value()) return false;
  return !expected.left_ms || std::abs(*expected.left_ms - *found.left_ms) <= tolerance_ms;
}

}  // namespace

std::optional<std::string> reply_difference(const sim::Model& model, const Answered& expected,
                                            const Reply& found, std::int64_t tolerance_ms) {
  if (same(expected.reply, found, expected.looked_at_clock ? tolerance_ms : 0)) return std::nullopt;
  return expected_but(
      worded_to(model, expected.request, expected.node) + " -> " + sim::worded(expected.reply),
      sim::worded(found));
}

std::optional<std::string> effects_difference(const sim::Model& model, std::uint8_t process,
                                              const std::vector<Effect>& expected,
                                              const std::vector<Effect>& found) {
  const auto told = [&](const Effect& effect) { return worded_of(model, process, effect); };
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const bool missing = i >= found.size(), extra = i >= expected.size();
    if (!missing && !extra && expected[i] == found[i]) continue;
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
    if (other->second.value != key.value || !same_lifetime(key, other->second, tolerance_ms))
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
