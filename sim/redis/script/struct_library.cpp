// The library `struct` of Redis's scripts (lua-struct 0.2): numbers and strings as bytes in a given
// layout, and back.
#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstring>

#include "sim/base/ascii.hpp"
#include "sim/lua51/output.hpp"
#include "sim/lua51/runtime.hpp"
#include "sim/redis/script/libraries.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr int kMaxInteger = 32;      ///< bytes of the largest i and I
constexpr int kNativeAlignment = 8;  ///< of ! without a number

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads a format option by option; keeps byte order and alignment.
class Layout {
 public:
  Layout(lua_State* L, const char* format) : L_(L), at_(format) {}

  /// Goes to the next option; false at the end. A NUL ends the format.
  bool next() {
    if (*at_ == '\0') return false;
    option = *at_++;
    size = option_size();
    return true;
  }

  /// The padding that the option needs at `position`.
  std::size_t padding(std::size_t position) const {
    if (size == 0 || option == 'c') return 0;
    const std::size_t unit = std::min(size, alignment_);
    if (unit <= 1) return 0;
    return (unit - (position & (unit - 1))) & (unit - 1);
  }

  /// Carries out an option that is not a value; raises an error if there is none such.
  void control() {
    switch (option) {
      case ' ':
        return;
      case '<':
        little_endian = true;
        return;
      case '>':
        little_endian = false;
        return;
      case '!': {
        const int unit = number_or(kNativeAlignment);
        if (unit == 0 || (unit & (unit - 1)) != 0) {
          raise(L_, "alignment %d is not a power of 2", unit);
        }
        alignment_ = static_cast<std::size_t>(unit);
        return;
      }
      default:
        lua_pushfstring(L_, "invalid format option '%c'", option);
        argument_error(L_, 1, lua_tostring(L_, -1));
    }
  }

  char option = '\0';
  std::size_t size = 0;  ///< of the option, in bytes; 0 if it has none of its own
  bool little_endian = true;

 private:
  int number_or(int otherwise) {
    if (!is_digit(*at_)) return otherwise;
    int value = 0;
    for (; is_digit(*at_); ++at_) {
      const int digit = *at_ - '0';
      if (value > INT_MAX / 10 || value * 10 > INT_MAX - digit) {
        raise(L_, "integral size overflow");
      }
      value = value * 10 + digit;
    }
    return value;
  }

  std::size_t option_size() {
    switch (option) {
      case 'b':
      case 'B':
      case 'x':
        return 1;
      case 'h':
      case 'H':
        return 2;
      case 'f':
        return 4;
      case 'l':
      case 'L':
      case 'T':
      case 'd':
        return 8;
      case 'c':
        return static_cast<std::size_t>(number_or(1));
      case 'i':
      case 'I': {
        const int bytes = number_or(4);
        if (bytes > kMaxInteger) {
          raise(L_, "integral size %d is larger than limit of %d", bytes, kMaxInteger);
        }
        return static_cast<std::size_t>(bytes);
      }
      default:
        return 0;
    }
  }

  lua_State* L_;
  const char* at_;
  std::size_t alignment_ = 1;
};

// ---- pack ----

/// Adds `value` in `layout.size` bytes; what lies beyond 64 bits is 0.
void add_integer(Output& out, const Layout& layout, std::uint64_t value) {
  std::array<char, kMaxInteger> bytes{};
  for (std::size_t i = 0; i < std::min<std::size_t>(layout.size, 8); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * i));
  }
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(layout.size);
  if (!layout.little_endian) std::reverse(bytes.begin(), end);
  out.add(std::string_view(bytes.data(), layout.size));
}

std::uint64_t to_bits(double value) {
  return value < 0 ? static_cast<std::uint64_t>(truncate(value)) : to_unsigned(value);
}

/// Packs the argument at `argument` and moves it on.
void pack_text(lua_State* L, Output& out, const Layout& layout, int& argument) {
  std::size_t length = 0;
  const char* text = check_text(L, argument++, &length);
  const std::size_t size = layout.size == 0 ? length : layout.size;
  if (length < size) argument_error(L, argument, "string too short");
  out.add(std::string_view(text, size));
  if (layout.option == 's') out.add('\0');
}

void pack_option(lua_State* L, Output& out, Layout& layout, int& argument) {
  switch (layout.option) {
    case 'b':
    case 'B':
    case 'h':
    case 'H':
    case 'l':
    case 'L':
    case 'T':
    case 'i':
    case 'I':
      add_integer(out, layout, to_bits(check_number(L, argument++)));
      return;
    case 'x':
      out.add('\0');
      return;
    case 'f':
      add_integer(out, layout,
                  std::bit_cast<std::uint32_t>(static_cast<float>(check_number(L, argument++))));
      return;
    case 'd':
      add_integer(out, layout, std::bit_cast<std::uint64_t>(check_number(L, argument++)));
      return;
    case 'c':
    case 's':
      pack_text(L, out, layout, argument);
      return;
    default:
      layout.control();
  }
}

