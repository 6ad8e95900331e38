// The visited set; see the header.
#include "checker/state_store.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "sim/check.hpp"
#include "sim/flat_map.hpp"

namespace lockstep::checker {

void* allocate_huge(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  const bool large = bytes >= kHugePage;
  const std::size_t alignment = large ? kHugePage : 64;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without huge pages it is only slower
  return memory;
}

void free_huge(void* memory) { std::free(memory); }

PairTable::PairTable() : slots_(64, Slot{0, 0, kEmpty}) {}

void PairTable::grow() {
  slots_.assign(slots_.size() * 2, Slot{0, 0, kEmpty});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t n = 0; n < pairs_.size(); ++n) {
    std::size_t i = sim::mix(pairs_[n]) & mask;
    while (slots_[i].number != kEmpty) i = (i + 1) & mask;
    slots_[i] = {static_cast<std::uint32_t>(pairs_[n] >> 32), static_cast<std::uint32_t>(pairs_[n]),
                 n};
  }
}

StateStore::StateStore(unsigned width) : width_(width), tables_(width) {
  LOCKSTEP_CHECK(width >= 1 && width <= Unfolded::kMaxWidth);
  rebuild(64);
}

void StateStore::load(std::uint32_t index, Unfolded& unfolded) const {
  const std::uint64_t root = roots_[index];
  const auto left = static_cast<std::uint32_t>(root >> 32),
             right = static_cast<std::uint32_t>(root);
  if (width_ == 1) {
    unfolded.state[0] = left;
    return;
  }
  const unsigned half = middle(0, width_);
  unfold(left, unfolded, 0, half, 0);
  unfold(right, unfolded, half, width_, half - 1);
}

void StateStore::load(std::uint32_t index, std::uint32_t* state) const {
  Unfolded unfolded;
  load(index, unfolded);
  std::copy_n(unfolded.state.begin(), width_, state);
}

void StateStore::unfold(std::uint32_t id, Unfolded& unfolded, unsigned from, unsigned to,
                        unsigned table) const {
  if (to - from == 1) {
    unfolded.state[from] = id;
    return;
  }
  unfolded.numbers[table] = id;
  const std::uint64_t pair = tables_[table][id];
  const unsigned half = middle(from, to);
  unfold(static_cast<std::uint32_t>(pair >> 32), unfolded, from, half, table + 1);
  unfold(static_cast<std::uint32_t>(pair), unfolded, half, to, table + half - from);
}

std::pair<std::uint32_t, bool> StateStore::insert(std::uint64_t root) {
  if (const std::uint32_t index = find(root); index != kAbsent) return {index, false};
  // 0.85 full at most; growing by half keeps it above 0.56.
  if (static_cast<std::size_t>(size_) * 100 >= buckets_.size() * 12 * 85)
    rebuild(buckets_.size() + buckets_.size() / 2);
  roots_.push_back(root);
  place(sim::mix(root), size_);
  return {size_++, true};
}

void StateStore::place(std::uint64_t hash, std::uint32_t index) {
  std::size_t b = bucket_of(hash);
  while (buckets_[b].used == 12) b = b + 1 == buckets_.size() ? 0 : b + 1;
  Bucket& bucket = buckets_[b];
  bucket.index[bucket.used] = index;
  bucket.tag[bucket.used] = static_cast<std::uint8_t>(hash);
  ++bucket.used;
}

void StateStore::rebuild(std::size_t buckets) {
  buckets_ = {};  // the index is made again from the roots: never two of them in memory
  buckets_.resize(buckets);
  constexpr std::uint32_t kAhead = 32;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (i + kAhead < size_) prefetch(roots_[i + kAhead]);
    place(sim::mix(roots_[i]), i);
  }
}

std::size_t StateStore::bytes() const {
  std::size_t total = roots_.bytes() + buckets_.size() * sizeof(Bucket);
  for (const auto& table : tables_) total += table.bytes();
  return total;
}

}  // namespace lockstep::checker
