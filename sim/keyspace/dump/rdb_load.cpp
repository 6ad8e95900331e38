// RESTORE: reads a value (Redis 7.0 rdb.c rdbLoadObject). Nothing is believed: what a length
// promises is taken up only as it comes, and what Redis checks with `sanitize-dump-payload yes` is
// checked.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "sim/base/byte_reader.hpp"
#include "sim/base/error.hpp"
#include "sim/base/little_endian.hpp"
#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/dump/crc64.hpp"
#include "sim/keyspace/dump/listpack.hpp"
#include "sim/keyspace/dump/lzf.hpp"
#include "sim/keyspace/dump/rdb.hpp"
#include "sim/keyspace/dump/rdb_format.hpp"
#include "sim/keyspace/dump/ziplist.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/refused.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/keyspace/sorted_set_parts.hpp"

namespace lockstep::sim {

namespace {

[[noreturn]] void refuse_format() { refuse("ERR Bad data format"); }

[[noreturn]] void give_up(const char* what) {
  throw BadInput(std::string("RESTORE of ") + what + ": Redis 7.0 has it, but it is not simulated");
}

/// What takes a listpack or a ziplist to pieces.
using Unpack = std::optional<std::vector<std::string>> (*)(std::string_view);

/// Takes a dump to pieces. As in Redis it may read on into the version and checksum at the end.
class RdbReader {
 public:
  explicit RdbReader(std::string_view dump) : rest_(dump) {}

  std::string_view bytes(std::uint64_t count) { return got(rest_.take(count)); }

  unsigned byte() { return got(rest_.byte()); }

  /// Of a text in another encoding it is that encoding.
  std::uint64_t length() { return length_from(byte()); }

  /// The number of parts of a value, which has some.
  std::uint64_t count() {
    const std::uint64_t parts = length();
    if (parts == 0) refuse_format();
    return parts;
  }

  std::string text() {
    const unsigned first = byte();
    const std::uint64_t length = length_from(first);
    if (first >> 6 != kEncodedText) return std::string(bytes(length));
    switch (length) {
      case kNumber8:
        return got(rest_.number(1));
      case kNumber16:
        return got(rest_.number(2));
      case kNumber32:
        return got(rest_.number(4));
      case kCompressed:
        return expanded();
      default:
        refuse_format();
    }
  }

  double score() { return std::bit_cast<double>(from_little_endian(bytes(8))); }

  std::vector<std::string> packed(Unpack unpack) { return got(unpack(text())); }

 private:
  template <class Piece>
  static Piece got(std::optional<Piece> piece) {
    if (!piece) refuse_format();
    return std::move(*piece);
  }

  std::uint64_t length_from(unsigned first) {
    const unsigned form = first >> 6;
    if (form == kLength6 || form == kEncodedText) return first & 0x3F;
    if (form == kLength14) return static_cast<std::uint64_t>(first & 0x3F) << 8 | byte();
    if (first != kLength32 && first != kLength64) refuse_format();
    return from_big_endian(bytes(first == kLength32 ? 4 : 8));
  }

  /// A few bytes can stand for many: more of them than any value of a lock has are refused.
  std::string expanded() {
    constexpr std::uint64_t kMost = 16 << 20;
    const std::uint64_t compressed_size = length();
    const std::uint64_t size = length();
    const std::string_view compressed = bytes(compressed_size);
    if (size == 0) return {};  // liblzf's 0 for an error is the length that Redis wants then
    if (size / kMostLzfExpansion > compressed_size) refuse_format();
    expanded_ += size;
    if (expanded_ > kMost) give_up("compressed texts of more than 16 MB");
    return got(lzf_expanded(compressed, static_cast<std::size_t>(size)));
  }

