// Times in a reply: found, moved, left out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/bytes.hpp"
#include "sim/base/time.hpp"
#include "sim/client/turning.hpp"

namespace lockstep::sim {

struct Reply;

/// What an absolute time counts, in ms: it is in seconds or in ms.
constexpr std::int64_t unit_of(std::int64_t time) {
  return time < kFirstTime * kSecondMs ? kSecondMs : 1;
}

/// Beyond all in ms: Unix microseconds. One counts as a time in ms that is moved by whole ones.
inline constexpr std::int64_t kFirstMicros = kFirstTime * 1'000'000;
/// An absolute time that counts `unit` ms, or microseconds, in ms.
constexpr std::int64_t ms_of(std::int64_t time, std::int64_t unit) {
  return time < kFirstMicros ? time * unit : time / 1000;
}
/// By how much such a number is larger where the time is one unit later.
constexpr std::int64_t larger_by_unit(std::int64_t time) { return time < kFirstMicros ? 1 : 1000; }

/// What TIME answers, in ms: seconds, and microseconds of one. Nothing if it is no such answer.
std::optional<std::int64_t> time_told(const Reply& reply);
/// An answer to TIME in the same millisecond, so many microseconds after it has begun.
Reply at_micros_of(const Reply& reply, std::int64_t micros);
/// So much later by the same clock, of an answer to TIME.
Reply later_by(const Reply& reply, std::int64_t ms);
/// All numbers in it, wherever they are; of an answer to TIME the time in ms.
void add_numbers_of(const Reply& reply, std::vector<std::int64_t>& numbers);
/// The times that it tells, but for what TIME answers, which tells nothing but the clock.
std::vector<std::int64_t> times_told(const Reply& reply);
/// Whatever tells replies apart that do not differ in absolute times alone.
void write_without_times(ByteWriter& out, const Reply& reply);
/// The reply with the number `number`, wherever it is, larger.
Reply moved(Reply reply, std::int64_t number, std::int64_t by);

}  // namespace lockstep::sim
