// Bad input: the one exception for everything that a person can cause.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// The text with its control characters escaped: what a person wrote must not paint another line.
std::string on_one_line(std::string_view text);

/// A bad scenario, flag, protocol, script, trace or address. `what()` is one complete line that
/// names the place (file, line or path inside the file), what was found and what was expected.
/// Caught once, in main: exit code 3.
class BadInput : public std::runtime_error {
 public:
  /// What was found may be any bytes, and any number of them: control characters are escaped, so
  /// that it is one line, and the middle of one that is too long is left out.
  explicit BadInput(const std::string& what);
};

}  // namespace lockstep::sim
