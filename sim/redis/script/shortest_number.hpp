// Numbers as servers from Redis 7.2 on write them: scores, and those of scripts.
#pragma once

#include <string>

#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// A number that a script gives to redis.call, as `version` writes it: so, or in Redis 7.0 in 17
/// digits. Into `text`, whose memory is used again.
void number_argument(ServerVersion version, double number, std::string& text);
/// A number in a reply, a score or a script's double: the same, but a negative zero is shown, and
/// no sign of a NaN.
std::string number_reply(ServerVersion version, double number);

}  // namespace lockstep::sim
