// FUNCTION, FCALL and FCALL_RO (Redis 7.0 functions.c). DUMP and RESTORE are refused.
#include <algorithm>
#include <span>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/busy.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/declared.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/shebang.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim {

namespace {

/// A function among all libraries, by its name in any case.
struct FoundFunction {
  const std::string* code = nullptr;
  const std::string* library = nullptr;
  const LibraryFunction* function = nullptr;
};

FoundFunction find_function(Call& call, std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const auto& [library, code] : call.keyspace.libraries) {
    for (const LibraryFunction& function : call.scripts().load_library(code).functions) {
      if (is_name(function.name, wanted)) return {&code, &library, &function};
    }
  }
  return {};
}

Reply function_load(Call& call) {
  std::size_t at = 2;
  bool replace = false;
  for (; at + 1 < call.argv.size(); ++at) {
    if (!is_word(call.argv[at], "replace")) refuse("ERR Unknown option given: " + call.argv[at]);
    replace = true;
  }
  const std::string& code = call.argv[at];
  const std::string name = library_name(code);
  if (!replace && call.keyspace.libraries.contains(name)) {
    refuse("ERR Library '" + name + "' already exists");
  }
  const LoadedLibrary& loaded = call.scripts().load_library(code);
  if (!loaded.error.empty()) refuse(loaded.error);
  for (const LibraryFunction& function : loaded.functions) {
    const FoundFunction other = find_function(call, function.name);
    if (other.function && *other.library != name) {
      refuse("ERR Function " + function.name + " already exists");
    }
  }
  call.keyspace.libraries[name] = code;
  return Reply::bulk(name);
}

Reply function_delete(Call& call) {
  if (call.keyspace.libraries.erase(call.argv[2]) == 0) refuse("ERR Library not found");
  return Reply::ok();
}

Reply function_flush(Call& call) {
  const Request& argv = call.argv;
  if (argv.size() > 3) {
    refuse("ERR unknown subcommand or wrong number of arguments for '" + argv[1] +
           "'. Try FUNCTION HELP.");
  }
  if (argv.size() == 3 && !is_word(argv[2], "sync") && !is_word(argv[2], "async")) {
    refuse("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  call.keyspace.libraries.clear();
  return Reply::ok();
}

Reply function_kill(Call& call) { return kill_busy_script(call, true); }

Reply shown(const LibraryFunction& function) {
  std::vector<Reply> flags;
  for (const NamedFlag& flag : script_flags()) {
    if ((function.flags & flag.flag) != 0) flags.push_back(Reply::status(std::string(flag.name)));
  }
  return Reply::array({Reply::bulk("name"), Reply::bulk(function.name), Reply::bulk("description"),
                       function.description ? Reply::bulk(*function.description) : Reply::null(),
                       Reply::bulk("flags"), Reply::array(std::move(flags))});
}

Reply function_list(Call& call) {
  bool with_code = false;
  std::optional<std::string> pattern;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    if (!with_code && is_word(call.argv[i], "withcode")) {
      with_code = true;
    } else if (!pattern && is_word(call.argv[i], "libraryname")) {
      if (++i == call.argv.size()) refuse("ERR library name argument was not given");
      pattern = call.argv[i];
    } else {
      refuse("ERR Unknown argument " + call.argv[i]);
    }
  }
  std::vector<Reply> libraries;
  for (const auto& [name, code] : call.keyspace.libraries) {
    if (pattern && !glob_matches(lower_case(*pattern), lower_case(name))) continue;
    std::vector<Reply> functions;
    for (const auto& function : call.scripts().load_library(code).functions) {
      functions.push_back(shown(function));
    }
    std::vector<Reply> fields{Reply::bulk("library_name"), Reply::bulk(name),
                              Reply::bulk("engine"),       Reply::bulk("LUA"),
                              Reply::bulk("functions"),    Reply::array(std::move(functions))};
    if (with_code) {
      fields.push_back(Reply::bulk("library_code"));
      fields.push_back(Reply::bulk(code));
    }
    libraries.push_back(Reply::array(std::move(fields)));
  }
  return Reply::array(std::move(libraries));
}

Reply function_stats(Call& call) {
  std::size_t functions = 0;
  for (const auto& [name, code] : call.keyspace.libraries) {
    functions += call.scripts().load_library(code).functions.size();
  }
  const auto number = [](std::size_t n) { return Reply::number(static_cast<std::int64_t>(n)); };
  return Reply::array(
      {Reply::bulk("running_script"), running_function(call), Reply::bulk("engines"),
       Reply::array(
           {Reply::bulk("LUA"),
            Reply::array({Reply::bulk("libraries_count"), number(call.keyspace.libraries.size()),
                          Reply::bulk("functions_count"), number(functions)})})});
}

/// How many of the arguments from position 3 on are keys.
std::size_t fcall_key_count(const Request& argv) {
  const auto count = parse_integer(argv[2]);
  if (!count) refuse("ERR Bad number of keys provided");
  if (*count > static_cast<std::int64_t>(argv.size()) - 3) {
    refuse("ERR Number of keys can't be greater than number of args");
  }
  if (*count < 0) refuse("ERR Number of keys can't be negative");
  return static_cast<std::size_t>(*count);
}

Reply fcall(Call& call, bool read_only) {
  const FoundFunction found = find_function(call, call.argv[1]);
  if (!found.function) refuse("ERR Function not found");
  const std::size_t keys = fcall_key_count(call.argv);
  check_script_flags(call.execution.mode, found.function->flags, read_only);
  const auto rest = std::span(call.argv).subspan(3);
  const std::string code = *found.code;
  const std::string name = found.function->name;
  const bool no_writes = (found.function->flags & kNoWrites) != 0;
  const ScriptRights rights{no_writes, no_writes || (found.function->flags & kAllowOom) != 0,
                            (found.function->flags & kAllowCrossSlotKeys) != 0};
  return call.scripts().call_function(call.keyspace, code, name, rest.first(keys),
                                      rest.subspan(keys), call.execution, rights);
}

Reply run_fcall(Call& call) { return fcall(call, false); }
Reply run_fcall_ro(Call& call) { return fcall(call, true); }

}  // namespace

