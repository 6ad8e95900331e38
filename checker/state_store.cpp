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

StateStore::StateStore(unsigned width) : width_(width) {
  LOCKSTEP_CHECK(width >= 1 && width <= Unfolded::kMaxWidth);
  if (width > 1) {
    root_left_ = plan(0, width / 2);
    root_right_ = plan(width / 2, width);
  }
  tables_.resize(inner_.size());
  rebuild(64);
}

/// Lays out the tree over the ids [from, to); what stands for them: an id itself, or an inner node.
unsigned StateStore::plan(unsigned from, unsigned to) {
  if (to - from == 1) return from;
  const unsigned middle = from + (to - from) / 2;
  Inner node;
  node.left = plan(from, middle);
  node.right = plan(middle, to);
  for (unsigned i = from; i < to; ++i) node.below |= 1U << i;
  inner_.push_back(node);
  return Unfolded::kMaxWidth + static_cast<unsigned>(inner_.size()) - 1;
}

std::uint64_t StateStore::fold(const std::uint32_t* state) {
  Unfolded unlike;
  for (unsigned i = 0; i < width_; ++i) unlike.state[i] = ~state[i];  // nothing is shared
  return fold(state, unlike);
}

void StateStore::load(std::uint32_t index, std::uint32_t* state) const {
  Unfolded unfolded;
  load(index, unfolded);
  std::copy_n(unfolded.state.begin(), width_, state);
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
