// Numbers as Redis reads and writes them in arguments and values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::sim {

/// A whole number in the one form that Redis accepts (util.c string2ll): no '+', no blanks, no
/// leading zeros.
std::optional<std::int64_t> parse_integer(const std::string& text);
/// The same; throws Refused with `error` otherwise.
std::int64_t integer_argument(const std::string& text,
                              const char* error = "ERR value is not an integer or out of range");

/// A floating point number (util.c string2ld), or nothing.
std::optional<long double> parse_float(const std::string& text);
/// As INCRBYFLOAT shows it (util.c ld2string, the human form): at most 17 decimals, no trailing
/// zeros.
std::string format_float(long double value);

/// A floating-point amount as a whole number, if it is one.
std::optional<std::int64_t> whole_part(long double amount);

/// A sorted set's score (object.c getDoubleFromObject: everything that strtod reads to the end, but
/// no NaN), or nothing.
std::optional<double> parse_score(const std::string& text);
/// Whether it begins as a hexadecimal number does: "-0x1".
bool is_hexadecimal(const std::string& text);
/// As RESP2 shows a score (networking.c addReplyDouble, 7.0): the 17 digits that tell every double.
std::string format_score(double score);

}  // namespace lockstep::sim
