// The script VM: one Lua 5.4 state with the libraries of Redis's 5.1, compiled chunks by SHA-1, and
// the limits.
#include "sim/redis/script/vm.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/sha1.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/chunk.hpp"
#include "sim/redis/script/failure.hpp"
#include "sim/redis/script/libraries.hpp"
#include "sim/redis/script/library_state.hpp"
#include "sim/redis/script/observer.hpp"
#include "sim/redis/script/run.hpp"
#include "sim/redis/script/runs_too_long.hpp"
#include "sim/redis/server/connections.hpp"

namespace lockstep::sim {

namespace {

/// How many elements of tables # may look at, for each instruction of the limit: they are as quick.
constexpr std::int64_t kElementsPerInstruction = 10;

}  // namespace

ScriptRun::ScriptRun() : reply(std::make_unique<Reply>()) {}
ScriptRun::~ScriptRun() = default;

ScriptRun& script_run(lua_State* L) { return static_cast<ScriptRun&>(dialect::runtime(L)); }

class ScriptVm::Impl {
 public:
  Impl(ScriptLimits limits, ServerVersion version, bool shows_comparisons) : limits_(limits) {
    run_.version = version;
    run_.calls_comparisons = shows_comparisons;
    L_ = lua_newstate(allocate, this);
    LOCKSTEP_CHECK(L_ != nullptr);
    *static_cast<dialect::Runtime**>(lua_getextraspace(L_)) = &run_;
    lua_pushcfunction(L_, open_libraries);
    const int status = lua_pcall(L_, 0, 2, 0);
    LOCKSTEP_CHECK(status == LUA_OK);
    globals_ = luaL_ref(L_, LUA_REGISTRYINDEX);
    library_globals_ = luaL_ref(L_, LUA_REGISTRYINDEX);
    lua_pushboolean(L_, 1);  // a place in the registry, for a table
    run_.callbacks = luaL_ref(L_, LUA_REGISTRYINDEX);
    lua_pushboolean(L_, 0);
    library_memory_ = luaL_ref(L_, LUA_REGISTRYINDEX);
  }
  ~Impl() { lua_close(L_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Reply run(Keyspace& keyspace, const std::string& sha1, const std::string& body,
            std::span<const std::string> keys, std::span<const std::string> args,
            Execution& execution, ScriptRights rights) {
    const Chunk& chunk = compiled(sha1, body);
    if (!chunk.error.empty()) return Reply::error(chunk.error);
    function_ = nullptr;
    return run_chunk(keyspace, sha1, chunk, keys, args, execution, rights);
  }

  /// The library with this code, loaded at its first use.
  const LoadedLibrary& load_library(const std::string& code) { return library(code).loaded; }

  Reply call_function(Keyspace& keyspace, const std::string& code, const std::string& name,
                      std::span<const std::string> keys, std::span<const std::string> args,
                      Execution& execution, ScriptRights rights) {
    const Chunk& chunk = library(code).chunk;
    function_ = name.c_str();
    return run_chunk(keyspace, name, chunk, keys, args, execution, rights);
  }

  /// The chunk of a script, compiled at its first use.
  const Chunk& compiled(const std::string& sha1, const std::string& body) {
    const auto it = chunks_.find(sha1);
    if (it != chunks_.end()) return it->second;
    return chunks_.emplace(sha1, compile_chunk(run_, L_, sha1, body)).first->second;
  }

  const std::string& name_of(const std::string& body) {
    const auto it = names_.find(body);
    return it != names_.end() ? it->second : names_.emplace(body, sha1_hex(body)).first->second;
  }

  std::uint64_t runs = 0;

 private:
  /// A function library: its chunk and what it registers.
  struct Library {
    Chunk chunk;
    LoadedLibrary loaded;
  };

  Reply run_chunk(Keyspace& keyspace, const std::string& name, const Chunk& chunk,
                  std::span<const std::string> keys, std::span<const std::string> args,
                  Execution& execution, ScriptRights rights) {
    run_.keyspace = &keyspace;
    run_.execution = &execution;
    run_.comparisons = execution.compared;
    run_.read_only = rights.read_only;
    run_.allow_oom = rights.allow_oom;
    run_.cross_slot = rights.cross_slot;
    keys_ = keys;
    args_ = args;
    if (chunk.may_vary) return run_both_ways(name, chunk, keyspace);
    Reply reply = run_once(name, chunk);
    if (run_.varies) throw BadInput(chunk.title + "it visits keys by a function it does not name");
    return reply;
  }

  // ---- the Lua state ----

  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t size) {
    auto& used = static_cast<Impl*>(self)->bytes_;
    const auto limit = static_cast<Impl*>(self)->limits_.bytes;
    const auto before = block ? static_cast<std::int64_t>(old_size) : 0;
    const auto after = static_cast<std::int64_t>(size);
    if (size == 0) {
      std::free(block);
      used -= before;
      return nullptr;
    }
    if (after > before && used - before + after > limit) return nullptr;
    void* moved = std::realloc(block, size);
    if (moved) used += after - before;
    if (!moved) static_cast<Impl*>(self)->run_.denied = true;
    return moved;
  }

  /// Sets a library, read-only, in the table on top.
  static void add_library(lua_State* L, const char* name, void (*open)(lua_State*)) {
    open(L);
    dialect::protect(L);
    lua_setfield(L, -2, name);
  }

  /// Gives a global a second name; the table of globals is on top.
  static void copy_global(lua_State* L, const char* from, const char* to) {
    lua_getfield(L, -1, from);
    lua_setfield(L, -2, to);
  }

  /// Returns the globals of libraries and the real table of globals; the registry's globals become
  /// its proxy, which compiled chunks see.
  static int open_libraries(lua_State* L) {
    lua_newtable(L);
    dialect::open_base(L);
    dialect::open_load(L);
    const ServerVersion version = script_run(L).version;
    add_library(L, "redis", open_redis);
    if (is_valkey(version)) copy_global(L, "redis", "server");
    if (after_72(version)) add_library(L, "os", open_os);
    add_library(L, "math", dialect::open_math);
    add_library(L, "table", dialect::open_table);
    add_library(L, "bit", dialect::open_bit);
    add_library(L, "cjson", dialect::open_cjson);
    add_library(L, "cmsgpack", dialect::open_cmsgpack);
    add_library(L, "coroutine", dialect::open_coroutine);
    add_library(L, "struct", dialect::open_struct);
    add_library(L, "string", dialect::open_string);
    lua_getfield(L, -1, "string");
    dialect::open_string_metatable(L);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    dialect::protect(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "_G");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    open_library_globals(L);
    lua_insert(L, -2);
    return 2;
  }

  // ---- running ----

  static Impl& self(lua_State* L) {
    void* impl = nullptr;
    lua_getallocf(L, &impl);
    return *static_cast<Impl*>(impl);
  }

  static void push_array(lua_State* L, std::span<const std::string> texts) {
    lua_createtable(L, static_cast<int>(texts.size()), 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      lua_pushlstring(L, texts[i].data(), texts[i].size());
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
  }

  const Library& library(const std::string& code) {
    const auto it = libraries_.find(code);
    if (it != libraries_.end()) return it->second;
    return libraries_.emplace(code, load(code)).first->second;
  }

  Library load(const std::string& code) {
    Library made;
    made.chunk = compile_chunk(run_, L_, sha1_hex(code), code, library_globals_);
    made.loaded.error = made.chunk.error;
    if (!made.loaded.error.empty()) return made;
    function_ = nullptr;
    Keyspace none;  // a library sees no keys while it is loaded
    Execution execution{};
    Session session;
    execution.session = &session;
    run_.keyspace = &none;
    run_.execution = &execution;
    *run_.reply = {};  // a library gives none: it would be that of the last command
    const Reply reply = run_once("", made.chunk);
    if (reply.is_error()) {
      made.loaded.error = "ERR Error registering functions: " + failure_.text;
    } else if (run_.functions.empty()) {
      made.loaded.error = "ERR No functions registered";
    }
    made.loaded.functions = run_.functions;
    std::ranges::sort(made.loaded.functions, {}, &LibraryFunction::name);
    return made;
  }

  /// Runs a library (a reference in light userdata 1), which registers its functions, and then the
  /// one that is wanted, if any: what a library keeps begins anew with each call, and must be the
  /// same after it.
  static int run_library(lua_State* L) {
    Impl& impl = self(L);
    const auto* chunk = static_cast<const Chunk*>(lua_touserdata(L, 1));
    lua_rawgeti(L, LUA_REGISTRYINDEX, impl.library_globals_);
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, impl.library_memory_);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, impl.run_.callbacks);
    library_phase(L, 2, true);
    impl.run_.loads_library = true;
    lua_rawgeti(L, LUA_REGISTRYINDEX, chunk->reference);
    lua_call(L, 0, 0);
    library_phase(L, 2, false);
    impl.run_.loads_library = false;
    if (!impl.function_) return 0;
    remember_state(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, impl.library_memory_);
    lua_getfield(L, 3, impl.function_);
    push_array(L, impl.keys_);
    push_array(L, impl.args_);
    lua_call(L, 2, 1);
    pop_reply(L, *impl.run_.reply);
    return 0;
  }