  ByteReader rest_;
  std::uint64_t expanded_ = 0;
};

Entry load_elements(RdbReader& reader, Maker maker) {
  List list;
  for (std::uint64_t left = reader.count(); left > 0; --left)
    list.push_back({reader.text(), maker});
  return new_entry(std::move(list), maker);
}

void append(List& list, std::vector<std::string> elements, Maker maker) {
  for (std::string& element : elements) list.push_back({std::move(element), maker});
}

/// A list of `ziplists` pieces.
Entry load_ziplists(RdbReader& reader, std::uint64_t ziplists, Maker maker) {
  List list;
  for (; ziplists > 0; --ziplists) append(list, reader.packed(ziplist_elements), maker);
  if (list.empty()) refuse_format();
  return new_entry(std::move(list), maker);
}

Entry load_nodes(RdbReader& reader, Maker maker) {
  List list;
  for (std::uint64_t left = reader.count(); left > 0; --left) {
    const std::uint64_t kind = reader.length();
    if (kind == kPlainNode) {
      list.push_back({reader.text(), maker});
      if (list.back().value.empty()) refuse_format();
    } else if (kind == kListpackNode) {
      append(list, reader.packed(listpack_elements), maker);
    } else {
      refuse_format();
    }
  }
  if (list.empty()) refuse_format();
  return new_entry(std::move(list), maker);
}

void add_new_member(Entry& entry, const std::string& member) {
  if (!add_member(entry, member, entry.maker)) refuse_format();
}

Entry load_set(RdbReader& reader, Maker maker) {
  Entry entry = new_entry(Set{}, maker);
  const std::uint64_t size = reader.count();
  if (size > kLargestIntset) entry.encoding = Encoding::large;
  for (std::uint64_t left = size; left > 0; --left) add_new_member(entry, reader.text());
  return entry;
}

Entry load_intset(RdbReader& reader, Maker maker) {
  const std::string intset = reader.text();
  if (intset.size() <= kIntsetHeader) refuse_format();
  const std::string_view view = intset;
  const std::uint64_t width = from_little_endian(view.substr(0, 4));
  const std::uint64_t size = from_little_endian(view.substr(4, 4));
  const std::string_view numbers = view.substr(kIntsetHeader);
  if ((width != 2 && width != 4 && width != 8) || numbers.size() != size * width) refuse_format();
  Entry entry = new_entry(Set{}, maker);
  std::int64_t last = 0;
  for (std::size_t at = 0; at < numbers.size(); at += width) {
    const std::int64_t number = signed_from_little_endian(numbers.substr(at, width));
    if (at > 0 && number <= last) refuse_format();
    last = number;
    add_new_member(entry, std::to_string(number));
  }
  return entry;
}

void add_new_field(Entry& entry, std::string name, std::string value) {
  Hash& hash = std::get<Hash>(entry.value);
  const auto position = static_cast<std::uint32_t>(hash.size());
  const auto placed =
      hash.try_emplace(std::move(name), HashField{std::move(value), entry.maker, position, {}});
  if (!placed.second) refuse_format();
}

Entry load_hash(RdbReader& reader, Maker maker) {
  Entry entry = new_entry(Hash{}, maker);
  const std::uint64_t size = reader.count();
  bool compact = size <= kMostListpackFields;
  for (std::uint64_t left = size; left > 0; --left) {
    std::string name = reader.text();
    std::string value = reader.text();
    compact =
        compact && name.size() <= kLongestListpackField && value.size() <= kLongestListpackField;
    add_new_field(entry, std::move(name), std::move(value));
  }
  if (!compact) entry.encoding = Encoding::large;
  return entry;
}

/// Pairs, at least one.
std::vector<std::string> load_pairs(RdbReader& reader, Unpack unpack) {
  auto elements = reader.packed(unpack);
  if (elements.empty() || elements.size() % 2 != 0) refuse_format();
  return elements;
}

Entry load_packed_hash(RdbReader& reader, Unpack unpack, Maker maker) {
  Entry entry = new_entry(Hash{}, maker);
  auto pairs = load_pairs(reader, unpack);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    add_new_field(entry, std::move(pairs[i]), std::move(pairs[i + 1]));
  }
  if (pairs.size() / 2 > kMostListpackFields) entry.encoding = Encoding::large;
  return entry;
}

SortedSet::iterator add_new_scored(SortedSet& set, std::string member, double score, Maker maker) {
  const auto placed = set.try_emplace(std::move(member), SortedSetMember{score, maker});
  if (!placed.second) refuse_format();
  return placed.first;
}

Entry load_sorted_set(RdbReader& reader, Maker maker) {
  SortedSet set;
  for (std::uint64_t left = reader.count(); left > 0; --left) {
    std::string member = reader.text();
    const double score = reader.score();
    if (std::isnan(score)) refuse_format();
    add_new_scored(set, std::move(member), score, maker);
  }
  const bool large = exceeds_listpack(set);
  for (auto& [member, about] : set) {
    if (!large && about.score == 0) about.score = 0;  // there is no -0 in a listpack
  }
  Entry entry = new_entry(std::move(set), maker);
  if (large) entry.encoding = Encoding::large;
  return entry;
}

/// A text in the place of a score, as Redis reads it (t_zset.c zzlStrtod).
double packed_score(const std::string& text) {
  constexpr std::size_t kMost = 127;
  return std::strtod(text.substr(0, kMost).c_str(), nullptr);
}

/// Redis believes a listpack's order. Here a sorted set has no other than its own.
Entry load_packed_sorted_set(RdbReader& reader, Unpack unpack, Maker maker) {
  SortedSet set;
  auto pairs = load_pairs(reader, unpack);
  std::vector<const SortedSet::value_type*> order;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const double score = packed_score(pairs[i + 1]);
    if (std::isnan(score)) give_up("a score that is not a number");
    order.push_back(&*add_new_scored(set, std::move(pairs[i]), score, maker));
  }
  const bool large = set.size() > kMostListpackMembers;
  if (!large && order != in_order(set)) give_up("a sorted set that is not in its order");
  Entry entry = new_entry(std::move(set), maker);
  if (large) entry.encoding = Encoding::large;
  return entry;
}

