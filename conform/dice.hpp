// A small generator of random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::conform {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  /// 0 to n-1.
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  const char* of(const std::vector<const char*>& choices) { return choices[below(choices.size())]; }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::conform
