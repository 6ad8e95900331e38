// The visited set, exact: states (short vectors of ids) are folded pairwise into ever fewer ids, as
// a tree, and only the two halves at the root are kept per state: 8 bytes, in the order of
// discovery, so that the set is also the search's queue. (Tree compression: Laarman, van de Pol,
// Weber, "Parallel Recursive State Compression for Free", SPIN 2011.)
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/flat_map.hpp"

namespace lockstep::checker {

void* allocate_huge(std::size_t bytes);  ///< throws std::bad_alloc
void free_huge(void* memory);

/// Memory for large tables that are read at random places: aligned for huge pages, and asked to be
/// on them, because most of the cost of such a read is finding the page.
template <class Item>
struct HugePageAllocator {
  using value_type = Item;
  HugePageAllocator() = default;
  template <class Other>
  explicit HugePageAllocator(const HugePageAllocator<Other>&) {}
  Item* allocate(std::size_t count) {
    return static_cast<Item*>(allocate_huge(count * sizeof(Item)));
  }
  void deallocate(Item* items, std::size_t) { free_huge(items); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

template <class Item>
using HugeVector = std::vector<Item, HugePageAllocator<Item>>;

/// A list that grows in chunks: nothing moves, and at most one chunk is unused.
template <class Item>
class ChunkedList {
 public:
  void push_back(Item item) {
    if (size_ % kChunk == 0) {
      chunks_.emplace_back();
      chunks_.back().reserve(kChunk);
    }
    chunks_.back().push_back(item);
    ++size_;
  }
  const Item& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  std::size_t bytes() const { return chunks_.size() * kChunk * sizeof(Item); }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 18;
  std::vector<HugeVector<Item>> chunks_;
  std::size_t size_ = 0;
};

/// Numbers pairs of ids in the order in which they are first seen.
class PairTable {
 public:
  PairTable();
  std::uint32_t number(std::uint64_t pair);
  std::uint64_t operator[](std::uint32_t number) const { return pairs_[number]; }
  std::size_t bytes() const { return pairs_.capacity() * 8 + slots_.size() * sizeof(Slot); }

 private:
  struct Slot {  // the pair itself, so that a look-up touches one place in memory
    std::uint32_t left, right, number;
  };
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  void grow();
  std::vector<std::uint64_t> pairs_;
  HugeVector<Slot> slots_;
};

/// A state that was read back, with the numbers of its inner pairs: what a successor shares with it
/// need not be folded again.
struct Unfolded {
  static constexpr unsigned kMaxWidth = 16;
  std::array<std::uint32_t, kMaxWidth> state{};
  std::array<std::uint32_t, kMaxWidth> numbers;  ///< by inner node of the tree
};

class StateStore {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  explicit StateStore(unsigned width);

  /// The root of a state: what insert() and find() take.
  std::uint64_t fold(const std::uint32_t* state);
  /// The same for a successor of `from`.
  std::uint64_t fold(const std::uint32_t* state, const Unfolded& from);
  /// Asks the memory for the place where `root` would be; then, some time later, for what insert()
  /// will compare it with.
  void prefetch(std::uint64_t root) const;
  void prefetch_candidate(std::uint64_t root) const;
  /// The state's index and whether it is new. Indices count up from 0.
  std::pair<std::uint32_t, bool> insert(std::uint64_t root);
  /// The state's index, or kAbsent.
  std::uint32_t find(std::uint64_t root) const;
  /// Writes the state with this index to `state` (width ids).
  void load(std::uint32_t index, std::uint32_t* state) const;
  void load(std::uint32_t index, Unfolded& unfolded) const;

  std::uint32_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  // A bucket is one cache line: 12 state indices and one byte of each one's hash.
  struct alignas(64) Bucket {
    std::uint32_t index[12];
    std::uint8_t tag[12];
    std::uint32_t used;
    std::uint64_t matches(std::uint8_t wanted, unsigned half) const;
  };
  template <class Check>
  std::uint32_t first_match(const Bucket& bucket, std::uint64_t hash, Check check) const;
  static std::uint64_t join(std::uint32_t left, std::uint32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | right;
  }

  void rebuild(std::size_t buckets);
  void place(std::uint64_t hash, std::uint32_t index);
  std::size_t bucket_of(std::uint64_t hash) const;
  /// An inner node of the tree: what it pairs (an id of the state, or kMaxWidth + another inner
  /// node), and which ids of the state are below it, as bits.
  struct Inner {
    unsigned left = 0, right = 0;
    std::uint32_t below = 0;
  };
  unsigned plan(unsigned from, unsigned to);

  unsigned width_;
  std::vector<Inner> inner_;  ///< children before their parents
  unsigned root_left_ = 0, root_right_ = 0;
  std::vector<PairTable> tables_;     ///< by inner node
  ChunkedList<std::uint64_t> roots_;  ///< by index
  HugeVector<Bucket> buckets_;
  std::uint32_t size_ = 0;
};

// ---- the hot part

// GCC takes a function that does nothing but prefetch for one without effect, and leaves out its
// calls; not so once it is inlined.
#define LOCKSTEP_INLINE [[gnu::always_inline]] inline

inline std::uint32_t PairTable::number(std::uint64_t pair) {
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

inline std::uint64_t StateStore::fold(const std::uint32_t* state, const Unfolded& from) {
  std::array<std::uint32_t, std::size_t{2} * Unfolded::kMaxWidth> values;
  std::uint32_t changed = 0;
  for (unsigned i = 0; i < width_; ++i) {
    values[i] = state[i];
    changed |= static_cast<std::uint32_t>(state[i] != from.state[i]) << i;
  }
  for (unsigned k = 0; k < inner_.size(); ++k) {
    const Inner& node = inner_[k];
    values[Unfolded::kMaxWidth + k] =
        (changed & node.below) == 0
            ? from.numbers[k]
            : tables_[k].number(join(values[node.left], values[node.right]));
  }
  return width_ == 1 ? join(values[0], 0) : join(values[root_left_], values[root_right_]);
}

LOCKSTEP_INLINE std::size_t StateStore::bucket_of(std::uint64_t hash) const {
  return static_cast<std::size_t>((hash >> 32) * buckets_.size() >> 32);
}

/// Places whose tag is `tag`, one bit in each matching byte's top; now and then a place too many,
/// which the comparison of the whole state sorts out. (The test for a zero byte in a word: H.
/// Warren, "Hacker's Delight", 6-1.)
inline std::uint64_t StateStore::Bucket::matches(std::uint8_t wanted, unsigned half) const {
  static_assert(offsetof(Bucket, used) ==
                offsetof(Bucket, tag) + 12);  // read with the second half, masked out below
  std::uint64_t tags = 0;
  std::memcpy(&tags,
              reinterpret_cast<const char*>(this) + offsetof(Bucket, tag) + std::size_t{8} * half,
              sizeof tags);
  const std::uint64_t differing = tags ^ (0x0101010101010101ULL * wanted);
  std::uint64_t found = (differing - 0x0101010101010101ULL) & ~differing & 0x8080808080808080ULL;
  const unsigned places = used > 8 * half ? used - 8 * half : 0;  // in this half
  if (places < 8) found &= (std::uint64_t{1} << (8 * places)) - 1;
  return found;
}

template <class Check>
std::uint32_t StateStore::first_match(const Bucket& bucket, std::uint64_t hash, Check check) const {
  for (unsigned half = 0; half < 2; ++half) {
    for (std::uint64_t found = bucket.matches(static_cast<std::uint8_t>(hash), half); found != 0;
         found &= found - 1) {
      const std::uint32_t index =
          bucket.index[8 * half + static_cast<unsigned>(std::countr_zero(found)) / 8];
      if (check(index)) return index;
    }
  }
  return kAbsent;
}

LOCKSTEP_INLINE void StateStore::prefetch_candidate(std::uint64_t root) const {
  const std::uint64_t hash = sim::mix(root);
  const std::uint32_t index =
      first_match(buckets_[bucket_of(hash)], hash, [](std::uint32_t) { return true; });
  if (index != kAbsent) __builtin_prefetch(&roots_[index]);
}

inline std::uint32_t StateStore::find(std::uint64_t root) const {
  const std::uint64_t hash = sim::mix(root);
  for (std::size_t b = bucket_of(hash);; b = b + 1 == buckets_.size() ? 0 : b + 1) {
    const std::uint32_t index = first_match(
        buckets_[b], hash, [&](std::uint32_t candidate) { return roots_[candidate] == root; });
    if (index != kAbsent || buckets_[b].used < 12) return index;
  }
}

LOCKSTEP_INLINE void StateStore::prefetch(std::uint64_t root) const {
  __builtin_prefetch(&buckets_[bucket_of(sim::mix(root))], 1);
}

inline void StateStore::load(std::uint32_t index, Unfolded& unfolded) const {
  std::array<std::uint32_t, std::size_t{2} * Unfolded::kMaxWidth> values;
  const std::uint64_t root = roots_[index];
  values[root_right_] = static_cast<std::uint32_t>(root);
  values[root_left_] =
      static_cast<std::uint32_t>(root >> 32);  // last: of a single id it is the only one
  for (unsigned k = static_cast<unsigned>(inner_.size()); k-- > 0;) {
    const std::uint32_t number = values[Unfolded::kMaxWidth + k];
    const std::uint64_t pair = tables_[k][number];
    unfolded.numbers[k] = number;
    values[inner_[k].left] = static_cast<std::uint32_t>(pair >> 32);
    values[inner_[k].right] = static_cast<std::uint32_t>(pair);
  }
  std::copy_n(values.begin(), width_, unfolded.state.begin());
}

inline std::pair<std::uint32_t, bool> StateStore::insert(std::uint64_t root) {
  if (const std::uint32_t index = find(root); index != kAbsent) return {index, false};
  // 0.85 full at most; growing by half keeps it above 0.56.
  if (static_cast<std::size_t>(size_) * 100 >= buckets_.size() * 12 * 85)
    rebuild(buckets_.size() + buckets_.size() / 2);
  roots_.push_back(root);
  place(sim::mix(root), size_);
  return {size_++, true};
}

inline void StateStore::place(std::uint64_t hash, std::uint32_t index) {
  std::size_t b = bucket_of(hash);
  while (buckets_[b].used == 12) b = b + 1 == buckets_.size() ? 0 : b + 1;
  Bucket& bucket = buckets_[b];
  bucket.index[bucket.used] = index;
  bucket.tag[bucket.used] = static_cast<std::uint8_t>(hash);
  ++bucket.used;
}

#undef LOCKSTEP_INLINE

}  // namespace lockstep::checker
