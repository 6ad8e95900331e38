// Commands on the server as a whole: PING, TIME, DBSIZE, FLUSHALL.
#include <algorithm>

#include "sim/commands/handlers.hpp"

namespace lockstep::sim {

/// Counts live keys. Redis also counts expired ones that nothing has removed yet, which is a matter
/// of chance.
Reply run_dbsize(Call& call) {
  const auto live = std::ranges::count_if(call.keyspace.keys, [&call](const auto& item) {
    return !item.second.expires || call.execution.now <= *item.second.expires;
  });
  return Reply::number(live);
}

/// FLUSHALL and FLUSHDB: there is one database. Scripts stay.
Reply run_flush(Call& call) {
  const Request& argv = call.argv;
  if (argv.size() > 2) refuse_syntax();
  if (argv.size() == 2 && !is_word(argv[1], "sync") && !is_word(argv[1], "async")) refuse_syntax();
  call.keyspace.keys.clear();
  return Reply::ok();
}

Reply run_time(Call& call) {
  call.execution.looked_at_time = true;
  const std::int64_t ms = call.execution.now.ms;
  return Reply::array(
      {Reply::bulk(std::to_string(ms / 1000)), Reply::bulk(std::to_string(ms % 1000 * 1000))});
}

Reply run_ping(Call& call) {
  if (call.argv.size() > 2) refuse_arity("ping");
  return call.argv.size() == 1 ? Reply::status("PONG") : Reply::bulk(call.argv[1]);
}

Reply run_echo(Call& call) { return Reply::bulk(call.argv[1]); }

}  // namespace lockstep::sim
