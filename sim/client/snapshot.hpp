// The bytes of a snapshot: how tags, numbers and texts are written and read. Numbers are decimal
// and strings end in a zero byte, so that a token in the bytes is whole and can be renamed.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"

namespace lockstep::sim::program {

constexpr int kDeadTask = -1;  ///< written for a task that is no more

enum class SnapshotTag : char {
  nil = 'n',
  yes = 't',
  no = 'f',
  whole = 'i',
  broken = 'd',
  text = 's',
  constant = 'K',
  seen = 'R',
  instant = 'I',
  mutex = 'M',
  semaphore = 'P',
  handle = 'H',
  table = 'T',
  error = 'E',
  end = '.',
  closure = 'F',
  module_cell = 'm',
  seen_cell = 'r',
  new_cell = 'c',
  // Only in the midst of things:
  native = 'N',
  frame = 'L',
  frame_cell = 'l'
};

class SnapshotWriter {
 public:
  void tag(SnapshotTag tag) { bytes_ += static_cast<char>(tag); }
  void number(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    bytes_.append(digits, static_cast<std::size_t>(end.ptr - digits));
    bytes_ += ';';
  }
  void text(std::string_view text) {
    for (const char c : text) {
      if (c == '\0' || c == '\1') {
        bytes_ += '\1';
        bytes_ += c == '\0' ? '0' : '1';
      } else {
        bytes_ += c;
      }
    }
    bytes_ += '\0';
  }
  void block(std::string_view block) {
    number(static_cast<std::int64_t>(block.size()));
    bytes_ += block;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view bytes) : rest_(bytes) {}

  SnapshotTag tag() {
    LOCKSTEP_CHECK(!rest_.empty());
    const char tag = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<SnapshotTag>(tag);
  }
  std::int64_t number() {
    std::int64_t number = 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    LOCKSTEP_CHECK(end.ec == std::errc() && end.ptr != rest_.data() + rest_.size() &&
                   *end.ptr == ';');
    rest_.remove_prefix(static_cast<std::size_t>(end.ptr - rest_.data()) + 1);
    return number;
  }
  template <typename Enum>
  Enum as() {
    return static_cast<Enum>(number());
  }
  std::string text() {
    const std::size_t end = rest_.find('\0');
    LOCKSTEP_CHECK(end != std::string_view::npos);
    std::string text;
    for (std::size_t at = 0; at < end; ++at)
      text += rest_[at] != '\1' ? rest_[at] : rest_[++at] == '0' ? '\0' : '\1';
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view block() {
    const auto size = static_cast<std::size_t>(number());
    LOCKSTEP_CHECK(size <= rest_.size());
    const std::string_view block = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return block;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace lockstep::sim::program
