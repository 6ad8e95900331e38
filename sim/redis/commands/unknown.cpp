// Names what is unknown; see the header.
#include "sim/redis/commands/unknown.hpp"

#include <string>

#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

void refuse_unknown(const Request& request, RedisVersion version) {
  if (request.empty()) return;
  const Command* known = find_command(request);
  if (known != nullptr && known->has(kLooksAtUsage))
    throw BadInput("command '" + one_line(lower_case(request[0] + " " + request[1])) +
                   "': when a key was last used is not kept: nothing can be said of a lock that "
                   "looks at it");
  if (known != nullptr && known->name == "debug" && request.size() > 1 &&
      is_word(request[1], "sleep"))
    throw BadInput(
        "command 'debug sleep': a server that stands still is not simulated: `--fault "
        "delay` and `--latency-ms` make it late");
  if (known != nullptr) return;
  std::string command = request[0];
  if (find_command(request[0]) && request.size() > 1) command += " " + request[1];
  throw BadInput("command '" + one_line(lower_case(command)) +
                 "': lockstep knows no such command of Redis " + name(version) +
                 ": nothing can be said of a lock that uses it");
}

}  // namespace lockstep::sim
