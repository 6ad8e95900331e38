// Takes bytes to pieces from the front, where their number is not to be trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/little_endian.hpp"

namespace lockstep::sim {

/// Every piece is nothing if fewer bytes are left than it takes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }

  std::optional<std::string_view> take(std::uint64_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::optional<unsigned> byte() {
    const auto one = take(1);
    return one ? std::optional<unsigned>(static_cast<unsigned char>(one->front())) : std::nullopt;
  }

  std::optional<std::string> text(std::uint64_t size) {
    const auto bytes = take(size);
    return bytes ? std::optional<std::string>(*bytes) : std::nullopt;
  }

  /// A number with a sign, in decimal.
  std::optional<std::string> number(std::size_t width) {
    const auto bytes = take(width);
    if (!bytes) return std::nullopt;
    return std::to_string(signed_from_little_endian(*bytes));
  }

 private:
  std::string_view rest_;
};

}  // namespace lockstep::sim
