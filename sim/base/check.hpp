// Assertions that stay on in every build. A failed one is our own bug: exit code 4.
#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::sim {

/// Our own failure: an invariant of lockstep does not hold. Caught once, in main.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail(const char* condition, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": does not hold: " + condition);
}

}  // namespace lockstep::sim

#define LOCKSTEP_CHECK(condition) \
  ((condition) ? void() : ::lockstep::sim::fail(#condition, __FILE__, __LINE__))
