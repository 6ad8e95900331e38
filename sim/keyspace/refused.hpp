// How a command, or a value that it was given, is refused.
#pragma once

#include <string>

namespace lockstep::sim {

/// What Redis says no to: becomes the error reply `text` (with its code). Thrown by a command's
/// function, caught by run_command().
struct Refused {
  std::string text;
};
[[noreturn]] void refuse(std::string text);

}  // namespace lockstep::sim