  /// Refuses a function that has changed what its library keeps.
  static int check_library(lua_State* L) {
    Impl& impl = self(L);
    if (impl.library_json_ != dialect::JsonSettings{}) {
      dialect::refuse(L, "a library that changes the settings of cjson");
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, impl.library_memory_);
    if (lua_istable(L, -1) && state_changed(L)) {
      dialect::refuse(L, "a library that keeps something from one call to the next");
    }
    return 0;
  }

  /// What a library keeps goes on after an error too.
  int checked_library(int status) {
    if (run_.refusal) return status;
    lua_pushcfunction(L_, dialect::guarded<check_library>);
    const int checked = lua_pcall(L_, 0, 0, 0);
    return checked == LUA_OK ? status : checked;
  }

  /// Sets KEYS and ARGV, calls the script (a reference in light userdata 1) and converts its
  /// result.
  static int run_protected(lua_State* L) {
    Impl& impl = self(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, impl.globals_);
    lua_pushliteral(L, "KEYS");
    push_array(L, impl.keys_);
    lua_rawset(L, -3);
    lua_pushliteral(L, "ARGV");
    push_array(L, impl.args_);
    lua_rawset(L, -3);
    lua_settop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, static_cast<const Chunk*>(lua_touserdata(L, 1))->reference);
    lua_call(L, 0, 1);
    pop_reply(L, *impl.run_.reply);
    return 0;
  }

