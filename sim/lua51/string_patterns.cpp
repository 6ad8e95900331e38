// string.find, match, gmatch and gsub of Lua 5.1.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "sim/lua51/pattern.hpp"
#include "sim/lua51/runtime.hpp"
#include "sim/lua51/string_library.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Raises Lua's errors, and pushes what it has matched.
class LuaMatcher final : public Matcher {
 public:
  LuaMatcher(lua_State* L, const char* subject, std::size_t length)
      : Matcher(subject, length), L_(L) {}

  /// Pushes the captures of the match at..end; the whole match if there are none and
  /// `whole_if_none`.
  int push_captures(const char* at, const char* end, bool whole_if_none) {
    const int count = captures_ == 0 && whole_if_none ? 1 : captures_;
    luaL_checkstack(L_, count, "too many captures");
    for (int i = 0; i < count; ++i) push_capture(i, at, end);
    return count;
  }
  void push_capture(int index, const char* at, const char* end);

 private:
  void malformed(const char* why) override { raise(L_, "%s", why); }
  void too_deep() override { refuse(L_, "a pattern match that recurses too deeply"); }
  void too_long() override {
    refuse_beyond_limit(L_, "a pattern match of more steps than its limit");
  }

  lua_State* L_;
};

void LuaMatcher::push_capture(int index, const char* at, const char* end) {
  if (index >= captures_) {
    if (index != 0) raise(L_, "invalid capture index");
    lua_pushlstring(L_, at, static_cast<std::size_t>(end - at));
    return;
  }
  const Capture& capture = capture_[static_cast<std::size_t>(index)];
  if (capture.length == kOpen) raise(L_, "unfinished capture");
  if (capture.length == kPosition) {
    lua_pushnumber(L_, static_cast<double>(capture.begin - begin_ + 1));
  } else {
    lua_pushlstring(L_, capture.begin, static_cast<std::size_t>(capture.length));
  }
}

int find_plain(lua_State* L, std::string_view text, std::string_view wanted, std::size_t from) {
  const auto found = text.find(wanted, from);
  if (found == text.npos) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushnumber(L, static_cast<double>(found + 1));
  lua_pushnumber(L, static_cast<double>(found + wanted.size()));
  return 2;
}

int find(lua_State* L, bool positions) {
  show_pattern_sought(L, 1);
  std::size_t length = 0;
  std::size_t pattern_length = 0;
  const char* text = check_text(L, 1, &length);
  const char* pattern = check_text(L, 2, &pattern_length);
  const std::int64_t start = relative_position(optional_integer(L, 3, 1), length) - 1;
  const auto from = static_cast<std::size_t>(
      std::clamp<std::int64_t>(start, 0, static_cast<std::int64_t>(length)));
  if (positions && (lua_toboolean(L, 4) || !std::strpbrk(pattern, "^$*+?.([%-"))) {
    return find_plain(L, {text, length}, {pattern, pattern_length}, from);
  }
  LuaMatcher matcher(L, text, length);
  const bool anchored = *pattern == '^';
  if (anchored) ++pattern;
  for (const char* at = text + from; at <= text + length; ++at) {
    if (const char* end = matcher.match_at(at, pattern)) {
      if (!positions) return matcher.push_captures(at, end, true);
      lua_pushnumber(L, static_cast<double>(at - text + 1));
      lua_pushnumber(L, static_cast<double>(end - text));
      return matcher.push_captures(at, end, false) + 2;
    }
    if (anchored) break;
  }
  lua_pushnil(L);
  return 1;
}

/// The iterator of gmatch: upvalues are text, pattern, and where to go on.
int gmatch_step(lua_State* L) {
  std::size_t length = 0;
  const char* text = lua_tolstring(L, lua_upvalueindex(1), &length);
  const char* pattern = lua_tostring(L, lua_upvalueindex(2));
  LuaMatcher matcher(L, text, length);
  for (const char* at = text + lua_tointeger(L, lua_upvalueindex(3)); at <= text + length; ++at) {
    const char* end = matcher.match_at(at, pattern);
    if (!end) continue;
    lua_pushinteger(L, end - text + (end == at ? 1 : 0));
    lua_replace(L, lua_upvalueindex(3));
    return matcher.push_captures(at, end, true);
  }
  return 0;
}

/// Pushes the replacement text %0..%9 of one match, from the string at 3.
void add_template(lua_State* L, luaL_Buffer* buffer, LuaMatcher& matcher, const char* at,
                  const char* end) {
  std::size_t length = 0;
  const char* text = lua_tolstring(L, 3, &length);
  for (std::size_t i = 0; i < length; ++i) {
    if (text[i] != '%') {
      luaL_addchar(buffer, text[i]);
      continue;
    }
    ++i;
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      luaL_addchar(buffer, text[i]);
    } else if (text[i] == '0') {
      luaL_addlstring(buffer, at, static_cast<std::size_t>(end - at));
    } else {
      matcher.push_capture(text[i] - '1', at, end);
      if (lua_type(L, -1) == LUA_TNUMBER) {
        push_shown(L, lua_tonumber(L, -1));
        lua_remove(L, -2);
      }
      luaL_addvalue(buffer);
    }
  }
}

/// Adds what replaces the match at..end: by the string, table or function at 3.
void add_replacement(lua_State* L, luaL_Buffer* buffer, LuaMatcher& matcher, const char* at,
                     const char* end) {
  const int type = lua_type(L, 3);
  if (type == LUA_TSTRING) {
    add_template(L, buffer, matcher, at, end);
    return;
  }
  if (type == LUA_TTABLE) {
    matcher.push_capture(0, at, end);
    lua_gettable(L, 3);
  } else {
    lua_pushvalue(L, 3);
    lua_call(L, matcher.push_captures(at, end, true), 1);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    lua_pushlstring(L, at, static_cast<std::size_t>(end - at));
  } else if (lua_type(L, -1) == LUA_TNUMBER) {
    push_shown(L, lua_tonumber(L, -1));
    lua_remove(L, -2);
  } else if (lua_type(L, -1) != LUA_TSTRING) {
    raise(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  luaL_addvalue(buffer);
}

}  // namespace

int string_find(lua_State* L) { return find(L, true); }
int string_match(lua_State* L) { return find(L, false); }

int string_gmatch(lua_State* L) {
  show_pattern_sought(L, 1);
  check_text(L, 1, nullptr);
  check_text(L, 2, nullptr);
  lua_settop(L, 2);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, gmatch_step, 3);
  return 1;
}

int string_gsub(lua_State* L) {
  show_pattern_sought(L, 1);
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  const char* pattern = check_text(L, 2, nullptr);
  const int type = lua_type(L, 3);
  if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TFUNCTION && type != LUA_TTABLE) {
    argument_error(L, 3, "string/function/table expected");
  }
  if (type == LUA_TNUMBER) check_text(L, 3, nullptr);
  const auto most = optional_int(L, 4, static_cast<int>(length) + 1);
  const bool anchored = *pattern == '^';
  if (anchored) ++pattern;
  LuaMatcher matcher(L, text, length);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  const char* at = text;
  int count = 0;
  while (count < most) {
    const char* end = matcher.match_at(at, pattern);
    if (end) {
      ++count;
      add_replacement(L, &buffer, matcher, at, end);
    }
    if (end && end > at) {
      at = end;
    } else if (at < text + length) {
      luaL_addchar(&buffer, *at++);
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&buffer, at, static_cast<std::size_t>(text + length - at));
  luaL_pushresult(&buffer);
  lua_pushnumber(L, count);
  return 2;
}

}  // namespace lockstep::sim::dialect
