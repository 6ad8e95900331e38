// The command line; see the header.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "scenarios/names.hpp"
#include "scenarios/suggest.hpp"
#include "sim/error.hpp"

namespace lockstep::cli {

namespace {

constexpr const char* kAbout =
    "Runs the exact Redis scripts and commands of a lock protocol in a simulated world, explores "
    "every\n"
    "order of events within stated bounds, and shows the shortest run that breaks the lock.\n";

constexpr const char* kFooter =
    "\nTo begin with:\n"
    "  lockstep learn                            why locks fail, one lesson at a time\n"
    "  lockstep list                             what is shipped\n"
    "  lockstep check exists-set                 why EXISTS + SET fails, as a shortest "
    "counterexample\n"
    "  lockstep check set-token-lua --fault pause=1\n"
    "  lockstep test                             every shipped scenario, and what it expects\n"
    "  lockstep matrix                           every rung of the ladder against every fault\n"
    "  lockstep diff ./my-lock.old ./my-lock     did a change make the lock weaker?\n"
    "  lockstep shell                            a prompt on the simulated Redis\n"
    "\nExit codes: 0 as expected, 1 violated, 2 inconclusive or vacuous, 3 bad input, 4 a bug of "
    "lockstep.\n";

constexpr const char* kCheckFooter =
    "\nPROTOCOL is a shipped name or a folder that holds protocol.lua; SCENARIO a shipped name or "
    "a JSON file.\n"
    "A protocol is checked with two clients that lock, work 3000 ms and unlock, a lease of 10000 "
    "ms and no\n"
    "faults. A scenario says all this itself and what it expects: exit code 0 if that is what "
    "comes out. A flag\n"
    "that changes what is simulated overrides the scenario, whose expectation is then not judged.\n"
    "\nExamples:\n"
    "  lockstep check set-token-lua                          holds without faults?\n"
    "  lockstep check set-token-lua --fault pause=1          and if a client may pause once?\n"
    "  lockstep check set-token-lua --work-ms 15000          and if the work outlasts the lease?\n"
    "  lockstep check ./my-lock --fault crash=1,lose=1 --trace my.trace.json\n"
    "  lockstep check fencing --resource fenced --fault pause=1 --property "
    "no-lost-update\n"
    "  lockstep check set-token-lua --fault pause=1 --audit  does the naive explorer agree?\n"
    "\n`lockstep list faults` and `lockstep list properties` explain the names.\n";

constexpr const char* kReplayFooter =
    "\nA scenario that searches is searched again, and what it finds is told; a schedule is "
    "walked; a trace is\n"
    "run again from its schedule, by the naive explorer, and refused if its protocol has changed "
    "since.\n"
    "\nWith --interactive you are asked before each step: next, back, else (what else is possible "
    "here), take N,\n"
    "quit. The answers may come from a pipe.\n"
    "\nWith --live a real redis-server (7.0 is what the simulator imitates) is sent the same "
    "requests "
    "in the same\n"
    "order, times divided where the protocol allows it; every reply and every key is compared. It "
    "ends with\n"
    "CONFIRMED, or with the first step that differs (exit code 1), or says why it cannot be done "
    "live (2).\n"
    "\nExamples:\n"
    "  lockstep replay my.trace.json\n"
    "  lockstep replay set-token-lua-pause --interactive\n"
    "  lockstep replay set-token-lua-pause --live\n"
    "  lockstep replay my.trace.json --live --redis redis://localhost:6379/5\n"
    "  printf 'next\\nelse\\nquit\\n' | lockstep replay set-token-lua-pause --interactive\n";

constexpr double kLongestLiveSeconds = 86'400;

constexpr const char* kLiveFooter =
    "\nEvery client is a thread with connections of its own, real clocks and random tokens. A "
    "protocol is run with\n"
    "4 clients that lock, work 5 ms and unlock until --seconds are over, a lease of 10000 ms; a "
    "scenario's clients\n"
    "do what it says, without its faults: nothing is provoked here.\n"
    "\nJudged are mutual-exclusion and no-lost-update in real-time order, leak and deadlock at the "
    "end (by a fresh\n"
    "client). Whose key was removed or prolonged by whom a server does not tell: the other "
    "properties are not\n"
    "judged. A live run can show that a lock fails, never that it does not: exit code 0 if nothing "
    "was violated,\n"
    "1 if something was, 2 if nobody acquired.\n"
    "\nADDRESS is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///PATH. A server on "
    "which a key of the\n"
    "protocol exists already is refused; the protocol's keys are removed at the end.\n"
    "\nExamples:\n"
    "  lockstep live set-token-lua\n"
    "  lockstep live exists-set --clients 8 --seconds 5\n"
    "  lockstep live set-token-lua --lease-ms 1000 --work-ms 1200\n"
    "  lockstep live ./my-lock --redis redis://:secret@localhost:6379/5\n";

constexpr const char* kLearnFooter =
    "\nWalks through docs/guide.md: a lesson asks a question, you may write down a guess, Enter "
    "runs it, q quits.\n"
    "The runs are made while you wait. In a pipe everything is printed without waiting.\n"
    "\nExamples:\n"
    "  lockstep learn\n"
    "  lockstep learn --list\n"
    "  lockstep learn 4\n"
    "  lockstep learn fencing\n"
    "  lockstep learn | less\n"
    "  lockstep learn fencing --json\n";

constexpr const char* kListFooter =
    "\nExamples:\n"
    "  lockstep list\n"
    "  lockstep list faults\n"
    "  lockstep list scenarios --json\n";

constexpr const char* kTestFooter =
    "\nA folder stands for every scenario (*.json) in it and below it. Each is compared with what "
    "it expects:\n"
    "`ok`, `FAILED` with what was expected and what came, or `BROKEN` where the file or its "
    "protocol is bad\n"
    "input; the others still run. Ctrl-C ends it with what was covered.\n"
    "\nThe exit code is that of the worst: 4 a bug of lockstep, then 3 a broken file, 1 not as "
    "expected, 2 a\n"
    "limit was reached or nothing happened, 0 all as expected.\n"
    "\nExamples:\n"
    "  lockstep test                                 every shipped scenario\n"
    "  lockstep test ./scenarios --junit result.xml  for a CI server\n"
    "  lockstep test --filter fencing --audit        and does the naive explorer agree?\n"
    "  lockstep test my.json set-token-lua-pause --max-seconds 60\n";

constexpr const char* kMatrixFooter =
    "\nOf several protocols each gets a row, and each fault, allowed once, a column: `holds` with "
    "the number of\n"
    "states, or the property that a shortest counterexample violates with its number of steps. "
    "Without\n"
    "--property there are two such tables: for every property, and for no-lost-update alone, "
    "which shows what\n"
    "fencing tokens spare the resource.\n"
    "One protocol gets a row for each of some forty conditions and a column for each property, "
    "all judged\n"
    "separately; `lockstep list conditions` explains them.\n"
    "The resource checks fencing tokens where a protocol has them (--resource fenced) unless you "
    "say otherwise,\n"
    "and a search ends after 200000 states (--max-states). n/a: the fault can never happen here "
    "(a jump where no\n"
    "clock is read and nothing expires), or the condition needs a re-entrant lock.\n"
    "--json holds nothing that differs from run to run: keep it, and `lockstep diff --baseline` "
    "compares with it.\n"
    "\nExamples:\n"
    "  lockstep matrix                                      the ladder against every fault\n"
    "  lockstep matrix set-token-lua                        one protocol, in detail\n"
    "  lockstep matrix ./my-lock set-token-lua --markdown\n"
    "  lockstep matrix ./my-lock --json > my-lock.matrix.json\n";

constexpr const char* kDiffFooter =
    "\nOLD and NEW are protocols: shipped names, folders, or git revisions of a folder, written as "
    "git writes them\n"
    "(REVISION:FOLDER). Both are judged under every condition of `lockstep list conditions`, each "
    "property for\n"
    "itself. A verdict got weaker if what held is violated, vacuous or not known any more, or if "
    "the lock is no\n"
    "longer re-entrant; a shortest counterexample of another length is a change, not a weakness. "
    "The counterexample\n"
    "to the first weaker verdict is shown. Exit code 1 if any got weaker, else 0. A folder that a "
    "git revision of it\n"
    "does not have is new, or deleted: there is nothing to compare with.\n"
    "\n--baseline FILE compares NEW with verdicts that `lockstep matrix NEW --json` stored, in the "
    "world in which\n"
    "they were judged.\n"
    "\nExamples:\n"
    "  lockstep diff ./my-lock.old ./my-lock\n"
    "  lockstep diff origin/main:locks/my-lock locks/my-lock     in CI, on a pull request\n"
    "  lockstep diff set-token-lua ./my-lock --clients 3 --lease-ms 30000\n"
    "  lockstep diff --baseline my-lock.matrix.json ./my-lock\n";

constexpr const char* kEvalFooter =
    "\nThe keys, a comma, the arguments: as redis-cli --eval takes them. The reply is printed as "
    "redis-cli does. "
    "The\n"
    "keyspace is empty but for what --set and --load put there; the clock stands still at --clock "
    "(Unix time in\n"
    "milliseconds; without it 2026-01-01T00:00:00Z). A file of commands has one a line, as typed "
    "into redis-cli.\n"
    "\nWith --trace each line of the script is shown as it is reached, with what it called and how "
    "the keys "
    "changed.\n"
    "Exit code 1 if the reply is an error, 3 if the script does not compile or cannot be run "
    "faithfully.\n"
    "\nExamples:\n"
    "  lockstep eval release.lua lock , my-token\n"
    "  lockstep eval release.lua lock , my-token --set lock=my-token --trace\n"
    "  lockstep eval renew.lua lock , my-token 30000 --load prepare.txt --json\n"
    "  echo 'return redis.call(\"time\")' | lockstep eval - --clock 1700000000000\n";

constexpr const char* kShellFooter =
    "\nCommands and replies are those of redis-cli; the server is the simulated one, empty, and "
    "its clock stands still "
    "until\n"
    "you move it. What Redis does not have begins with a dot: .advance 5s, .keys, .session "
    "(another connection),\n"
    ".step FILE (a script line by line); .help lists it. From a pipe there is no prompt, and a bad "
    "line does not end "
    "it.\n"
    "\nExamples:\n"
    "  lockstep shell\n"
    "  lockstep shell --load prepare.txt --clock 1700000000000\n"
    "  printf 'set lock a px 30000\\n.advance 31s\\nget lock\\n' | lockstep shell\n";

constexpr const char* kConformFooter =
    "\nRandom commands, scripts and transactions go to both, in batches; each batch ends with a "
    "comparison of all keys. "
    "What\n"
    "differs is shortened to the fewest commands that show it, and printed as a session. The "
    "shipped protocols' "
    "scripts are\n"
    "among the commands. Where Redis itself answers at random, only what is certain is compared.\n"
    "\nADDRESS is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///PATH. The server's "
    "keys are deleted again "
    "and\n"
    "again: one that holds any is refused, unless --flush says that they may go. 7.0 is what is "
    "imitated; without\n"
    "--redis a redis-server of our own is started and stopped.\n"
    "Exit code 0 if nothing differed, 1 if something did. --seed repeats a run.\n"
    "\nExamples:\n"
    "  lockstep conform --seconds 10\n"
    "  lockstep conform --redis redis://localhost:6379 --commands 1000000\n"
    "  lockstep conform --seed 7 --commands 20000\n";

void add_model_flags(CLI::App& command, ModelFlags& flags) {
  auto& group = *command.add_option_group("The world");
  group.add_option("--clients", flags.clients, "number of clients (1 to 8)")->type_name("N");
  group.add_option("--rounds", flags.rounds, "how often each runs its workload")->type_name("N");
  group.add_option("--lease-ms", flags.lease_ms, "what the client asks of the lock")
      ->type_name("MS");
  group.add_option("--work-ms", flags.work_ms, "time between lock and unlock")->type_name("MS");
  group.add_option("--request-timeout-ms", flags.request_timeout_ms, "0: none")->type_name("MS");
  group.add_option("--pause-max-ms", flags.pause_max_ms, "0: a pause may last for ever")
      ->type_name("MS");
  group
      .add_option("--jump-ms", flags.jumps_ms,
                  "sizes of clock jumps (default: twice the lease, both ways)")
      ->delimiter(',')
      ->type_name("MS,...");
  group
      .add_option("--property", flags.properties, "what must always hold (default: every property)")
      ->delimiter(',')
      ->type_name("NAME,...");
  group.add_option("--resource", flags.resource, "plain, fenced or fenced-writes")
      ->type_name("KIND");
  group
      .add_option("--persistence", flags.persistence,
                  "what a restarted node still has: none, rdb, aof-everysec, aof-always")
      ->type_name("KIND");
  group.add_option("--redis-version", flags.redis_version, "the Redis that is imitated: 7.0, 7.2")
      ->type_name("VERSION");
}

void add_bound_flags(CLI::App& command, BoundFlags& flags) {
  auto& group = *command.add_option_group("Limits (reaching one makes the verdict inconclusive)");
  group.add_option("--max-states", flags.max_states, "distinct states")->type_name("N");
  group.add_option("--max-seconds", flags.max_seconds, "of searching")->type_name("S");
  group.add_option("--max-memory", flags.max_memory_mb, "of the visited set (default 2048)")
      ->type_name("MB");
}

void add_jobs_flag(CLI::App& command, int& jobs) {
  command
      .add_option("-j,--jobs", jobs, "how many to run at once (default: as the machine has cores)")
      ->type_name("N");
}

void add_version_flag(CLI::App& command, std::string& version) {
  command.add_option("--redis-version", version, "the Redis that is imitated: 7.0 (default), 7.2")
      ->type_name("VERSION");
}

/// The subcommand that was named, or the program itself.
const CLI::App& named_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  for (const auto* group :
       command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); }))
    for (auto& name : flag_names(*group)) names.push_back(name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

/// One line for what CLI11 could not make sense of.
std::string explained(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = named_command(app);
  const bool whole_program = &command == &app;
  const auto where = whole_program ? std::string() : command.get_name() + ": ";
  const auto see =
      fmt::format("see `lockstep {}--help`", whole_program ? "" : command.get_name() + " ");
  const auto extras = app.remaining(true);
  if (extras.empty()) {
    auto message = std::string(error.what());
    std::replace(message.begin(), message.end(), '\n', ' ');
    return fmt::format("{}{}; {}", where, whole_program ? "no command" : message, see);
  }
  const auto& first = extras.front();
  if (first.starts_with('-'))
    return fmt::format(
        "{}no flag {}{}", where, first,
        scenarios::suggestion(first.substr(0, first.find('=')), flag_names(command)));
  if (whole_program)
    return fmt::format("no command `{}`{}", first,
                       scenarios::suggestion(first, command_names(app)));
  return fmt::format("{}did not expect `{}`; {}", where, first, see);
}

}  // namespace

