// EVAL, EVALSHA and SCRIPT (Redis 7.0 eval.c). The scripts themselves run in the ScriptVm.
#include <span>

#include "sim/base/error.hpp"
#include "sim/base/sha1.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/busy.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/declared.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/shebang.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim {

namespace {

[[noreturn]] void refuse_unknown_script(const Call& call) {
  std::string text = "NOSCRIPT No matching script.";
  if (!is_valkey(call.execution.mode.version)) text += " Please use EVAL.";
  refuse(text);
}

/// How many of the arguments from position 3 on are keys.
std::size_t eval_key_count(const Request& argv) {
  const std::int64_t count = integer_argument(argv[2]);
  if (count > static_cast<std::int64_t>(argv.size()) - 3) {
    refuse("ERR Number of keys can't be greater than number of args");
  }
  if (count < 0) refuse("ERR Number of keys can't be negative");
  return static_cast<std::size_t>(count);
}

namespace {

Reply run_body(Call& call, const std::string& sha1, const std::string& body, bool read_only) {
  const auto rest = std::span(call.argv).subspan(3);
  const std::size_t keys = eval_key_count(call.argv);
  ScriptRights rights{read_only};
  if (body.starts_with("#!")) {
    const std::uint8_t flags = script_shebang(body, call.execution.mode.version).flags;
    check_script_flags(call.execution.mode, flags, read_only);
    rights.read_only = (flags & kNoWrites) != 0;
    rights.allow_oom = (flags & (kNoWrites | kAllowOom)) != 0;
    rights.cross_slot = (flags & kAllowCrossSlotKeys) != 0;
  }
  return call.scripts().run(call.keyspace, sha1, body, rest.first(keys), rest.subspan(keys),
                            call.execution, rights);
}

/// Adds a script to the cache if it compiles; its error reply otherwise.
std::optional<Reply> load(Call& call, const std::string& sha1, const std::string& body) {
  if (call.keyspace.scripts.contains(sha1)) return std::nullopt;
  script_shebang(body, call.execution.mode.version);
  if (auto error = call.scripts().compile(sha1, body)) return error;
  call.keyspace.scripts.emplace(sha1, body);
  return std::nullopt;
}

Reply eval(Call& call, bool read_only) {
  eval_key_count(call.argv);
  const std::string& sha1 = call.scripts().name_of(call.argv[1]);
  if (auto error = load(call, sha1, call.argv[1])) return *error;
  return run_body(call, sha1, call.argv[1], read_only);
}

Reply evalsha(Call& call, bool read_only) {
  if (call.argv[1].size() != 40) refuse_unknown_script(call);
  eval_key_count(call.argv);
  const std::string sha1 = lower_case(call.argv[1]);
  const auto it = call.keyspace.scripts.find(sha1);
  if (it == call.keyspace.scripts.end()) refuse_unknown_script(call);
  return run_body(call, sha1, it->second, read_only);
}

Reply script_load(Call& call) {
  std::string sha1 = sha1_hex(call.argv[2]);
  if (auto error = load(call, sha1, call.argv[2])) return *error;
  return Reply::bulk(std::move(sha1));
}

Reply script_exists(Call& call) {
  std::vector<Reply> known;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    known.push_back(
        Reply::number(call.keyspace.scripts.contains(lower_case(call.argv[i])) ? 1 : 0));
  }
  return Reply::array(std::move(known));
}

Reply script_flush(Call& call) {
  const Request& argv = call.argv;
  const bool known = argv.size() == 2 ||
                     (argv.size() == 3 && (is_word(argv[2], "sync") || is_word(argv[2], "async")));
  if (!known) refuse("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  call.keyspace.forget_scripts();
  return Reply::ok();
}

Reply script_kill(Call& call) { return kill_busy_script(call, false); }

}  // namespace

}  // namespace

std::optional<std::uint8_t> declared_by_script(const Call& call) {
  const bool by_name = find_command(call.argv)->has(kNamesScript);
  const std::string* body = &call.argv[1];
  if (by_name) {
    const auto it = call.keyspace.scripts.find(lower_case(call.argv[1]));
    if (it == call.keyspace.scripts.end()) return std::nullopt;
    body = &it->second;
  }
  try {
    const Shebang shebang = script_shebang(*body, call.execution.mode.version);
    return shebang.present ? std::optional(shebang.flags) : std::nullopt;
  } catch (const Refused&) {
    return std::nullopt;
  }
}

namespace {

Reply run_eval(Call& call) { return eval(call, false); }
Reply run_eval_ro(Call& call) { return eval(call, true); }
Reply run_evalsha(Call& call) { return evalsha(call, false); }
Reply run_evalsha_ro(Call& call) { return evalsha(call, true); }

constexpr Command kScriptingRows[] = {
    {{"eval",
      -3,
      kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RW access update", 2, kCounted}}},
     run_eval,
     {kRunsScript}},
    {{"eval_ro",
      -3,
      kReadOnly | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RO access", 2, kCounted}}},
     run_eval_ro,
     {kRunsScript}},
    {{"evalsha",
      -3,
      kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RW access update", 2, kCounted}}},
     run_evalsha,
     {kRunsScript | kNamesScript}},
    {{"evalsha_ro",
      -3,
      kReadOnly | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys,
      "scripting",
      {{"RO access", 2, kCounted}}},
     run_evalsha_ro,
     {kRunsScript | kNamesScript}},
    {{"script", -2}, nullptr, {kContainer}},
    {{"script|debug", 3, kNoScript, "scripting"}, nullptr, {kSetsConnection}},
    {{"script|exists",
      -3,
      kNoScript,
      "scripting",
      {},
      "request_policy:all_shards response_policy:agg_logical_and"},
     script_exists},
    {{"script|flush",
      -2,
      kNoScript,
      "scripting",
      {},
      "request_policy:all_nodes response_policy:all_succeeded"},
     script_flush},
    {{"script|help", 2, kLoading | kStale, "scripting"}},
    {{"script|kill",
      2,
      kNoScript | kAllowBusy,
      "scripting",
      {},
      "request_policy:all_shards response_policy:one_succeeded"},
     script_kill},
    {{"script|load",
      3,
      kNoScript | kStale,
      "scripting",
      {},
      "request_policy:all_nodes response_policy:all_succeeded"},
     script_load},
};

}  // namespace

std::span<const Command> scripting_commands() { return kScriptingRows; }

}  // namespace lockstep::sim