Entry load(RdbReader& reader, Maker maker) {
  switch (static_cast<RdbType>(reader.byte())) {
    case RdbType::string:
      return new_entry(reader.text(), maker);
    case RdbType::list:
      return load_elements(reader, maker);
    case RdbType::list_nodes:
      return load_nodes(reader, maker);
    case RdbType::set:
      return load_set(reader, maker);
    case RdbType::set_intset:
      return load_intset(reader, maker);
    case RdbType::hash:
      return load_hash(reader, maker);
    case RdbType::hash_listpack:
      return load_packed_hash(reader, listpack_elements, maker);
    case RdbType::sorted_set:
      return load_sorted_set(reader, maker);
    case RdbType::sorted_set_listpack:
      return load_packed_sorted_set(reader, listpack_elements, maker);
    case RdbType::list_ziplist:
      return load_ziplists(reader, 1, maker);
    case RdbType::list_ziplists:
      return load_ziplists(reader, reader.count(), maker);
    case RdbType::hash_ziplist:
      return load_packed_hash(reader, ziplist_elements, maker);
    case RdbType::sorted_set_ziplist:
      return load_packed_sorted_set(reader, ziplist_elements, maker);
    case RdbType::stream:
    case RdbType::stream_2:
      give_up("a stream");
    case RdbType::sorted_set_text:
    case RdbType::hash_zipmap:
      give_up("what a Redis before 4.0 has dumped");
    case RdbType::module_draft:  // there are no modules to read it
    case RdbType::module:
      break;
  }
  refuse_format();
}

bool footer_fits(std::string_view dump) {
  if (dump.size() < kFooter) return false;
  const std::string_view checksum = dump.substr(dump.size() - 8);
  const std::string_view version = dump.substr(dump.size() - kFooter, 2);
  return from_little_endian(version) <= kRdbVersion &&
         from_little_endian(checksum) == crc64(dump.substr(0, dump.size() - 8));
}

}  // namespace

Entry restored(std::string_view dump, Maker maker) {
  if (!footer_fits(dump)) refuse("ERR DUMP payload version or checksum are wrong");
  RdbReader reader(dump);
  return load(reader, maker);
}

}  // namespace lockstep::sim
