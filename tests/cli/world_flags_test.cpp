// Every flag that changes the world is told in the printout, is kept in the trace, and changes
// nothing else.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

using Catch::Matchers::Contains;

struct WorldFlag {
  std::vector<std::string> words;
  std::string printed;  ///< what the printout says of it
  std::string kept;     ///< what the trace does
};

const std::vector<WorldFlag> kWorldFlags{
    {{"--cluster"}, ", in a cluster\n", "\"cluster\": true"},
    {{"--cluster", "--fault", "migrate=1"}, "at most 1 slot migration\n", "\"migrate\": 1"},
    {{"--replicas", "1"}, ", 1 replica\n", "\"replicas\": 1"},
    {{"--restart-after-ms", "700"},
     ", a node stays down for 700 ms at least\n",
     "\"restart_after_ms\": 700"},
    {{"--clock-ms", "5,-6"},
     ", A's clock is 5 ms ahead, B's clock is 6 ms behind\n",
     "\"clocks_ms\""},
    {{"--node-clock-ms", "7"}, ", node 1's clock is 7 ms ahead\n", "\"node_clocks_ms\""},
    {{"--node-drift-ppm", "-300"}, ", node 1's clock is 300 ppm slow\n", "\"node_drifts_ppm\""},
    {{"--request-timeout-ms", "400"}, ", request timeout 400 ms\n", "\"request_timeout_ms\": 400"},
    {{"--pause-max-ms", "600"}, ", a pause ends within 600 ms\n", "\"pause_max_ms\": 600"},
    {{"--server", "redis-7.2"}, ", server redis-7.2\n", "\"redis-7.2\""},
    {{"--keyspace-events", "KEAx"}, ", keyspace events \"AKE\"\n", "\"keyspace_events\": \"AKE\""},
    {{"--persistence", "aof-always"}, "persistence aof-always\n", "\"aof-always\""},
    {{"--resource", "fenced"}, "resource fenced,", "\"fenced\""},
    {{"--waits-ms", "90000"},
     "waits     at most 90000 ms inside acquire(), from its call on",
     "\"call\""},
    {{"--waits-ms", "90000", "--waits-after", "free"},
     "waits     at most 90000 ms inside acquire() while the lock is free, from its call on",
     "\"free\""},
    {{"--overtakes", "7"},
     "fairness  others get the lock at most 7 times while a client is inside acquire()",
     "\"overtakes\": 7"}};

}  // namespace

TEST_CASE("each flag of the world is told in the printout, and its trace is replayed") {
  const auto file = (scratch() / "world-flag.trace.json").string();
  for (const WorldFlag& flag : kWorldFlags) {
    std::vector<std::string> words{"check",      "set-token-lua",    "--work-ms", "31000",
                                   "--property", "mutual-exclusion", "--trace",   file};
    words.insert(words.end(), flag.words.begin(), flag.words.end());
    INFO(flag.words.front() << ' ' << flag.words.back());
    const auto found = run(words);
    CHECK(found.code == 1);
    CHECK_THAT(found.out, Contains(flag.printed));
    CHECK_THAT(read(file), Contains(flag.kept));
    const auto replayed = run({"replay", file});
    CHECK(replayed.code == 1);
    CHECK(run_told(found.out) == run_told(replayed.out));
    CHECK(!run_told(replayed.out).empty());
  }
}

TEST_CASE(
    "a number of the world may be the least and the most that it can be, and nothing beyond") {
  struct Limits {
    std::string flag;
    std::int64_t least, most;
  };
  constexpr std::int64_t longest = 2'592'000'000;
  for (const auto& [flag, least, most] :
       {Limits{"--clients", 1, 8}, Limits{"--rounds", 1, 100}, Limits{"--work-ms", 0, longest},
        Limits{"--lease-ms", 1, longest}, Limits{"--request-timeout-ms", 0, longest},
        Limits{"--pause-max-ms", 0, longest}, Limits{"--latency-ms", 0, longest},
        Limits{"--restart-after-ms", 0, longest}, Limits{"--waits-ms", 1, longest},
        Limits{"--overtakes", 0, 1000}, Limits{"--nodes", 1, 7}, Limits{"--replicas", 0, 6}}) {
    const auto with = [&flag = flag](std::int64_t number) {
      return run({"check", "set-nx-px", "--property", "leak", "--max-states", "3",
                  flag + "=" + std::to_string(number)});
    };
    CAPTURE(flag);
    for (const auto possible : {least, most}) CHECK(with(possible).err == "");
    for (const auto beyond : {least - 1, most + 1}) {
      const auto refused = with(beyond);
      CHECK(refused.code == 3);
      CHECK_THAT(refused.err, Contains(fmt::format("{}: found {}, expected {} to {}\n", flag,
                                                   beyond, least, most)));
    }
  }
}

TEST_CASE("memory is bounded in MiB") {
  const auto bounded = run({"check", "set-token-lua", "--max-memory", "2"});
  CHECK_THAT(bounded.out, Contains("the bound of 2 MiB was reached"));
  CHECK(run({"check", "set-token-lua", "--max-memory", "4096"}).code == 0);
}

