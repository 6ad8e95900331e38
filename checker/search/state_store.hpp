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
#include <span>
#include <utility>
#include <vector>

#include "checker/search/huge_memory.hpp"
#include "sim/base/flat_map.hpp"

namespace lockstep::checker {

/// Numbers pairs of ids in the order in which they are first seen.
class PairTable {
 public:
  PairTable();
  std::uint32_t number(std::uint64_t pair);
  void prefetch(std::uint64_t pair) const;
  std::uint64_t operator[](std::uint32_t number) const { return pairs_[number]; }
  std::size_t bytes() const { return pairs_.bytes() + slot_count_ * sizeof(Slot); }

 private:
  struct alignas(16) Slot {  // the pair itself, so that a look-up touches one place in memory
    std::uint64_t pair;
    std::uint32_t next;  ///< its number and one; 0: empty
  };
  std::uint32_t add(std::uint64_t pair, std::size_t slot);
  /// Where a pair's search begins: Fibonacci hashing (Knuth, TAOCP 3, 6.4).
  std::size_t home(std::uint64_t pair) const { return pair * 0x9E3779B97F4A7C15ULL >> shift_; }
  void make_slots(std::size_t count);
  HugeList<std::uint64_t> pairs_;
  HugeMemory memory_;
  Slot* slots_ = nullptr;       ///< in memory_
  std::size_t slot_count_ = 0;  ///< 2^(64 - shift_)
  unsigned shift_ = 0;
};

/// A state that was read back: its ids, then the numbers of its inner pairs, by inner node of the
/// tree. What a successor shares with it need not be folded again.
struct Unfolded {
  static constexpr unsigned kMaxWidth = 16;
  static constexpr unsigned kRoom = 2 * kMaxWidth;
  std::array<std::uint32_t, kRoom> values;
};

/// A successor on its way to being folded: the memory that its next look-ups need was asked for.
struct Folding {
  Unfolded state;
  std::uint32_t changed = 0;  ///< where it differs from the state that it succeeds, as bits
};

class StateStore {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};  ///< no root is it: ids are less

  explicit StateStore(unsigned width);

  /// A folded state: what insert() and find() take.
  struct Root {
    std::uint64_t pair = 0, hash = 0;
  };
  Root fold(const std::uint32_t* state);
  /// The same for a successor of `from`; `values` holds its ids and has room for kRoom.
  Root fold(std::uint32_t* values, const Unfolded& from);
  /// The same in three parts, each faster if some time lies between it and the one before: the
  /// memory comes meanwhile.
  void begin_fold(const std::uint32_t* values, const Unfolded& from, Folding& folding) const;
  void go_on_folding(Folding& folding);
  Root end_fold(Folding& folding);
  /// The state's index and whether it is new. Indices count up from 0.
  std::pair<std::uint32_t, bool> insert(Root root);
  static constexpr std::size_t kBatch = 64;
  /// Inserts at most kBatch states in their order; calls added(i) for each that is new. Faster if
  /// the memory was asked for each with prefetch() some time before.
  template <class Added>
  void insert(std::span<const Root> roots, Added added);
  void prefetch(Root root) const;
  /// The state's index, or kAbsent.
  std::uint32_t find(Root root) const;
  /// Writes the state with this index to `state` (width ids).
  void load(std::uint32_t index, std::uint32_t* state) const;
  void load(std::uint32_t index, Unfolded& unfolded) const;

  std::uint32_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  // A bucket is one cache line: 12 state indices and a tag of each: a byte of its hash, 0 for none.
  struct alignas(64) Bucket {
    std::uint32_t index[12];
    std::uint8_t tag[12];
    std::uint32_t used;
    std::array<std::uint64_t, 2> matches(std::uint8_t wanted) const;
  };
  template <class Check>
  std::uint32_t first_match(const Bucket& bucket, std::uint64_t hash, Check check) const;
  std::uint32_t differing(const std::uint32_t* a, const std::uint32_t* b) const;
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto byte = static_cast<std::uint8_t>(hash);
    return static_cast<std::uint8_t>(byte + (byte == 0 ? 1 : 0));
  }
  static std::uint64_t join(std::uint32_t left, std::uint32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | right;
  }

  /// The first state in the bucket of `root` that it may be (kAbsent: none), and how full that was.
  struct Sight {
    std::uint32_t candidate, used;
  };
  Sight look(Root root) const;
  void make_room(std::size_t states);
  void rebuild(std::size_t buckets);
  std::uint32_t add(Root root);
  void place(std::uint64_t hash, std::uint32_t index);
  std::size_t bucket_of(std::uint64_t hash) const;
  /// An inner node of the tree: what it pairs (an id of the state, or kMaxWidth + another inner
  /// node), and which ids of the state are below it, as bits.
  struct Inner {
    unsigned number = 0, left = 0, right = 0;
    unsigned level = 0;  ///< 0: pairs two ids; else one above its highest child
    std::uint32_t below = 0;
  };
  unsigned plan(unsigned from, unsigned to);
  PairTable& table_of(const Inner& node) { return tables_[node.number - Unfolded::kMaxWidth]; }
  const PairTable& table_of(const Inner& node) const {
    return tables_[node.number - Unfolded::kMaxWidth];
  }
  Root root_of(const std::uint32_t* values) const;

  unsigned width_;
  std::vector<Inner> inner_;  ///< children before their parents
  unsigned root_left_ = 0, root_right_ = 0;
  std::vector<PairTable> tables_;  ///< by inner node
  HugeList<std::uint64_t> roots_;  ///< by index
  HugeMemory memory_;
  Bucket* buckets_ = nullptr;  ///< in memory_
  std::size_t bucket_count_ = 0;
  std::size_t room_ = 0;  ///< states until the table grows
  std::uint32_t size_ = 0;
};

