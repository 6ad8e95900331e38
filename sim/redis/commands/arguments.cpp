// Arguments as several families of commands read them.
#include "sim/redis/commands/arguments.hpp"

#include <algorithm>

#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"

namespace lockstep::sim {

std::int64_t integer_from(std::int64_t min, const std::string& text, const char* error) {
  const auto value = parse_integer(text);
  if (!value || *value < min) refuse(error);
  return *value;
}

std::int64_t signed_count(const std::string& text) {
  const std::int64_t value = integer_argument(text);
  if (value < -kLongest) {
    refuse("ERR value is out of range, value must between -9223372036854775807 and " +
           std::to_string(kLongest));
  }
  return value;
}

int int_argument(const std::string& text) {
  const std::int64_t number = integer_argument(text);
  if (number != static_cast<int>(number)) {
    refuse("ERR value is out of range, value must between -2147483648 and 2147483647");
  }
  return static_cast<int>(number);
}

int database_argument(const std::string& text) {
  const int number = int_argument(text);
  if (number < 0 || number >= kDatabases) refuse("ERR DB index is out of range");
  return number;
}

std::int64_t pop_count(const std::string& text) {
  return integer_from(0, text, "ERR value is out of range, must be positive");
}

bool with_option(const Request& argv, std::string_view option, std::int64_t count) {
  if (argv.size() == 3) return false;
  if (argv.size() > 4 || !is_word(argv[3], option)) refuse_syntax();
  if (count < -kLongest / 2 || count > kLongest / 2) refuse("ERR value is out of range");
  return true;
}

Span index_span(std::int64_t first, std::int64_t last, std::size_t size) {
  const auto length = static_cast<std::int64_t>(size);
  if (first < 0) first = std::max<std::int64_t>(first + length, 0);
  if (last < 0) last += length;
  if (first > last || first >= length) return {};
  return {static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::min(last, length - 1)) + 1};
}

std::size_t end_of_keys(const Request& argv, std::size_t at) {
  const auto count =
      static_cast<std::size_t>(integer_from(1, argv[at], "ERR numkeys should be greater than 0"));
  if (count >= argv.size() - at - 1) refuse_syntax();
  return at + 1 + count;
}

std::int64_t count_option(const Request& argv, std::size_t at) {
  if (at == argv.size()) return 1;
  if (!is_word(argv[at], "count") || at + 1 == argv.size()) refuse_syntax();
  const std::int64_t count = integer_from(1, argv[at + 1], "ERR count should be greater than 0");
  if (at + 2 != argv.size()) refuse_syntax();
  return count;
}

}  // namespace lockstep::sim
