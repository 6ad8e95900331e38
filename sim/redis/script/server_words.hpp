// The error texts of scripts that are not the same words on every server.
#pragma once

#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// How `version` says what Redis 7.0 says so; most texts are the same on all of them.
const char* in_words_of(ServerVersion version, const char* text);

}  // namespace lockstep::sim