// ---- the hot part

// GCC takes a function that does nothing but prefetch for one without effect, and leaves out its
// calls; not so once it is inlined.
#define LOCKSTEP_INLINE [[gnu::always_inline]] inline

inline std::uint32_t PairTable::number(std::uint64_t pair) {
  std::size_t i = home(pair);
  for (; slots_[i].next != 0; i = (i + 1) & (slot_count_ - 1))
    if (slots_[i].pair == pair) return slots_[i].next - 1;
  return add(pair, i);
}

LOCKSTEP_INLINE void PairTable::prefetch(std::uint64_t pair) const {
  __builtin_prefetch(&slots_[home(pair)]);
}

LOCKSTEP_INLINE StateStore::Root StateStore::root_of(const std::uint32_t* values) const {
  const std::uint64_t pair =
      width_ == 1 ? join(values[0], 0) : join(values[root_left_], values[root_right_]);
  return {pair, sim::mix(pair)};
}

/// The positions at which two states differ, as bits (also of what follows the ids: unused).
LOCKSTEP_INLINE std::uint32_t StateStore::differing(const std::uint32_t* a,
                                                    const std::uint32_t* b) const {
  using Four =
      std::uint32_t __attribute__((vector_size(16)));  // GCC's and Clang's vector extension
  Four bits{}, mask{1, 2, 4, 8};
  for (unsigned i = 0; i < width_; i += 4, mask <<= 4) {
    Four left, right;
    std::memcpy(&left, a + i, sizeof left);
    std::memcpy(&right, b + i, sizeof right);
    bits |= reinterpret_cast<Four>(left != right) & mask;
  }
  return bits[0] | bits[1] | bits[2] | bits[3];
}

LOCKSTEP_INLINE StateStore::Root StateStore::fold(std::uint32_t* values, const Unfolded& from) {
  const std::uint32_t changed = differing(values, from.values.data());
  for (const Inner& node : inner_) {
    values[node.number] = (changed & node.below) == 0
                              ? from.values[node.number]
                              : table_of(node).number(join(values[node.left], values[node.right]));
  }
  return root_of(values);
}

LOCKSTEP_INLINE void StateStore::begin_fold(const std::uint32_t* values, const Unfolded& from,
                                            Folding& folding) const {
  auto& own = folding.state.values;
  std::copy_n(values, Unfolded::kMaxWidth, own.begin());
  folding.changed = differing(values, from.values.data());
  for (const Inner& node : inner_) {
    if ((folding.changed & node.below) == 0)
      own[node.number] = from.values[node.number];
    else if (node.level == 0)
      table_of(node).prefetch(join(own[node.left], own[node.right]));
  }
}

LOCKSTEP_INLINE void StateStore::go_on_folding(Folding& folding) {
  auto& own = folding.state.values;
  for (const Inner& node : inner_) {
    if ((folding.changed & node.below) == 0) continue;
    if (node.level == 0)
      own[node.number] = table_of(node).number(join(own[node.left], own[node.right]));
    else if (node.level == 1)
      table_of(node).prefetch(join(own[node.left], own[node.right]));
  }
}

LOCKSTEP_INLINE StateStore::Root StateStore::end_fold(Folding& folding) {
  auto& own = folding.state.values;
  for (const Inner& node : inner_)
    if (node.level > 0 && (folding.changed & node.below) != 0)
      own[node.number] = table_of(node).number(join(own[node.left], own[node.right]));
  return root_of(own.data());
}

