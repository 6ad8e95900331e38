// `lockstep eval`, `lockstep shell`: scripts and commands by hand.
#include <catch2/catch.hpp>
#include <set>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

constexpr const char* kScript =
    "-- compare and delete, with a counter\n"
    "local token = redis.call('get', KEYS[1])\n"
    "for i = 1, 2 do\n"
    "  redis.call('incr', 'n')\n"
    "end\n"
    "\n"
    "if token == ARGV[1] then\n"
    "  redis.call('pexpire', KEYS[1], 100)\n"
    "  return redis.call('del', KEYS[1])\n"
    "end\n"
    "return 0\n";

std::string script_file(const std::string& name, const std::string& text) {
  const auto file = scratch() / name;
  write(file, text);
  return file.string();
}

}  // namespace

TEST_CASE("eval runs a script as redis-cli --eval does") {
  const auto file = script_file("cad.lua", kScript);
  CHECK(run({"eval", file, "lock", ",", "a", "--set", "lock=a"}).out == "(integer) 1\n");
  CHECK(run({"eval", file, "lock", ",", "a", "--set", "lock=b"}).out == "(integer) 0\n");
  CHECK(run({"eval", file, "lock", ",", "-5"}).out == "(integer) 0\n");
  CHECK(run({"eval", "-", ",", "x"}, "return {#KEYS, ARGV[1]}").out ==
        "1) (integer) 0\n2) \"x\"\n");
  CHECK(run({"eval", "-", "--clock", "5000"}, "return redis.call('time')").out ==
        "1) \"5\"\n2) \"0\"\n");
}

TEST_CASE("eval and shell imitate the Redis that they are told") {
  const std::string script = "return {redis.REDIS_VERSION, redis.call('echo', 0.1)}";
  CHECK(run({"eval", "-"}, script).out == "1) \"7.0.15\"\n2) \"0.10000000000000001\"\n");
  CHECK(run({"eval", "-", "--server", "redis-7.2"}, script).out == "1) \"7.2.6\"\n2) \"0.1\"\n");
  CHECK_THAT(run({"shell", "--server", "redis-7.2"}, "INFO server\n").out,
             Catch::Contains("redis_version:7.2.6"));
  CHECK_THAT(run({"shell", "--server", "redis-7.2"}, "CLIENT SETINFO lib-name x\n").out,
             Catch::Contains("client setinfo"));
  const auto wrong = run({"eval", "-", "--server", "redis-7.1"}, script);
  CHECK(wrong.code == 3);
  CHECK_THAT(wrong.err, Catch::Contains("--server: unknown `redis-7.1`"));
  const auto old = run({"eval", "-", "--redis-version=7.2"}, script);
  CHECK(old.code == 3);
  CHECK(old.err == "lockstep: eval: --redis-version has become --server: `--server redis-7.2`\n");
}

TEST_CASE("--draw-seed decides what eval and shell choose, and what a search tries") {
  const std::string script =
      "redis.call('sadd', 's', 'a', 'b', 'c') return redis.call('spop', 's')";
  std::set<std::string> chosen{run({"eval", "-"}, script).out};
  CHECK(chosen == std::set<std::string>{"\"a\"\n"});
  for (int seed = 1; seed <= 20; ++seed) {
    const std::vector<std::string> seeded{"--draw-seed", std::to_string(seed)};
    const auto one = run({"eval", "-", seeded[0], seeded[1]}, script).out;
    const auto shell = run({"shell", seeded[0], seeded[1]}, "SADD s a b c\nSPOP s\n").out;
    CHECK(shell == "(integer) 3\n" + one);
    chosen.insert(one);
  }
  CHECK(chosen == std::set<std::string>{"\"a\"\n", "\"b\"\n", "\"c\"\n"});
  for (const char* command : {"eval", "shell", "check"}) {
    const auto wrong = run({command, "-", "--draw-seed=-1"}, script);
    CHECK(wrong.code == 3);
  }
  CHECK_THAT(run({"live", "setnx", "--draw-seed", "1"}).err,
             Catch::Contains("--draw-seed: a real"));
}

