// From JSON to Lua values, as lua-cjson 2.1.0 reads it.
#include <array>
#include <cstdlib>
#include <cstring>

#include "sim/base/ascii.hpp"
#include "sim/lua51/output.hpp"
#include "sim/redis/script/json.hpp"

namespace lockstep::sim::dialect {

namespace {

struct JsonToken {
  enum class Kind : std::uint8_t {
    object_begin,
    object_end,
    array_begin,
    array_end,
    string,
    number,
    boolean,
    null,
    colon,
    comma,
    end,
    error
  };
  Kind kind = Kind::end;
  std::size_t at = 0;  ///< where it begins; of an error, where that is
  double number = 0;   ///< a number's value; a boolean's is 0 or 1
  const char* error = nullptr;
};
using JsonKind = JsonToken::Kind;

/// As errors name the kinds of tokens.
constexpr std::array kKindNames{"T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END",
                                "T_STRING",    "T_NUMBER",  "T_BOOLEAN",   "T_NULL",
                                "T_COLON",     "T_COMMA",   "T_END",       "T_ERROR"};

/// Whether `text` begins with a word of small letters, in any case.
bool is_word_in_any_case(const char* text, std::string_view word) {
  for (const char letter : word) {
    if ((*text++ | 0x20) != letter) return false;
  }
  return true;
}

/// The value of four hexadecimal digits, or -1.
int hex4(const char* digits) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const char lower =
        static_cast<char>(digits[i] | ('A' <= digits[i] && digits[i] <= 'F' ? 0x20 : 0));
    const auto digit = kDigits.find(lower);
    if (digit == kDigits.npos) return -1;
    value = value * 16 + static_cast<int>(digit);
  }
  return value;
}

/// The parts of JSON. The text is a Lua string, which a NUL follows; a NUL in it is its end.
class JsonLexer {
 public:
  JsonLexer(lua_State* L, const char* text, bool invalid_numbers)
      : out(L), text_(text), at_(text), invalid_numbers_(invalid_numbers) {}