LOCKSTEP_INLINE std::size_t StateStore::bucket_of(std::uint64_t hash) const {
  return static_cast<std::size_t>((hash >> 32) * bucket_count_ >> 32);
}

/// The places whose tag is `wanted`: the top bit of a byte each, eight places and then four.
inline std::array<std::uint64_t, 2> StateStore::Bucket::matches(std::uint8_t wanted) const {
  using Tags = std::uint8_t __attribute__((vector_size(16)));  // GCC's and Clang's vector extension
  static_assert(offsetof(Bucket, used) == offsetof(Bucket, tag) + 12);  // read too, masked out
  Tags tags;
  std::memcpy(&tags, reinterpret_cast<const char*>(this) + offsetof(Bucket, tag), sizeof tags);
  const auto equal = tags == wanted;
  std::array<std::uint64_t, 2> found;
  std::memcpy(found.data(), &equal, sizeof found);
  return {found[0] & 0x8080808080808080ULL, found[1] & 0x80808080ULL};
}

template <class Check>
std::uint32_t StateStore::first_match(const Bucket& bucket, std::uint64_t hash, Check check) const {
  const auto matches = bucket.matches(tag_of(hash));
  for (unsigned half = 0; half < 2; ++half) {
    for (std::uint64_t found = matches[half]; found != 0; found &= found - 1) {
      const std::uint32_t index =
          bucket.index[8 * half + static_cast<unsigned>(std::countr_zero(found)) / 8];
      if (check(index)) return index;
    }
  }
  return kAbsent;
}

LOCKSTEP_INLINE StateStore::Sight StateStore::look(Root root) const {
  const Bucket& bucket = buckets_[bucket_of(root.hash)];
  const std::uint32_t index = first_match(bucket, root.hash, [](std::uint32_t) { return true; });
  if (index != kAbsent) __builtin_prefetch(&roots_[index]);
  return {index, bucket.used};
}

inline std::uint32_t StateStore::find(Root root) const {
  for (std::size_t b = bucket_of(root.hash);; b = b + 1 == bucket_count_ ? 0 : b + 1) {
    const std::uint32_t index = first_match(buckets_[b], root.hash, [&](std::uint32_t candidate) {
      return roots_[candidate] == root.pair;
    });
    if (index != kAbsent || buckets_[b].used < 12) return index;
  }
}

LOCKSTEP_INLINE void StateStore::prefetch(Root root) const {
  __builtin_prefetch(&buckets_[bucket_of(root.hash)], 1);
}

inline void StateStore::load(std::uint32_t index, Unfolded& unfolded) const {
  auto& values = unfolded.values;
  const std::uint64_t root = roots_[index];
  values[root_right_] = static_cast<std::uint32_t>(root);
  values[root_left_] =
      static_cast<std::uint32_t>(root >> 32);  // last: of a single id it is the only one
  for (unsigned k = static_cast<unsigned>(inner_.size()); k-- > 0;) {
    const std::uint64_t pair = tables_[k][values[Unfolded::kMaxWidth + k]];
    values[inner_[k].left] = static_cast<std::uint32_t>(pair >> 32);
    values[inner_[k].right] = static_cast<std::uint32_t>(pair);
  }
}

inline void StateStore::make_room(std::size_t states) {
  if (size_ + states > room_) rebuild(bucket_count_ * 2);
}

inline std::uint32_t StateStore::add(Root root) {
  roots_.push_back(root.pair);
  place(root.hash, size_);
  return size_++;
}

template <class Added>
void StateStore::insert(std::span<const Root> roots, Added added) {
  make_room(roots.size());
  std::array<Sight, kBatch> sights;
  for (std::size_t i = 0; i < roots.size(); ++i) sights[i] = look(roots[i]);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto [candidate, used] = sights[i];
    if (candidate != kAbsent && roots_[candidate] == roots[i].pair) continue;
    // Nothing like it in its bucket, which had room and is as it was: it is new.
    const bool is_new =
        candidate == kAbsent && used < 12 && buckets_[bucket_of(roots[i].hash)].used == used;
    if (!is_new && find(roots[i]) != kAbsent) continue;
    add(roots[i]);
    added(i);
  }
}

inline void StateStore::place(std::uint64_t hash, std::uint32_t index) {
  std::size_t b = bucket_of(hash);
  while (buckets_[b].used == 12) b = b + 1 == bucket_count_ ? 0 : b + 1;
  Bucket& bucket = buckets_[b];
  bucket.index[bucket.used] = index;
  bucket.tag[bucket.used] = tag_of(hash);
  ++bucket.used;
}

#undef LOCKSTEP_INLINE

}  // namespace lockstep::checker
