// What the writer and the reader of dumps have in common (Redis 7.0 rdb.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::sim {

/// The first byte of a dump: how the value is written.
enum class RdbType : std::uint8_t {
  string = 0,
  list = 1,  ///< its elements one by one; before Redis 3.2
  set = 2,
  sorted_set_text = 3,  ///< scores in decimal; before Redis 4.0
  hash = 4,
  sorted_set = 5,
  module_draft = 6,
  module = 7,
  hash_zipmap = 9,
  list_ziplist = 10,
  set_intset = 11,
  sorted_set_ziplist = 12,
  hash_ziplist = 13,
  list_ziplists = 14,
  stream = 15,
  hash_listpack = 16,
  sorted_set_listpack = 17,
  list_nodes = 18,  ///< each a listpack, or one large element
  stream_2 = 19,
};

/// How a node of a list is stored.
constexpr std::uint64_t kPlainNode = 1;
constexpr std::uint64_t kListpackNode = 2;

/// The two highest bits of a length tell its form; 3 is a text in another encoding.
constexpr unsigned kLength6 = 0, kLength14 = 1, kEncodedText = 3;
constexpr std::uint8_t kLength32 = 0x80, kLength64 = 0x81;

/// Encodings of texts.
constexpr std::uint64_t kNumber8 = 0, kNumber16 = 1, kNumber32 = 2, kCompressed = 3;

constexpr unsigned kRdbVersion = 10;
constexpr std::size_t kFooter = 2 + 8;  ///< version, checksum

/// An intset begins with the width of its numbers and how many there are.
constexpr std::size_t kIntsetHeader = 4 + 4;

}  // namespace lockstep::sim
