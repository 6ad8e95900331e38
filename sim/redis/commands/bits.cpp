// Commands on the bits of a string (Redis 7.0 bitops.c). Bit 0 is the highest one of the first
// byte.
#include <algorithm>
#include <bit>

#include "sim/base/ascii.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::int64_t kBits = 8;

std::int64_t offset_argument(const std::string& text) {
  const char* error = "ERR bit offset is not an integer or out of range";
  const std::int64_t offset = integer_from(0, text, error);
  if (offset / kBits >= kLongestString) refuse(error);
  return offset;
}

bool bit_at(const std::string& text, std::int64_t offset) {
  const auto byte = static_cast<std::size_t>(offset / kBits);
  if (byte >= text.size()) return false;
  return (static_cast<unsigned char>(text[byte]) >> (kBits - 1 - offset % kBits) & 1) != 0;
}

bool is_bit_unit(const std::string& word) {
  if (is_word(word, "bit")) return true;
  if (!is_word(word, "byte")) refuse_syntax();
  return false;
}

/// The bits that "start [end [BYTE|BIT]]" at argv[at] mean in a text.
struct BitRange {
  std::int64_t begin = 0, end = 0;  ///< in bits, half-open
  bool ends = false;                ///< an end was given
};

BitRange bit_range(const Request& argv, std::size_t at, const std::string& text) {
  BitRange range;
  auto size = static_cast<std::int64_t>(text.size());
  std::int64_t first = 0, last = -1, unit = kBits;
  if (argv.size() > at + 3) refuse_syntax();
  if (argv.size() > at) first = integer_argument(argv[at]);
  range.ends = argv.size() > at + 1;
  if (argv.size() == at + 3 && is_bit_unit(argv[at + 2])) {
    unit = 1;
    size *= kBits;
  }
  if (range.ends) last = integer_argument(argv[at + 1]);
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last = std::max<std::int64_t>(last + size, 0);
  range.begin = std::min(first, size) * unit;
  range.end = (std::min(last, size - 1) + 1) * unit;
  if (first >= size) range.begin = range.end;
  return range;
}

char combined(const std::string& operation, char a, char b) {
  const auto x = static_cast<unsigned char>(a), y = static_cast<unsigned char>(b);
  if (operation == "and") return static_cast<char>(x & y);
  if (operation == "or") return static_cast<char>(x | y);
  return static_cast<char>(x ^ y);
}

/// All texts, the shorter ones as if zero bytes followed.
std::string combined(const std::string& operation, std::vector<std::string> texts) {
  std::size_t size = 0;
  for (const auto& text : texts) size = std::max(size, text.size());
  for (auto& text : texts) text.resize(size, '\0');
  std::string result = texts[0];
  if (operation == "not") {
    for (char& c : result) c = static_cast<char>(~c);
  }
  for (std::size_t t = 1; t < texts.size(); ++t) {
    for (std::size_t i = 0; i < size; ++i) result[i] = combined(operation, result[i], texts[t][i]);
  }
  return result;
}

Reply run_getbit(Call& call) {
  const std::int64_t offset = offset_argument(call.argv[2]);
  const std::string* text = call.read<std::string>(call.argv[1]);
  return Reply::number(text && bit_at(*text, offset) ? 1 : 0);
}

Reply run_setbit(Call& call) {
  const std::int64_t offset = offset_argument(call.argv[2]);
  const char* error = "ERR bit is not an integer or out of range";
  const std::int64_t bit = integer_from(0, call.argv[3], error);
  if (bit > 1) refuse(error);
  const bool is_new = call.find(call.argv[1]) == nullptr;
  auto& text = call.at_or_new<std::string>(call.argv[1]);
  const bool old = bit_at(text, offset);
  const std::size_t size_before = text.size();
  const auto byte = static_cast<std::size_t>(offset / kBits);
  text.resize(std::max(text.size(), byte + 1), '\0');
  const auto mask = static_cast<unsigned char>(1U << (kBits - 1 - offset % kBits));
  const auto value = static_cast<unsigned char>(text[byte]);
  text[byte] = static_cast<char>(bit != 0 ? value | mask : value & ~mask);
  Entry& entry = *call.find(call.argv[1]);
  entry.encoding = Encoding::large;
  if (is_new) entry.maker = 0;  // each bit is somebody's
  if ((bit != 0) != old)
    write_piece(entry.shares, static_cast<std::uint64_t>(offset), 1, call.execution.sender,
                bit == 0);
  if (is_new || text.size() != size_before || (bit != 0) != old)
    call.notify(kStringEvents, "setbit", call.argv[1]);
  return Reply::number(old ? 1 : 0);
}

