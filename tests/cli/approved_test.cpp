// Every command's output, compared with approved baselines.
#include <catch2/catch.hpp>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

using Line = std::vector<std::string>;

/// The transcripts of several command lines in one approved file.
void check_lines(const std::string& name, const std::vector<Line>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + transcript(line);
  check_approved(name, text);
}

}  // namespace

TEST_CASE("help teaches", "[approved]") {
  check_lines("help", {{"--help"},
                       {"list", "--help"},
                       {"check", "--help"},
                       {"replay", "--help"},
                       {"learn", "--help"},
                       {"test", "--help"},
                       {"matrix", "--help"},
                       {"diff", "--help"},
                       {"eval", "--help"},
                       {"shell", "--help"},
                       {"conform", "--help"}});
}

TEST_CASE("list", "[approved]") {
  check_lines("list", {{"list"},
                       {"list", "scenarios", "--filter", "jump"},
                       {"list", "--filter", "no such thing"},
                       {"list", "protocols"}});
  check_lines("list_json", {{"list", "faults", "--json"}});
}

TEST_CASE("check a protocol", "[approved]") {
  check_lines("check_exists_set", {{"check", "exists-set"}});
  check_lines("check_holds", {{"check", "set-token-lua"}});
  check_lines("check_pause", {{"check", "set-token-lua", "--fault", "pause=1"}});
  check_lines("check_json",
              {{"check", "set-token-lua", "--fault", "pause=1", "--json", "--audit"}});
  check_lines("check_every_flag", {{"check",
                                    "fencing",
                                    "--clients",
                                    "3",
                                    "--rounds",
                                    "2",
                                    "--lease-ms",
                                    "8000",
                                    "--work-ms",
                                    "2000",
                                    "--fault",
                                    "jump,node-crash=1",
                                    "--jump-ms",
                                    "500,-500",
                                    "--property",
                                    "no-lost-update,leak",
                                    "--resource",
                                    "fenced",
                                    "--persistence",
                                    "aof-always",
                                    "--request-timeout-ms",
                                    "1000",
                                    "--pause-max-ms",
                                    "4000",
                                    "--max-states",
                                    "3000",
                                    "--max-seconds",
                                    "60",
                                    "--max-memory",
                                    "100"}});
}

TEST_CASE("check a scenario", "[approved]") {
  check_lines("check_scenario", {{"check", "set-token-lua-pause"}, {"check", "exists-set-race"}});
  check_lines("check_schedule",
              {{"check", "set-token-get-del-pause-told"}, {"check", "fencing-pause-told"}});
  check_lines("check_overridden", {{"check", "set-token-lua-pause", "--work-ms", "0"}});
  check_lines("check_not_as_expected", {{"check", data("wrong.json")}});
  check_lines("check_vacuous",
              {{"check", data("vacuous.json")}, {"check", data("vacuous.json"), "--rounds", "1"}});
  check_lines("check_inconclusive", {{"check", "set-token-lua", "--max-states", "20"}});
  check_lines("check_audit", {{"check", "set-token-lua-no-fault", "--audit"}});
}

TEST_CASE("replay", "[approved]") {
  check_lines("replay", {{"replay", "set-token-lua-jump"},
                         {"replay", "set-token-lua-late-reply-told"},
                         {"replay", "set-token-lua-no-fault"}});
  check_lines("replay_json", {{"replay", "setnx-crash", "--json"}});
}

TEST_CASE("replay, interactively", "[approved]") {
  const std::string answers =
      "else\nnext\nnext\nelse\ntake 2\nnext\nback\nback\ntake "
      "99\nnxet\nn\nn\nn\nn\nn\nn\nn\nn\nhelp\nquit\nnext\n";
  check_approved("replay_interactive",
                 "answers:\n" + answers + "\n" +
                     transcript({"replay", "set-token-lua-pause", "--interactive"}, answers));
  check_approved("replay_interactive_free", transcript({"replay", "set-token-lua-no-fault", "-i"},
                                                       "next\nelse\ntake 2\nelse\n"));
}

TEST_CASE("learn", "[approved]") {
  check_lines("learn", {{"learn", "--list"}, {"learn", "node-crash"}});
  const std::string answers = "\n\nb\nwhat?\nq\n\n";
  check_approved("learn_walk",
                 "answers:\n" + answers + "\n" + transcript({"learn", "2"}, answers, true));
}

TEST_CASE("test", "[approved]") {
  check_lines("test",
              {{"test", "set-token-lua-pause", "set-token-lua-pause-told"}, {"test", data("")}});
  check_lines("test_json", {{"test", data(""), "--json"}});
}

TEST_CASE("matrix", "[approved]") {
  check_lines("matrix", {{"matrix"}, {"matrix", "set-token-lua"}});
  check_lines("matrix_markdown",
              {{"matrix", "setnx", "fencing", "--property", "deadlock", "--markdown"}});
  check_lines("matrix_json",
              {{"matrix", "setnx", "fencing", "--property", "deadlock,leak", "--json"}});
}

TEST_CASE("diff", "[approved]") {
  check_lines("diff", {{"diff", "set-token-lua", "set-token-get-del"},
                       {"diff", "set-ex-nx", "set-token-lua"},
                       {"diff", "setnx", "setnx", "--property", "deadlock"}});
  check_lines("diff_json", {{"diff", "set-token-lua", "set-ex-nx", "--property", "leak", "--json"},
                            {"diff", "setnx", "setnx-expire", "--property", "leak", "--json"}});
}

TEST_CASE("bad input ends in one line with the place", "[approved]") {
  check_lines("bad_input",
              {{},
               {"chekc"},
               {"check"},
               {"check", "set-token-lau"},
               {"check", "./nowhere"},
               {"check", "nowhere.json"},
               {"check", "set-token-lua", "--falt", "pause=1"},
               {"check", "set-token-lua", "--fault", "puase=1"},
               {"check", "set-token-lua", "--fault", "pause=often"},
               {"check", "set-token-lua", "--fault", "pause=101"},
               {"check", "set-token-lua", "--fault", "pause=1,,crash=1"},
               {"check", "set-token-lua", "--property", "mutual-exlusion"},
               {"check", "set-token-lua", "--resource", "fence"},
               {"check", "set-token-lua", "--persistence", "aof"},
               {"check", "set-token-lua", "--clients", "9"},
               {"check", "set-token-lua", "--clients", "two"},
               {"check", "set-token-lua", "--lease-ms", "0"},
               {"check", "set-token-lua", "--jump-ms", "0"},
               {"check", "set-token-lua", "setnx"},
               {"check", "set-token-lua-pause-told", "--work-ms", "1"},
               {"check", "set-token-lua-pause-told", "--audit"},
               {"check", "set-token-lua", "--fault", "pause=1", "--trace", "/nowhere/x.json"},
               {"check", data("misspelt.json")},
               {"check", data("impossible.json")},
               {"replay", "set-token-lua-puase"},
               {"list", "fautls"},
               {"learn", "fencng"},
               {"learn", "0"},
               {"learn", "--lst"},
               {"test", "set-token-lua-puase"},
               {"test", "./nowhere"},
               {"test", "--filter", "puase"},
               {"test", "--jobs", "-1"},
               {"matrix", "setnxx"},
               {"matrix", "setnx", "--json", "--markdown"},
               {"diff", "setnx"},
               {"diff", "setnx", "setnxx"},
               {"diff", "--baseline", "nowhere.json", "setnx"},
               {"diff", "--baseline", data("wrong.json"), "setnx"},
               {"diff", "--baseline", data("wrong.json"), "setnx", "--rounds", "2"}});
}

}  // namespace lockstep::tests
