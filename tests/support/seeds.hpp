// What a long test takes today. The seeds of a random test: other ones each day, printed; the same
// again with LOCKSTEP_SEEDS=FIRST-LAST. Of the cases of one that goes through very many: some, the
// others on the days that follow; the same again with LOCKSTEP_DAY=DAY.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace lockstep::test {

struct Seeds {
  std::uint32_t first, last;  ///< both included
  std::uint32_t count() const { return last - first + 1; }
};

/// Days since 1970, or the day that is asked for.
inline std::uint32_t today() {
  if (const char* const asked = std::getenv("LOCKSTEP_DAY"))
    return static_cast<std::uint32_t>(std::stoul(asked));
  const auto now = std::chrono::system_clock::now();
  return static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::days>(now).time_since_epoch().count());
}

/// `count` seeds of today, or those that are asked for.
inline Seeds seeds_of(const std::string& test, std::uint32_t count) {
  constexpr std::uint32_t kADay = 100'000;
  Seeds seeds{today() * kADay, today() * kADay + count - 1};
  if (const char* const asked = std::getenv("LOCKSTEP_SEEDS")) {
    const std::string range = asked;
    seeds.first = static_cast<std::uint32_t>(std::stoul(range));
    seeds.last = static_cast<std::uint32_t>(std::stoul(range.substr(range.find('-') + 1)));
  }
  std::cout << "seeds of " << test << ": LOCKSTEP_SEEDS=" << seeds.first << "-" << seeds.last
            << std::endl;
  return seeds;
}

/// Whether case number `turn` is one of those that are tried today, when all are in so many days.
inline bool is_todays(std::uint32_t turn, std::uint32_t days) {
  static const std::uint32_t day = [] {
    std::cout << "cases of this day: LOCKSTEP_DAY=" << today() << std::endl;
    return today();
  }();
  return (turn + day) % days == 0;
}

}  // namespace lockstep::test