  static int note_failure(lua_State* L) {
    Impl& impl = self(L);
    if (!impl.run_.refusal) read_failure(L, impl.failure_);
    return 1;
  }

  /// The hook: a line of a watched script, or the end of the instructions that a script may run.
  static void interrupt(lua_State* L, lua_Debug* info) {
    ScriptRun& run = script_run(L);
    if (info->event == LUA_HOOKCOUNT) {
      lua_getinfo(L, "Sl", info);
      if (!dialect::is_protected(L)) run.stopped_at = place_of(run, *info);
      run.load_timed_out = run.loads_library;
      dialect::refuse_beyond_limit(L, "it runs for more instructions than its limit");
    }
    lua_getinfo(L, "S", info);
    if (info->source != std::string_view(dialect::kInnerSource)) return;
    const int line = dialect::shown_line(run, info->currentline);
    if (line == run.line) return;  // one line may be several of the translation
    run.line = line;
    run.execution->observer->at_line(line);
  }

  int hook_mask(const Chunk& chunk) const {
    return (chunk.may_run_long ? LUA_MASKCOUNT : 0) | (run_.watched() ? LUA_MASKLINE : 0);
  }

  Reply run_once(const std::string& sha1, const Chunk& chunk, bool reversed = false) {
    ++runs;
    run_.refusal.reset();
    run_.starved = run_.denied = false;
    run_.beyond_limit = false;
    run_.stopped_at.clear();
    run_.sites = &chunk.sites;
    run_.lines = &chunk.lines;
    run_.varies = run_.saw_address = false;
    run_.fields = 0;
    run_.order = run_.execution->mode.field_order.value_or(0);
    run_.ordered_tokens = run_.seeded = run_.left_open = false;
    run_.has_metatables = false;
    run_.odd_key = false;
    run_.reversed = reversed;
    run_.line = 0;
    run_.random = &run_.keyspace->script_random;
    run_.json = chunk.library ? &library_json_ : &run_.keyspace->script_json;
    library_json_ = {};
    run_.known_only = limits_.known_only;
    run_.coroutine_instructions = limits_.instructions;
    run_.elements = kElementsPerInstruction * limits_.instructions;
    run_.may_run_long = chunk.may_run_long;
    run_.loaded.clear();
    run_.own_lines.clear();
    run_.own_sites.clear();
    run_.resp3 = false;
    run_.wrote = false;
    run_.written_bytes = 0;
    run_.functions.clear();
    run_.loads_library = run_.load_timed_out = false;
    run_.shown_chunk = chunk.library ? dialect::kShownLibrary : dialect::kShownChunk;
    int& selected = run_.execution->session->database;
    const int database = selected;  // SELECT is the script's own affair
    const WallTime now = run_.execution->now;
    run_.execution->in_script = true;
    run_.execution->now = began(*run_.execution);
    lua_settop(L_, 0);
    lua_pushcfunction(L_, dialect::guarded<note_failure>);
    lua_pushcfunction(
        L_, chunk.library ? dialect::guarded<run_library> : dialect::guarded<run_protected>);
    lua_pushlightuserdata(L_, const_cast<Chunk*>(&chunk));
    const int mask = hook_mask(chunk);
    if (mask != 0) {
      const auto limit = std::min<std::int64_t>(limits_.instructions, INT_MAX);
      lua_sethook(L_, interrupt, mask, static_cast<int>(limit));
    }
    int status = lua_pcall(L_, 1, 0, 1);
    if (chunk.library) status = checked_library(status);
    if (mask != 0) lua_sethook(L_, nullptr, 0, 0);
    if (run_.addresses != LUA_NOREF) {
      luaL_unref(L_, LUA_REGISTRYINDEX, run_.addresses);
      run_.addresses = LUA_NOREF;
    }
    run_.execution->in_script = false;
    run_.execution->now = now;
    run_.execution->now_is_later = false;
    run_.execution->ordered_tokens = run_.execution->ordered_tokens || run_.ordered_tokens;
    run_.execution->left_open = run_.execution->left_open || run_.left_open;
    run_.keyspace->select(selected, database);
    selected = database;
    return status == LUA_OK ? std::move(*run_.reply) : failed(sha1, chunk.title, status);
  }

