// Redis's checks before a command runs (7.0 server.c processCommand).
#include "sim/redis/commands/admission.hpp"

#include "sim/base/ascii.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/newer.hpp"
#include "sim/redis/commands/unknown.hpp"

namespace lockstep::sim {

namespace {

/// As C's "%.*s": at most `limit` bytes.
std::string_view c_prefix(std::string_view text, std::size_t limit) {
  return c_text(text).substr(0, limit);
}

std::string unknown_command(const Request& request) {
  constexpr std::size_t kLimit = 128;
  std::string args;
  for (std::size_t i = 1; i < request.size() && args.size() < kLimit; ++i) {
    args += '\'';
    args += c_prefix(request[i], kLimit - args.size() + 1);
    args += "' ";
  }
  std::string text = "ERR unknown command '";
  text += c_prefix(request[0], kLimit);
  return one_line(text + "', with args beginning with: " + args);
}

std::string unknown_subcommand(const Command& container, const std::string& name) {
  std::string text = "ERR unknown subcommand '";
  text += c_prefix(name, 128);
  text += "'. Try ";
  text += upper_case(container.name);
  return one_line(text + " HELP.");
}

std::string wrong_arity(std::string_view name) {
  return "ERR wrong number of arguments for '" + std::string(name) + "' command";
}

}  // namespace

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return text;
}

LookedUp look_up(const Request& request, ServerVersion version) {
  refuse_newer(request, version);
  const Command* named = find_command(request[0]);
  if (!named) refuse_lacking(request);
  if (!named || !named->more.servers.has(version)) return {nullptr, unknown_command(request)};
  const Command* command = find_command(request);
  if (!command) return {named, unknown_subcommand(*named, request[1])};
  if (!arity_fits(command->arity, request.size())) return {command, wrong_arity(command->name)};
  return {command, {}};
}

std::string mode_refusal(unsigned flags, const ServerMode& mode) {
  if (mode.over_memory && (flags & kDenyOom) != 0) {
    return "OOM command not allowed when used memory > 'maxmemory'.";
  }
  if (mode.few_replicas && (flags & kWrite) != 0) {
    return "NOREPLICAS Not enough good replicas to write.";
  }
  if (mode.replica && (flags & kWrite) != 0) {
    return "READONLY You can't write against a read only replica.";
  }
  if (mode.loading && (flags & kLoading) == 0)
    return "LOADING Redis is loading the dataset in memory";
  return {};
}

}  // namespace lockstep::sim
