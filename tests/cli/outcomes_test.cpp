// How a command came out is said by its exit code, and its figures are what they are called: in
// the cases between the plain ones.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/redis/reply.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

/// A protocol with this acquire(), which leaves nothing behind.
std::string protocol(const std::string& name, const std::string& acquire) {
  const auto folder = scratch() / name;
  fs::remove_all(folder);
  write(folder / "protocol.lua",
        "local L = protocol { title = 't', source = 's' }\nfunction L:acquire() " + acquire +
            " end\nfunction L:release() redis('DEL', self.key) return true end\nreturn L\n");
  return folder.string();
}

std::string scenario(const std::string& name, Json json) {
  json.update({{"title", "t"}, {"source", "s"}, {"why", "w"}});
  if (!json.contains("kind")) json["kind"] = "search";
  const auto file = scratch() / (name + ".json");
  write(file, json.dump());
  return file.string();
}

}  // namespace

TEST_CASE("what is not as expected is FAILED, whatever became of its audit") {
  const std::vector<std::string> audited{"--audit", "--max-states", "1000"};
  auto words = std::vector<std::string>{"test", data("wrong.json")};
  words.insert(words.end(), audited.begin(), audited.end());
  const auto ran = run(words);
  CHECK_THAT(ran.out, Contains("the audit is inconclusive") && Contains("FAILED  wrong"));
  CHECK(ran.code == 1);
}

TEST_CASE("of several scenarios what is violated weighs more than what is left open") {
  const auto open = scenario("open", {{"protocol", "set-token-lua"},
                                      {"bounds", {{"max_states", 5}}},
                                      {"expect", {{"verdict", "holds"}}}});
  CHECK(run({"test", open}).code == 2);
  CHECK(run({"test", open, data("wrong.json")}).code == 1);
  CHECK(run({"test", data("wrong.json"), open}).code == 1);
}

TEST_CASE("SARIF has a script that ran at its last line") {
  const auto wrong = scenario("script-ran", {{"protocol", "semaphore-client-time"},
                                             {"clocks_ms", {0, 11000}},
                                             {"properties", {"mutual-exclusion"}},
                                             {"expect", {{"verdict", "holds"}}}});
  const auto file = scratch() / "script-ran.sarif";
  CHECK(run({"test", wrong, "--sarif", file.string()}).code == 1);
  const auto result = Json::parse(read(file))["runs"][0]["results"][0];
  const auto& flow = result["codeFlows"][0]["threadFlows"][0]["locations"];
  const auto& place = flow[1]["location"]["physicalLocation"];  // the second step: A's script
  CHECK_THAT(place["artifactLocation"]["uri"].get<std::string>(),
             Catch::Matchers::EndsWith("acquire.lua"));
  CHECK(place["region"]["startLine"] == 8);  // return 1
}

TEST_CASE("what holds though it should not is told without a violation") {
  const Json violated{{"verdict", "violated"}, {"property", "mutual-exclusion"}};
  const auto told = scenario("told-holds", {{"protocol", "set-token-lua"},
                                            {"kind", "schedule"},
                                            {"steps", {"A acquires"}},
                                            {"expect", violated}});
  const auto searched = scenario("holds", {{"protocol", "set-token-lua"}, {"expect", violated}});
  const auto file = scratch() / "holds.sarif";
  for (const auto& holds : {told, searched}) {
    CHECK(run({"test", holds, "--sarif", file.string()}).code == 1);
    const auto result = Json::parse(read(file))["runs"][0]["results"][0];
    CHECK(result["ruleId"] == "not-as-expected");
    const auto text = result["message"]["text"].get<std::string>();
    CHECK_THAT(text, Contains("holds") && !Contains(". \n"));
    CHECK_THAT(run({"check", holds, "--format", "markdown"}).out,
               Contains("HOLDS") && !Contains("\n> "));
  }
}

