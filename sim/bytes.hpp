// Canonical bytes of values: the keys under which the engine interns them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/reply.hpp"

namespace lockstep::sim {

using Id = std::uint32_t;

/// Appends values so that equal sequences of values give equal bytes and the other way round.
class ByteWriter {
 public:
  void number(std::int64_t n) {
    auto u = (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
    for (; u >= 0x80; u >>= 7) bytes_.push_back(static_cast<char>(u | 0x80));
    bytes_.push_back(static_cast<char>(u));
  }
  void text(std::string_view s) {
    number(static_cast<std::int64_t>(s.size()));
    bytes_.append(s);
  }
  void request(const Request& r) {
    number(static_cast<std::int64_t>(r.size()));
    for (const auto& argument : r) text(argument);
  }
  void reply(const Reply& r) {
    number(static_cast<int>(r.kind));
    number(r.integer);
    text(r.text);
    number(static_cast<std::int64_t>(r.items.size()));
    for (const auto& item : r.items) reply(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

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
