// The library `cmsgpack` of Redis's scripts (lua-cmsgpack 0.4.0): Lua values as MessagePack, and
// back.
#include <array>
#include <bit>
#include <climits>
#include <cmath>

#include "sim/lua51/order.hpp"
#include "sim/lua51/output.hpp"
#include "sim/lua51/runtime.hpp"
#include "sim/redis/script/libraries.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr int kMaxNesting = 16;  ///< deeper tables are packed as nil

// ---- pack ----

/// The heads of a family of values: those whose length or value follows in 1, 2, 4 or 8 bytes; 0
/// where there is none.
struct Heads {
  unsigned char one, two, four, eight;
};

class Packer {
 public:
  explicit Packer(lua_State* L) : L_(L), out_(L) {}

  void push() const { out_.push(); }

  /// Adds the value on top of the stack, which is popped. `level` tables are around it.
  void add(int level) {
    luaL_checkstack(L_, 6, nullptr);
    switch (lua_type(L_, -1)) {
      case LUA_TSTRING:
        add_text();
        break;
      case LUA_TNUMBER:
        show_sought(L_, -1);
        add_number(lua_tonumber(L_, -1));
        break;
      case LUA_TBOOLEAN:
        out_.add(lua_toboolean(L_, -1) ? '\xC3' : '\xC2');
        break;
      case LUA_TTABLE:
        if (level < kMaxNesting) {
          add_table(level);
          break;
        }
        [[fallthrough]];
      default:
        out_.add('\xC0');
    }
    lua_pop(L_, 1);
  }

 private:
  void add_bytes(unsigned char head, std::uint64_t value, int count) {
    out_.add(static_cast<char>(head));
    for (int i = count - 1; i >= 0; --i) out_.add(static_cast<char>(value >> (8 * i)));
  }

  /// Adds the smallest head that `value` fits.
  void add_headed(const Heads& heads, std::uint64_t value) {
    if (heads.one && value <= 0xFF) {
      add_bytes(heads.one, value, 1);
    } else if (value <= 0xFFFF) {
      add_bytes(heads.two, value, 2);
    } else if (value <= 0xFFFF'FFFF) {
      add_bytes(heads.four, value, 4);
    } else {
      add_bytes(heads.eight, value, 8);
    }
  }

  void add_text() {
    std::size_t length = 0;
    const char* text = lua_tolstring(L_, -1, &length);
    if (length < 32) {
      out_.add(static_cast<char>(0xA0 | length));
    } else {
      add_headed({0xD9, 0xDA, 0xDB, 0}, length);
    }
    out_.add(std::string_view(text, length));
  }

  void add_number(double value) {
    if (!std::isinf(value) && static_cast<double>(truncate(value)) == value) {
      add_integer(truncate(value));
    } else if (static_cast<double>(static_cast<float>(value)) == value) {
      add_bytes(0xCA, std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
    } else {
      add_bytes(0xCB, std::bit_cast<std::uint64_t>(value), 8);
    }
  }

  void add_integer(std::int64_t value) {
    const auto raw = static_cast<std::uint64_t>(value);
    if (value >= 0) {
      if (value <= 0x7F) return out_.add(static_cast<char>(raw));
      return add_headed({0xCC, 0xCD, 0xCE, 0xCF}, raw);
    }
    if (value >= -32) return out_.add(static_cast<char>(raw));
    if (value >= INT8_MIN) return add_bytes(0xD0, raw, 1);
    if (value >= INT16_MIN) return add_bytes(0xD1, raw, 2);
    if (value >= INT32_MIN) return add_bytes(0xD2, raw, 4);
    add_bytes(0xD3, raw, 8);
  }

  void add_table(int level) {
    if (push_real(L_, -1)) lua_replace(L_, -2);
    const int table = lua_gettop(L_);
    const auto [count, is_array] = shape(table);
    const auto head = static_cast<unsigned char>(is_array ? 0x90 : 0x80);
    if (count <= 15) {
      out_.add(static_cast<char>(head | count));
    } else {
      add_headed(is_array ? Heads{0, 0xDC, 0xDD, 0} : Heads{0, 0xDE, 0xDF, 0}, count);
    }
    if (is_array) {
      for (std::uint64_t i = 1; i <= count; ++i) {
        lua_rawgeti(L_, table, static_cast<lua_Integer>(i));
        add(level + 1);
      }
    } else {
      add_pairs(table, level);
    }
  }

  struct Shape {
    std::uint64_t count;
    bool is_array;  ///< its keys are 1..count
  };

  Shape shape(int table) {
    std::uint64_t count = 0;
    double largest = 0;
    bool is_array = true;
    lua_pushnil(L_);
    while (lua_next(L_, table)) {
      lua_pop(L_, 1);
      ++count;
      const double key = lua_type(L_, -1) == LUA_TNUMBER ? lua_tonumber(L_, -1) : 0;
      is_array = is_array && key > 0 && key == std::floor(key);
      largest = std::max(largest, key);
    }
    return {count, is_array && largest == static_cast<double>(count)};
  }

  void add_pairs(int table, int level) {
    const int count = push_ordered_keys(L_, table);
    const int keys = lua_gettop(L_);
    for (int i = 1; i <= count; ++i) {
      lua_rawgeti(L_, keys, i);
      lua_pushvalue(L_, -1);
      add(level + 1);
      lua_rawget(L_, table);
      add(level + 1);
    }
    lua_pop(L_, 1);
  }

  lua_State* L_;
  Output out_;
};

int cmsgpack_pack(lua_State* L) {
  const int count = lua_gettop(L);
  if (count == 0) argument_error(L, 0, "MessagePack pack needs input.");
  if (2 * count > kMaxSlots51) {
    argument_error(L, 0, "Too many arguments for MessagePack pack.");
  }
  Packer packer(L);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(L, i);
    packer.add(0);
  }
  packer.push();
  return 1;
}