const std::vector<std::string>& list_groups() {
  static const std::vector<std::string> groups{"protocols", "scenarios",  "faults", "properties",
                                               "witnesses", "conditions", "steps"};
  return groups;
}

namespace {

CLI::App& add_list(CLI::App& app, ListArguments& list) {
  auto& command = *app.add_subcommand(
      "list",
      "what is there: protocols, scenarios, faults, properties, witnesses, conditions, steps");
  command.add_option("what", list.what, "one of these; everything if left out");
  command.add_flag("--json", list.json, "print JSON");
  command.footer(kListFooter);
  return command;
}

CLI::App& add_check(CLI::App& app, CheckArguments& check) {
  auto& command = *app.add_subcommand(
      "check", "explore every run, and show the shortest one that breaks the lock");
  command.add_option("target", check.target, "PROTOCOL or SCENARIO")
      ->required()
      ->type_name("PROTOCOL|SCENARIO");
  add_model_flags(command, check.model);
  command
      .add_option("--fault", check.model.faults,
                  "how many faults of which kind a run may contain: pause=1,crash=1")
      ->delimiter(',')
      ->type_name("NAME=N,...");
  add_bound_flags(command, check.bounds);
  command.add_option("--trace", check.trace_file, "write the counterexample to this file")
      ->type_name("FILE");
  command.add_flag("--no-merging", check.no_merging,
                   "switch off the engine's one reduction: tokens are never renamed or used again");
  command.add_flag("--audit", check.audit, "check again with the naive explorer, which must agree");
  command.add_flag("--json", check.json, "print JSON");
  command.footer(kCheckFooter);
  return command;
}

CLI::App& add_replay(CLI::App& app, ReplayArguments& replay) {
  auto& command = *app.add_subcommand("replay", "tell a run step by step");
  command.add_option("target", replay.target, "SCENARIO or TRACE")
      ->required()
      ->type_name("SCENARIO|TRACE");
  auto* interactive = command.add_flag("-i,--interactive", replay.interactive,
                                       "ask before each step; other steps can be taken");
  auto* live = command.add_flag("--live", replay.live,
                                "drive the run step by step against a real server, and compare");
  live->excludes(interactive);
  command
      .add_option("--redis", replay.redis,
                  "with --live: the server; left out, a redis-server is started and stopped")
      ->needs(live)
      ->type_name("ADDRESS");
  command.add_flag("--json", replay.json, "print JSON");
  command.footer(kReplayFooter);
  return command;
}

CLI::App& add_live(CLI::App& app, LiveArguments& live) {
  auto& command =
      *app.add_subcommand("live", "run the clients on a real server, and judge what they observe");
  command.add_option("target", live.target, "PROTOCOL or SCENARIO")
      ->required()
      ->type_name("PROTOCOL|SCENARIO");
  add_model_flags(command, live.model);
  command
      .add_option("--redis", live.redis,
                  "the server; left out, a redis-server is started and stopped")
      ->type_name("ADDRESS");
  command.add_option("--seconds", live.seconds, "no new round begins after this (default 10)")
      ->check(CLI::Range(0.1, kLongestLiveSeconds))
      ->type_name("S");
  command.add_flag("--json", live.json, "print JSON");
  command.footer(kLiveFooter);
  return command;
}

CLI::App& add_learn(CLI::App& app, LearnArguments& learn) {
  auto& command = *app.add_subcommand("learn", "why locks fail, one lesson at a time");
  auto* lesson =
      command.add_option("lesson", learn.lesson, "where to begin: a lesson's number or name")
          ->type_name("N|NAME");
  command.add_flag("--list", learn.list, "show the lessons")->excludes(lesson);
  command.add_flag("--json", learn.json, "print the lessons as JSON; their commands are not run");
  command.footer(kLearnFooter);
  return command;
}

CLI::App& add_test(CLI::App& app, TestArguments& test) {
  auto& command = *app.add_subcommand("test", "scenarios against what they expect, a line each");
  command
      .add_option("scenarios", test.targets,
                  "folders, files or names of scenarios; the shipped ones if left out")
      ->type_name("DIR|FILE|SCENARIO");
  command.add_option("--filter", test.filter, "only scenarios whose name contains this text")
      ->type_name("TEXT");
  add_jobs_flag(command, test.jobs);
  add_bound_flags(command, test.bounds);
  command.add_option("--junit", test.junit_file, "also write JUnit XML to this file")
      ->type_name("FILE");
  command.add_flag("--audit", test.audit, "check again with the naive explorer, which must agree");
  command.add_flag("--json", test.json, "print JSON");
  command.footer(kTestFooter);
  return command;
}

CLI::App& add_matrix(CLI::App& app, MatrixArguments& matrix) {
  auto& command =
      *app.add_subcommand("matrix", "protocols by fault, or one protocol's conditions by property");
  command
      .add_option("protocols", matrix.protocols, "names or folders; the shipped ladder if left out")
      ->type_name("PROTOCOL");
  add_model_flags(command, matrix.model);
  add_bound_flags(command, matrix.bounds);
  add_jobs_flag(command, matrix.jobs);
  command.add_flag("--markdown", matrix.markdown, "print Markdown");
  command.add_flag("--json", matrix.json, "print JSON");
  command.footer(kMatrixFooter);
  return command;
}

CLI::App& add_diff(CLI::App& app, DiffArguments& diff) {
  auto& command = *app.add_subcommand(
      "diff", "two versions of a protocol: every verdict that got weaker or stronger");
  command.add_option("versions", diff.versions, "OLD and NEW; with --baseline only NEW")
      ->type_name("PROTOCOL");
  command.add_option("--baseline", diff.baseline, "stored verdicts instead of OLD")
      ->type_name("FILE");
  add_model_flags(command, diff.model);
  add_bound_flags(command, diff.bounds);
  add_jobs_flag(command, diff.jobs);
  command.add_option("--trace", diff.trace_file, "write the counterexample to this file")
      ->type_name("FILE");
  command.add_flag("--json", diff.json, "print JSON");
  command.footer(kDiffFooter);
  return command;
}

CLI::App& add_eval(CLI::App& app, EvalArguments& eval) {
  auto& command =
      *app.add_subcommand("eval", "run a script on the simulated keyspace, as redis-cli --eval");
  command.add_option("file", eval.file, "the script; - is standard input")
      ->required()
      ->type_name("FILE");
  command.add_option("words", eval.words, "its keys, a comma, its arguments")
      ->type_name("KEY ... , ARGUMENT");
  command.add_option("--set", eval.set, "a string key that is there before (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command.add_option("--load", eval.load, "a file of commands to run before (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_option("--clock", eval.clock_ms, "what the server's clock shows")->type_name("MS");
  add_version_flag(command, eval.redis_version);
  command.add_flag("--trace", eval.trace,
                   "show the script line by line, with the keys that each line changed");
  command.add_flag("--json", eval.json, "print JSON");
  command.footer(kEvalFooter);
  return command;
}

CLI::App& add_shell(CLI::App& app, ShellArguments& shell) {
  auto& command = *app.add_subcommand("shell", "a prompt on the simulated keyspace, as redis-cli");
  command.add_option("--load", shell.load, "a file of commands to begin with (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_option("--clock", shell.clock_ms, "what the server's clock shows at first")
      ->type_name("MS");
  add_version_flag(command, shell.redis_version);
  command.add_flag("--json", shell.json, "print each reply as a line of JSON");
  command.footer(kShellFooter);
  return command;
}

CLI::App& add_conform(CLI::App& app, ConformArguments& conform) {
  auto& command = *app.add_subcommand(
      "conform", "random commands on the simulated server and on a real one, compared");
  command
      .add_option("--redis", conform.redis,
                  "the server; left out, a redis-server is started and stopped")
      ->type_name("ADDRESS");
  command
      .add_option("--seed", conform.seed, "of the random commands (default: another one each time)")
      ->type_name("N");
  command.add_option("--seconds", conform.seconds, "how long (default 10, unless --commands)")
      ->check(CLI::Range(0.1, kLongestLiveSeconds))
      ->type_name("S");
  command.add_option("--commands", conform.commands, "how many commands")->type_name("N");
  command.add_flag("--flush", conform.flush, "the server's keys may be deleted, all of them");
  command.add_flag("--json", conform.json, "print JSON");
  command.footer(kConformFooter);
  return command;
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  CLI::App app(kAbout, "lockstep");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "show this help");

  ListArguments list;
  CheckArguments check;
  ReplayArguments replay;
  LiveArguments live;
  LearnArguments learn;
  TestArguments test;
  MatrixArguments matrix;
  DiffArguments diff;
  EvalArguments eval;
  ShellArguments shell;
  ConformArguments conform;
  const auto& list_command = add_list(app, list);
  const auto& check_command = add_check(app, check);
  const auto& replay_command = add_replay(app, replay);
  const auto& live_command = add_live(app, live);
  const auto& learn_command = add_learn(app, learn);
  const auto& test_command = add_test(app, test);
  const auto& matrix_command = add_matrix(app, matrix);
  const auto& diff_command = add_diff(app, diff);
  const auto& eval_command = add_eval(app, eval);
  const auto& shell_command = add_shell(app, shell);
  add_conform(app, conform);

  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const auto& command = named_command(app);
    return HelpArguments{command.help(&command == &app ? "" : "lockstep")};
  } catch (const CLI::ParseError& error) {
    throw sim::BadInput(explained(app, error));
  }
  if (list_command.parsed()) return list;
  if (check_command.parsed()) return check;
  if (replay_command.parsed()) return replay;
  if (live_command.parsed()) return live;
  if (learn_command.parsed()) return learn;
  if (test_command.parsed()) return test;
  if (matrix_command.parsed()) return matrix;
  if (diff_command.parsed()) return diff;
  if (eval_command.parsed()) return eval;
  if (shell_command.parsed()) return shell;
  return conform;
}

}  // namespace lockstep::cli
