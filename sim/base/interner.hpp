// Numbers for values: equal values get the same small number.
#pragma once

#include <cstdint>
#include <string>
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
  Id intern(std::string key, Make make) {
    if (const auto place = ids_.find(key); place != ids_.end()) return place->second;
    Value value = make();  // may intern other values first
    const Id id = size_++;
    if (id % kBlock == 0) blocks_.emplace_back().reserve(kBlock);
    blocks_.back().push_back(std::move(value));
    ids_.emplace(std::move(key), id);
    return id;
  }
  const Value& operator[](Id id) const { return blocks_[id / kBlock][id % kBlock]; }
  Value& operator[](Id id) { return blocks_[id / kBlock][id % kBlock]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr Id kBlock = 256;
  std::unordered_map<std::string, Id> ids_;  // never iterated
  std::vector<std::vector<Value>> blocks_;
  Id size_ = 0;
};

}  // namespace lockstep::sim
