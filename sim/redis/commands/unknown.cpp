// Names what is unknown; see the header.
#include "sim/redis/commands/unknown.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/newer.hpp"

namespace lockstep::sim {

namespace {

/// What a redis-server 7.0.15 has (COMMAND LIST) and lockstep has no row of.
constexpr std::string_view kLacking[] = {"bitfield",
                                         "bitfield_ro",
                                         "geoadd",
                                         "geodist",
                                         "geohash",
                                         "geopos",
                                         "georadius",
                                         "georadius_ro",
                                         "georadiusbymember",
                                         "georadiusbymember_ro",
                                         "geosearch",
                                         "geosearchstore",
                                         "module",
                                         "pfadd",
                                         "pfcount",
                                         "pfdebug",
                                         "pfmerge",
                                         "pfselftest",
                                         "xack",
                                         "xadd",
                                         "xautoclaim",
                                         "xclaim",
                                         "xdel",
                                         "xgroup",
                                         "xinfo",
                                         "xlen",
                                         "xpending",
                                         "xrange",
                                         "xread",
                                         "xreadgroup",
                                         "xrevrange",
                                         "xsetid",
                                         "xtrim"};

std::string near_miss_to(const std::string& command) {
  std::vector<std::string> names;
  for (const Command* known : all_commands()) names.emplace_back(known->name);
  return near_miss_hint(command, names);
}

}  // namespace

void refuse_lacking(const Request& request) {
  const std::string name_of_it = lower_case(request.at(0));
  if (std::ranges::find(kLacking, name_of_it) != std::end(kLacking))
    throw BadInput("command '" + name_of_it +
                   "': Redis has it, lockstep does not simulate it: nothing can be said of a lock "
                   "that uses it");
}

void refuse_unknown(const Request& request, ServerVersion version) {
  if (request.empty()) return;
  refuse_others(request, version);
  const Command* known = find_command(request);
  if (known != nullptr && known->has(kLooksAtUsage))
    throw BadInput("command '" + one_line(lower_case(request[0] + " " + request[1])) +
                   "': when a key was last used is not kept: nothing can be said of a lock that "
                   "looks at it");
  if (known != nullptr && known->name == "info")
    throw BadInput(
        "command 'info': most of what it tells of a server is not simulated: nothing can be said "
        "of "
        "a lock that looks at it");
  if (known != nullptr && known->name == "debug" && request.size() > 1 &&
      is_word(request[1], "sleep"))
    throw BadInput(
        "command 'debug sleep': a server that stands still is not simulated: `--fault "
        "delay` and `--latency-ms` make it late");
  if (known != nullptr) return;
  refuse_lacking(request);
  std::string command = request[0];
  if (find_command(request[0]) && request.size() > 1) command += " " + request[1];
  throw BadInput("command '" + one_line(lower_case(command)) +
                 "': lockstep knows no such command of " + name(version) +
                 near_miss_to(lower_case(command)) +
                 ": nothing can be said of a lock that uses it");
}

bool may_write(const Request& request) {
  const Command* known = find_command(request);
  return known == nullptr || !known->is(kReadOnly);
}

namespace {

bool is_one_of(const Request& request, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return is_word(request.at(0), name); });
}

}  // namespace

void refuse_with_migration(const Request& request) {
  if (is_one_of(
          request,
          {"watch",  "wait",      "asking",     "readonly", "readwrite", "keys",       "scan",
           "dbsize", "randomkey", "flushall",   "flushdb",  "subscribe", "psubscribe", "blpop",
           "brpop",  "blmove",    "brpoplpush", "blmpop",   "bzpopmin",  "bzpopmax",   "bzmpop"}))
    throw BadInput("command '" + one_line(lower_case(request[0])) +
                   "': what clients of a cluster do with it is not simulated beside `migrate`");
}

void refuse_with_replicas(const Request& request, bool at_replica) {
  const bool refused = is_one_of(request, {"role", "info", "subscribe", "psubscribe"}) ||
                       (at_replica && is_one_of(request, {"watch", "dbsize"}));
  if (refused)
    throw BadInput("command '" + one_line(lower_case(request[0])) +
                   "': what it does where there are replicas is not simulated");
}

void refuse_at_replica(const Request& request) {
  throw BadInput("command '" + one_line(lower_case(request[0])) +
                 "': what a replica answers is not simulated beside a clock that stands still");
}

}  // namespace lockstep::sim
