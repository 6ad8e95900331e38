// Translation, and what has to be known of it while it runs; see the header.
#include "sim/redis/script/chunk.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/redis/script/shebang.hpp"

namespace lockstep::sim {

namespace {

/// How messages name a script: its SHA-1 and how it begins.
std::string title(const std::string& sha1, const std::string& body) {
  constexpr std::size_t kShown = 40;
  std::string start = body.substr(0, std::min(kShown, body.find('\n')));
  if (start.size() < body.size()) start += "...";
  return "script " + sha1 + " (" + start + "): ";
}

/// Whether a script may use functions whose results show the order of a table's keys, beside those
/// that the translation knows.
bool mentions_order(std::string_view body) {
  constexpr std::string_view kWords[] = {"encode", "cmsgpack", "load", "map", "setresp"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return body.find(word) != body.npos; });
}

struct Loading {
  const std::string& text;
  int globals;  ///< what it sees instead of the registry's, or LUA_NOREF
  int reference = LUA_NOREF;
};

/// Compiles the translated text of the Loading in light userdata 1 and keeps the script's
/// function in the registry.
int load_translation(lua_State* L) {
  auto& loading = *static_cast<Loading*>(lua_touserdata(L, 1));
  const std::string& text = loading.text;
  if (luaL_loadbufferx(L, text.data(), text.size(), dialect::kInnerSource, "t") != LUA_OK) {
    return lua_error(L);
  }
  if (loading.globals != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, loading.globals);
    lua_setupvalue(L, -2, 1);
  }
  dialect::push_helpers(L);
  lua_call(L, static_cast<int>(std::size(dialect::kHelpers)), 1);
  loading.reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

}  // namespace

Chunk compile_chunk(ScriptRun& run, lua_State* L, const std::string& sha1, const std::string& body,
                    std::optional<int> library_globals) {
  Chunk chunk;
  chunk.title = title(sha1, body);
  const bool library = library_globals.has_value();
  chunk.library = library;
  dialect::Translation translation;
  try {
    translation = dialect::translate(
        without_shebang(body), library ? dialect::kShownLibrary : dialect::kShownChunk,
        run.calls_comparisons ? dialect::ChunkKind::foreign : dialect::ChunkKind::script);
  } catch (const dialect::SyntaxError& error) {
    chunk.error =
        library ? "ERR Error compiling function: " : "ERR Error compiling script (new function): ";
    chunk.error += error.message;
    return chunk;
  } catch (const BadInput& bad) {
    throw BadInput(chunk.title + bad.what());
  }
  Loading loading{translation.text, library_globals.value_or(LUA_NOREF)};
  lua_settop(L, 0);
  lua_pushcfunction(L, load_translation);
  lua_pushlightuserdata(L, &loading);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    run.sites = &translation.sites;
    run.lines = &translation.lines;
    throw BadInput(chunk.title + dialect::in_words_of_51(run, lua_tostring(L, -1)) +
                   " (Lua 5.4 does not compile what 5.1 does)");
  }
  chunk.reference = loading.reference;
  chunk.sites = std::move(translation.sites);
  chunk.lines = std::move(translation.lines);
  chunk.may_run_long = translation.may_run_long || body.find("load") != body.npos;
  chunk.may_vary = translation.may_vary || mentions_order(body);
  return chunk;
}

}  // namespace lockstep::sim
