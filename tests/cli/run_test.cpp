// Exit codes, traces written and replayed, and what a trace is refused for: command lines from end
// to end.
#include "cli/run.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/arguments.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// A copy of a shipped protocol that a test may change.
fs::path own_protocol(const std::string& name) {
  const auto folder = scratch() / name;
  fs::remove_all(folder);
  fs::copy(fs::path(LOCKSTEP_SOURCE_DIR) / "protocols/set-token-lua", folder);
  return folder;
}

}  // namespace

TEST_CASE("the exit code tells how a check came out") {
  CHECK(run({"check", "set-token-lua"}).code == 0);
  CHECK(run({"check", "set-token-lua", "--fault", "pause=1"}).code == 1);
  CHECK(run({"check", "set-token-lua-pause"}).code == 0);
  CHECK(run({"check", data("wrong.json")}).code == 1);
  CHECK(run({"check", "set-token-lua", "--max-states", "20"}).code == 2);
  CHECK(run({"check", data("vacuous.json")}).code == 0);
  CHECK(run({"check", data("vacuous.json"), "--rounds", "1"}).code == 2);
  CHECK(run({"check", "nothing-like-this"}).code == 3);
  CHECK(run({"--help"}).code == 0);
  CHECK(run({"--no-such-flag"}).code == 3);
}

TEST_CASE("a quorum of more nodes than there are is refused") {
  const auto refused = run({"check", "redlock-half", "--nodes", "1"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("needs a quorum of 2, but there is 1 node"));
}

TEST_CASE("a live run of a protocol of several nodes starts as many servers, or is given them") {
  const auto own = run({"live", "redlock", "--seconds", "0.3"});
  CHECK(own.code == 0);
  CHECK_THAT(own.out, Contains("server    3 of redis 7.0") &&
                          Contains("not       honest-result, reentrancy, or not to the end: nobody "
                                   "sees the keys of several nodes at one instant"));
  const std::string nobody = "redis://127.0.0.1:1";
  const auto few = run({"live", "redlock", "--redis", nobody, "--redis", nobody});
  CHECK(few.code == 3);
  CHECK_THAT(few.err, Contains("--redis: given 2 times for 3 nodes: give it once for each"));
  const auto many = run({"live", "set-token-lua", "--redis", nobody, "--redis", nobody});
  CHECK(many.code == 3);
  CHECK_THAT(many.err, Contains("--redis: given 2 times for 1 node"));
}

TEST_CASE("an item of a list that is empty is refused with its place") {
  for (const std::string flag : {"--fault", "--property", "--jump-ms", "--clock-ms",
                                 "--node-clock-ms", "--drift-ppm", "--node-drift-ppm"}) {
    const std::string item = flag == "--fault" ? "pause=1" : flag == "--property" ? "leak" : "5";
    const std::string gap = item + ",," + item;
    for (const auto& [list, place] : {std::pair{gap, 2}, {"," + item, 1}, {item + ",", 2}}) {
      const auto refused = run({"check", "set-token-lua", flag, list});
      CAPTURE(flag, list);
      CHECK(refused.code == 3);
      CHECK_THAT(refused.err, Contains(flag + ": found nothing as item " + std::to_string(place) +
                                       " of `" + list + "`"));
      CHECK(lines(refused.err).size() == 1);
    }
  }
}

TEST_CASE("lists on the command line: items between commas, and the flag again") {
  const auto read = [](const std::vector<std::string>& words) {
    return std::get<cli::CheckArguments>(cli::parse(words)).model;
  };
  CHECK(read({"check", "--jump-ms", "5,-7", "setnx", "--jump-ms=+9"}).jumps_ms ==
        std::vector<std::int64_t>{5, -7, 9});
  CHECK(read({"check", "--fault", "pause,crash=2", "setnx", "--fault", "delay"}).faults ==
        std::vector<std::string>{"pause", "crash=2", "delay"});
  CHECK_THROWS_WITH(read({"check", "setnx", "--jump-ms", "5,9223372036854775808"}),
                    Contains("--jump-ms: found `9223372036854775808`, which is too large"));
  CHECK_THROWS_WITH(read({"check", "setnx", "--property", "[leak,,deadlock]"}),
                    Contains("--property: found nothing as item 2"));
}

TEST_CASE("faults that a flag names replace those of a scenario") {
  const auto ran = run({"check", "set-token-lua-pause", "--fault", "crash=1"});
  CHECK_THAT(ran.out, Contains("\nfaults    at most 1 client crash\n"));
}

TEST_CASE("a clock is fast or slow by so much, and then not every instant may have been tried") {
  const auto ran = run({"check", "set-nx-pxat", "--drift-ppm", "500,-500", "--work-ms", "20000",
                        "--fault", "pause=1"});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Contains("A's clock is 500 ppm fast, B's clock is 500 ppm slow\n"));
  CHECK_THAT(lines(ran.out).front(), EndsWith(", the fewest that were tried"));
}

