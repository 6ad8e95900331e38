// See the header.
#include "sim/client/reply_times.hpp"

#include <array>
#include <string>
#include <utility>

#include "sim/base/ascii.hpp"
#include "sim/base/rate.hpp"
#include "sim/client/turning.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

Reply told_as_time(std::int64_t ms, std::int64_t us) {
  const std::int64_t seconds = floor_quotient(ms, kSecondMs);
  return Reply::array({Reply::bulk(std::to_string(seconds)),
                       Reply::bulk(std::to_string((ms - seconds * kSecondMs) * 1000 + us))});
}

}  // namespace

std::optional<std::int64_t> time_told(const Reply& reply) {
  if (reply.items.size() != 2) return std::nullopt;
  std::array<std::int64_t, 2> parts{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Reply& item = reply.items[i];
    parts[i] = whole_number_in(item.text);
    if (item.kind != Reply::Kind::bulk || item.text != std::to_string(parts[i]))
      return std::nullopt;
  }
  const auto [seconds, us] = parts;
  const bool time =
      seconds >= kFirstTime && seconds < kFirstTime * kSecondMs && us >= 0 && us < 1'000'000;
  return time ? std::optional(seconds * kSecondMs + us / 1000) : std::nullopt;
}

Reply at_micros_of(const Reply& reply, std::int64_t micros) {
  const std::int64_t ms = time_told(reply).value();
  return told_as_time(ms + micros / 1000, micros % 1000);
}

Reply later_by(const Reply& reply, std::int64_t ms) {
  const std::int64_t us = whole_number_in(reply.items[1].text) % 1000;
  return told_as_time(time_told(reply).value() + ms, us);
}

void add_numbers_of(const Reply& reply, std::vector<std::int64_t>& numbers) {
  if (const auto time = time_told(reply)) return numbers.push_back(*time);
  if (reply.kind == Reply::Kind::integer) numbers.push_back(reply.integer);
  add_numbers(reply.text, numbers);
  for (const Reply& item : reply.items) add_numbers_of(item, numbers);
}

void write_without_times(ByteWriter& out, const Reply& reply) {
  out.number(static_cast<int>(reply.kind));
  if (time_told(reply)) return out.text("#");
  out.number(reply.integer > kFarthestMs ? 0 : reply.integer);
  out.text(without_times(reply.text));
  for (const Reply& item : reply.items) write_without_times(out, item);
}

std::vector<std::int64_t> times_told(const Reply& reply) {
  std::vector<std::int64_t> numbers;
  if (!time_told(reply)) add_numbers_of(reply, numbers);
  return numbers;
}

Reply moved(Reply reply, std::int64_t number, std::int64_t by) {
  if (const auto time = time_told(reply)) return *time == number ? later_by(reply, by) : reply;
  if (reply.kind == Reply::Kind::integer && reply.integer == number) reply.integer += by;
  reply.text = with_moved(reply.text, number, by);
  for (Reply& item : reply.items) item = moved(std::move(item), number, by);
  return reply;
}

}  // namespace lockstep::sim
