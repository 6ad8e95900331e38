// The string functions of Lua 5.1 but those with patterns (string_patterns.cpp) and string.dump.
#include "sim/lua51/string_library.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <limits>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

std::int64_t relative_position(std::int64_t position, std::size_t length) {
  if (position < 0) position += static_cast<std::int64_t>(length) + 1;
  return std::max<std::int64_t>(position, 0);
}

namespace {

/// A double cast to int as x86-64 does it (cvttsd2si).
int to_int(double value) {
  constexpr int kIndefinite = std::numeric_limits<int>::min();
  return value > -2147483649.0 && value < 2147483648.0 ? static_cast<int>(value) : kIndefinite;
}

int string_len(lua_State* L) {
  std::size_t length = 0;
  check_text(L, 1, &length);
  lua_pushnumber(L, static_cast<double>(length));
  return 1;
}

int string_sub(lua_State* L) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  const auto size = static_cast<std::int64_t>(length);
  for (const int position : {2, 3}) show_sought(L, position);
  const std::int64_t first =
      std::max<std::int64_t>(relative_position(check_integer(L, 2), length), 1);
  const std::int64_t last =
      std::min<std::int64_t>(relative_position(optional_integer(L, 3, -1), length), size);
  if (first > last) {
    lua_pushliteral(L, "");
  } else {
    lua_pushlstring(L, text + first - 1, static_cast<std::size_t>(last - first + 1));
  }
  return 1;
}

template <int (*convert)(int)>
int each_byte(lua_State* L) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  luaL_Buffer buffer;
  char* out = luaL_buffinitsize(L, &buffer, length);
  for (std::size_t i = 0; i < length; ++i) {
    out[i] = static_cast<char>(convert(static_cast<unsigned char>(text[i])));
  }
  luaL_pushresultsize(&buffer, length);
  return 1;
}

int string_reverse(lua_State* L) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  luaL_Buffer buffer;
  char* out = luaL_buffinitsize(L, &buffer, length);
  std::reverse_copy(text, text + length, out);
  luaL_pushresultsize(&buffer, length);
  return 1;
}

int string_rep(lua_State* L) {
  constexpr std::size_t kTooLong = std::size_t{1} << 40;
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  const int count = std::max(check_int(L, 2), 0);
  show_sought(L, 2);
  const std::size_t total = length * static_cast<std::size_t>(count);
  if (total > kTooLong) refuse_beyond_limit(L, "it needs more memory than its limit");
  luaL_Buffer buffer;
  char* out = luaL_buffinitsize(L, &buffer, total);
  for (std::size_t at = 0; at < total; at += length) std::memcpy(out + at, text, length);
  luaL_pushresultsize(&buffer, total);
  return 1;
}

int string_byte(lua_State* L) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  for (int i = 1; i <= 3; ++i) show_sought(L, i);
  const std::int64_t from = relative_position(optional_integer(L, 2, 1), length);
  const std::int64_t to = relative_position(optional_integer(L, 3, from), length);
  const std::int64_t first = std::max<std::int64_t>(from, 1);
  const std::int64_t last = std::min<std::int64_t>(to, static_cast<std::int64_t>(length));
  if (first > last) return 0;
  const auto count = static_cast<int>(last - first + 1);
  if (!has_room(L, count)) raise(L, "stack overflow (string slice too long)");
  for (std::int64_t i = first; i <= last; ++i) {
    lua_pushnumber(L, static_cast<unsigned char>(text[i - 1]));
  }
  return count;
}

int string_char(lua_State* L) {
  const int count = lua_gettop(L);
  luaL_Buffer buffer;
  char* out = luaL_buffinitsize(L, &buffer, static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) {
    const int c = check_int(L, i);
    show_sought(L, i);
    if (c < 0 || c > 255) argument_error(L, i, "invalid value");
    out[i - 1] = static_cast<char>(c);
  }
  luaL_pushresultsize(&buffer, static_cast<std::size_t>(count));
  return 1;
}

// ---- format ----

constexpr std::size_t kSpecification = 24;  // %, 5 flags, 2 digits, '.', 2 digits, "ll", letter

/// Copies one specification from `at` (after the %) to `out` without its letter; returns where the
/// letter is.
const char* read_specification(lua_State* L, const char* at, char* out) {
  const char* p = at;
  while (*p != '\0' && std::strchr("-+ #0", *p)) ++p;
  if (p - at >= 6) raise(L, "invalid format (repeated flags)");
  const auto digits = [&p] {
    for (int i = 0; i < 2 && std::isdigit(static_cast<unsigned char>(*p)); ++i) ++p;
  };
  digits();
  if (*p == '.') {
    ++p;
    digits();
  }
  if (std::isdigit(static_cast<unsigned char>(*p))) {
    raise(L, "invalid format (width or precision too long)");
  }
  *out++ = '%';
  out = std::copy(at, p, out);
  *out = '\0';
  return p;
}

