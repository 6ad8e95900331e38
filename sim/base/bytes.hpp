// Canonical bytes of values: the keys under which the engine interns them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::sim {

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
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace lockstep::sim