TEST_CASE("a failure of our own has its own exit code") {
  std::istringstream in;
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  cli::Io io{in, out, err};
  try {
    out.exceptions(std::ios::badbit);
  } catch (const std::ios::failure&) {
  }
  CHECK(cli::run({"list", "faults"}, io) == 4);
  CHECK_THAT(err.str(), Contains("a bug of lockstep itself"));
}

TEST_CASE("output that cannot be written is no success") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list", "faults"}, {"check", "set-token-lua"}}) {
    std::istringstream in;
    std::ofstream out("/dev/full");
    std::ostringstream err;
    cli::Io io{in, out, err};
    CHECK(cli::run(words, io) == 3);
    CHECK(err.str() == "lockstep: the output cannot be written, or not all of it\n");
  }
}

TEST_CASE("a bound that is none is refused") {
  for (const char* flag : {"--max-states", "--max-memory", "--max-seconds"})
    for (const char* value : {"0", "-5", "nan", "99999999999999999999"}) {
      const auto ran = run({"check", "set-token-lua", flag, value});
      INFO(flag << ' ' << value << ": " << ran.err);
      CHECK(ran.code == 3);
      CHECK_THAT(ran.err, Contains(flag));
    }
  CHECK(run({"check", "set-token-lua", "--max-memory", "17592186044416"}).code == 3);
}

TEST_CASE("a trace is written over nothing but a trace, and an old one does not stay") {
  const auto trace = scratch() / "kept.json", link = scratch() / "link.json",
             linked = scratch() / "linked.json", protocol = own_protocol("own");
  const auto check = [](const std::string& lock, const fs::path& file) {
    return run({"check", lock, "--trace", file.string()});
  };
  CHECK(check("exists-set", trace).code == 1);
  CHECK(check("exists-set", trace).code == 1);  // it is ours
  CHECK(check("set-token-lua", trace).code == 0);
  CHECK_FALSE(fs::exists(trace));

  fs::remove(link);
  fs::create_symlink(linked, link);
  CHECK(check("exists-set", link).code == 1);
  CHECK(fs::is_symlink(link));
  CHECK(run({"replay", linked.string()}).code == 1);
  CHECK(check("exists-set", "/dev/null").code == 1);
  CHECK(fs::is_character_file("/dev/null"));

  const std::string before = read(protocol / "protocol.lua");
  const auto refused = check("exists-set", protocol / "protocol.lua");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("protocol.lua: is there already, and not by lockstep"));
  CHECK(read(protocol / "protocol.lua") == before);
  CHECK_THAT(check("exists-set", scratch()).err, Contains("is a folder"));
  CHECK_THAT(check("exists-set", "/nowhere/at/all.json").err,
             Contains("there is no folder /nowhere/at"));
}

TEST_CASE("a trace that claims what its run does not show is refused") {
  const auto trace = scratch() / "claims.json";
  CHECK(run({"check", "exists-set", "--property", "mutual-exclusion", "--trace", trace.string()})
            .code == 1);
  std::string text = read(trace);
  const std::string claim = "\"violated\": \"mutual-exclusion\"";
  const auto at = text.find(claim);
  REQUIRE(at != text.npos);
  write(trace, text.replace(at, claim.size(), "\"violated\": \"leak\""));
  const auto ran = run({"replay", trace.string()});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, EndsWith("it says that its run violates leak, and that violates mutual "
                               "exclusion\n"));
  CHECK(ran.out.empty());
}

TEST_CASE("a search without a run to tell is no confirmation") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"replay", "set-token-lua-no-fault"},
        {"replay", "set-token-lua-no-fault", "--live"}}) {
    const auto ran = run(words);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, Contains("there is no run to tell: nothing is violated in any run"));
    CHECK(ran.out.empty());
  }
}

