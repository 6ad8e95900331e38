// Listpacks: the flat lists in which Redis 7.0 keeps small hashes and sorted sets, and the pieces
// of a list (the format: listpack.md by its author).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim {

class ListpackWriter {
 public:
  /// Appends an element. A text that is a whole number is stored as one, as Redis does.
  void add(std::string_view text);
  std::size_t count() const { return count_; }
  /// Bytes of the whole listpack.
  std::size_t size() const;
  /// The whole listpack.
  std::string finished() const;

 private:
  std::string elements_;
  std::size_t count_ = 0;
};

/// The elements as texts; nothing if any byte is not as it has to be (Redis 7.0
/// lpValidateIntegrity, deep).
std::optional<std::vector<std::string>> listpack_elements(std::string_view listpack);

}  // namespace lockstep::sim