TEST_CASE("a matrix is as good as its verdicts: known ones 0, vacuous ones and open ones 2") {
  const auto never = protocol("never", "return false");
  const auto matrix = [](std::vector<std::string> words) {
    words.insert(words.begin(), "matrix");
    words.insert(words.end(), {"--property", "mutual-exclusion", "--json"});
    const auto ran = run(words);
    const auto json = Json::parse(ran.out);
    std::set<std::string> verdicts;
    for (const auto& each : json["protocols"][0]["verdicts"])
      verdicts.insert(each["verdict"].get<std::string>());
    return std::pair(ran.code, verdicts);
  };
  const auto [known_code, known] = matrix({"setnx"});
  CHECK(known_code == 0);
  CHECK(known.contains("violated"));
  const auto [vacuous_code, vacuous] = matrix({never});
  CHECK(vacuous == std::set<std::string>{"not-reentrant", "vacuous"});
  CHECK(vacuous_code == 2);
  const auto [open_code, open] = matrix({"setnx", "--max-states", "3"});
  CHECK(open.contains("inconclusive"));
  CHECK(open_code == 2);
}

TEST_CASE("bounds hold beside a baseline, too") {
  const auto file = (scratch() / "bounded.json").string();
  write(file, run({"matrix", "set-token-lua", "--property", "leak", "--json"}).out);
  const auto ran = run({"diff", "--baseline", file, "set-token-lua", "--max-states", "3"});
  CHECK_THAT(ran.out, Contains("the bound of 3 states was reached"));
  CHECK(ran.code == 1);  // what held is not known any more
}

TEST_CASE("what a flag asks for is judged without being named once more") {
  const auto waits = run({"check", "set-token-lua", "--fault", "delay=1", "--waits-ms", "1000"});
  CHECK_THAT(waits.out, Contains("waits    ") && Contains("VIOLATED"));
  const auto alone = run({"check", "set-token-lua", "--waits-ms", "1000", "--json"});
  CHECK_THAT(Json::parse(alone.out)["scenario"]["properties"].dump(), Contains("\"waits\""));
  const auto claims = scratch() / "asked.lua";
  write(claims, "invariant('i', function(w) return true end)\n");
  const auto stated = run({"check", "set-token-lua", "--invariants", claims.string(), "--json"});
  CHECK_THAT(Json::parse(stated.out)["scenario"]["properties"].dump(), Contains("\"invariant\""));
}

TEST_CASE("JSON of a check has no slack of a lease that had ended") {
  const auto slack = [](const std::string& work_ms) {
    return Json::parse(run({"check", "set-token-lua", "--property", "leak", "--lease-ms", "10000",
                            "--work-ms", work_ms, "--json"})
                           .out)["slack"]["least_ms"];
  };
  CHECK(slack("3000") == 7000);
  CHECK(slack("15000").is_null());
}

TEST_CASE("a replay in which others could go on decides nothing of who could not") {
  // Who has acquired once asks for ever; a fresh client has not.
  const auto folder = protocol("once",
                               "if self.tried then return retry(function() "
                               "redis('GET', self.key) return false end, 10) end "
                               "self.tried = true return true");
  const auto trace = (scratch() / "once-trace.json").string();
  CHECK(run({"check", folder, "--clients", "1", "--rounds", "2", "--property", "deadlock",
             "--trace", trace})
            .code == 1);
  const auto ran = run({"replay", trace, "--live"});
  CHECK_THAT(ran.out, Contains("a fresh client acquires the lock"));
  CHECK(ran.code == 2);
}

TEST_CASE("a run that hangs on a server's time of day is not to be had live") {
  // The number of ten seconds: it is another one today.
  const auto made_of_time = [](const std::string& name, const std::string& made) {
    const auto folder = protocol(
        name, "return redis('EVAL', [[local t = redis.call('TIME') redis.call('SET', KEYS[1], " +
                  made + ") return 1]], 1, self.key) == 1");
    const auto trace = (scratch() / (name + "-trace.json")).string();
    CHECK(run({"check", folder, "--property", "mutual-exclusion", "--trace", trace}).code == 1);
    return run({"replay", trace, "--live"});
  };
  const auto ran = made_of_time("tens", "math.floor(t[1] / 10)");
  CHECK(ran.code == 2);
  CHECK_THAT(ran.out, Contains("NOT REPRODUCIBLE LIVE") && Contains("hangs on the time of day"));
  const auto seconds = made_of_time("seconds", "t[1]");
  CHECK(seconds.code == 0);
  CHECK_THAT(seconds.out, Contains("CONFIRMED"));
}

