// The choice of commands that are random in Redis; see the header.
#include "sim/redis/commands/random_choice.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace lockstep::sim {

std::vector<std::size_t> chosen_indexes(std::size_t size, std::int64_t count) {
  constexpr std::int64_t kMost = 1'000'000;
  if (count < -kMost) throw BadInput("a random choice of more than a million items, with repeats");
  const auto wanted = static_cast<std::size_t>(count < 0 ? -count : count);
  std::vector<std::size_t> chosen(count < 0 ? wanted : std::min(wanted, size));
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i % size;
  return chosen;
}

}  // namespace lockstep::sim
