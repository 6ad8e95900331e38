// The visited set; see the header.
#include "checker/state_store.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "sim/check.hpp"
#include "sim/flat_map.hpp"

namespace lockstep::checker {

namespace {

std::uint64_t join(std::uint32_t left, std::uint32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | right;
}

unsigned middle(unsigned from, unsigned to) { return from + (to - from) / 2; }

constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

}  // namespace

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

std::uint32_t PairTable::number(std::uint64_t pair) {
  const std::size_t mask = slots_.size() - 1;
  const auto left = static_cast<std::uint32_t>(pair >> 32),
             right = static_cast<std::uint32_t>(pair);
  std::size_t i = sim::mix(pair) & mask;
  for (; slots_[i].number != kEmpty; i = (i + 1) & mask)
    if (slots_[i].left == left && slots_[i].right == right) return slots_[i].number;
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push_back(pair);
  slots_[i] = {left, right, number};
  if (pairs_.size() * 10 > slots_.size() * 6) grow();
  return number;
}

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

// The tree: a node for the ids [from, to) has its halves' nodes behind it, the left one's first;
// the root is no table. A node over n ids takes n - 1 places.

std::uint64_t StateStore::fold(const std::uint32_t* state) {
  if (width_ == 1) return join(state[0], 0);
  const unsigned half = middle(0, width_);
  return join(fold(state, nullptr, 0, half, 0), fold(state, nullptr, half, width_, half - 1));
}

std::uint64_t StateStore::fold(const std::uint32_t* state, const Unfolded& from) {
  if (width_ == 1) return join(state[0], 0);
  const unsigned half = middle(0, width_);
  return join(fold(state, &from, 0, half, 0), fold(state, &from, half, width_, half - 1));
}

std::uint32_t StateStore::fold(const std::uint32_t* state, const Unfolded* like, unsigned from,
                               unsigned to, unsigned table) {
  if (to - from == 1) return state[from];
  if (like != nullptr && std::equal(state + from, state + to, like->state.begin() + from))
    return like->numbers[table];
  const unsigned half = middle(from, to);
  const std::uint32_t left = fold(state, like, from, half, table + 1);
  return tables_[table].number(join(left, fold(state, like, half, to, table + half - from)));
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

std::size_t StateStore::bucket_of(std::uint64_t hash) const {
  return static_cast<std::size_t>((hash >> 32) * buckets_.size() >> 32);
}

void StateStore::prefetch(std::uint64_t root) const {
  __builtin_prefetch(&buckets_[bucket_of(sim::mix(root))], 1);
}

void StateStore::prefetch_candidate(std::uint64_t root) const {
  const std::uint64_t hash = sim::mix(root);
  const Bucket& bucket = buckets_[bucket_of(hash)];
  for (std::uint32_t i = 0; i < bucket.used; ++i)
    if (bucket.tag[i] == static_cast<std::uint8_t>(hash))
      return __builtin_prefetch(&roots_[bucket.index[i]]);
}

std::uint32_t StateStore::find(std::uint64_t root) const {
  const std::uint64_t hash = sim::mix(root);
  const auto tag = static_cast<std::uint8_t>(hash);
  for (std::size_t b = bucket_of(hash);; b = b + 1 == buckets_.size() ? 0 : b + 1) {
    const Bucket& bucket = buckets_[b];
    for (std::uint32_t i = 0; i < bucket.used; ++i)
      if (bucket.tag[i] == tag && roots_[bucket.index[i]] == root) return bucket.index[i];
    if (bucket.used < 12) return kAbsent;
  }
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
  constexpr std::uint32_t kAhead = 16;
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