Reply run_bitcount(Call& call) {
  const std::string* text = call.read<std::string>(call.argv[1]);
  if (!text) return Reply::number(0);
  if (call.argv.size() == 3 || call.argv.size() > 5) refuse_syntax();
  if (call.argv.size() > 3) {  // both from the end, in the wrong order: nothing, whatever the unit
    const std::int64_t first = integer_argument(call.argv[2]);
    const std::int64_t last = integer_argument(call.argv[3]);
    if (first < 0 && last < 0 && first > last) return Reply::number(0);
  }
  const BitRange range = bit_range(call.argv, 2, *text);
  std::int64_t count = 0;
  for (std::int64_t bit = range.begin; bit < range.end; ++bit) count += bit_at(*text, bit) ? 1 : 0;
  return Reply::number(count);
}

Reply run_bitpos(Call& call) {
  const std::int64_t wanted = integer_argument(call.argv[2]);
  if (wanted != 0 && wanted != 1) refuse("ERR The bit argument must be 1 or 0.");
  const std::string* text = call.read<std::string>(call.argv[1]);
  if (!text) return Reply::number(wanted == 1 ? -1 : 0);
  const BitRange range = bit_range(call.argv, 3, *text);
  if (range.begin >= range.end) return Reply::number(-1);
  for (std::int64_t bit = range.begin; bit < range.end; ++bit) {
    if (bit_at(*text, bit) == (wanted == 1)) return Reply::number(bit);
  }
  // Without an end, the text counts as followed by zeros.
  return Reply::number(wanted == 0 && !range.ends ? range.end : -1);
}

Reply run_bitop(Call& call) {
  const Request& argv = call.argv;
  const std::string operation = lower_case(c_text(argv[1]));
  const bool known =
      operation == "and" || operation == "or" || operation == "xor" || operation == "not";
  if (!known) refuse_syntax();
  if (operation == "not" && argv.size() != 4) {
    refuse("ERR BITOP NOT must be called with a single source key.");
  }
  std::vector<std::string> texts;
  for (std::size_t i = 3; i < argv.size(); ++i) {
    const std::string* text = call.read<std::string>(argv[i]);
    texts.push_back(text ? *text : "");
  }
  std::string result = combined(operation, std::move(texts));
  Entry made = new_entry(std::move(result), call.execution.sender);
  made.encoding = Encoding::large;
  return store_made(call, argv[2], std::move(made), kStringEvents, "set");
}

constexpr Command kBitsRows[] = {
    {{"getbit", 3, kReadOnly | kFast, "bitmap", {{"RO access", 1}}}, run_getbit, {kLooksAtBytes}},
    {{"setbit", 4, kWrite | kDenyOom, "bitmap", {{"RW access update", 1}}},
     run_setbit,
     {kMultiplies | kLooksAtBytes}},
    {{"bitcount", -2, kReadOnly, "bitmap", {{"RO access", 1}}}, run_bitcount, {kLooksAtBytes}},
    {{"bitpos", -3, kReadOnly, "bitmap", {{"RO access", 1}}}, run_bitpos, {kLooksAtBytes}},
    {{"bitop", -4, kWrite | kDenyOom, "bitmap", {{"OW update", 2}, {"RO access", 3, -1}}},
     run_bitop,
     {.traits = kMultiplies | kLooksAtBytes, .touches = touches_if_positive}},
};

}  // namespace

std::span<const Command> bit_commands() { return kBitsRows; }

}  // namespace lockstep::sim
