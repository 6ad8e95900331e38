// `lockstep record`: logs of real clients beside protocols, and commands that are run.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_line.hpp"

namespace fs = std::filesystem;
using Catch::Contains;
using namespace lockstep::tests;

namespace {

/// Two requests: SET with these options, and the release of set-token-lua.
std::string log_with(const std::string& options, const std::string& release) {
  return "OK\n1767225600.000123 [0 127.0.0.1:50231] \"SET\" \"jobs\" \"8f3c\" " + options +
         "\n1767225600.400000 [0 127.0.0.1:50231] " + release + "\n";
}

std::string release_of(const std::string& protocol) {
  std::string text;
  for (const char c : read(fs::path("protocols") / protocol / "release.lua")) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return "\"eval\" \"" + text + "\" \"1\" \"jobs\" \"8f3c\"";
}

Ran recorded(const std::string& log, std::vector<std::string> more = {}) {
  const auto file = scratch() / "record" / "app.log";
  write(file, log);
  std::vector<std::string> words{"record", "set-token-lua", "--monitor", file.string()};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

}  // namespace

TEST_CASE("a log that is alike says so, with the lease that it shows", "[record]") {
  const auto alike = recorded(log_with("\"NX\" \"EX\" \"30\"", release_of("set-token-lua")));
  INFO(alike.out << alike.err);
  CHECK(alike.code == 0);
  CHECK_THAT(alike.out, Contains("ALIKE  protocol.lua sends what your client sent: 2 requests") &&
                            Contains("1 acquired, 0 refused, 1 released") &&
                            Contains("lease     30000 ms: what fits the log best"));
}

TEST_CASE("a log that differs shows both requests, exit code 1", "[record]") {
  const auto text = log_with("\"NX\" \"EX\" \"30\"", R"("DEL" "jobs")");
  const auto differs = recorded(text);
  CHECK(differs.code == 1);
  CHECK_THAT(differs.out, Contains("DIFFERS  after 1 request that protocol.lua sends, too") &&
                              Contains("line 2                SET jobs 8f3c NX EX 30") &&
                              Contains("line 3, yours         DEL jobs") &&
                              Contains("EVAL release.lua 1 jobs 8f3c") &&
                              Contains("unsent    release.lua"));
  const auto json = nlohmann::json::parse(recorded(text, {"--json"}).out);
  CHECK(json["verdict"] == "differs");
  CHECK(json["difference"]["line"] == 3);
  CHECK(json["difference"]["sent"] == "DEL jobs");
  CHECK(json["difference"]["possible"][0]["request"] == "EVAL release.lua 1 jobs 8f3c");
  // With the lease that is asked for the first request differs already.
  CHECK_THAT(recorded(text, {"--lease-ms", "20000"}).out,
             Contains("DIFFERS  after 0 requests") && Contains("lease     20000 ms\n"));
}

TEST_CASE("a log of something else is inconclusive, exit code 2", "[record]") {
  const auto other = recorded("1767225600.000123 [0 127.0.0.1:50231] \"GET\" \"jobs\"\n");
  CHECK(other.code == 2);
  CHECK_THAT(other.out, Contains("NOTHING ALIKE") && Contains("1 of other keys"));
}

TEST_CASE("a command is run beside a server of its own, and its log kept", "[record]") {
  const auto kept = scratch() / "record" / "kept.log";
  fs::remove(kept);
  fs::create_directories(kept.parent_path());
  const std::string client =
      "redis-cli -u $REDIS_URL SET jobs 8f3c NX EX 20 >/dev/null;"
      "redis-cli -h \"$1\" -p \"$2\" --eval protocols/set-token-lua/release.lua jobs , 8f3c "
      ">/dev/null";
  const auto ran = run({"record", "set-token-lua", "--keep", kept.string(), "--json", "--", "sh",
                        "-c", client, "sh", "{host}", "{port}"});
  INFO(ran.out << ran.err << read(kept));
  CHECK(ran.code == 0);
  const auto json = nlohmann::json::parse(ran.out);
  CHECK(json["verdict"] == "alike");
  CHECK(json["released"] == 1);
  CHECK(json["lease_ms"] == 20000);
  CHECK(json["unsent"].empty());
  CHECK_THAT(read(kept), Contains("\"SET\" \"jobs\" \"8f3c\""));

  const auto failed = run({"record", "set-token-lua", "--", "sh", "-c",
                           "redis-cli -u $REDIS_URL SETNX jobs x >/dev/null; exit 7"});
  CHECK(failed.code == 2);
  CHECK_THAT(failed.out, Contains("SET <key> <token> EX 10 NX"));
  CHECK_THAT(failed.err, Contains("sh ended with exit code 7; what it sent is compared"));
}

TEST_CASE("what record cannot do ends in a line", "[record]") {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), "record");
    const auto ran = run(words);
    CHECK(ran.code == 3);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK_THAT(refused({"set-token-lua"}), Contains("give --monitor FILE, or a command after --"));
  CHECK_THAT(refused({"set-token-lau", "--monitor", "x"}), Contains("did you mean"));
  CHECK_THAT(refused({"redlock", "--", "true"}), Contains("redlock has 3 servers"));
  CHECK_THAT(refused({"set-token-lua", "--", "/no/such/program"}),
             Contains("/no/such/program: cannot be run"));
  CHECK_THAT(refused({"set-token-lua", "--", "true"}), Contains("true: sent nothing"));
  CHECK_THAT(refused({"set-token-lua", "--monitor", "README.md"}),
             Contains("README.md:1: not a line of MONITOR"));
  CHECK_THAT(refused({"set-token-lua", "--monitor", "x", "--keep", "y"}), Contains("--keep"));
}