  Reply failed(const std::string& sha1, const std::string& script, int status) {
    if (run_.load_timed_out && !run_.varies) {
      failure_.text = "ERR FUNCTION LOAD timeout";  // after 500 ms in Redis: LOAD_TIMEOUT_MS
      return Reply::error(failure_.text);
    }
    if (!run_.stopped_at.empty() && !run_.varies) {
      throw RunsTooLong(
          script + *run_.refusal + explain(), run_.wrote,
          error_reply("ERR Script killed by user with SCRIPT KILL...", sha1, run_.stopped_at));
    }
    if (run_.starved || (status == LUA_ERRMEM && run_.denied)) throw std::bad_alloc();
    if (run_.refusal) {
      throw BadInput(script + *run_.refusal +
                     (run_.beyond_limit ? explain() : " (see docs/differences.md)"));
    }
    if (status == LUA_ERRMEM) {
      throw BadInput(script + "it needs more memory than its limit" + explain());
    }
    if (status == LUA_ERRERR || dialect::is_own_overflow(failure_.text)) {
      throw BadInput(script + "its recursion is too deep");
    }
    if (!failure_.readable) {
      throw BadInput(script +
                     "raises a table without a text 'err', which crashes redis-server 7.0");
    }
    return error_reply(failure_.text, sha1, failure_.place);
  }