TEST_CASE("an audit that was asked for and comes to no end is not as expected") {
  const std::vector<std::string> words{"check",     "set-token-lua", "--lease-ms",   "11000",
                                       "--work-ms", "3001",          "--max-states", "300"};
  auto audited = words;
  audited.emplace_back("--audit");
  CHECK(run(words).code == 0);
  CHECK(run(audited).code == 2);
  // Nor is one of a scenario, though its verdict is as expected (the engine needs 115 states).
  const std::vector<std::string> bounded{"check", "set-token-lua-no-fault", "--max-states", "130"};
  auto as_expected = bounded;
  as_expected.emplace_back("--audit");
  CHECK(run(bounded).code == 0);
  CHECK(run(as_expected).code == 2);
}

TEST_CASE("what a protocol says of itself paints no other line") {
  const auto folder = scratch() / "painted";
  write(folder / "protocol.lua",
        "local L = protocol { title = '\\27[2K\\rHOLDS\\nx\\194\\155', source = 's' }\n"
        "function L:acquire() log('\\27[31m') return true end\n"
        "function L:release() return true end\nreturn L\n");
  const auto ran = run({"check", folder.string()});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Contains("\\x1b[2K\\x0dHOLDS\\nx\\xc2"));
  CHECK_THAT(ran.out, Contains("logs \"\\x1b[31m\""));
  CHECK(ran.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a counterexample written to a file replays as it was printed") {
  const auto file = (scratch() / "a.trace.json").string();
  const auto found = run({"check", "fencing", "--fault", "node-crash=1", "--property",
                          "mutual-exclusion,no-lost-update", "--trace", file});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("lockstep replay " + file));
  const auto replayed = run({"replay", file});
  CHECK(replayed.code == 1);
  CHECK(run_told(found.out) == run_told(replayed.out));
  CHECK(lines(run_told(replayed.out)).size() > 8);
}

TEST_CASE("a leak that no single step makes replays as it was printed") {
  const auto file = (scratch() / "endless.trace.json").string();
  const auto folder = std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/watchdog-unstopped";
  const auto found =
      run({"check", folder, "--clients", "1", "--property", "leak", "--trace", file});
  CHECK(found.code == 1);
  const auto replayed = run({"replay", file});
  CHECK(replayed.code == 1);
  CHECK(run_told(found.out) == run_told(replayed.out));
  CHECK_THAT(run_told(replayed.out), EndsWith("from here on a task goes on for ever."));
  CHECK_THAT(run({"replay", file, "--json"}).out, Contains("\"violated\": \"leak\""));
  const std::string nexts(lines(run_told(replayed.out)).size(), '\n');
  const auto walked = run({"replay", file, "--interactive"}, nexts);
  CHECK_THAT(walked.out, Contains("from here on a task goes on for ever.\n"
                                  "the recorded run ends here\n"
                                  "the run ends here: a property is violated\n"));
  // One step back the run goes on: its last step is possible again.
  CHECK_THAT(run({"replay", file, "--interactive"}, nexts + "back\nelse\n").out, Contains("1 * "));
}

TEST_CASE("a trace keeps the seed by which Redis chose") {
  const auto folder = scratch() / "draws";
  fs::create_directories(folder);
  std::ofstream(folder / "protocol.lua")
      << "local L = protocol { title = 't', source = 's' }\n"
         "function L:acquire()\n"
         "  redis('SADD', 'pool', 'a', 'b', 'c')\n"
         "  if redis('SRANDMEMBER', 'pool') == 'c' then return true end\n"
         "  return redis('SET', self.key, 'x', 'NX') == OK\n"
         "end\n"
         "function L:release() redis('DEL', self.key) return true end\n"
         "return L\n";
  const auto file = (scratch() / "draws.json").string();
  const std::vector<std::string> check{
      "check", folder.string(), "--property", "mutual-exclusion", "--trace", file, "--draw-seed"};
  const auto seeded = [&](int seed) {
    auto words = check;
    words.push_back(std::to_string(seed));
    return run(words);
  };
  const auto first = seeded(0);
  CHECK(first.code == 2);
  CHECK_THAT(first.out, Contains("another --draw-seed tries other choices"));
  int seed = 1;
  while (seed < 50 && seeded(seed).code != 1) ++seed;
  const auto found = seeded(seed);
  REQUIRE(found.code == 1);
  CHECK_THAT(found.out, Contains("draw seed " + std::to_string(seed)));
  CHECK_THAT(read(file), Contains("\"draw_seed\": " + std::to_string(seed)));
  CHECK(run({"replay", file}).code == 1);
  std::string text = read(file);
  const auto at = text.find("\"draw_seed\": " + std::to_string(seed));
  text.replace(at, 13 + std::to_string(seed).size(), "\"draw_seed\": 0");
  std::ofstream(file) << text;
  CHECK(run({"replay", file}).code == 3);
}

