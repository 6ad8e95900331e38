// Ziplists: 4 bytes for the whole length, 4 for the place of the last element, 2 for the number of
// elements (65535: unknown), the elements, 255. An element is the length of the one before it (a
// byte, or 254 and 4 bytes), its encoding and its content.
//
//   00nnnnnn            length of a text           11000000 + 2 bytes  a number; 11010000: 4 bytes,
//   01nnnnnn nnnnnnnn   length of a text           11100000: 8, 11110000: 3, 11111110: 1
//   10...... + 4 bytes  the same, highest first    1111nnnn            n - 1: 0..12
#include "sim/keyspace/dump/ziplist.hpp"

#include "sim/base/byte_reader.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kZiplistHeader = 10;
constexpr std::uint64_t kUncountedZiplist = 65535;
constexpr char kZiplistEnd = '\xFF';

class ZiplistReader {
 public:
  explicit ZiplistReader(std::string_view elements) : rest_(elements) {}

  std::size_t left() const { return rest_.left(); }

  /// The next element; nothing if it is not as it has to be.
  std::optional<std::string> next() {
    const std::size_t before = rest_.left();
    const auto earlier = length_of_earlier();
    if (!earlier || *earlier != last_length_) return std::nullopt;
    auto text = content();
    last_length_ = before - rest_.left();
    return text;
  }

 private:
  std::optional<std::uint64_t> length_of_earlier() {
    constexpr unsigned kLong = 254, kNone = 255;
    const auto first = rest_.byte();
    if (!first || *first == kNone) return std::nullopt;
    if (*first < kLong) return *first;
    const auto length = rest_.take(4);
    return length ? std::optional(from_little_endian(*length)) : std::nullopt;
  }

  std::optional<std::string> content() {
    const auto head = rest_.byte();
    if (!head) return std::nullopt;
    if (*head < 0x40) return rest_.text(*head);
    if (*head < 0x80) {
      const auto low = rest_.byte();
      return low ? rest_.text((*head & 0x3F) << 8 | *low) : std::nullopt;
    }
    if (*head < 0xC0) {
      const auto size = rest_.take(4);
      return size ? rest_.text(from_big_endian(*size)) : std::nullopt;
    }
    switch (*head) {
      case 0xC0:
        return rest_.number(2);
      case 0xD0:
        return rest_.number(4);
      case 0xE0:
        return rest_.number(8);
      case 0xF0:
        return rest_.number(3);
      case 0xFE:
        return rest_.number(1);
      default:
        break;
    }
    if (*head < 0xF1 || *head > 0xFD) return std::nullopt;
    return std::to_string(*head - 0xF1);
  }

  ByteReader rest_;
  std::uint64_t last_length_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> ziplist_elements(std::string_view ziplist) {
  if (ziplist.size() <= kZiplistHeader || ziplist.back() != kZiplistEnd) return std::nullopt;
  if (from_little_endian(ziplist.substr(0, 4)) != ziplist.size()) return std::nullopt;
  const std::uint64_t tail = from_little_endian(ziplist.substr(4, 4));
  if (tail > ziplist.size() - 1) return std::nullopt;
  std::vector<std::string> elements;
  ZiplistReader reader(ziplist.substr(kZiplistHeader, ziplist.size() - kZiplistHeader - 1));
  std::size_t last = tail;  // if there are none
  while (reader.left() > 0) {
    last = ziplist.size() - 1 - reader.left();
    auto element = reader.next();
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  const std::uint64_t counted = from_little_endian(ziplist.substr(8, 2));
  if (last != tail || (counted != kUncountedZiplist && counted != elements.size()))
    return std::nullopt;
  return elements;
}

}  // namespace lockstep::sim