int struct_pack(lua_State* L) {
  Layout layout(L, check_text(L, 1, nullptr));
  lua_pushnil(L);  // what an option without an argument reads
  Output out(L);
  int argument = 2;
  while (layout.next()) {
    out.add(layout.padding(out.size()), '\0');
    pack_option(L, out, layout, argument);
  }
  out.push();
  return 1;
}

// ---- unpack ----

/// The `layout.size` bytes at `bytes` as a whole number; what lies beyond 64 bits is not read.
std::uint64_t read_integer(const char* bytes, const Layout& layout) {
  std::uint64_t value = 0;
  const std::size_t read = std::min<std::size_t>(layout.size, 8);
  for (std::size_t i = 0; i < read; ++i) {
    const std::size_t at = layout.little_endian ? i : layout.size - 1 - i;
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << (8 * i);
  }
  return value;
}

/// The same, signed. The original shifts by 8 * size - 1 bits, of which x86 takes the last six.
double read_signed(const char* bytes, const Layout& layout) {
  std::uint64_t value = read_integer(bytes, layout);
  const std::uint64_t sign = ~std::uint64_t{0} << ((8 * layout.size - 1) & 63);
  if ((value & sign) != 0) value |= sign;
  return static_cast<double>(static_cast<std::int64_t>(value));
}

class Unpacking {
 public:
  explicit Unpacking(lua_State* L)
      : L_(L), layout_(L, check_text(L, 1, nullptr)), data_(check_text(L, 2, &length_)) {}

  int run() {
    const std::int64_t first = optional_integer(L_, 3, 1);
    if (first == 0) argument_error(L_, 3, "offset must be 1 or greater");
    position_ = static_cast<std::size_t>(first) - 1;  // a negative one lies far behind the data
    while (layout_.next()) {
      position_ += layout_.padding(position_);
      check_data(layout_.size);
      if (lua_gettop(L_) + 2 > kMaxSlots51) raise(L_, "stack overflow (%s)", "too many results");
      luaL_checkstack(L_, 3, nullptr);
      unpack_option();
    }
    lua_pushnumber(L_, static_cast<double>(static_cast<std::int64_t>(position_ + 1)));
    return results_ + 1;
  }

 private:
  void check_data(std::size_t size) {
    if (size > length_ || position_ > length_ - size) {
      argument_error(L_, 2, "data string too short");
    }
  }

  void unpack_option() {
    switch (layout_.option) {
      case 'b':
      case 'h':
      case 'l':
      case 'i':
        push(read_signed(data_ + position_, layout_));
        break;
      case 'B':
      case 'H':
      case 'L':
      case 'T':
      case 'I':
        push(static_cast<double>(read_integer(data_ + position_, layout_)));
        break;
      case 'x':
        break;
      case 'f':
        push(std::bit_cast<float>(
            static_cast<std::uint32_t>(read_integer(data_ + position_, layout_))));
        break;
      case 'd':
        push(std::bit_cast<double>(read_integer(data_ + position_, layout_)));
        break;
      case 'c':
        unpack_counted();
        return;
      case 's':
        unpack_terminated();
        return;
      default:
        layout_.control();
    }
    position_ += layout_.size;
  }

  void push(double value) {
    lua_pushnumber(L_, value);
    ++results_;
  }

  void push_text(std::size_t length) {
    lua_pushlstring(L_, data_ + position_, length);
    ++results_;
  }

  /// cN; c0 takes its length from the result before it, which it replaces.
  void unpack_counted() {
    std::size_t size = layout_.size;
    if (size == 0) {
      double number = 0;
      if (results_ == 0 || !to_number(L_, -1, number)) {
        raise(L_, "format 'c0' needs a previous size");
      }
      size = to_unsigned(number);
      lua_pop(L_, 1);
      --results_;
      check_data(size);
    }
    push_text(size);
    position_ += size;
  }

  void unpack_terminated() {
    const auto* end =
        static_cast<const char*>(std::memchr(data_ + position_, '\0', length_ - position_));
    if (!end) raise(L_, "unfinished string in data");
    const auto length = static_cast<std::size_t>(end - (data_ + position_));
    push_text(length);
    position_ += length + 1;
  }

  lua_State* L_;
  Layout layout_;
  std::size_t length_ = 0;
  const char* data_;
  std::size_t position_ = 0;
  int results_ = 0;
};

int struct_unpack(lua_State* L) { return Unpacking(L).run(); }

int struct_size(lua_State* L) {
  Layout layout(L, check_text(L, 1, nullptr));
  std::size_t position = 0;
  while (layout.next()) {
    position += layout.padding(position);
    if (layout.option == 's') argument_error(L, 1, "option 's' has no fixed size");
    if (layout.option == 'c' && layout.size == 0) {
      argument_error(L, 1, "option 'c0' has no fixed size");
    }
    if (!is_letter(layout.option) && !is_digit(layout.option)) layout.control();
    position += layout.size;
  }
  lua_pushnumber(L, static_cast<double>(position));
  return 1;
}

constexpr Function51 kStructFunctions[] = {
    {"pack", guarded<struct_pack>},
    {"size", guarded<struct_size>},
    {"unpack", guarded<struct_unpack>},
};

}  // namespace

void open_struct(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kStructFunctions, std::size(kStructFunctions));
}

}  // namespace lockstep::sim::dialect
