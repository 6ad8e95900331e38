// What the servers are called, and call themselves.
#include "sim/redis/version.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/base/check.hpp"

namespace lockstep::sim {

namespace {

struct ServerRow {
  ServerVersion version;
  const char* name;
  const char* title;
  const char* full_name;
  const char* redis_version;
};

// Those of which Debian has a package are the ones that were compared; 7.2.6 was looked at once,
// and 8.4 follows its documentation.
constexpr ServerRow kServers[] = {
    {ServerVersion::redis_7_0, "redis-7.0", "Redis 7.0", "7.0.15", "7.0.15"},
    {ServerVersion::redis_7_2, "redis-7.2", "Redis 7.2", "7.2.6", "7.2.6"},
    {ServerVersion::redis_8_0, "redis-8.0", "Redis 8.0", "8.0.2", "8.0.2"},
    {ServerVersion::redis_8_4, "redis-8.4", "Redis 8.4", "8.4.0", "8.4.0"},
    {ServerVersion::valkey_8_1, "valkey-8.1", "Valkey 8.1", "8.1.1", "7.2.4"},
    {ServerVersion::valkey_9, "valkey-9", "Valkey 9", "9.1.2", "7.2.4"},
};
static_assert(std::size(kServers) == std::size(kServerVersions));

const ServerRow& row(ServerVersion version) {
  const ServerRow& found = kServers[static_cast<std::size_t>(version)];
  LOCKSTEP_CHECK(found.version == version);
  return found;
}

}  // namespace

const char* name(ServerVersion version) { return row(version).name; }
const char* title(ServerVersion version) { return row(version).title; }
const char* full_name(ServerVersion version) { return row(version).full_name; }
const char* redis_version(ServerVersion version) { return row(version).redis_version; }

std::int64_t version_number(const char* version) {
  std::int64_t number = 0;
  for (int part = 0; part < 3; ++part) {
    char* end = nullptr;
    number = number * 256 + std::strtol(version, &end, 10);
    version = *end == '.' ? end + 1 : end;
  }
  return number;
}

std::vector<ServerVersion> ServerSet::all() const {
  std::vector<ServerVersion> versions;
  std::ranges::copy_if(kServerVersions, std::back_inserter(versions),
                       [&](ServerVersion version) { return has(version); });
  return versions;
}

std::string in_words(const ServerSet& servers) {
  const auto versions = servers.all();
  std::string text;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (i > 0) text += i + 1 == versions.size() ? " and " : ", ";
    text += name(versions[i]);
  }
  return text;
}

}  // namespace lockstep::sim
