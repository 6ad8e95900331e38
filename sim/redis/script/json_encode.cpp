// From Lua values to JSON, as lua-cjson 2.1.0.
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>

#include "sim/lua51/order.hpp"
#include "sim/lua51/output.hpp"
#include "sim/redis/script/json.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Finds out whether a table is an array, key by key as the original does, in an int: a key beyond
/// its range turns into the lowest one.
class ArrayLength {
 public:
  /// False for a key that no array has.
  bool add(double key) {
    if (!(key >= 1 && std::floor(key) == key)) return false;
    if (key > length) length = key > INT_MAX ? INT_MIN : static_cast<int>(key);
    (key > INT_MAX ? huge_ : small_) = true;
    ++items_;
    return true;
  }

  bool is_sparse(const JsonSettings& settings) const {
    const unsigned places = items_ * static_cast<unsigned>(settings.sparse_ratio);
    return settings.sparse_ratio > 0 && length > static_cast<int>(places) &&
           length > settings.sparse_safe;
  }

  /// The result depends on the order of the keys.
  bool mixed() const { return huge_ && small_; }

  int length = 0;

 private:
  unsigned items_ = 0;
  bool huge_ = false;
  bool small_ = false;
};

class Encoder {
 public:
  Encoder(lua_State* L, const JsonSettings& settings) : L_(L), settings_(settings), out_(L) {}

  void push() const { out_.push(); }

  /// Adds the value on top of the stack, which stays there.
  void add() {
    luaL_checkstack(L_, 6, nullptr);
    switch (lua_type(L_, -1)) {
      case LUA_TSTRING:
        add_text();
        return;
      case LUA_TNUMBER:
        add_number();
        return;
      case LUA_TBOOLEAN:
        out_.add(lua_toboolean(L_, -1) ? "true" : "false");
        return;
      case LUA_TTABLE:
        add_table();
        return;
      case LUA_TNIL:
        out_.add("null");
        return;
      default:
        if (lua_touserdata(L_, -1) || lua_type(L_, -1) != LUA_TLIGHTUSERDATA) {
          fail(-1, "type not supported");
        }
        out_.add("null");
    }
  }

 private:
  [[noreturn]] void fail(int index, const char* reason) {
    raise(L_, "Cannot serialise %s: %s", luaL_typename(L_, index), reason);
  }

  void add_text() {
    std::size_t length = 0;
    const char* text = lua_tolstring(L_, -1, &length);
    out_.add('"');
    for (const char* p = text; p < text + length; ++p) add_escaped(*p);
    out_.add('"');
  }

  void add_escaped(char c) {
    constexpr std::string_view kPlain = "\b\t\n\f\r\"\\/";
    constexpr std::string_view kNamed = "btnfr\"\\/";
    if (const auto named = kPlain.find(c); named != kPlain.npos) {
      out_.add('\\');
      out_.add(kNamed[named]);
    } else if ((c >= 0 && c < ' ') || c == '\x7F') {
      char escape[7];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out_.add(escape);
    } else {
      out_.add(c);
    }
  }

  void add_number() {
    const double value = lua_tonumber(L_, -1);
    const bool invalid = std::isnan(value) || std::isinf(value);
    if (invalid && settings_.encode_invalid == JsonSettings::Invalid::refused) {
      fail(-1, "must not be NaN or Inf");
    }
    if (invalid && settings_.encode_invalid == JsonSettings::Invalid::null) {
      out_.add("null");
    } else if (std::isnan(value)) {
      out_.add("nan");
    } else {
      char text[40];
      std::snprintf(text, sizeof text, "%.*g", settings_.precision, value);
      out_.add(text);
    }
  }

  void add_table() {
    ++depth_;
    if (depth_ > settings_.encode_max_depth || slots_ + 3 > kMaxSlots51) {
      raise(L_, "Cannot serialise, excessive nesting (%d)", depth_);
    }
    const bool proxy = push_real(L_, -1);
    if (!proxy) lua_pushvalue(L_, -1);
    const int length = array_length();
    if (length > 0) {
      add_array(length);
    } else {
      add_object();
    }
    lua_pop(L_, 1);
    --depth_;
  }

  /// The length of the table on top as an array; not above 0 if it becomes an object.
  int array_length() {
    ArrayLength array;
    const int table = lua_gettop(L_);
    lua_pushnil(L_);
    while (lua_next(L_, table)) {
      lua_pop(L_, 1);
      if (lua_type(L_, -1) == LUA_TNUMBER && array.add(lua_tonumber(L_, -1))) continue;
      lua_pop(L_, 1);
      return -1;
    }
    if (array.mixed()) array = array_by_order(table);
    if (!array.is_sparse(settings_)) return array.length;
    if (!settings_.sparse_as_object) fail(-1, "excessively sparse array");
    return -1;
  }

  ArrayLength array_by_order(int table) {
    ArrayLength array;
    const int count = push_ordered_keys(L_, table);
    for (int i = 1; i <= count; ++i) {
      lua_rawgeti(L_, -1, i);
      array.add(lua_tonumber(L_, -1));
      lua_pop(L_, 1);
    }
    lua_pop(L_, 1);
    return array;
  }

  void add_array(int length) {
    ++slots_;
    out_.add('[');
    for (int i = 1; i <= length; ++i) {
      if (i > 1) out_.add(',');
      lua_rawgeti(L_, -1, i);
      add();
      lua_pop(L_, 1);
    }
    out_.add(']');
    --slots_;
  }

  void add_object() {
    const int table = lua_gettop(L_);
    slots_ += 2;
    out_.add('{');
    const int count = push_ordered_keys(L_, table);
    for (int i = 1; i <= count; ++i) {
      if (i > 1) out_.add(',');
      lua_rawgeti(L_, table + 1, i);
      add_key();
      lua_rawget(L_, table);
      add();
      lua_pop(L_, 1);
    }
    lua_pop(L_, 1);
    out_.add('}');
    slots_ -= 2;
  }

  void add_key() {
    switch (lua_type(L_, -1)) {
      case LUA_TNUMBER:
        out_.add('"');
        add_number();
        out_.add("\":");
        return;
      case LUA_TSTRING:
        add_text();
        out_.add(':');
        return;
      default:
        fail(-1, "table key must be a number or string");
    }
  }

  lua_State* L_;
  const JsonSettings& settings_;
  Output out_;
  int depth_ = 0;
  int slots_ = 1;  ///< values on the stack of 5.1
};

}  // namespace

void push_as_json(lua_State* L, const JsonSettings& settings) {
  Encoder encoder(L, settings);
  lua_pushvalue(L, 1);
  encoder.add();
  encoder.push();
}

}  // namespace lockstep::sim::dialect
