// The visited set; see the header.
#include "checker/search/state_store.hpp"

#include <algorithm>
#include <array>

#include "sim/base/check.hpp"
#include "sim/base/flat_map.hpp"

namespace lockstep::checker {

PairTable::PairTable() { make_slots(64); }

std::uint32_t PairTable::add(std::uint64_t pair, std::size_t slot) {
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push_back(pair);
  slots_[slot] = {pair, number + 1};
  if (pairs_.size() * 10 > slot_count_ * 6) make_slots(slot_count_ * 2);
  return number;
}

void PairTable::make_slots(std::size_t count) {
  memory_.clear(slot_count_ * sizeof(Slot));
  memory_.grow(count * sizeof(Slot));
  slots_ = static_cast<Slot*>(memory_.data());
  slot_count_ = count;
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(count));
  for (std::uint32_t n = 0; n < pairs_.size(); ++n) {
    std::size_t i = home(pairs_[n]);
    while (slots_[i].next != 0) i = (i + 1) & (count - 1);
    slots_[i] = {pairs_[n], n + 1};
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
  for (const Inner& child : inner_)
    if (child.number == node.left || child.number == node.right)
      node.level = std::max(node.level, child.level + 1);
  node.number = Unfolded::kMaxWidth + static_cast<unsigned>(inner_.size());
  inner_.push_back(node);
  return node.number;
}

StateStore::Root StateStore::fold(const std::uint32_t* state) {
  Unfolded copy, unlike;
  for (unsigned i = 0; i < width_; ++i) {
    copy.values[i] = state[i];
    unlike.values[i] = ~state[i];  // nothing is shared
  }
  return fold(copy.values.data(), unlike);
}

void StateStore::load(std::uint32_t index, std::uint32_t* state) const {
  Unfolded unfolded;
  load(index, unfolded);
  std::copy_n(unfolded.values.begin(), width_, state);
}

std::pair<std::uint32_t, bool> StateStore::insert(Root root) {
  if (const std::uint32_t index = find(root); index != kAbsent) return {index, false};
  make_room(1);
  return {add(root), true};
}

void StateStore::rebuild(std::size_t buckets) {
  memory_.clear(bucket_count_ * sizeof(Bucket));  // made again from the roots: never two of them
  memory_.grow(buckets * sizeof(Bucket));
  buckets_ = static_cast<Bucket*>(memory_.data());
  bucket_count_ = buckets;
  room_ = buckets * 12 * 23 / 25;  // 0.92; doubling keeps it above 0.46
  constexpr std::uint32_t kAhead = 32;
  std::array<std::uint64_t, kAhead> hashes{};
  for (std::uint32_t i = 0; i < size_ + kAhead; ++i) {
    if (i >= kAhead) place(hashes[i % kAhead], i - kAhead);
    if (i >= size_) continue;
    hashes[i % kAhead] = sim::mix(roots_[i]);
    prefetch({0, hashes[i % kAhead]});
  }
}

std::size_t StateStore::bytes() const {
  std::size_t total = roots_.bytes() + bucket_count_ * sizeof(Bucket);
  for (const auto& table : tables_) total += table.bytes();
  return total;
}

}  // namespace lockstep::checker
