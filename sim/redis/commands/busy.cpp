// A script that does not end (Redis 7.0 script.c, functions.c); see the header.
#include "sim/redis/commands/busy.hpp"

#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

BusyScript* busy_script(const Call& call) {
  std::optional<BusyScript>& busy = call.execution.connections->busy;
  return busy ? &*busy : nullptr;
}

}  // namespace

bool is_function(const BusyScript& script) {
  return find_command(script.request)->has(kRunsFunction);
}

std::string busy_error(const BusyScript& script) {
  return std::string("BUSY Redis is busy running a script. You can only call ") +
         (is_function(script) ? "FUNCTION" : "SCRIPT") + " KILL or SHUTDOWN NOSAVE.";
}

Reply kill_busy_script(Call& call, bool functions) {
  BusyScript* script = busy_script(call);
  if (!script) refuse("NOTBUSY No scripts in execution right now.");
  if (script->wrote) {
    refuse(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
        "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
        "NOSAVE command.");
  }
  if (is_function(*script) != functions) refuse(busy_error(*script));
  script->must_end = true;
  return Reply::ok();
}

Reply running_function(const Call& call) {
  const BusyScript* script = busy_script(call);
  if (!script) return Reply::null();
  if (!is_function(*script)) refuse(busy_error(*script));
  std::vector<Reply> words;
  for (const std::string& word : script->request) words.push_back(Reply::bulk(word));
  return Reply::array({Reply::bulk("name"), Reply::bulk(script->request[1]), Reply::bulk("command"),
                       Reply::array(std::move(words)), Reply::bulk("duration_ms"),
                       Reply::number((call.execution.now - script->since).ms)});
}

}  // namespace lockstep::sim