// ---- unpack ----

class Unpacker {
 public:
  enum class Problem { none, ends, malformed };

  /// Reads from `text`. `slots`: values on the stack of 5.1 at this point.
  Unpacker(lua_State* L, std::string_view text, int slots) : L_(L), text_(text), slots_(slots) {}

  std::size_t left() const { return text_.size() - at_; }
  Problem problem() const { return problem_; }

  /// Pushes the next value; false if there is a problem.
  bool value() {
    check_slots("too many return values at once; use unpack_one or unpack_limit instead.");
    luaL_checkstack(L_, 4, nullptr);
    unsigned head = 0;
    if (!byte(head)) return false;
    if (head <= 0x7F) return number(static_cast<double>(head));
    if (head <= 0x8F) return map(head & 0xF);
    if (head <= 0x9F) return array(head & 0xF);
    if (head <= 0xBF) return text(head & 0x1F);
    if (head >= 0xE0) return number(static_cast<double>(head) - 256);
    return headed(head);
  }

 private:
  bool headed(unsigned head) {
    constexpr std::array kSizes{1, 2, 4, 8};
    switch (head) {
      case 0xC0:
        lua_pushnil(L_);
        return pushed();
      case 0xC2:
      case 0xC3:
        lua_pushboolean(L_, head == 0xC3);
        return pushed();
      case 0xCA:
      case 0xCB:
        return floating(head);
      case 0xCC:
      case 0xCD:
      case 0xCE:
      case 0xCF:
        return whole(kSizes[head - 0xCC], false);
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3:
        return whole(kSizes[head - 0xD0], true);
      case 0xD9:
      case 0xDA:
      case 0xDB:
        return counted(kSizes[head - 0xD9], &Unpacker::text);
      case 0xDC:
      case 0xDD:
        return counted(kSizes[head - 0xDC + 1], &Unpacker::array);
      case 0xDE:
      case 0xDF:
        return counted(kSizes[head - 0xDE + 1], &Unpacker::map);
      default:
        problem_ = Problem::malformed;
        return false;
    }
  }

  bool byte(unsigned& value) {
    std::uint64_t read = 0;
    if (!bytes(1, read)) return false;
    value = static_cast<unsigned>(read);
    return true;
  }

  bool enough(std::uint64_t count) {
    if (count <= left()) return true;
    problem_ = Problem::ends;
    return false;
  }

  bool bytes(int count, std::uint64_t& value) {
    if (!enough(static_cast<std::uint64_t>(count))) return false;
    for (; count > 0; --count) value = value << 8 | static_cast<unsigned char>(text_[at_++]);
    return true;
  }

  bool pushed() {
    ++slots_;
    return true;
  }

  bool number(double value) {
    lua_pushnumber(L_, value);
    return pushed();
  }

  bool whole(int size, bool is_signed) {
    std::uint64_t raw = 0;
    if (!bytes(size, raw)) return false;
    const int unused = is_signed ? 64 - 8 * size : 0;  // 64 bits are signed in any case
    return number(static_cast<double>(static_cast<std::int64_t>(raw << unused) >> unused));
  }

  bool floating(unsigned head) {
    std::uint64_t raw = 0;
    if (!bytes(head == 0xCA ? 4 : 8, raw)) return false;
    return number(head == 0xCA ? std::bit_cast<float>(static_cast<std::uint32_t>(raw))
                               : std::bit_cast<double>(raw));
  }

