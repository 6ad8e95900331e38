// Names for tokens and times; see the header.
#include "live/naming.hpp"

#include <fmt/format.h>

#include <charconv>
#include <random>

#include "sim/base/ascii.hpp"
#include "sim/base/error.hpp"
#include "sim/base/time.hpp"
#include "sim/base/token.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr int kMostTokens = 65535;  // sim::Token::number has 16 bits
constexpr std::int64_t kAbout =
    60LL * 24 * 3600 * 1000;  // 60 days: how far from the epoch a time is
constexpr std::size_t kDigitsOfMs = 13, kDigitsOfSeconds = 10;

/// What a Unix time of so many digits counts, in ms; 0 if it is none of these years.
std::int64_t unit_ms(std::string_view digits) {
  if (digits.size() == kDigitsOfMs) return 1;
  return digits.size() == kDigitsOfSeconds ? 1000 : 0;
}

/// The number `digits` as a time of the trace, if it is a Unix time (ms or s) of this run.
std::string moved(std::string_view digits, std::int64_t epoch_ms) {
  const auto time = unix_time_in(digits, epoch_ms);
  if (!time) return std::string(digits);
  return std::to_string((sim::kEpoch.ms + time->since_ms) / time->unit_ms);
}

std::string with_times_moved(std::string_view text, std::int64_t epoch_ms) {
  return sim::with_digit_runs(text, [&](std::string_view run) { return moved(run, epoch_ms); });
}

}  // namespace

std::optional<UnixTimeIn> unix_time_in(std::string_view digits, std::int64_t epoch_ms) {
  const std::int64_t unit = unit_ms(digits);
  const std::int64_t since_ms = sim::whole_number_in(digits) * unit - epoch_ms;
  if (unit == 0 || since_ms < -kAbout || since_ms > kAbout) return std::nullopt;
  return UnixTimeIn{since_ms, unit};
}

std::string random_token(std::size_t length) {
  std::random_device device;
  std::uniform_int_distribution<int> letter('a', 'f');  // hexadecimal, and never a number
  std::string text;
  while (text.size() < length) text += static_cast<char>(letter(device));
  return text;
}

std::string Naming::fresh_token(std::uint8_t process) {
  const int number = ++given_[process];
  if (number > kMostTokens)
    throw sim::BadInput("a process asked for more than 65535 tokens: too many for a trace");
  const auto name = sim::token_text({process, static_cast<std::uint16_t>(number)});
  auto token = random_token(name.size());
  names_[token] = name;
  return token;
}

std::string Naming::named(std::string_view text) const {
  std::string result(text);
  for (const auto& [token, name] : names_) {
    for (auto at = result.find(token); at != std::string::npos; at = result.find(token, at))
      result.replace(at, token.size(), name);
  }
  return with_times_moved(result, epoch_ms_);
}

sim::Reply Naming::named(sim::Reply reply) const {
  reply.text = named(reply.text);
  if (reply.kind == sim::Reply::Kind::integer) {
    const auto text = named(std::to_string(reply.integer));
    std::from_chars(text.data(), text.data() + text.size(), reply.integer);
  }
  for (auto& item : reply.items) item = named(std::move(item));
  return reply;
}

sim::Effect Naming::named(sim::Effect effect) const {
  for (auto& argument : effect.request) argument = named(argument);
  effect.fencing = named(effect.fencing);
  effect.text = named(effect.text);
  return effect;
}

sim::VisibleValue Naming::named_value(const sim::VisibleValue& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return named(*text);
  if (const auto* hash = std::get_if<sim::VisibleHash>(&value)) {
    sim::VisibleHash fields;
    for (const auto& [field, content] : *hash) fields[named(field)] = named(content);
    return fields;
  }
  if (const auto* list = std::get_if<sim::VisibleList>(&value)) {
    sim::VisibleList elements;
    for (const auto& element : *list) elements.push_back(named(element));
    return elements;
  }
  if (const auto* set = std::get_if<sim::VisibleSet>(&value)) {
    sim::VisibleSet members;
    for (const auto& member : *set) members.insert(named(member));
    return members;
  }
  sim::VisibleSortedSet scores;
  for (const auto& [member, score] : std::get<sim::VisibleSortedSet>(value)) {
    scores[named(member)] = std::stod(named(fmt::format("{}", score)));
  }
  return scores;
}

sim::VisibleKeys Naming::named(const sim::VisibleKeys& keys) const {
  sim::VisibleKeys result;
  for (const auto& [name, key] : keys) result[named(name)] = {named_value(key.value), key.left_ms};
  return result;
}

}  // namespace lockstep::live
