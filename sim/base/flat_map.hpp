// A small open-addressing hash map from a 128-bit key to a 32-bit value: the memo tables of the
// engine. Insert-only; never iterated, so its order cannot leak.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::sim {

/// Mixes two words into a well-spread one (the finaliser of MurmurHash3, by Austin Appleby, public
/// domain).
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b = 0) {
  std::uint64_t h = a * 0x9E3779B97F4A7C15ULL + b;
  h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCDULL;
  h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  return h ^ (h >> 33);
}

/// Two ids as one half of a key.
constexpr std::uint64_t both(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | b;
}

class FlatMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  FlatMap() : slots_(64) {}

  /// The value of (a, b), or kAbsent.
  std::uint32_t find(std::uint64_t a, std::uint64_t b = 0) const {
    for (std::size_t i = mix(a, b) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[i];
      if (slot.value == kAbsent || (slot.a == a && slot.b == b)) return slot.value;
    }
  }

  /// Adds a key that is not there yet.
  void add(std::uint64_t a, std::uint64_t b, std::uint32_t value) {
    if ((size_ + 1) * 10 > slots_.size() * 6) grow();
    place({a, b, value});
    ++size_;
  }

  /// The value of (a, b); a new one is `make()`, which may itself add to this map.
  template <class Make>
  std::uint32_t find_or_add(std::uint64_t a, std::uint64_t b, Make make) {
    if (const std::uint32_t found = find(a, b); found != kAbsent) return found;
    const std::uint32_t made = make();
    add(a, b, made);
    return made;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t a = 0, b = 0;
    std::uint32_t value = kAbsent;
  };

  void place(const Slot& slot) {
    std::size_t i = mix(slot.a, slot.b) & (slots_.size() - 1);
    while (slots_[i].value != kAbsent) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kAbsent) place(slot);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::sim