  Reply error_reply(std::string text, const std::string& sha1, const std::string& place) const {
    const std::string script = run_.version == ServerVersion::valkey_9 ? "" : sha1 + ", ";
    if (!place.empty()) text += " script: " + script + "on " + place + ".";
    std::ranges::replace_if(
        text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
    return Reply::error(std::move(text));
  }

  /// The limits, for a script that met one.
  std::string explain() const {
    return " (limits: " + std::to_string(limits_.instructions) + " instructions, " +
           std::to_string(limits_.bytes) + " bytes)";
  }

  /// A script that may visit a table's keys: where their order could matter, it must not.
  Reply run_both_ways(const std::string& sha1, const Chunk& chunk, Keyspace& keyspace) {
    Keyspace other = keyspace;
    Execution& execution = *run_.execution;
    Execution other_execution = execution;
    Reply reply = run_once(sha1, chunk);
    if (!run_.varies) return reply;
    run_.keyspace = &other;
    run_.execution = &other_execution;
    const Rehearsal rehearsal(*execution.connections);
    Reply reply_reversed;
    try {
      reply_reversed = run_once(sha1, chunk, true);
    } catch (const RunsTooLong& reversed) {
      throw BadInput(reversed.what());
    }
    run_.execution = &execution;
    if (reply == reply_reversed && keyspace == other) return reply;
    if (run_.saw_address || !execution.mode.field_order)
      throw BadInput(chunk.title +
                     "what it does depends on the order in which cjson.encode(), pairs() or next() "
                     "meet the fields of a table, or on an address");
    execution.ordered_fields = std::max(execution.ordered_fields, run_.fields);
    return reply;
  }

  ScriptLimits limits_;
  std::int64_t bytes_ = 0;
  lua_State* L_ = nullptr;
  int globals_ = LUA_NOREF;
  int library_globals_ = LUA_NOREF;
  int library_memory_ = LUA_NOREF;      ///< of remember_state(), while a function runs
  dialect::JsonSettings library_json_;  ///< libraries have settings of their own
  std::map<std::string, Chunk, std::less<>> chunks_;       ///< by SHA-1
  std::map<std::string, std::string, std::less<>> names_;  ///< SHA-1 by script
  std::map<std::string, Library, std::less<>> libraries_;  ///< by code
  ScriptRun run_;
  Failure failure_;
  const char* function_ = nullptr;  ///< of the library that runs; null: it is only loaded
  std::span<const std::string> keys_;
  std::span<const std::string> args_;
};

ScriptVm::ScriptVm(ScriptLimits limits, ServerVersion version, bool shows_comparisons)
    : impl_(std::make_unique<Impl>(limits, version, shows_comparisons)) {}
ScriptVm::~ScriptVm() = default;

Reply ScriptVm::run(Keyspace& keyspace, const std::string& sha1, const std::string& body,
                    std::span<const std::string> keys, std::span<const std::string> args,
                    Execution& execution, ScriptRights rights) {
  return impl_->run(keyspace, sha1, body, keys, args, execution, rights);
}

std::optional<Reply> ScriptVm::compile(const std::string& sha1, const std::string& body) {
  const Chunk& chunk = impl_->compiled(sha1, body);
  return chunk.error.empty() ? std::nullopt : std::optional(Reply::error(chunk.error));
}

const std::string& ScriptVm::name_of(const std::string& body) { return impl_->name_of(body); }

const LoadedLibrary& ScriptVm::load_library(const std::string& code) {
  return impl_->load_library(code);
}

Reply ScriptVm::call_function(Keyspace& keyspace, const std::string& code, const std::string& name,
                              std::span<const std::string> keys, std::span<const std::string> args,
                              Execution& execution, ScriptRights rights) {
  return impl_->call_function(keyspace, code, name, keys, args, execution, rights);
}

std::uint64_t ScriptVm::runs() const { return impl_->runs; }

}  // namespace lockstep::sim