TEST_CASE("eval --trace tells each line, what it called and which keys it changed") {
  const auto file = script_file("cad.lua", kScript);
  const auto traced = run({"eval", file, "lock", ",", "a", "--set", "lock=a", "--trace"});
  CHECK(traced.code == 0);
  CHECK_THAT(traced.out, StartsWith("   2  local token"));
  CHECK_THAT(traced.out, Contains("get lock -> "));
  CHECK_THAT(traced.out, Contains("n = 1, without expiry\n   3  for i"));
  CHECK_THAT(traced.out, Contains("   8    redis.call('pexpire', KEYS[1], 100)\n"
                                  "          pexpire lock 100 -> 1\n"
                                  "            lock now expires in 100 ms\n"
                                  "   9    return"));
  CHECK_THAT(traced.out, Contains("            lock is gone\n(integer) 1\n"));
  const auto json = run({"eval", file, "lock", ",", "a", "--set", "lock=a", "--trace", "--json"});
  CHECK_THAT(json.out, Contains("\"lock is gone\""));
  CHECK_THAT(json.out, Contains("\"reply\": 1"));
}

TEST_CASE("what is wrong with a script is one line with its place") {
  const auto file = script_file("bad.lua", "local x = 1\nlocal y = = 2\n");
  const auto refused = run({"eval", file});
  CHECK(refused.code == 3);
  CHECK(refused.out.empty());
  CHECK(refused.err == "lockstep: " + file + ":2: unexpected symbol near '='\n");
  CHECK(run({"eval", "./nowhere.lua"}).code == 3);
  CHECK(run({"eval", "-"}, "return 1 + {}").code == 1);
  const auto endless = run({"eval", "-"}, "while true do end");
  CHECK(endless.code == 3);
  CHECK_THAT(endless.err, Contains("instructions"));
  CHECK_THAT(run({"eval", "-", "--set", "lock"}, "return 1").err, Contains("expected KEY=VALUE"));
  const auto commands = script_file("load.txt", "# two keys\nset a 1\n\nset b\n");
  CHECK_THAT(run({"eval", "-", "--load", commands}, "return 1").err,
             Contains("load.txt:4: ERR wrong number of arguments for 'set' command"));
}

TEST_CASE("the shell answers as redis-cli does, and time moves by hand") {
  const auto session = run({"shell"},
                           "set lock a px 30000\n"
                           ".advance 30s\n"
                           "get lock\n"
                           ".advance 1ms\n"
                           "get lock\n"
                           "set x \"a b\n"
                           "set x \"a b\"\n"
                           ".keys\n"
                           "advance 4s\n"
                           ".advanc 4s\n"
                           ".clock 1000\n"
                           "quit\n"
                           "set never 1\n");
  CHECK(session.code == 0);
  CHECK(session.out ==
        "OK\n"
        "\"a\"\n"
        "lock has expired\n"
        "(nil)\n"
        "lockstep: column 7: the quote \" is never closed\n"
        "OK\n"
        "x = \"a b\", without expiry\n"
        "(error) ERR unknown command 'advance', with args beginning with: '4s' \n"
        "(did you mean `.advance`?)\n"
        "lockstep: no command `.advanc`; did you mean `.advance`?\n"
        "1000 ms\n");
}

TEST_CASE("the shell has several connections") {
  const auto session =
      run({"shell"},
          "watch a\nmulti\nset a 1\n.session\nset a 2\nsubscribe news\n.session 1\n"
          "exec\npublish news hi\nblpop q 10\n.advance 10001ms\n.sessions\n");
  CHECK(session.out ==
        "OK\nOK\nQUEUED\n"
        "connection 2\n"
        "OK\n"
        "1) \"subscribe\"\n2) \"news\"\n3) (integer) 1\n"
        "connection 1\n"
        "(nil)\n"
        "[to connection 2]\n1) \"message\"\n2) \"news\"\n3) \"hi\"\n(integer) 1\n"
        "(no reply yet)\n"
        "(nil)\n"
        "* connection 1, database 0\n  connection 2, database 0\n");
}

TEST_CASE("a script is stepped line by line in the shell; at a terminal Enter goes on") {
  const auto file = script_file("cad.lua", kScript);
  const auto piped = run({"shell"}, "set lock a\n.step " + file + " lock , a\nget lock\n");
  CHECK_THAT(piped.out, Contains("            lock is gone\n(integer) 1\n(nil)\n"));
  const auto typed = run({"shell"}, ".step " + file + " lock , a\n\nc\nget n\n", true);
  CHECK_THAT(typed.out, Contains("[Enter: next line, c: to the end]"));
  CHECK_THAT(typed.out, Contains("\"2\"\n"));
}

}  // namespace lockstep::tests
