// Differences in words; see the header.
#include "live/compare.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "live/pace.hpp"
#include "sim/base/token.hpp"

namespace lockstep::live {

namespace {

using sim::Effect;
using sim::Reply;

/// Numbers up to this are answers (0, 1, counters), never a lifetime in ms that could be told
/// apart.
constexpr std::int64_t kLargestAnswer = 10;

/// Whether the reply can depend on how late it is.
bool tells_time(const sim::Request& request) {
  const auto& command = request.at(0);
  for (const char* name : {"TTL", "PTTL", "EVAL", "EVALSHA", "TIME", "ttl", "pttl"})
    if (command == name) return true;
  return false;
}

bool same(const Reply& expected, const Reply& found, std::int64_t tolerance) {
  if (expected.kind != found.kind || expected.items.size() != found.items.size()) return false;
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    if (!same(expected.items[i], found.items[i], tolerance)) return false;
  if (expected.text != found.text) return false;
  const bool lifetime = expected.integer > kLargestAnswer;
  return std::abs(expected.integer - found.integer) <= (lifetime ? tolerance : 0);
}

/// Bytes for a person: no brackets round tokens, nothing that a terminal would act on.
std::string readable(const std::string& bytes) {
  std::string text;
  for (const char c : sim::without_brackets(bytes))
    text += static_cast<unsigned char>(c) < ' ' || c == '\x7f'
                ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                : std::string(1, c);
  return text;
}

std::string shown(const sim::Request& request) {
  constexpr std::size_t longest = 40;
  std::string text;
  for (const auto& argument : request) {
    const auto plain = readable(argument);
    text += (text.empty() ? "" : " ") +
            (plain.size() > longest ? plain.substr(0, longest - 3) + "..." : plain);
  }
  return text;
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

std::string shown(const Effect& effect) {
  switch (effect.kind) {
    case Effect::Kind::send:
      if (effect.node == sim::kResource)
        return fmt::format("sends {} to the resource", effect.request.front());
      return "sends " + shown(effect.request);
    case Effect::Kind::instant:
      return "reads a clock";
    case Effect::Kind::acquired:
      return "holds the lock";
    case Effect::Kind::reentered:
      return "holds the lock once more";
    case Effect::Kind::refused:
      return "is refused";
    case Effect::Kind::left:
      return "releases one of its holds";
    case Effect::Kind::releasing:
      return "releases";
    case Effect::Kind::released:
      return effect.ok ? "has released" : "is told that it has not released";
    case Effect::Kind::failed:
      return "fails: " + readable(effect.text);
    case Effect::Kind::lost:
      return "gives the lock up as lost";
    case Effect::Kind::log:
      return "logs " + readable(effect.text);
  }
  return "";
}

std::string shown(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::null:
      return "null";
    case Reply::Kind::integer:
      return std::to_string(reply.integer);
    case Reply::Kind::array: {
      std::string text;
      for (const auto& item : reply.items) text += (text.empty() ? "" : ", ") + shown(item);
      return "[" + text + "]";
    }
    case Reply::Kind::bulk:
      return "\"" + readable(reply.text) + "\"";
    default:
      return readable(reply.text);
  }
}

namespace {

std::string listed(const std::string& text) { return text; }
std::string listed(const sim::VisibleHash::value_type& item) {
  return item.first + ": " + item.second;
}
std::string listed(const sim::VisibleSortedSet::value_type& item) {
  return fmt::format("{}: {}", item.first, item.second);
}

template <class Items>
std::string listed_all(const Items& items, const char* brackets) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + listed(item);
  return brackets[0] + text + brackets[1];
}

}  // namespace

std::string shown(const std::string& name, const sim::VisibleKey& key) {
  std::string value;
  if (const auto* text = std::get_if<std::string>(&key.value)) value = *text;
  if (const auto* hash = std::get_if<sim::VisibleHash>(&key.value)) value = listed_all(*hash, "{}");
  if (const auto* list = std::get_if<sim::VisibleList>(&key.value)) value = listed_all(*list, "[]");
  if (const auto* set = std::get_if<sim::VisibleSet>(&key.value)) value = listed_all(*set, "{}");
  if (const auto* set = std::get_if<sim::VisibleSortedSet>(&key.value)) {
    value = listed_all(*set, "{}");
  }
  return fmt::format("{} = {}, {}", readable(name), readable(value),
                     key.left_ms ? fmt::format("expires in {} ms", *key.left_ms) : "no expiry");
}

std::optional<std::string> reply_difference(const sim::Request& request, const Reply& expected,
                                            const Reply& found, std::int64_t tolerance_ms) {
  if (same(expected, found, tells_time(request) ? tolerance_ms : 0)) return std::nullopt;
  return expected_but(shown(request) + " -> " + shown(expected), shown(found));
}

std::optional<std::string> effects_difference(const std::vector<Effect>& expected,
                                              const std::vector<Effect>& found) {
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const bool missing = i >= found.size(), extra = i >= expected.size();
    if (!missing && !extra && expected[i] == found[i]) continue;
    return expected_but(extra ? "the client does nothing more" : "the client " + shown(expected[i]),
                        missing ? "it does not" : "it " + shown(found[i]));
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
      return KeysDifference{expected_but(shown(name, key), "no such key"), early};
    if (other->second.value != key.value || !same_lifetime(key, other->second, tolerance_ms))
      return KeysDifference{expected_but(shown(name, key), shown(name, other->second)), false};
  }
  for (const auto& [name, key] : found)
    if (!expected.contains(name))
      return KeysDifference{expected_but("no key " + readable(name), shown(name, key)), false};
  return std::nullopt;
}

}  // namespace lockstep::live
