// The visited set, exact: states (short vectors of ids) are folded pairwise into ever fewer ids, as
// a tree, and only the two halves at the root are kept per state: 8 bytes, in the order of
// discovery, so that the set is also the search's queue. (Tree compression: Laarman, van de Pol,
// Weber, "Parallel Recursive State Compression for Free", SPIN 2011.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
  void grow();
  std::vector<std::uint64_t> pairs_;
  HugeVector<Slot> slots_;
};

/// A state that was read back, with the numbers of its inner pairs: what a successor shares with it
/// need not be folded again.
struct Unfolded {
  static constexpr unsigned kMaxWidth = 16;
  std::array<std::uint32_t, kMaxWidth> state;
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
  };
  void rebuild(std::size_t buckets);
  void place(std::uint64_t hash, std::uint32_t index);
  std::size_t bucket_of(std::uint64_t hash) const;
  std::uint32_t fold(const std::uint32_t* state, const Unfolded* like, unsigned from, unsigned to,
                     unsigned table);
  void unfold(std::uint32_t id, Unfolded& unfolded, unsigned from, unsigned to,
              unsigned table) const;

  unsigned width_;
  std::vector<PairTable> tables_;     ///< one per inner node of the tree, in pre-order
  ChunkedList<std::uint64_t> roots_;  ///< by index
  HugeVector<Bucket> buckets_;
  std::uint32_t size_ = 0;
};

}  // namespace lockstep::checker
