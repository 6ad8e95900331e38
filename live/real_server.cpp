// Reads INFO; see the header.
#include "live/real_server.hpp"

#include <algorithm>

#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

/// What follows "FIELD:" at the beginning of a line, or "".
std::string field(const std::string& info, const std::string& name) {
  const std::string mark = "\n" + name + ":";
  const auto at = info.find(mark);
  if (at == std::string::npos) return "";
  const auto begin = at + mark.size();
  return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
}

}  // namespace

RealServer real_server(Connection& connection) {
  const std::string info = connection.execute({"INFO", "server"}).text;
  const std::string valkey = field(info, "valkey_version"), redis = field(info, "redis_version");
  RealServer server;
  if (!valkey.empty())
    server.shown = "valkey " + valkey;
  else if (!redis.empty())
    server.shown = "redis " + redis;
  std::string dashed = server.shown + ".";
  std::ranges::replace(dashed, ' ', '-');
  for (const auto version : sim::kServerVersions)
    if (dashed.starts_with(std::string(name(version)) + ".")) server.imitated = version;
  return server;
}

}  // namespace lockstep::live
