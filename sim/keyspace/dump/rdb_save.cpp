// DUMP: writes a value (Redis 7.0 rdb.c rdbSaveObject).
#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/little_endian.hpp"
#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/dump/crc64.hpp"
#include "sim/keyspace/dump/listpack.hpp"
#include "sim/keyspace/dump/lzf.hpp"
#include "sim/keyspace/dump/rdb.hpp"
#include "sim/keyspace/dump/rdb_format.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/ordered_parts.hpp"
#include "sim/keyspace/set_parts.hpp"

namespace lockstep::sim {

namespace {

class Writer {
 public:
  std::string take() { return std::move(bytes_); }

  void type(RdbType type) { bytes_ += static_cast<char>(type); }

  void length(std::uint64_t length) {
    if (length < 1U << 6) {
      bytes_ += static_cast<char>(length);
    } else if (length < 1U << 14) {
      bytes_ += static_cast<char>(kLength14 << 6 | length >> 8);
      bytes_ += static_cast<char>(length);
    } else {
      const std::size_t width = length <= 0xFFFF'FFFF ? 4 : 8;
      bytes_ += static_cast<char>(width == 4 ? kLength32 : kLength64);
      std::string lowest_first = little_endian(length, width);
      std::ranges::reverse(lowest_first);
      bytes_ += lowest_first;
    }
  }

  /// A short text that is a number of at most 32 bits is written as such a number; a longer one is
  /// compressed if that saves bytes.
  void text(const std::string& text) {
    constexpr std::size_t kLongest32Bits = 11, kShortestCompressed = 21, kSaved = 4;
    if (text.size() <= kLongest32Bits && number(text)) return;
    if (text.size() >= kShortestCompressed) {
      if (const auto compressed = lzf_compressed(text, text.size() - kSaved)) {
        encoding(kCompressed);
        length(compressed->size());
        length(text.size());
        bytes_ += *compressed;
        return;
      }
    }
    length(text.size());
    bytes_ += text;
  }

  void score(double score) { bytes_ += little_endian(std::bit_cast<std::uint64_t>(score), 8); }

 private:
  void encoding(std::uint64_t encoding) {
    bytes_ += static_cast<char>(kEncodedText << 6 | encoding);
  }

  bool number(const std::string& text) {
    const auto number = parse_integer(text);
    if (!number || !fits(*number, 32)) return false;
    const std::size_t width = fits(*number, 8) ? 1 : fits(*number, 16) ? 2 : 4;
    encoding(width == 1 ? kNumber8 : width == 2 ? kNumber16 : kNumber32);
    bytes_ += little_endian(static_cast<std::uint64_t>(*number), width);
    return true;
  }

  std::string bytes_;
};

void save_intset(Writer& writer, const std::vector<const std::string*>& members) {
  unsigned width = 2;
  for (const std::string* member : members) {
    while (!fits(*parse_integer(*member), 8 * width)) width *= 2;
  }
  std::string intset = little_endian(width, 4) + little_endian(members.size(), 4);
  for (const std::string* member : members) {
    intset += little_endian(static_cast<std::uint64_t>(*parse_integer(*member)), width);
  }
  writer.type(RdbType::set_intset);
  writer.text(intset);
}

void save(Writer& writer, const std::string& text, const Entry&) {
  writer.type(RdbType::string);
  writer.text(text);
}

/// The nodes of a list to whose end the elements were pushed one by one (quicklist.c).
std::vector<ListpackWriter> nodes_of(const List& list) {
  constexpr std::size_t kOverhead = 8;  // what an element takes besides its text, as Redis guesses
  std::vector<ListpackWriter> nodes;
  for (const ListElement& element : list) {
    const std::size_t added = element.value.size() + kOverhead;
    if (nodes.empty() || nodes.back().size() + added > kLargestListNode) nodes.emplace_back();
    nodes.back().add(element.value);
  }
  return nodes;
}

void save(Writer& writer, const List& list, const Entry&) {
  const auto nodes = nodes_of(list);
  writer.type(RdbType::list_nodes);
  writer.length(nodes.size());
  for (const ListpackWriter& node : nodes) {
    writer.length(kListpackNode);
    writer.text(node.finished());
  }
}

void save(Writer& writer, const Set&, const Entry& entry) {
  const auto order = members(entry);
  if (entry.encoding == Encoding::compact) {
    save_intset(writer, order);
    return;
  }
  writer.type(RdbType::set);
  writer.length(order.size());
  for (const std::string* member : order) writer.text(*member);
}

void save(Writer& writer, const Hash& hash, const Entry& entry) {
  const auto order = by_position(hash);
  if (entry.encoding == Encoding::compact) {
    ListpackWriter listpack;
    for (const auto* item : order) {
      listpack.add(item->first);
      listpack.add(item->second.value);
    }
    writer.type(RdbType::hash_listpack);
    writer.text(listpack.finished());
    return;
  }
  writer.type(RdbType::hash);
  writer.length(order.size());
  for (const auto* item : order) {
    writer.text(item->first);
    writer.text(item->second.value);
  }
}

/// A listpack has whole scores as whole numbers, as far as a C double is sure to be one (util.c
/// double2ll).
std::string packed_score(double score) {
  constexpr double kSure = 4611686018427387904.0;  // 2^62
  const bool whole = std::fabs(score) <= kSure && std::trunc(score) == score;
  return whole ? std::to_string(static_cast<std::int64_t>(score)) : format_score(score);
}

void save(Writer& writer, const SortedSet& set, const Entry& entry) {
  auto order = in_order(set);
  if (entry.encoding == Encoding::compact) {
    ListpackWriter listpack;
    for (const auto* item : order) {
      listpack.add(item->first);
      listpack.add(packed_score(item->second.score));
    }
    writer.type(RdbType::sorted_set_listpack);
    writer.text(listpack.finished());
    return;
  }
  std::ranges::reverse(order);  // who reads it then adds each member in front of the others
  writer.type(RdbType::sorted_set);
  writer.length(order.size());
  for (const auto* item : order) {
    writer.text(item->first);
    writer.score(item->second.score);
  }
}

}  // namespace

std::string dump(const Entry& entry) {
  Writer writer;
  std::visit([&](const auto& value) { save(writer, value, entry); }, entry.value);
  return with_footer(writer.take());
}

std::string with_footer(std::string body) {
  body += little_endian(kRdbVersion, 2);
  return body + little_endian(crc64(body), 8);
}

}  // namespace lockstep::sim
