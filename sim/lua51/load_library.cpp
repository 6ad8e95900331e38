// load and loadstring: code that a script makes. What it loads is compiled as a part of the running
// script: its lines come behind those of the script, so that a line tells whose it is.
#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/lua51/output.hpp"
#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr std::size_t kMaxLines = 20'000;  ///< of all that a script loads in a run, translated

/// A chunk's name in messages (luaO_chunkid of 5.1), in at most `size` - 1 bytes.
std::string shown_name(const std::string& source, std::size_t size) {
  if (source.starts_with('=')) return source.substr(1, size - 1);
  if (source.starts_with('@')) {
    const std::size_t most = size - 8;
    const std::string path = source.substr(1);
    return path.size() <= most ? path : "..." + path.substr(path.size() - most);
  }
  const std::size_t length = std::min(source.find_first_of("\r\n"), size - 17);
  const bool whole = length >= source.size();
  return "[string \"" + source.substr(0, length) + (whole ? "" : "...") + "\"]";
}

/// Translates into rt.loading; false with the message in rt.text if 5.1 does not compile it, or
/// with a refusal.
bool translate_chunk(Runtime& rt, std::string_view text, const char* source) {
  constexpr std::size_t kMessageSize = 80;
  constexpr std::size_t kPlaceSize = 60;
  try {
    rt.loading = translate(text, shown_name(source, kMessageSize));
    if (rt.own_lines.empty()) {
      rt.own_lines = *rt.lines;
      rt.own_sites = *rt.sites;
    }
    if (rt.own_lines.size() + rt.loading.lines.size() > kMaxLines) {
      throw BadInput("it loads too much code");
    }
  } catch (const SyntaxError& error) {
    rt.text = error.message;
    return false;
  } catch (const BadInput& bad) {
    rt.refusal = bad.what();
    return false;
  }
  rt.loaded.push_back({rt.own_lines.size(), shown_name(source, kPlaceSize), source});
  const auto sites = static_cast<int>(rt.own_sites.size());
  rt.text.assign(rt.own_lines.size(), '\n');
  rt.text += rt.loading.text;
  for (Line line : rt.loading.lines) {
    if (line.site >= 0) line.site += sites;
    rt.own_lines.push_back(line);
  }
  rt.own_sites.insert(rt.own_sites.end(), rt.loading.sites.begin(), rt.loading.sites.end());
  rt.lines = &rt.own_lines;
  rt.sites = &rt.own_sites;
  return true;
}

/// Pushes the function of a text, or nil and a message.
int load_text(lua_State* L, const char* text, std::size_t length, const char* source) {
  Runtime& rt = runtime(L);
  if (!rt.may_run_long) refuse(L, "it loads code by a function that it does not name");
  show_unknown(L);
  if (!translate_chunk(rt, {text, length}, source)) {
    lua_pushnil(L);
    lua_pushlstring(L, rt.text.data(), rt.text.size());
    return rt.refusal ? lua_error(L) : 2;
  }
  if (luaL_loadbufferx(L, rt.text.data(), rt.text.size(), kInnerSource, "t") != LUA_OK) {
    refuse(L, "it loads code that Lua 5.4 does not compile and 5.1 does");
  }
  const int function = lua_gettop(L);
  push_helpers(L);
  lua_call(L, lua_gettop(L) - function, 1);
  return 1;
}

int base_loadstring(lua_State* L) {
  std::size_t length = 0;
  const char* text = check_text(L, 1, &length);
  const char* source = lua_isnoneornil(L, 2) ? text : check_text(L, 2, nullptr);
  return load_text(L, text, length, source);
}

/// Puts together what the function at 1 returns until nil or "".
int read_all(lua_State* L) {
  Output text(L);
  while (true) {
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) break;
    if (!lua_isstring(L, -1)) raise(L, "reader function must return a string");
    std::size_t length = 0;
    const char* piece = check_text(L, lua_gettop(L), &length);
    if (length == 0) break;
    text.add(std::string_view(piece, length));
    lua_pop(L, 1);
  }
  text.push();
  return 1;
}

int base_load(lua_State* L) {
  if (!lua_isfunction(L, 1)) type_error(L, 1, "function");
  const char* source = lua_isnoneornil(L, 2) ? "=(load)" : check_text(L, 2, nullptr);
  lua_settop(L, 3);
  lua_pushcfunction(L, read_all);
  lua_pushvalue(L, 1);
  if (const int status = lua_pcall(L, 1, 1, 0); status != LUA_OK) {
    take_error(L, status);
    // What load() returns then depends on the handler of errors around it.
    refuse(L, "an error in the function that load() reads from");
  }
  std::size_t length = 0;
  const char* text = lua_tolstring(L, -1, &length);
  return load_text(L, text, length, source);
}

constexpr Function51 kLoadFunctions[] = {{"load", guarded<base_load>},
                                         {"loadstring", guarded<base_loadstring>}};

}  // namespace

void open_load(lua_State* L) {
  for (const Function51& entry : kLoadFunctions) {
    lua_pushcfunction(L, entry.function);
    lua_setfield(L, -2, entry.name);
  }
}

}  // namespace lockstep::sim::dialect
