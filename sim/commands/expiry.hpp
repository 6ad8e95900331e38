// Expiry times as arguments: shared by SET and GETEX (strings.cpp) and the EXPIRE family
// (expiry.cpp).
#pragma once

#include <cstdint>

#include "sim/commands/command.hpp"

namespace lockstep::sim {

enum class TimeUnit : std::uint8_t { seconds, milliseconds };

/// An expiry argument's frame: relative to now, or Unix time.
struct TimeForm {
  TimeUnit unit = TimeUnit::milliseconds;
  bool absolute = false;
};

/// The instant meant by `text` in SET, SETEX, GETEX (Redis 7.0 t_string.c
/// getExpireMillisecondsOrReply): throws Refused unless it is a positive whole number. `command` is
/// the name shown in the error.
WallTime positive_expiry(Call& call, const std::string& text, TimeForm form,
                         std::string_view command);

}  // namespace lockstep::sim
