// Memory for large tables that are read at random places: on huge pages, because most of the cost
// of such a read is finding the page, and growing where it is, because getting fresh pages costs
// more than anything that is done with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace lockstep::checker {

/// Zeroed memory that keeps its contents when it grows (Linux mmap and mremap).
class HugeMemory {
 public:
  HugeMemory() = default;
  HugeMemory(HugeMemory&& other) noexcept;
  HugeMemory& operator=(HugeMemory&&) = delete;
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;
  ~HugeMemory();

  /// To at least `bytes`; what is new is zero. Throws std::bad_alloc.
  void grow(std::size_t bytes);
  void clear(std::size_t bytes);  ///< the first `bytes` zero
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A list of plain items, one after the other.
template <class Item>
class HugeList {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  void push_back(Item item) {
    if (size_ == capacity_) grow();
    items_[size_++] = item;
  }
  const Item& operator[](std::size_t i) const { return items_[i]; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(Item); }

 private:
  void grow() {
    memory_.grow(std::max<std::size_t>(1, (capacity_ + capacity_ / 2) * sizeof(Item)));
    items_ = static_cast<Item*>(memory_.data());
    capacity_ = memory_.bytes() / sizeof(Item);  // pages that are not touched cost nothing
  }
  HugeMemory memory_;
  Item* items_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lockstep::checker
