// Values as DUMP writes them and RESTORE reads them: the encodings of an RDB file of version 10,
// with a version and a checksum behind.
#pragma once

#include <string>
#include <string_view>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// What Redis 7.0.15 answers to DUMP of a key with this value. Where Redis's bytes depend on a
/// hash table's order or on the value's past, they are those of one that was made in the order of
/// its parts.
std::string dump(const Entry& entry);

/// The value of a dump, made by `maker` with all its parts, without expiry. Throws Refused for what
/// a Redis with `sanitize-dump-payload yes` refuses; BadInput for what that would restore and is
/// not simulated.
Entry restored(std::string_view dump, Maker maker);

/// `body` with the version and the checksum that end a dump.
std::string with_footer(std::string body);

}  // namespace lockstep::sim
