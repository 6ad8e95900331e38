// Arguments as several families of commands read them: counts, ranges of indexes, numbers of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

/// The longest string, in bytes: Redis's default of proto-max-bulk-len.
inline constexpr std::int64_t kLongestString = 512 << 20;
inline constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();

/// An integer of at least `min`; throws Refused with `error` for anything else.
std::int64_t integer_from(std::int64_t min, const std::string& text, const char* error);

/// An integer in -max..max (Redis 7.0 object.c getRangeLongFromObjectOrReply without a text).
std::int64_t signed_count(const std::string& text);

/// A C int (getIntFromObjectOrReply).
int int_argument(const std::string& text);

/// The number of a database.
int database_argument(const std::string& text);

/// What POP commands take as a count: 0 or more.
std::int64_t pop_count(const std::string& text);

/// Whether the fourth argument of HRANDFIELD or ZRANDMEMBER asks for pairs, by the word `option`;
/// `count` is the third. Throws Refused for another word, a further argument, or too many pairs.
bool with_option(const Request& argv, std::string_view option, std::int64_t count);

/// A half-open range of indexes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin >= end; }
};

/// The elements that inclusive indexes mean, negative ones counting from the end (LRANGE, ZRANGE).
Span index_span(std::int64_t first, std::int64_t last, std::size_t size);

/// Reads "numkeys key [key ...]" from position `at` (LMPOP, ZMPOP): the position after the last
/// key. Throws Refused for a number that is not positive, or a key that is not there.
std::size_t end_of_keys(const Request& argv, std::size_t at);

/// The option COUNT that may end LMPOP and ZMPOP, from position `at`; 1 without it.
std::int64_t count_option(const Request& argv, std::size_t at);

}  // namespace lockstep::sim
