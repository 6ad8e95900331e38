// Random choices that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace lockstep::test {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename T>
  T of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace lockstep::test