TEST_CASE("a trace of a protocol outside names it relative to itself") {
  const auto folder = own_protocol("moved");
  const auto file = scratch() / "traces" / "b.json";
  fs::create_directories(file.parent_path());
  CHECK(run({"check", folder.string(), "--work-ms", "15000", "--trace", file.string()}).code == 1);
  CHECK_THAT(read(file), Contains("\"protocol\": \"../moved\""));
  CHECK(run({"replay", file.string()}).code == 1);
}

TEST_CASE("no trace is written where nothing was found") {
  const auto file = scratch() / "none.json";
  CHECK(run({"check", "set-token-lua", "--trace", file.string()}).code == 0);
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("a trace of a protocol that has changed since is refused in one line") {
  const auto folder = own_protocol("changed");
  const auto file = scratch() / "c.json";
  CHECK(run({"check", folder.string(), "--fault", "pause=1", "--trace", file.string()}).code == 1);
  write(folder / "release.lua", read(folder / "release.lua") + "\n-- a comment more\n");
  const auto refused = run({"replay", file.string()});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("c.json: the protocol in ") &&
                              Contains("has changed since this trace was made"));
  CHECK(lines(refused.err).size() == 1);
}

TEST_CASE("a file of invariants judges somebody else's protocol, and its trace is replayed") {
  const auto claims = scratch() / "claims.lua";
  write(claims,
        "invariant('nobody takes the lock', function(world)\n"
        "  return world.nodes[1].keys.lock == nil\nend)\n");
  const auto file = scratch() / "claimed.json";
  const auto found =
      run({"check", "set-token-lua", "--invariants", claims.string(), "--trace", file.string()});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("it is claimed that \"nobody takes the lock\""));
  CHECK_THAT(read(file), Contains("\"invariants\": \"claims.lua\""));
  const auto told = run({"replay", file.string()});
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("it is claimed that \"nobody takes the lock\""));
  write(claims, read(claims) + "-- a comment more\n");
  CHECK_THAT(run({"replay", file.string()}).err, Contains("claims.lua, has changed since"));
  const auto refused = run({"check", "set-token-lua", "--invariants", "no-such.lua"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("--invariants: no file no-such.lua"));
}

TEST_CASE("how long somebody may wait is asked for by a flag, and its trace is replayed") {
  const auto file = scratch() / "waits.json";
  const auto found = run({"check", "set-token-lua", "--fault", "delay=1", "--property", "waits",
                          "--waits-ms", "1000", "--trace", file.string()});
  CHECK(found.code == 1);
  const std::string waited =
      "A has waited for 1001 ms inside acquire() of lock, longer than 1000 ms";
  CHECK_THAT(found.out, Contains(waited) && Contains("at most 1000 ms inside acquire()"));
  const auto told = run({"replay", file.string()});
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains(waited));
  CHECK(run({"check", "set-token-lua", "--waits-ms", "1000"}).code == 0);
  CHECK_THAT(run({"check", "set-token-lua", "--property", "waits"}).err,
             Contains("the property `waits` is asked for, but not how long"));
  CHECK_THAT(run({"check", "set-token-lua", "--waits-after", "free"}).err,
             Contains("--waits-after: says nothing without --waits-ms"));
}

TEST_CASE("a truncated trace is refused in one line") {
  const auto file = scratch() / "d.json";
  CHECK(run({"check", "set-token-lua", "--fault", "pause=1", "--trace", file.string()}).code == 1);
  const auto whole = read(file);
  write(file, whole.substr(0, whole.size() / 2));
  const auto refused = run({"replay", file.string()});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("d.json:") && Contains("not JSON"));
  CHECK(lines(refused.err).size() == 1);
}

TEST_CASE("a trace whose schedule does not fit is refused, never told half") {
  const auto file = scratch() / "e.json";
  CHECK(run({"check", "set-token-lua", "--fault", "pause=1", "--trace", file.string()}).code == 1);
  auto text = read(file);
  const auto at = text.find("\"do\": \"pause\"");
  REQUIRE(at != std::string::npos);
  text.replace(at, 13, "\"do\": \"crash\"");
  write(file, text);
  const auto refused = run({"replay", file.string()});
  CHECK(refused.code == 3);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("e.json") && Contains("crash A") && Contains("not possible"));
}

