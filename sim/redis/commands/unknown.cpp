// Names what is unknown; see the header.
#include "sim/redis/commands/unknown.hpp"

#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr const char* kNothingToSay = ": nothing can be said of a lock that uses it";

}  // namespace

void refuse_unknown(const Request& request, RedisVersion version) {
  if (request.empty() || find_command(request)) return;
  std::string command = request[0];
  if (find_command(request[0]) && request.size() > 1) command += " " + request[1];
  throw BadInput("command '" + one_line(lower_case(command)) +
                 "': lockstep knows no such command of Redis " + name(version) + kNothingToSay);
}

void refuse_unknown_in_script(const Reply& reply, RedisVersion version) {
  constexpr std::string_view kError = "ERR Unknown Redis command called from script";
  if (!reply.is_error() || !reply.text.starts_with(kError)) return;
  throw BadInput("a script calls a command that lockstep does not know of Redis " +
                 std::string(name(version)) + " (" + one_line(reply.text.substr(4)) + ")" +
                 kNothingToSay);
}

}  // namespace lockstep::sim