  bool counted(int size, bool (Unpacker::*read)(std::uint64_t)) {
    std::uint64_t count = 0;
    return bytes(size, count) && (this->*read)(count);
  }

  bool text(std::uint64_t length) {
    if (!enough(length)) return false;
    lua_pushlstring(L_, text_.data() + at_, length);
    at_ += length;
    return pushed();
  }

  bool array(std::uint64_t count) {
    lua_newtable(L_);
    ++slots_;
    check_slots("in function mp_decode_to_lua_array");
    for (std::uint64_t i = 1; i <= count; ++i) {
      ++slots_;  // there the index lies below the element
      if (!value()) return false;
      lua_rawseti(L_, -2, static_cast<lua_Integer>(i));
      slots_ -= 2;
    }
    return true;
  }

  bool map(std::uint64_t count) {
    lua_newtable(L_);
    ++slots_;
    for (; count > 0; --count) {
      if (!value() || !value()) return false;
      if (lua_isnil(L_, -2)) raise_without_place(L_, "table index is nil");
      if (is_nan(-2)) raise_without_place(L_, "table index is NaN");
      lua_rawset(L_, -3);
      slots_ -= 2;
    }
    return true;
  }

  bool is_nan(int index) {
    return lua_type(L_, index) == LUA_TNUMBER && std::isnan(lua_tonumber(L_, index));
  }

  void check_slots(const char* what) {
    if (slots_ + 1 > kMaxSlots51) raise(L_, "stack overflow (%s)", what);
  }

  lua_State* L_;
  std::string_view text_;
  std::size_t at_ = 0;
  int slots_;
  Problem problem_ = Problem::none;
};

/// Unpacks at most `limit` values of argument 1 from `offset` on; all of them without the offset
/// behind if both are 0.
int unpack_from(lua_State* L, std::int64_t limit, std::int64_t offset) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  const auto shown_offset = static_cast<int>(offset);
  const auto shown_length = static_cast<int>(length);
  if (offset < 0 || limit < 0) {
    raise(L, "Invalid request to unpack with offset of %d and limit of %d.", shown_offset,
          shown_length);
  }
  if (static_cast<std::uint64_t>(offset) > length) {
    raise(L, "Start offset %d greater than input length %d.", shown_offset, shown_length);
  }
  const bool all = limit == 0 && offset == 0;
  Unpacker unpacker(L, {text + offset, length - static_cast<std::size_t>(offset)}, lua_gettop(L));
  const int below = lua_gettop(L);
  std::int64_t count = 0;
  for (; unpacker.left() > 0 && (all || count < limit) && unpacker.value(); ++count) {
  }
  if (unpacker.problem() == Unpacker::Problem::ends) raise(L, "Missing bytes in input.");
  if (unpacker.problem() == Unpacker::Problem::malformed) raise(L, "Bad data format in input.");
  if (all) return static_cast<int>(count);
  const std::size_t left = unpacker.left();
  lua_pushnumber(L, left == 0 ? -1 : static_cast<double>(length - left));
  lua_insert(L, below + 1);
  return static_cast<int>(count) + 1;
}

int cmsgpack_unpack(lua_State* L) { return unpack_from(L, 0, 0); }

int cmsgpack_unpack_one(lua_State* L) {
  const std::int64_t offset = optional_integer(L, 2, 0);
  lua_settop(L, 1);
  return unpack_from(L, 1, offset);
}

int cmsgpack_unpack_limit(lua_State* L) {
  const std::int64_t limit = check_integer(L, 2);
  const std::int64_t offset = optional_integer(L, 3, 0);
  lua_settop(L, 1);
  return unpack_from(L, limit, offset);
}

constexpr Function51 kCmsgpackFunctions[] = {
    {"pack", guarded<cmsgpack_pack>},
    {"unpack", guarded<cmsgpack_unpack>},
    {"unpack_limit", guarded<cmsgpack_unpack_limit>},
    {"unpack_one", guarded<cmsgpack_unpack_one>},
};

}  // namespace

void open_cmsgpack(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kCmsgpackFunctions, std::size(kCmsgpackFunctions));
  constexpr std::array<std::array<const char*, 2>, 4> kTexts{{
      {"_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo"},
      {"_DESCRIPTION", "MessagePack C implementation for Lua"},
      {"_NAME", "cmsgpack"},
      {"_VERSION", "lua-cmsgpack 0.4.0"},
  }};
  for (const auto& [name, text] : kTexts) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
  }
}

}  // namespace lockstep::sim::dialect
