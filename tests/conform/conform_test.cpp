// The fuzzer itself: it finds a server that differs, shortens what it finds, and spares a server
// that holds keys.
#include "conform/conform.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "conform/commands.hpp"
#include "conform/pair.hpp"
#include "live/server.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/twin.hpp"

namespace {

using namespace lockstep;
using conform::Step;

TEST_CASE("a sequence is shortened to the steps that matter") {
  std::vector<Step> steps;
  for (int i = 0; i < 100; ++i) steps.push_back({0, {std::to_string(i)}});
  const auto has = [](const std::vector<Step>& all, const char* word) {
    return std::ranges::any_of(all, [&](const Step& step) { return step.request[0] == word; });
  };
  const auto differs = [&](const std::vector<Step>& fewer) {
    return has(fewer, "3") && has(fewer, "50") && has(fewer, "99");
  };
  const auto shortest = conform::shortened(steps, differs);
  REQUIRE(shortest.size() == 3);
  CHECK(shortest[0].request[0] == "3");
  CHECK(shortest[2].request[0] == "99");
}

TEST_CASE("a seed gives the same steps again, another seed others") {
  const auto texts = [](std::uint64_t seed) {
    std::string text;
    for (const auto& step :
         conform::random_steps(seed, {}, conform::repertoire_for(sim::ServerVersion::redis_7_0)))
      for (const auto& word : step.request) text += word + " ";
    return text;
  };
  CHECK(texts(5) == texts(5));
  CHECK(texts(5) != texts(6));
}

TEST_CASE("every command that may change keys has a template") {
  std::set<std::string> tried;
  for (const auto* families : {&conform::kFamilies, &conform::kConnectionFamilies})
    for (const auto& family : *families)
      for (const std::string text : family.templates)
        tried.insert(sim::lower_case(text.substr(0, text.find(' '))));
  for (const sim::Command* command : sim::all_commands()) {
    if (!command->run || !command->is(sim::kWrite) || command->is(sim::kAsking)) continue;
    INFO(command->name);
    CHECK(tried.contains(std::string(command->name)));
  }
}

/// Whether some server that is imitated knows the command.
bool is_known(const sim::Request& request) {
  return std::ranges::any_of(sim::kServerVersions, [&](sim::ServerVersion version) {
    sim::Server server({.version = version});
    const auto written = server.submit(server.open(), request);
    return std::ranges::none_of(written, [](const sim::Delivery& delivery) {
      return delivery.reply->text.starts_with("ERR unknown command");
    });
  });
}

TEST_CASE("every template is a command that a simulated server knows") {
  conform::Dice dice(1);
  for (const auto* families : {&conform::kFamilies, &conform::kConnectionFamilies})
    for (const auto& family : *families)
      for (const char* command : family.templates) {
        const conform::Family alone{family.name, {command}};
        const auto request = conform::random_command(alone, dice);
        if (request[0] == "NOSUCH" || request[0][0] == '!') continue;
        INFO(command);
        CHECK(is_known(request));
      }
}

TEST_CASE("a server that differs is found, and what shows it is short") {
  const live::Server server(sim::Persistence::none, {"--hash-max-listpack-entries", "1"});
  const auto outcome = conform::conform(server.address(), {1, 100'000, 0, {}});
  REQUIRE(outcome.finding);
  CHECK(outcome.finding->length == 200);
  CHECK(outcome.finding->steps.size() <= 3);
  REQUIRE(outcome.finding->difference.redis);
  CHECK(outcome.finding->difference.redis != outcome.finding->difference.lockstep);
}

TEST_CASE("step by step, a server that differs is found in its contents, and shortened") {
  lockstep::test::Twin twin({"--hash-max-listpack-entries", "1"});
  std::vector<Step> steps;
  for (int i = 0; i < 20; ++i) steps.push_back({0, {"SET", "k" + std::to_string(i), "v"}});
  CHECK(twin.compare(steps) == "");
  steps.insert(steps.begin() + 7, {0, {"HSET", "h", "f", "1", "g", "2"}});
  CHECK_THAT(twin.compare(steps),
             Catch::StartsWith("redis> HSET h f 1 g 2\n\nThe first difference:\n") &&
                 Catch::Contains("OBJECT ENCODING h\nredis-server\n\"hashtable\"\n"));
}

TEST_CASE("step by step, what is written to another connection is compared") {
  lockstep::test::Twin twin;
  CHECK(twin.run(0, {"SUBSCRIBE", "x"}) == "");
  CHECK(twin.run(1, {"PUBLISH", "x", "hi"}) == "");
  twin.real().execute({"PUBLISH", "x", "unseen here"});
  CHECK_THAT(twin.run(1, {"PING"}),
             Catch::StartsWith("redis connection 2> PING\nto connection 1") &&
                 Catch::Contains("lockstep\n(nothing)"));
}

TEST_CASE("many items are in any order only if their command makes a hash table of them") {
  sim::Reply ascending = sim::Reply::array({});
  for (int i = 0; i < 600; ++i) ascending.items.push_back(sim::Reply::bulk(std::to_string(i)));
  sim::Reply descending = ascending;
  std::ranges::reverse(descending.items);
  const auto likeness = [](const sim::Request& request) {
    return conform::likeness_of(request, sim::Session{}, sim::Keyspace{}, sim::kEpoch);
  };
  CHECK(conform::alike(likeness({"SINTER", "s"}), ascending, descending, 0));
  CHECK_FALSE(conform::alike(likeness({"LRANGE", "l", "0", "-1"}), ascending, descending, 0));
}

TEST_CASE("clock replies may differ by what passed between them, and by no more") {
  using sim::Reply;
  conform::Likeness timed;
  timed.timed = true;
  CHECK(conform::alike(timed, Reply::number(1000), Reply::number(1002), 2));
  CHECK_FALSE(conform::alike(timed, Reply::number(1000), Reply::number(1003), 2));
  CHECK_FALSE(conform::alike({}, Reply::number(1000), Reply::number(1001), 2));
  CHECK_FALSE(conform::alike(timed, Reply::number(-1), Reply::null(), 2));
}

TEST_CASE("a key that expires while others of its batch run is no difference") {
  const live::Server server(sim::Persistence::none);
  conform::Pair pair(server.address());
  const sim::Request brief{"SET", "k", "v", "PX", "1"};
  const sim::Request slow{"EVAL", "for i = 1, 1000000 do end return 1", "0"};
  CHECK_FALSE(pair.run({{0, brief}, {0, slow}, {0, {"GET", "k"}}}, false));
  CHECK_FALSE(
      pair.run({{0, {"MULTI"}}, {0, brief}, {0, slow}, {0, {"GET", "k"}}, {0, {"EXEC"}}}, false));
}

TEST_CASE("a server that holds keys is refused") {
  const live::Server server(sim::Persistence::none);
  CHECK_NOTHROW(conform::expect_empty(server.address()));
  live::Connection connection(server.address());
  connection.execute_all({{"SELECT", "7"}, {"SET", "mine", "1"}});
  CHECK_THROWS_WITH(conform::expect_empty(server.address()), Catch::Contains("--flush"));
}

}  // namespace
