// What COMMAND says of every command, against a real redis-server. Redis's order of commands and
// subcommands is that of a hash table: they are compared by name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/reply_text.hpp"

namespace {

using lockstep::sim::Reply;
using lockstep::sim::Request;
using lockstep::test::show;

/// What docs/differences.md names: unknown here, as on a server without them.
bool is_unknown_here(const std::string& name) {
  const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
  return begins("x") || begins("geo") || begins("pf") || begins("bitfield") || begins("module");
}

Reply fake(const Request& request) {
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::Execution execution{};
  return lockstep::sim::execute(keyspace, request, execution);
}

/// An entry with its subcommands in order of name, and without the notes of its key specifications.
Reply comparable(Reply entry) {
  for (Reply& spec : entry.items.at(8).items) {
    if (spec.items[0] == Reply::bulk("notes")) {
      spec.items.erase(spec.items.begin(), spec.items.begin() + 2);
    }
  }
  for (Reply& subcommand : entry.items.at(9).items) subcommand = comparable(std::move(subcommand));
  std::ranges::sort(entry.items[9].items, {}, [](const Reply& sub) { return sub.items[0].text; });
  return entry;
}

std::map<std::string, std::string> by_name(const Reply& entries) {
  std::map<std::string, std::string> found;
  for (const Reply& entry : entries.items) {
    const std::string& name = entry.items.at(0).text;
    if (!is_unknown_here(name)) found[name] = show(comparable(entry));
  }
  return found;
}

TEST_CASE("COMMAND describes every command and subcommand as redis-server does") {
  lockstep::live::Server redis(lockstep::sim::Persistence::none);
  lockstep::live::Connection server(redis.address());
  for (const Request& request : {Request{"COMMAND"}, Request{"COMMAND", "INFO"}}) {
    const auto real = by_name(server.execute(request));
    const auto ours = by_name(fake(request));
    const auto known =
        std::ranges::count_if(lockstep::sim::all_commands(), [](const auto* command) {
          return command->more.servers.has(lockstep::sim::ServerVersion::redis_7_0);
        });
    CHECK(std::ssize(ours) == known);
    CHECK(ours.size() == real.size());
    for (const auto& [name, entry] : real) {
      INFO(name);
      REQUIRE(ours.contains(name));
      CHECK(ours.at(name) == entry);
    }
  }
}

TEST_CASE("COMMAND INFO of a subcommand is what its container says of it") {
  for (const Reply& entry : fake({"COMMAND"}).items) {
    for (const Reply& sub : entry.items.at(9).items) {
      const std::string& name = sub.items.at(0).text;
      CHECK(show(fake({"COMMAND", "INFO", name})) == show(Reply::array({sub})));
    }
  }
}

TEST_CASE("COMMAND LIST and its filters name what redis-server names") {
  const auto names = [](const Reply& reply) {
    std::set<std::string> known;
    for (const Reply& name : reply.items) {
      if (!is_unknown_here(name.text)) known.insert(name.text);
    }
    return known;
  };
  lockstep::live::Server redis(lockstep::sim::Persistence::none);
  lockstep::live::Connection server(redis.address());
  std::vector<Request> requests{{"COMMAND", "LIST"}};
  const std::vector<std::string> categories{
      "keyspace", "read",   "write", "set",  "sortedset", "list",       "hash",      "string",
      "bitmap",   "PUBSUB", "admin", "fast", "slow",      "blocking",   "dangerous", "connection",
      "stream",   "geo",    "all",   "",     "scripting", "transaction"};
  for (const auto& category : categories) {
    requests.push_back({"COMMAND", "LIST", "FILTERBY", "ACLCAT", category});
  }
  for (const char* pattern : {"*", "config*", "*|get", "C*|[G-I]*", "", "get"}) {
    requests.push_back({"COMMAND", "LIST", "FILTERBY", "PATTERN", pattern});
  }
  for (const Request& request : requests) {
    INFO(lockstep::sim::line_of(request));
    CHECK(names(fake(request)) == names(server.execute(request)));
  }
}

}  // namespace
