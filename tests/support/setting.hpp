// How much a test does, and from which seed: from the environment, for whoever wants more of it.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace lockstep::test {

inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

}  // namespace lockstep::test