std::optional<std::uint8_t> declared_by_function(Call& call) {
  const FoundFunction found = find_function(call, call.argv[1]);
  return found.function ? std::optional(found.function->flags) : std::nullopt;
}

namespace {

constexpr Command kFunctionsRows[] = {
    {{"fcall",
      -3,
      kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RW access update", 2, kCounted}}},
     run_fcall,
     {kRunsScript | kRunsFunction}},
    {{"fcall_ro",
      -3,
      kReadOnly | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RO access", 2, kCounted}}},
     run_fcall_ro,
     {kRunsScript | kRunsFunction}},
    {{"function", -2}, nullptr, {kContainer}},
    {{"function|delete",
      3,
      kWrite | kNoScript,
      "scripting",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     function_delete},
    {{"function|dump", 2, kNoScript, "scripting"}},
    {{"function|flush",
      -2,
      kWrite | kNoScript,
      "scripting",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     function_flush},
    {{"function|help", 2, kLoading | kStale, "scripting"}},
    {{"function|kill",
      2,
      kNoScript | kAllowBusy,
      "scripting",
      {},
      "request_policy:all_shards response_policy:one_succeeded"},
     function_kill},
    {{"function|list", -2, kNoScript, "scripting", {}, "nondeterministic_output_order"},
     function_list},
    {{"function|load",
      -3,
      kWrite | kDenyOom | kNoScript,
      "scripting",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     function_load},
    {{"function|restore",
      -3,
      kWrite | kDenyOom | kNoScript,
      "scripting",
      {},
      "request_policy:all_shards response_policy:all_succeeded"}},
    {{"function|stats",
      2,
      kNoScript | kAllowBusy,
      "scripting",
      {},
      "nondeterministic_output request_policy:all_shards response_policy:special"},
     function_stats},
};

}  // namespace

std::span<const Command> function_commands() { return kFunctionsRows; }

}  // namespace lockstep::sim
