// The table of texts; see the header. Seen on the servers; those of Redis 7.2 read in its source.
#include "sim/redis/script/server_words.hpp"

#include <string_view>

namespace lockstep::sim {

namespace {

using enum ServerVersion;

constexpr ServerSet kRedisSince72{redis_7_2, redis_8_0, redis_8_4};

struct Worded {
  std::string_view redis_7_0;
  ServerSet servers;
  const char* text;
};

constexpr Worded kWorded[] = {
    {"ERR Unknown Redis command called from script", kValkeys,
     "ERR Unknown command called from script"},
    {"ERR Wrong number of args calling Redis command from script", kValkeys,
     "ERR Wrong number of args calling command from script"},
    {"ERR Script attempted to access a non local key in a cluster node",
     {valkey_9},
     "ERR Attempted to access a non local key in a cluster node"},
    {"ERR This Redis command is not allowed from script",
     {valkey_9},
     "ERR This Valkey command is not allowed from script"},
    {"ERR Please specify at least one argument for this redis lib call", kValkeys,
     "ERR Please specify at least one argument for this call"},
    {"ERR Lua redis lib command arguments must be strings or integers", kValkeys,
     "ERR Command arguments must be strings or integers"},
    {"ERR redis.log() requires two arguments or more.", kValkeys,
     "ERR server.log() requires two arguments or more."},
    {"ERR Invalid debug level.",
     {redis_8_0, redis_8_4, valkey_8_1, valkey_9},
     "ERR Invalid log level."},
    {"ERR redis.setresp() requires one argument.", kValkeys,
     "ERR server.setresp() requires one argument."},
    {"ERR redis.set_repl() requires two arguments.", kRedisSince72,
     "ERR redis.set_repl() requires one argument."},
    {"ERR redis.set_repl() requires two arguments.", kValkeys,
     "ERR server.set_repl() requires one argument."},
    {"ERR Invalid command passed to redis.acl_check_cmd()", kValkeys,
     "ERR Invalid command passed to server.acl_check_cmd()"},
};

}  // namespace

const char* in_words_of(ServerVersion version, const char* text) {
  if (version == redis_7_0) return text;
  for (const Worded& worded : kWorded)
    if (worded.servers.has(version) && worded.redis_7_0 == text) return worded.text;
  return text;
}

}  // namespace lockstep::sim
