// Numbers for values: equal values get the same small number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep::sim {

using Id = std::uint32_t;

/// Gives equal values the same small number. Values stay where they are for ever.
template <class Value>
class Interner {
 public:
  /// The id of the value whose canonical bytes are `key`; `make()` builds the value if it is new.
  template <class Make>
  Id intern(const std::string& key, Make make) {
    if (const auto place = ids_.find(key); place != ids_.end()) return place->second;
    Value value = make();  // may intern other values first
    const Id id = size_++;
    if (id % kBlock == 0) blocks_.emplace_back().reserve(kBlock);
    blocks_.back().push_back(std::move(value));
    ids_.emplace(kept(key), id);
    return id;
  }
  const Value& operator[](Id id) const { return blocks_[id / kBlock][id % kBlock]; }
  Value& operator[](Id id) { return blocks_[id / kBlock][id % kBlock]; }
  std::size_t size() const { return size_; }

 private:
  std::string_view kept(const std::string& key) {
    char* const bytes = static_cast<char*>(room_.allocate(key.size(), 1));
    std::ranges::copy(key, bytes);
    return {bytes, key.size()};
  }

  static constexpr Id kBlock = 256;
  // All keys lie in a few large pieces: millions of small ones take seconds to free one by one.
  std::pmr::monotonic_buffer_resource room_;
  std::pmr::unordered_map<std::string_view, Id> ids_{&room_};  // never iterated
  std::vector<std::vector<Value>> blocks_;
  Id size_ = 0;
};

}  // namespace lockstep::sim
