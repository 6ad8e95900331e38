// Reads INFO; see the header.
#include "live/real_server.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/redis/commands/newer.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

[[noreturn]] void refuse_server(const Address& address, const RealServer& real,
                                sim::ServerVersion wanted) {
  throw sim::BadInput(address.shown() + ": the server is " + real.shown +
                      ", and the protocol is written for " + name(wanted) +
                      ": name such a server with --redis");
}

}  // namespace

std::string info_field(const std::string& info, const std::string& name) {
  const std::string mark = "\n" + name + ":";
  const auto at = info.find(mark);
  if (at == std::string::npos) return "";
  const auto begin = at + mark.size();
  return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
}

void expect_server(const Address& address, sim::ServerVersion wanted) {
  if (wanted == sim::ServerVersion::redis_7_0) return;
  Connection connection(address);
  const RealServer real = real_server(connection);
  if (real.imitated.value_or(wanted) != wanted) refuse_server(address, real, wanted);
}

void expect_keyspace_events(const Address& address, sim::KeyspaceEvents wanted) {
  wanted &= sim::kLettered;
  if (wanted == 0) return;
  Connection connection(address);
  const sim::Reply reply = connection.execute({"CONFIG", "GET", "notify-keyspace-events"});
  if (reply.items.size() != 2)
    throw sim::BadInput(address.shown() +
                        ": the server does not tell which keyspace events it "
                        "publishes (CONFIG GET notify-keyspace-events)");
  const std::string& found = reply.items[1].text;
  if ((sim::parse_keyspace_events(found).value_or(0) & wanted) == wanted) return;
  throw sim::BadInput(address.shown() + ": the server publishes the keyspace events \"" + found +
                      "\", and the protocol needs \"" + sim::letters_of(wanted) +
                      "\": CONFIG SET notify-keyspace-events");
}

void expect_commands(const Address& address, const std::vector<sim::Request>& requests,
                     sim::ServerVersion wanted) {
  if (wanted == sim::ServerVersion::redis_7_0) return;
  Connection connection(address);
  const RealServer real = real_server(connection);
  const bool lacks = real.imitated && std::ranges::any_of(requests, [&](const auto& request) {
                       const sim::Newer* newer = sim::newer_in(request);
                       return newer != nullptr && !newer->servers.has(*real.imitated);
                     });
  if (lacks) refuse_server(address, real, wanted);
}

RealServer real_server(Connection& connection) {
  const std::string info = connection.execute({"INFO", "server"}).text;
  const std::string valkey = info_field(info, "valkey_version"),
                    redis = info_field(info, "redis_version");
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