void add_quoted(lua_State* L, luaL_Buffer* buffer, int argument) {
  std::size_t length = 0;
  const char* text = check_text(L, argument, &length);
  luaL_addchar(buffer, '"');
  for (const char* p = text; p < text + length; ++p) {
    if (*p == '"' || *p == '\\' || *p == '\n') {
      luaL_addchar(buffer, '\\');
      luaL_addchar(buffer, *p);
    } else if (*p == '\r') {
      luaL_addstring(buffer, "\\r");
    } else if (*p == '\0') {
      luaL_addstring(buffer, "\\000");
    } else {
      luaL_addchar(buffer, *p);
    }
  }
  luaL_addchar(buffer, '"');
}

void add_text(lua_State* L, luaL_Buffer* buffer, const char* specification, int argument) {
  std::size_t length = 0;
  const char* text = check_text(L, argument, &length);
  if (length >= 100 && !std::strchr(specification, '.')) {
    luaL_addlstring(buffer, text, length);
    return;
  }
  char shown[512];
  std::snprintf(shown, sizeof shown, specification, text);
  luaL_addstring(buffer, shown);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/// Adds argument `argument` as `letter` of `specification` (which ends where the letter goes).
void add_formatted(lua_State* L, luaL_Buffer* buffer, char* specification, char letter,
                   int argument) {
  char shown[512];
  char* end = specification + std::strlen(specification);
  const auto complete = [&](const char* length) { std::sprintf(end, "%s%c", length, letter); };
  int written = 0;
  switch (letter) {
    case 'c':
      complete("");
      written =
          std::snprintf(shown, sizeof shown, specification, to_int(check_number(L, argument)));
      break;
    case 'd':
    case 'i':
      complete("ll");
      written = std::snprintf(shown, sizeof shown, specification,
                              static_cast<long long>(truncate(check_number(L, argument))));
      break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      complete("ll");
      written =
          std::snprintf(shown, sizeof shown, specification,
                        static_cast<unsigned long long>(to_unsigned(check_number(L, argument))));
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      complete("");
      written = std::snprintf(shown, sizeof shown, specification, check_number(L, argument));
      break;
    case 'q':
      add_quoted(L, buffer, argument);
      return;
    case 's':
      complete("");
      add_text(L, buffer, specification, argument);
      return;
    case '\0':
      raise(L, "invalid option '%%' to 'format'");
    default:
      raise(L, "invalid option '%%%c' to 'format'", letter);
  }
  // 5.1 adds what it wrote as a C string: a NUL made by %c ends it
  static_cast<void>(written);
  luaL_addstring(buffer, shown);
}

#pragma GCC diagnostic pop

int string_format(lua_State* L) {
  std::size_t length = 0;
  const char* at = check_text(L, 1, &length);
  const char* end = at + length;
  const int count = lua_gettop(L);
  int argument = 1;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  while (at < end) {
    if (*at != '%') {
      luaL_addchar(&buffer, *at++);
    } else if (*++at == '%') {
      luaL_addchar(&buffer, *at++);
    } else {
      char specification[kSpecification];
      if (++argument > count) argument_error(L, argument, "no value");
      at = read_specification(L, at, specification);
      if (*at != '\0' && std::strchr("difsu", *at) == nullptr) show_sought(L, argument);
      add_formatted(L, &buffer, specification, *at, argument);
      ++at;
    }
  }
  luaL_pushresult(&buffer);
  return 1;
}

constexpr Function51 kStringFunctions[] = {
    {"byte", guarded<string_byte>},
    {"char", guarded<string_char>},
    {"dump", nullptr},
    {"find", guarded<string_find>},
    {"format", guarded<string_format>},
    {"gfind", guarded<string_gmatch>},
    {"gmatch", guarded<string_gmatch>},
    {"gsub", guarded<string_gsub>},
    {"len", guarded<string_len>},
    {"lower", guarded<each_byte<std::tolower>>},
    {"match", guarded<string_match>},
    {"rep", guarded<string_rep>},
    {"reverse", guarded<string_reverse>},
    {"sub", guarded<string_sub>},
    {"upper", guarded<each_byte<std::toupper>>},
};

}  // namespace

void open_string(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kStringFunctions, std::size(kStringFunctions));
}

}  // namespace lockstep::sim::dialect
