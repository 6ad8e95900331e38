// The visited set; see the header.
#include "checker/state_store.hpp"

#include <new>

#include "sim/check.hpp"
#include "sim/flat_map.hpp"

namespace lockstep::checker {

namespace {

std::uint64_t join(std::uint32_t left, std::uint32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | right;
}

unsigned middle(unsigned from, unsigned to) { return from + (to - from + 1) / 2; }

}  // namespace

PairTable::PairTable() : slots_(64, 0) {}

std::uint32_t PairTable::number(std::uint64_t pair) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = sim::mix(pair) & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask)
    if (pairs_[slots_[i] - 1] == pair) return slots_[i] - 1;
  pairs_.push_back(pair);
  slots_[i] = static_cast<std::uint32_t>(pairs_.size());
  if (pairs_.size() * 10 > slots_.size() * 6) grow();
  return static_cast<std::uint32_t>(pairs_.size() - 1);
}

void PairTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t n = 0; n < pairs_.size(); ++n) {
    std::size_t i = sim::mix(pairs_[n]) & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = n + 1;
  }
}

StateStore::StateStore(unsigned width) : width_(width), tables_(width) {
  LOCKSTEP_CHECK(width >= 1);
  rebuild(64);
}

std::uint64_t StateStore::fold(const std::uint32_t* state) {
  if (width_ == 1) return join(state[0], 0);
  unsigned table = 0;
  const unsigned half = middle(0, width_);
  const std::uint32_t left = fold(state, 0, half, table);
  return join(left, fold(state, half, width_, table));
}

std::uint32_t StateStore::fold(const std::uint32_t* state, unsigned from, unsigned to,
                               unsigned& table) {
  if (to - from == 1) return state[from];
  const unsigned mine = table++;
  const unsigned half = middle(from, to);
  const std::uint32_t left = fold(state, from, half, table);
  return tables_[mine].number(join(left, fold(state, half, to, table)));
}

void StateStore::load(std::uint32_t index, std::uint32_t* state) const {
  const std::uint64_t root = roots_[index];
  const auto left = static_cast<std::uint32_t>(root >> 32),
             right = static_cast<std::uint32_t>(root);
  if (width_ == 1) {
    state[0] = left;
    return;
  }
  unsigned table = 0;
  const unsigned half = middle(0, width_);
  unfold(left, state, 0, half, table);
  unfold(right, state, half, width_, table);
}

void StateStore::unfold(std::uint32_t id, std::uint32_t* state, unsigned from, unsigned to,
                        unsigned& table) const {
  if (to - from == 1) {
    state[from] = id;
    return;
  }
  const std::uint64_t pair = tables_[table++][id];
  const unsigned half = middle(from, to);
  unfold(static_cast<std::uint32_t>(pair >> 32), state, from, half, table);
  unfold(static_cast<std::uint32_t>(pair), state, half, to, table);
}

std::size_t StateStore::bucket_of(std::uint64_t hash) const {
  return static_cast<std::size_t>((hash >> 32) * buckets_.size() >> 32);
}

void StateStore::prefetch(std::uint64_t root) const {
  __builtin_prefetch(&buckets_[bucket_of(sim::mix(root))], 1);
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
  place(root, size_);
  return {size_++, true};
}

void StateStore::place(std::uint64_t root, std::uint32_t index) {
  const std::uint64_t hash = sim::mix(root);
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
    place(roots_[i], i);
  }
}

std::size_t StateStore::bytes() const {
  std::size_t total = roots_.bytes() + buckets_.size() * sizeof(Bucket);
  for (const auto& table : tables_) total += table.bytes();
  return total;
}

}  // namespace lockstep::checker