  JsonToken next() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') ++at_;
    constexpr std::string_view kMarks = "{}[]:,";
    constexpr std::array kMarkKinds{JsonKind::object_begin, JsonKind::object_end,
                                    JsonKind::array_begin,  JsonKind::array_end,
                                    JsonKind::colon,        JsonKind::comma};
    if (*at_ == '\0') return token(JsonKind::end, 0);
    if (const auto mark = kMarks.find(*at_); mark != kMarks.npos) {
      return token(kMarkKinds[mark], 1);
    }
    if (*at_ == '"') return string();
    if (*at_ == '-' || is_digit(*at_)) {
      return is_invalid_number() && !invalid_numbers_ ? error("invalid number") : number();
    }
    if (starts_with("true")) return token(JsonKind::boolean, 4, 1);
    if (starts_with("false")) return token(JsonKind::boolean, 5, 0);
    if (starts_with("null")) return token(JsonKind::null, 4);
    if (invalid_numbers_ && is_invalid_number()) return number();
    return error("invalid token");
  }

  std::size_t position() const { return static_cast<std::size_t>(at_ - text_); }

  Output out;  ///< the last string

 private:
  JsonToken token(JsonKind kind, std::size_t length, double value = 0) {
    const JsonToken result{kind, position(), value, nullptr};
    at_ += length;
    return result;
  }
  JsonToken error(const char* what) const { return {JsonKind::error, position(), 0, what}; }

  bool starts_with(const char* word) const {
    return std::strncmp(at_, word, std::strlen(word)) == 0;
  }

  /// What strtod reads and JSON does not have; not complete, as in the original.
  bool is_invalid_number() const {
    const char* p = at_;
    if (*p == '+') return true;
    if (*p == '-') ++p;
    if (*p == '0') return is_digit(p[1]) || p[1] == 'x' || p[1] == 'X';
    if (is_digit(*p)) return false;
    return is_word_in_any_case(p, "inf") || is_word_in_any_case(p, "nan");
  }

  JsonToken number() {
    char* end = nullptr;
    const double value = std::strtod(at_, &end);
    if (end == at_) return error("invalid number");
    return token(JsonKind::number, static_cast<std::size_t>(end - at_), value);
  }

  JsonToken string() {
    const std::size_t begin = position();
    out.clear();
    for (++at_; *at_ != '"';) {
      if (*at_ == '\0') return error("unexpected end of string");
      if (*at_ != '\\') {
        out.add(*at_++);
      } else if (at_[1] == 'u') {
        if (!unicode_escape()) return error("invalid unicode escape code");
      } else if (!plain_escape()) {
        return error("invalid escape code");
      }
    }
    ++at_;
    return {JsonKind::string, begin, 0, nullptr};
  }

  bool plain_escape() {
    constexpr std::string_view kNamed = "\"\\/btnfr";
    constexpr std::string_view kPlain = "\"\\/\b\t\n\f\r";
    const auto named = at_[1] == '\0' ? kNamed.npos : kNamed.find(at_[1]);
    if (named == kNamed.npos) return false;
    out.add(kPlain[named]);
    at_ += 2;
    return true;
  }

  /// \uXXXX, or two of them that are a surrogate pair.
  bool unicode_escape() {
    int code = hex4(at_ + 2);
    if (code < 0) return false;
    std::size_t length = 6;
    if ((code & 0xF800) == 0xD800) {
      if ((code & 0x400) != 0 || at_[6] != '\\' || at_[7] != 'u') return false;
      const int low = hex4(at_ + 8);
      if (low < 0 || (low & 0xFC00) != 0xDC00) return false;
      code = (((code & 0x3FF) << 10) | (low & 0x3FF)) + 0x10000;
      length = 12;
    }
    add_utf8(static_cast<unsigned>(code));
    at_ += length;
    return true;
  }

  void add_utf8(unsigned code) {
    const auto part = [&](unsigned shift) { add_byte(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return add_byte(code);
    if (code < 0x800) {
      add_byte(0xC0 | code >> 6);
    } else if (code < 0x10000) {
      add_byte(0xE0 | code >> 12);
      part(6);
    } else {
      add_byte(0xF0 | code >> 18);
      part(12);
      part(6);
    }
    part(0);
  }
  void add_byte(unsigned byte) { out.add(static_cast<char>(byte)); }

  const char* text_;
  const char* at_;
  bool invalid_numbers_;
};

class Decoder {
 public:
  Decoder(lua_State* L, const char* text, const JsonSettings& settings)
      : L_(L), settings_(settings), lexer_(L, text, settings.decode_invalid) {}

  void text() {
    value(lexer_.next());
    const JsonToken after = lexer_.next();
    if (after.kind != JsonKind::end) fail("the end", after);
  }

 private:
  [[noreturn]] void fail(const char* expected, const JsonToken& token) {
    const char* found =
        token.error ? token.error : kKindNames[static_cast<std::size_t>(token.kind)];
    raise(L_, "Expected %s but found %s at character %d", expected, found,
          static_cast<int>(token.at + 1));
  }

  /// Pushes the value that begins with `token`.
  void value(const JsonToken& token) {
    switch (token.kind) {
      case JsonKind::string:
        lexer_.out.push();
        return;
      case JsonKind::number:
        lua_pushnumber(L_, token.number);
        return;
      case JsonKind::boolean:
        lua_pushboolean(L_, token.number != 0);
        return;
      case JsonKind::object_begin:
        object();
        return;
      case JsonKind::array_begin:
        array();
        return;
      case JsonKind::null:
        lua_pushlightuserdata(L_, nullptr);
        return;
      default:
        fail("value", token);
    }
  }

  /// Enters a table whose parts need `slots` places on the stack of 5.1.
  void descend(int slots) {
    ++depth_;
    if (depth_ > settings_.decode_max_depth || slots_ + slots > kMaxSlots51) {
      raise(L_, "Found too many nested data structures (%d) at character %d", depth_,
            static_cast<int>(lexer_.position()));
    }
    slots_ += slots - 1;
    luaL_checkstack(L_, 6, nullptr);
    lua_newtable(L_);
  }
  void ascend(int slots) {
    --depth_;
    slots_ -= slots - 1;
  }

  void object() {
    constexpr int kSlots = 3;
    descend(kSlots);
    JsonToken token = lexer_.next();
    while (token.kind != JsonKind::object_end) {
      if (token.kind != JsonKind::string) fail("object key string", token);
      lexer_.out.push();
      token = lexer_.next();
      if (token.kind != JsonKind::colon) fail("colon", token);
      value(lexer_.next());
      lua_rawset(L_, -3);
      if (!another(JsonKind::object_end, "comma or object end")) break;
      token = lexer_.next();
      if (token.kind == JsonKind::object_end) fail("object key string", token);
    }
    ascend(kSlots);
  }

  void array() {
    constexpr int kSlots = 2;
    descend(kSlots);
    JsonToken token = lexer_.next();
    for (lua_Integer i = 1; token.kind != JsonKind::array_end; ++i) {
      value(token);
      lua_rawseti(L_, -2, i);
      if (!another(JsonKind::array_end, "comma or array end")) break;
      token = lexer_.next();
      if (token.kind == JsonKind::array_end) fail("value", token);
    }
    ascend(kSlots);
  }

  /// After a part of a table: whether a comma says that another one follows.
  bool another(JsonKind end, const char* expected) {
    const JsonToken token = lexer_.next();
    if (token.kind != end && token.kind != JsonKind::comma) fail(expected, token);
    return token.kind == JsonKind::comma;
  }

  lua_State* L_;
  const JsonSettings& settings_;
  JsonLexer lexer_;
  int depth_ = 0;
  int slots_ = 1;  ///< values on the stack of 5.1
};

}  // namespace

void push_from_json(lua_State* L, const JsonSettings& settings) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  if (length >= 2 && (text[0] == '\0' || text[1] == '\0')) {
    raise(L, "JSON parser does not support UTF-16 or UTF-32");
  }
  Decoder(L, text, settings).text();
}

}  // namespace lockstep::sim::dialect
