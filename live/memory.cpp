// CONFIG SET maxmemory; see the header.
#include "live/memory.hpp"

#include <cstdlib>
#include <sstream>

#include "live/server.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr const char* kLeast = "1";  // byte, less than any server needs
constexpr const char* kUnlimited = "0";

void limit(Connection& server, const std::string& maxmemory, const std::string& policy) {
  order(server, {"CONFIG", "SET", "maxmemory", maxmemory, "maxmemory-policy", policy});
}

/// In all databases: INFO says of each "db0:keys=2,expires=1,...".
std::size_t count_of(Connection& server, const std::string& what) {
  const std::string mark = what + "=";
  std::size_t count = 0;
  std::istringstream lines(server.execute({"INFO", "keyspace"}).text);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(mark); at != line.npos)
      count += std::strtoul(line.c_str() + at + mark.size(), nullptr, 10);
  return count;
}

}  // namespace

void fill_memory(Connection& server) { limit(server, kLeast, "noeviction"); }
void free_memory(Connection& server) { limit(server, kUnlimited, "noeviction"); }

/// What it may evict goes before the next command is executed.
std::optional<std::string> evict(Connection& server, sim::MaxmemoryPolicy policy) {
  const bool any = policy == sim::MaxmemoryPolicy::allkeys;
  if (count_of(server, any ? "keys" : "expires") > 1)
    return "which of several keys a real server evicts is its own choice";
  const auto before = server.execute({"CONFIG", "GET", "maxmemory"}).items.back().text;
  limit(server, kLeast, any ? "allkeys-lru" : "volatile-lru");
  server.execute({"PING"});
  limit(server, before, "noeviction");
  return std::nullopt;
}

}  // namespace lockstep::live
