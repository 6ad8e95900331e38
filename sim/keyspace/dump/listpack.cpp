// Listpacks: 4 bytes for the whole length, 2 for the number of elements (65535: unknown), the
// elements, 255. An element is its encoding, its content, and the length of both once more, for
// those who come from behind.
//
//   0nnnnnnn           0..127                 11110000 + 4 bytes  length of a text
//   10nnnnnn           length of a text       11110001 + 2 bytes  a number; 11110010: 3 bytes,
//   110nnnnn nnnnnnnn  a number of 13 bits    11110011: 4, 11110100: 8
//   1110nnnn nnnnnnnn  length of a text
#include "sim/keyspace/dump/listpack.hpp"

#include <algorithm>
#include <array>

#include "sim/base/byte_reader.hpp"
#include "sim/keyspace/numbers.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kListpackHeader = 6;
constexpr std::size_t kUncountedListpack = 65535;
constexpr char kListpackEnd = '\xFF';
constexpr std::size_t kLongestNumber = 20;  // digits and sign of 64 bits

std::string encoded(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (number >= 0 && number < 128) return {static_cast<char>(number)};
  if (fits(number, 13)) {
    return {static_cast<char>(0xC0 | (bits >> 8 & 0x1F)), static_cast<char>(bits)};
  }
  if (fits(number, 16)) return '\xF1' + little_endian(bits, 2);
  if (fits(number, 24)) return '\xF2' + little_endian(bits, 3);
  if (fits(number, 32)) return '\xF3' + little_endian(bits, 4);
  return '\xF4' + little_endian(bits, 8);
}

std::string encoded(std::string_view text) {
  const std::size_t size = text.size();
  std::string head;
  if (size < 64) {
    head = {static_cast<char>(0x80 | size)};
  } else if (size < 4096) {
    head = {static_cast<char>(0xE0 | size >> 8), static_cast<char>(size)};
  } else {
    head = '\xF0' + little_endian(size, 4);
  }
  return head.append(text);
}

/// 7 bits in a byte, the highest first; all but the first byte are marked. Redis takes another byte
/// for the largest length of each width (lpEncodeBacklen).
std::string length_behind(std::size_t length) {
  constexpr std::array<std::size_t, 4> kMost{127, 16'382, 2'097'150, 268'435'454};
  const auto further =
      std::ranges::count_if(kMost, [length](std::size_t most) { return length > most; });
  std::string bytes;
  for (auto left = further; left >= 0; --left) {
    const unsigned mark = left == further ? 0 : 0x80;
    bytes += static_cast<char>((length >> (7 * left) & 0x7F) | mark);
  }
  return bytes;
}

/// The length that Redis reads from behind in the bytes before an element (lpDecodeBacklen).
std::uint64_t length_before(std::string_view before) {
  constexpr unsigned kMostBytes = 5;
  std::uint64_t length = 0;
  for (unsigned i = 0; i < kMostBytes && i < before.size(); ++i) {
    const auto byte = static_cast<unsigned char>(before[before.size() - 1 - i]);
    length |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) return length;
  }
  return ~std::uint64_t{0};
}

class ListpackReader {
 public:
  /// Reads the elements between the header and the end.
  explicit ListpackReader(std::string_view listpack)
      : all_(listpack.substr(0, listpack.size() - 1)), rest_(all_.substr(kListpackHeader)) {}

  bool at_end() const { return rest_.left() == 0; }

  /// The next element; nothing if it is not as it has to be.
  std::optional<std::string> next() {
    const std::size_t before = rest_.left();
    auto text = content();
    const std::size_t length = before - rest_.left();
    if (!text || !rest_.take(length_behind(length).size())) return std::nullopt;
    const std::string_view so_far = all_.substr(0, all_.size() - rest_.left());
    return length_before(so_far) == length ? text : std::nullopt;
  }

 private:
  std::optional<std::string> content() {
    const auto head = rest_.byte();
    if (!head) return std::nullopt;
    if (*head < 0x80) return std::to_string(*head);
    if (*head < 0xC0) return rest_.text(*head & 0x3F);
    if (*head < 0xF0) {
      const auto second = rest_.byte();
      if (!second) return std::nullopt;
      const unsigned both = *head << 8 | *second;
      if (*head >= 0xE0) return rest_.text(both & 0xFFF);
      const int value = static_cast<int>(both & 0x1FFF);
      return std::to_string(value < 4096 ? value : value - 8192);
    }
    switch (*head) {
      case 0xF0: {
        const auto size = rest_.take(4);
        return size ? rest_.text(from_little_endian(*size)) : std::nullopt;
      }
      case 0xF1:
        return rest_.number(2);
      case 0xF2:
        return rest_.number(3);
      case 0xF3:
        return rest_.number(4);
      case 0xF4:
        return rest_.number(8);
      default:
        return std::nullopt;
    }
  }

  std::string_view all_;
  ByteReader rest_;
};

}  // namespace

void ListpackWriter::add(std::string_view text) {
  const auto number =
      text.size() <= kLongestNumber ? parse_integer(std::string(text)) : std::nullopt;
  const std::string element = number ? encoded(*number) : encoded(text);
  elements_ += element;
  elements_ += length_behind(element.size());
  ++count_;
}

std::size_t ListpackWriter::size() const { return kListpackHeader + elements_.size() + 1; }

std::string ListpackWriter::finished() const {
  return little_endian(size(), 4) + little_endian(std::min(count_, kUncountedListpack), 2) +
         elements_ + kListpackEnd;
}

std::optional<std::vector<std::string>> listpack_elements(std::string_view listpack) {
  if (listpack.size() <= kListpackHeader || listpack.back() != kListpackEnd) return std::nullopt;
  if (from_little_endian(listpack.substr(0, 4)) != listpack.size()) return std::nullopt;
  std::vector<std::string> elements;
  ListpackReader reader(listpack);
  while (!reader.at_end()) {
    auto element = reader.next();
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  const std::uint64_t counted = from_little_endian(listpack.substr(4, 2));
  if (counted != kUncountedListpack && counted != elements.size()) return std::nullopt;
  return elements;
}

}  // namespace lockstep::sim