TEST_CASE("where a key and a score end at one instant, a replay lets both be over") {
  const auto trace = (scratch() / "scores-trace.json").string();
  CHECK(run({"check", "semaphore-server-time", "--fault", "pause=1", "--property",
             "foreign-release", "--trace", trace})
            .code == 1);
  CHECK_THAT(run({"replay", trace, "--live"}).out, Contains("CONFIRMED"));
}

TEST_CASE("a replay that differs exits with 1, and is told as far as the step that does") {
  const live::Server theirs(sim::Persistence::none);
  live::Connection(theirs.address()).execute({"SET", "other", "1"});
  const auto folder = protocol("counts", "return redis('DBSIZE') == 0");
  const auto trace = (scratch() / "counts-trace.json").string();
  CHECK(run({"check", folder, "--property", "mutual-exclusion", "--trace", trace}).code == 1);
  const auto ran = run({"replay", trace, "--live", "--redis", theirs.address().shown()});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Contains("DIFFERS") && Contains("at step 2 ") && Contains("found: 1"));
  CHECK_THAT(ran.out, Contains("\n   2  ") && !Contains("\n   3  "));
}

TEST_CASE("a run is told as expected where its scenario expects it") {
  CHECK(run({"replay", "set-token-lua-pause"}).code == 0);
  CHECK(run({"replay", "set-token-lua-pause", "--json"}).code == 0);
}

TEST_CASE("a live run in which nobody acquires shows nothing") {
  const auto ran = run({"live", protocol("refuses", "return false"), "--property",
                        "mutual-exclusion", "--seconds", "0.2"});
  CHECK_THAT(ran.out, Contains("VACUOUS"));
  CHECK(ran.code == 2);
}

TEST_CASE("as many servers as can be simulated are not too many") {
  const auto of = [](const char* nodes, const char* replicas) {
    return run({"check", "set-token-lua", "--nodes", nodes, "--replicas", replicas, "--max-states",
                "9", "--property", "leak"});
  };
  CHECK(of("1", "6").code == 2);
  CHECK(of("2", "3").code == 3);
}

TEST_CASE("JSON of eval tells a status from a text") {
  const auto reply = [](const std::string& script) {
    return Json::parse(run({"eval", "-", "--json"}, script).out)["reply"];
  };
  CHECK(reply("return redis.status_reply('OK')") == Json{{"ok", "OK"}});
  CHECK(reply("return 'OK'") == "OK");
}

TEST_CASE("who closes the connection that is in use types into another one") {
  const auto typed = run({"shell"}, ".session\nset a 1\n.close 2\nget a\n");
  CHECK(typed.out == "connection 2\nOK\nconnection 1\n\"1\"\n");
  CHECK(typed.code == 0);
}

TEST_CASE("who comes back to the recorded run is on it again") {
  const auto told = [](const std::string& typed) {
    return run({"replay", "exists-set-race", "-i"}, typed + "quit\n").out;
  };
  const auto recorded = told("next\nnext\n"), back = told("next\ntake 2\nback\nnext\n");
  const auto last = recorded.substr(recorded.find("  2  "));
  CHECK_THAT(last, !Contains("  3  "));
  CHECK_THAT(back, Catch::Matchers::EndsWith(last));
}

TEST_CASE("99 of 100 waits of a live run are no longer than its figure says, in whatever order") {
  // One client, whose calls take 40, 36, ... 4 ms.
  const auto folder = protocol("hurried",
                               "self.calls = (self.calls or 0) + 1 sleep(44 - 4 * self.calls) "
                               "return redis('SET', self.key, 1, 'NX') == OK");
  const auto file =
      scenario("hurried", {{"protocol", folder},
                           {"roles", {{"r", {{"workload", {"lock", "unlock"}}, {"rounds", 10}}}}},
                           {"clients", 1},
                           {"expect", {{"verdict", "holds"}}}});
  const auto ran = run({"live", file, "--seconds", "5", "--json"});
  const auto figures = Json::parse(ran.out)["figures"];
  CHECK(figures["acquired"] == 10);
  CHECK(figures["wait_p50_us"] > 20'000);
  CHECK(figures["wait_p99_us"] > 36'000);
}

}  // namespace lockstep::tests