namespace {

using Refusals = std::vector<std::pair<std::vector<std::string>, std::string>>;

void are_refused(const std::string& protocol, const Refusals& refused) {
  for (const auto& [flags, why] : refused) {
    std::vector<std::string> words{"check", protocol};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto found = run(words);
    INFO(why);
    CHECK(found.code == 3);
    CHECK_THAT(found.err, Contains(why));
  }
}

}  // namespace

TEST_CASE("what is not simulated with replicas is refused by name") {
  are_refused(
      "replica-reentry",
      {{{"--fault", "freeze=1,failover=1"}, "beside `failover`"},
       {{"--fault", "freeze=1"}, "command 'get': what a replica answers"},
       {{"--fault", "lag=1", "--replicas", "0"}, "needs replicas: --replicas 1"},
       {{"--drift-ppm", "5"}, "clocks that drift are not simulated with replicas"},
       {{"--fault", "jump=1,lag=1"}, "clocks that jump back are not simulated beside `lag`"}});
}

TEST_CASE("keyspace events are letters, and of servers without replicas") {
  are_refused(
      "events-lock",
      {{{"--keyspace-events", "Kq"}, "--keyspace-events Kq: expected letters of Ag$lshz"},
       {{"--replicas", "1"}, "keyspace events are not simulated with replicas"},
       {{"--cluster"}, "keyspace events are not simulated with replicas, nor in a cluster"}});
  const auto none = run(
      {"check", "events-lock-unbounded", "--keyspace-events", "none", "--property", "deadlock"});
  CHECK(none.code == 1);
  CHECK_THAT(none.out, Contains("keyspace events \"\""));
}

TEST_CASE("a protocol's settings are set for all roles") {
  const std::vector<std::string> check{"check",  "tracking-lock", "--fault",
                                       "lose=1", "--property",    "lost-wakeup"};
  const auto with = [&](const std::string& setting) {
    auto words = check;
    words.insert(words.end(), {"--set", setting});
    return run(words);
  };
  CHECK(run(check).code == 0);
  CHECK(with("empties=true").code == 0);
  const auto told = with("empties=false");
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("empties = false"));
  are_refused("tracking-lock",
              {{{"--set", "emptis=true"}, "has no setting `emptis` (did you mean `empties`?)"},
               {{"--set", "empties=3"}, "the setting `empties` is 3; expected one like true"},
               {{"--set", "empties"}, "--set: found `empties`, expected NAME=VALUE"},
               {{"--set", "=true"}, "--set: found `=true`, expected NAME=VALUE"}});
  // A text that looks like a number.
  const auto folder = scratch() / "digits";
  write(
      folder / "protocol.lua",
      "local L = protocol { title = 't', settings = { want = '312' } }\n"
      "function L:acquire() return setting('want') == '231' or redis('SET', self.key, 'x', 'NX', "
      "'PX', self.ttl_ms) == OK end\nfunction L:release() redis('DEL', self.key) end\nreturn L\n");
  const std::vector<std::string> digits{"check", folder.string(), "--property", "mutual-exclusion"};
  CHECK(run(digits).code == 0);
  auto set = digits;
  set.insert(set.end(), {"--set", "want=231"});
  CHECK(run(set).code == 1);
}

TEST_CASE("what is not simulated where slots migrate is refused by name") {
  const Refusals refused{
      {{"--fault", "migrate=1"}, "needs a cluster"},
      {{"--cluster", "--fault", "migrate=3"}, "at most 2 slot migrations"},
      {{"--cluster", "--fault", "migrate=1,node-crash=1"}, "beside the fault `node-crash`"},
      {{"--cluster", "--fault", "migrate=1,power-loss=1"}, "beside the fault `power-loss`"},
      {{"--cluster", "--fault", "migrate=1,oom=1"}, "beside the fault `oom`"},
      {{"--cluster", "--fault", "migrate=1,freeze=1"}, "beside the fault `freeze`"},
      {{"--cluster", "--fault", "migrate=1", "--drift-ppm", "5"}, "beside drifting clocks"},
      {{"--cluster", "--fault", "migrate=1", "--replicas", "1"}, "`cluster` or `replicas`"},
      {{"--cluster", "--fault", "migrate=1", "--server", "redis-8.0"}, "not as of redis-8.0"}};
  are_refused("set-token-lua", refused);
  const auto watches = run({"check", "watch-multi-del", "--cluster", "--fault", "migrate=1"});
  CHECK(watches.code == 3);
  CHECK_THAT(watches.err, Contains("command 'watch'"));
}

TEST_CASE("--work-ms changes how long a client works, not how long it sleeps") {
  const auto file = scratch() / "sleeps.json";
  write(file,
        R"({"title": "t", "source": "s", "why": "w", "kind": "search", "protocol": "set-token-lua",
           "roles": {"r": {"workload": ["lock", "sleep 20", "work 10", "unlock"]}}, "clients": ["r", "r"],
           "properties": ["mutual-exclusion"], "expect": {"verdict": "holds"}})");
  const auto ran = run({"check", file.string(), "--work-ms", "30"});
  CAPTURE(ran.err);
  CHECK_THAT(ran.out, Contains("lock, sleep 20, work 30, unlock"));
}

TEST_CASE("a live run in which nothing could be judged is not as expected") {
  const auto ran = run({"live", "set-token-lua", "--seconds", "0.2", "--clients", "1", "--rounds",
                        "1", "--property", "lost-told"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.out, Contains("NOT JUDGED"));
}

}  // namespace lockstep::tests