TEST_CASE("a file that the system cannot reach is refused in one line") {
  const auto folder = scratch() / "endless-link";
  fs::create_directories(folder);
  if (!fs::is_symlink(folder / "x.json")) fs::create_symlink("x.json", folder / "x.json");
  const auto refused = run({"test", folder.string()});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("endless-link/x.json: "));
  CHECK(lines(refused.err).size() == 1);
}

TEST_CASE("a protocol that is wrong is refused with file and line") {
  const auto refused = [](const std::string& text) {
    write(scratch() / "bad/protocol.lua", text);
    const auto ran = run({"check", (scratch() / "bad").string()});
    CHECK(ran.code == 3);
    CHECK(lines(ran.err).size() == 1);
    return ran.err;
  };
  const std::string head = "local Lock = protocol { title = \"t\", source = \"s\" }\n";
  CHECK_THAT(refused("x = = 1\n"), Contains("bad/protocol.lua:1:"));
  CHECK_THAT(refused(head + "function Lock:release() return true end\nreturn Lock\n"),
             Contains("acquire"));
  CHECK_THAT(refused(head + "function Lock:acquire() return os.time() > 0 end\nfunction "
                            "Lock:release() return true end\nreturn Lock\n"),
             Contains("bad/protocol.lua:2") && Contains("os"));
  CHECK_THAT(refused(head + "function Lock:acquire() while true do end end\nfunction "
                            "Lock:release() return true end\nreturn Lock\n"),
             Contains("bad/protocol.lua"));
  CHECK_THAT(run({"check", (scratch() / "empty").string()}).err, Contains("no such"));
}

TEST_CASE("a folder anywhere works the same as a shipped name") {
  const auto folder = own_protocol("copy");
  const auto shipped = lines(run({"check", "set-token-lua"}).out);
  const auto own = lines(run({"check", folder.string()}).out);
  REQUIRE(shipped.size() == own.size());
  CHECK(shipped.front() == own.front());
  CHECK(shipped.size() > 5);
}

TEST_CASE("live asks for the server that a protocol is written for") {
  const auto other = run({"live", "set-token-delifeq", "--seconds", "0.1"});
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Catch::Contains("the server is redis 7.0") &&
                            Catch::Contains("the protocol is written for valkey-9"));
  const auto told = run({"replay", "set-token-delex-pause-told", "--live"});
  CHECK(told.code == 3);
  CHECK_THAT(told.err, Catch::Contains("the protocol is written for redis-8.4"));
}

TEST_CASE("a replay on several nodes starts them all, and takes no single server's address") {
  const auto own = run({"replay", "redlock-half-no-fault", "--live"});
  CHECK(own.code == 0);
  CHECK_THAT(own.out, Contains("CONFIRMED"));
  const auto one =
      run({"replay", "redlock-half-no-fault", "--live", "--redis", "redis://127.0.0.1:1"});
  CHECK(one.code == 3);
  CHECK_THAT(one.err, Contains("--redis: it names one server, and this run has 4"));
}

TEST_CASE("colours and prompts are for terminals only") {
  CHECK_THAT(run({"check", "exists-set"}).out, !Contains("\033["));
  std::istringstream in("next\nquit\n");
  std::ostringstream out, err;
  cli::Io io{in, out, err, true, true, true};
  CHECK(cli::run({"replay", "exists-set-race", "-i"}, io) == 0);
  CHECK_THAT(out.str(), Contains("(next, back, else, take N, help, quit) > "));
  CHECK(cli::run({"check", "exists-set"}, io) == 1);
  CHECK_THAT(out.str(), Contains("\033[31mVIOLATED"));
}

TEST_CASE("replay --scripts shows the lines that each step runs") {
  const auto ran = run({"replay", "lua-setnx-expire-guarded-delay", "--scripts"});
  CHECK_THAT(ran.out, Contains(" protocol.lua:22:     redis(\"DEL\", self.key)\n"));
  CHECK_THAT(ran.out, Contains(" setnx_and_expire.lua:3: \treturn true\n"));
  CHECK_THAT(ran.out, !Contains("setnx_and_expire.lua:4:") && !Contains("setnx_and_expire.lua:5:"));
  const auto html = run({"replay", "lua-setnx-expire-guarded-delay", "--format", "html"});
  CHECK_THAT(html.out, Contains("<mark>&#9;return true</mark>\n"));
}

}  // namespace lockstep::tests
