// Expiry times as arguments: shared by SET and GETEX (strings.cpp), RESTORE (dump.cpp) and the
// EXPIRE family (expiry.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

enum class TimeUnit : std::uint8_t { seconds, milliseconds };

/// An expiry argument's frame: relative to now, or Unix time.
struct TimeForm {
  TimeUnit unit = TimeUnit::milliseconds;
  bool absolute = false;
};

/// now + ms, or nothing past the end of time. So close to it that another now would overflow, the
/// result depends on now itself.
std::optional<std::int64_t> from_now(Call& call, std::int64_t ms);

/// The instant meant by `text` in SET, SETEX, GETEX (Redis 7.0 t_string.c
/// getExpireMillisecondsOrReply): throws Refused unless it is a positive whole number. `command` is
/// the name shown in the error.
WallTime positive_expiry(Call& call, const std::string& text, TimeForm form,
                         std::string_view command);

/// A key that is there has been given a lifetime that is over: it is deleted. In a Valkey it has
/// expired.
void end_at_once(Call& call, const std::string& key);

}  // namespace lockstep::sim
