// The choice of commands that are random in Redis; see the header.
#include "sim/redis/commands/random_choice.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D0'49BB'1331'11EBULL;
  return bits ^ (bits >> 31U);
}

class Draw {
 public:
  Draw(const Call& call, std::size_t size) : state_(mixed(call.execution.mode.draw_seed)) {
    for (const char c : lower_case(call.argv[0])) add(static_cast<unsigned char>(c));
    add(size);
    add(call.keyspace.keys.size());
  }
  /// Below `bound` (> 0).
  std::size_t below(std::size_t bound) {
    state_ += kStep;
    return mixed(state_) % bound;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E37'79B9'7F4A'7C15ULL;

  void add(std::uint64_t more) { state_ = mixed((state_ ^ more) + kStep); }

  std::uint64_t state_;
};

std::vector<std::size_t> first_ones(std::size_t size, std::size_t wanted) {
  std::vector<std::size_t> chosen(wanted);
  for (std::size_t i = 0; i < wanted; ++i) chosen[i] = i % size;
  return chosen;
}

/// Each is taken with the chance that the rest is enough for what is still wanted.
std::vector<std::size_t> different_ones(Draw draw, std::size_t size, std::size_t wanted) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < size && chosen.size() < wanted; ++i)
    if (draw.below(size - i) < wanted - chosen.size()) chosen.push_back(i);
  return chosen;
}

}  // namespace

std::vector<std::size_t> chosen_indexes(const Call& call, std::size_t size, std::int64_t count) {
  constexpr std::int64_t kMost = 1'000'000;
  if (count < -kMost) throw BadInput("a random choice of more than a million items, with repeats");
  const bool repeats = count < 0;
  const auto wanted =
      repeats ? static_cast<std::size_t>(-count) : std::min(static_cast<std::size_t>(count), size);
  if (call.execution.mode.draw_seed == 0) return first_ones(size, wanted);
  Draw draw(call, size);
  if (!repeats) return different_ones(draw, size, wanted);
  std::vector<std::size_t> chosen(wanted);
  for (std::size_t& index : chosen) index = draw.below(size);
  return chosen;
}

}  // namespace lockstep::sim
