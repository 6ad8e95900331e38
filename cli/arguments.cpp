// The command line; see the header.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <memory>
#include <utility>

#include "cli/bad_words.hpp"
#include "cli/help_text.hpp"
#include "cli/reference.hpp"
#include "scenarios/names.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

constexpr double kLongestLiveSeconds = 86'400;

void read_item(const std::string& item, std::string& into) { into = item; }
void read_item(const std::string& item, std::int64_t& into) {
  const char* const begin = item.data() + (item.starts_with('+') ? 1 : 0);
  std::from_chars(begin, item.data() + item.size(), into);  // it has been checked
}

/// A flag with items between commas, which may be repeated. CLI11 would skip empty items.
template <class Item>
CLI::Option& add_list(CLI::App& command, const std::string& flag, std::vector<Item>& into,
                      const std::string& help) {
  const auto read = [&into](const CLI::results_t& lists) {
    for (const auto& list : lists)
      for (const auto& item : items_of(list)) read_item(item, into.emplace_back());
    return true;
  };
  return *command.add_option(flag, CLI::callback_t(read), help)
              ->expected(1, CLI::detail::expected_max_vector_size)
              ->allow_extra_args(false);
}

template <class Seed>
void add_draw_flag(CLI::App& command, Seed& seed) {
  command
      .add_option(
          "--draw-seed", seed,
          "decides what SPOP, SRANDMEMBER and their like choose (default 0: the first ones)")
      ->type_name("N");
}

void add_clock_flags(CLI::Option_group& group, ModelFlags& flags) {
  add_list(group, "--jump-ms", flags.jumps_ms,
           "sizes of clock jumps (default: twice the lease and half of it, both ways)")
      .type_name("MS,...");
  add_list(group, "--clock-ms", flags.clocks_ms,
           "how far the wall clocks of A, B, ... are ahead at the start (default: 0)")
      .type_name("MS,...");
  add_list(group, "--node-clock-ms", flags.node_clocks_ms, "the same of each node")
      .type_name("MS,...");
  add_list(group, "--drift-ppm", flags.drifts_ppm,
           "by how many millionths the clocks of A, B, ... are fast (default: 0)")
      .type_name("N,...");
  add_list(group, "--node-drift-ppm", flags.node_drifts_ppm, "the same of each node")
      .type_name("N,...");
}

void add_node_flags(CLI::Option_group& group, ModelFlags& flags) {
  group
      .add_option("--nodes", flags.nodes,
                  "number of Redis nodes (1 to 7; default: what the protocol says)")
      ->type_name("N");
  group
      .add_option("--replicas", flags.replicas,
                  "number of replicas of each node (0 to 6; default: what the protocol says)")
      ->type_name("N");
  group
      .add_option("--min-replicas", flags.min_replicas,
                  "min-replicas-to-write: with fewer a master refuses to write (default 0)")
      ->type_name("N");
  group
      .add_option("--restart-after-ms", flags.restart_after_ms,
                  "how long a node that went down stays down at least (default 0: a moment)")
      ->type_name("MS");
  group
      .add_option("--persistence", flags.persistence,
                  "what a restarted node still has: none, rdb, aof-everysec, "
                  "aof-everysec-2s, aof-always")
      ->type_name("KIND");
  group
      .add_option("--maxmemory-policy", flags.maxmemory_policy,
                  "what the fault evict may take: volatile (default: keys with an expiry), allkeys")
      ->type_name("KIND");
  group
      .add_option("--server", flags.server,
                  "the server that is imitated: redis-7.0 (default, unless the protocol names "
                  "another), -7.2, -8.0, -8.4, valkey-8.1, -9")
      ->type_name("NAME");
  group
      .add_option("--keyspace-events", flags.keyspace_events,
                  "which keyspace events the nodes publish (notify-keyspace-events; default: none, "
                  "unless the protocol says which): Ex for expired keys, AKE for all")
      ->type_name("LETTERS");
  group.add_flag("--cluster", flags.cluster,
                 "the node is a cluster's, with all slots: keys of two slots give CROSSSLOT");
  add_draw_flag(group, flags.draw_seed);
}

void add_model_flags(CLI::App& command, ModelFlags& flags) {
  auto& group = *command.add_option_group("The world");
  group.add_option("--clients", flags.clients, "number of clients (1 to 8)")->type_name("N");
  group.add_option("--rounds", flags.rounds, "how often each runs its workload")->type_name("N");
  group.add_option("--lease-ms", flags.lease_ms, "what the client asks of the lock")
      ->type_name("MS");
  group.add_option("--work-ms", flags.work_ms, "time between lock and unlock")->type_name("MS");
  group
      .add_option(
          "--request-timeout-ms", flags.request_timeout_ms,
          "how long a client waits for a node's answer (not for the resource's); 0: for ever")
      ->type_name("MS");
  group.add_option("--pause-max-ms", flags.pause_max_ms, "0: a pause may last for ever")
      ->type_name("MS");
  group
      .add_option("--latency-ms", flags.latency_ms,
                  "what every request and every reply may take (default 0: no time)")
      ->type_name("MS");
  group
      .add_option("--set", flags.settings,
                  "a setting that the protocol declares, for every role; may be repeated")
      ->type_name("NAME=VALUE");
  add_clock_flags(group, flags);
  add_list(group, "--property", flags.properties,
           "what must always hold (default: every usual property)")
      .type_name("NAME,...");
  group
      .add_option("--waits-ms", flags.waits_ms,
                  "claim that nobody is inside acquire() for longer (property waits)")
      ->type_name("MS");
  group
      .add_option(
          "--waits-after", flags.waits_after,
          "with --waits-ms: after the call (default), or after the lock is free: call, free")
      ->type_name("WHEN");
  group
      .add_option(
          "--overtakes", flags.overtakes,
          "claim that others get the lock at most N times while a client is inside acquire() "
          "(property fairness)")
      ->type_name("N");
  group
      .add_option("--invariants", flags.invariants,
                  "a Lua file that states invariants of your own (docs/protocols.md)")
      ->type_name("FILE");
  group.add_option("--resource", flags.resource, "plain, fenced or fenced-writes")
      ->type_name("KIND");
  add_node_flags(group, flags);
}

void add_bound_flags(CLI::App& command, BoundFlags& flags) {
  auto& group = *command.add_option_group("Limits (reaching one makes the verdict inconclusive)");
  group.add_option("--max-states", flags.max_states, "distinct states")->type_name("N");
  group
      .add_option("--max-seconds", flags.max_seconds,
                  "of all searches together; with test, of each scenario")
      ->type_name("S");
  group.add_option("--max-memory", flags.max_memory_mb, "of memory (default 4096)")
      ->type_name("MB");
}

void add_format_flags(CLI::App& command, FormatFlags& flags, const std::vector<Format>& has) {
  command
      .add_option("--format", flags.format,
                  fmt::format("how it is printed: {} (default: text)",
                              fmt::join(scenarios::names_of(has), ", ")))
      ->type_name("NAME");
  command.add_flag("--json", flags.json, "the same as --format json");
}

void add_out_flag(CLI::App& command, std::string& out_file) {
  command.add_option("--out", out_file, "write this file: markdown, mermaid, html or shiviz")
      ->type_name("FILE");
}

void add_scripts_flag(CLI::App& command, bool& scripts) {
  command.add_flag("--scripts", scripts,
                   "with the lines of the protocol and of its scripts that each step runs (text)");
}

void add_jobs_flag(CLI::App& command, std::optional<int>& jobs) {
  command
      .add_option("-j,--jobs", jobs, "how many to run at once (default: as the machine has cores)")
      ->type_name("N");
}

/// What the simulated server begins with.
void add_server_flags(CLI::App& command, std::vector<std::string>& load,
                      std::optional<std::int64_t>& clock_ms, std::string& server,
                      std::int64_t& draw_seed) {
  command.add_option("--load", load, "a file of commands to run before (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_option("--clock", clock_ms, "what the server's clock shows at first")
      ->type_name("MS");
  command
      .add_option("--server", server,
                  "the server that is imitated: redis-7.0 (default), -7.2, -8.0, -8.4, "
                  "valkey-8.1, -9")
      ->type_name("NAME");
  add_draw_flag(command, draw_seed);
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
  command.add_option("what", list.what, "one of these; an overview of all if left out");
  command.add_option("--filter", list.filter, "only what has this in its name or its text")
      ->type_name("TEXT");
  command.add_flag("--all", list.all, "everything, of each of them");
  command.add_flag("--json", list.json, "print JSON: everything, if none is named");
  command.footer(help::kListFooter);
  return command;
}

/// What is explored: of a protocol too, with what may go wrong.
void add_explored(CLI::App& command, std::string& target, ModelFlags& model) {
  command.add_option("target", target, "PROTOCOL or SCENARIO")
      ->required()
      ->type_name("PROTOCOL|SCENARIO");
  add_model_flags(command, model);
  add_list(command, "--fault", model.faults,
           "how many faults of which kind a run may contain: pause=1,crash=1")
      .type_name("NAME=N,...");
}

CLI::App& add_check(CLI::App& app, CheckArguments& check) {
  auto& command = *app.add_subcommand(
      "check", "explore every run, and show the shortest one that breaks the lock");
  add_explored(command, check.target, check.model);
  add_bound_flags(command, check.bounds);
  command.add_option("--trace", check.trace_file, "write the counterexample to this file")
      ->type_name("FILE");
  add_scripts_flag(command, check.scripts);
  command.add_flag(
      "--no-merging", check.no_merging,
      "switch off the engine's reductions: tokens are never renamed or used again, the answers "
      "of nodes asked at once are heard in every order, and no two dates are alike");
  command.add_flag("--audit", check.audit,
                   "check again with the naive explorer, however long that takes");
  add_format_flags(command, check.output, kFormatsOfRun);
  add_out_flag(command, check.out_file);
  command.footer(help::kCheckFooter);
  return command;
}

CLI::App& add_replay(CLI::App& app, ReplayArguments& replay) {
  auto& command = *app.add_subcommand("replay", "tell a run step by step");
  command.add_option("target", replay.target, "SCENARIO or TRACE")
      ->required()
      ->type_name("SCENARIO|TRACE");
  auto* interactive = command.add_flag("-i,--interactive", replay.interactive,
                                       "ask before each step; other steps can be taken");
  add_scripts_flag(command, replay.scripts);
  auto* live = command.add_flag("--live", replay.live,
                                "drive the run step by step against a real server, and compare");
  live->excludes(interactive);
  command
      .add_option("--redis", replay.redis,
                  "with --live: the server; left out, a redis-server is started and stopped")
      ->needs(live)
      ->type_name("ADDRESS");
  add_format_flags(command, replay.output, kFormatsOfRun);
  add_out_flag(command, replay.out_file);
  command.footer(help::kReplayFooter);
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
                  "the server, once for each node; left out, redis-servers are started and stopped")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("ADDRESS");
  command.add_option("--seconds", live.seconds, "no new round begins after this (default 10)")
      ->check(CLI::Range(0.1, kLongestLiveSeconds))
      ->type_name("S");
  command.add_flag("--json", live.json, "print JSON");
  command.footer(help::kLiveFooter);
  return command;
}

CLI::App& add_learn(CLI::App& app, LearnArguments& learn) {
  auto& command = *app.add_subcommand("learn", "why locks fail, one lesson at a time");
  auto* lesson =
      command.add_option("lesson", learn.lesson, "where to begin: a lesson's number or name")
          ->type_name("N|NAME");
  command.add_option("--language", learn.language, "of the lessons: en (default), zh")
      ->type_name("NAME");
  command.add_flag("--list", learn.list, "show the lessons")->excludes(lesson);
  command.add_flag("--json", learn.json, "print the lessons as JSON; their commands are not run");
  command.footer(help::kLearnFooter);
  return command;
}

void add_suite(CLI::App& command, TestArguments& test) {
  command
      .add_option("scenarios", test.targets,
                  "folders, files or names of scenarios; the shipped ones if left out")
      ->type_name("DIR|FILE|SCENARIO");
  command.add_option("--filter", test.filter, "only scenarios whose name contains this text")
      ->type_name("TEXT");
  add_jobs_flag(command, test.jobs);
  add_bound_flags(command, test.bounds);
}

CLI::App& add_test(CLI::App& app, TestArguments& test) {
  auto& command = *app.add_subcommand("test", "scenarios against what they expect, a line each");
  add_suite(command, test);
  command.add_option("--junit", test.junit_file, "also write JUnit XML to this file")
      ->type_name("FILE");
  command
      .add_option("--sarif", test.sarif_file, "also write SARIF 2.1.0: each failure at its line")
      ->type_name("FILE");
  command.add_flag("--audit", test.audit, "check again with the naive explorer, which must agree");
  command.add_flag("--json", test.json, "print JSON");
  command.footer(help::kTestFooter);
  return command;
}

CLI::App& add_report(CLI::App& app, ReportArguments& report) {
  auto& command =
      *app.add_subcommand("report", "scenarios, or a matrix, as a folder of pages with their runs");
  command.add_option("folder", report.folder, "where the pages go: a new or empty folder")
      ->type_name("DIR")
      ->required();
  add_suite(command, report.suite);
  command
      .add_option("--matrix", report.protocols,
                  "instead: every verdict of this protocol (may be repeated), with its runs")
      ->allow_extra_args(false)
      ->type_name("PROTOCOL");
  command.footer(help::kReportFooter);
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
  add_format_flags(command, matrix.output, kFormatsOfTable);
  command.add_flag("--markdown", matrix.output.markdown, "the same as --format markdown");
  command.footer(help::kMatrixFooter);
  return command;
}

CLI::App& add_graph(CLI::App& app, GraphArguments& graph) {
  auto& command =
      *app.add_subcommand("graph", "every state and every step, for Graphviz or as a picture");
  add_explored(command, graph.target, graph.model);
  command.add_option("--max-states", graph.most, "how many states are shown, at most")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_option("--out", graph.out_file, "write this file: a name in .dot, or in .svg")
      ->type_name("FILE");
  command.footer(help::kGraphFooter);
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
  add_format_flags(command, diff.output, kFormatsOfTable);
  command.footer(help::kDiffFooter);
  return command;
}

CLI::App& add_new(CLI::App& app, NewArguments& made) {
  auto& command = *app.add_subcommand("new",
                                      "write a folder with a lock to begin with: client, script, "
                                      "scenarios, a workflow for pull requests");
  command.add_option("folder", made.folder, "which is not there yet")->required()->type_name("DIR");
  command.footer(help::kNewFooter);
  return command;
}

CLI::App& add_why(CLI::App& app, WhyArguments& why) {
  auto& command = *app.add_subcommand(
      "why", "take away one mechanism of a protocol at a time: what breaks first?");
  command.add_option("protocol", why.target, "a name or a folder")
      ->required()
      ->type_name("PROTOCOL");
  add_model_flags(command, why.model);
  add_bound_flags(command, why.bounds);
  add_jobs_flag(command, why.jobs);
  command.add_option("--show", why.show, "also tell the run of this row")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_flag("--json", why.json, "print JSON");
  command.footer(help::kWhyFooter);
  return command;
}

CLI::App& add_record(CLI::App& app, RecordArguments& record) {
  auto& command = *app.add_subcommand(
      "record", "does a real client send what its protocol.lua sends? a command, or a MONITOR log");
  command.add_option("target", record.target, "a protocol's name or folder, or a scenario")
      ->required()
      ->type_name("PROTOCOL");
  command
      .add_option("command", record.command,
                  "after --: what to run; it finds the server in "
                  "REDIS_URL, or where it says {url}")
      ->type_name("-- COMMAND");
  command
      .add_option("--monitor", record.monitor_file, "a log that `redis-cli MONITOR` has written")
      ->type_name("FILE");
  command.add_option("--keep", record.keep_file, "write the log of the command to this file")
      ->type_name("FILE");
  command
      .add_option("--lease-ms", record.lease_ms,
                  "what the client asks of the lock (default: what fits the log best)")
      ->type_name("MS");
  command
      .add_option("--server", record.server,
                  "the server that is imitated for a protocol that names none (redis-7.0)")
      ->type_name("NAME");
  command.add_flag("--json", record.json, "print JSON");
  command.footer(help::kRecordFooter);
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
  add_server_flags(command, eval.load, eval.clock_ms, eval.server, eval.draw_seed);
  command.add_flag("--trace", eval.trace,
                   "show the script line by line, with the keys that each line changed");
  command.add_flag("--json", eval.json, "print JSON");
  command.footer(help::kEvalFooter);
  return command;
}

CLI::App& add_shell(CLI::App& app, ShellArguments& shell) {
  auto& command = *app.add_subcommand("shell", "a prompt on the simulated keyspace, as redis-cli");
  add_server_flags(command, shell.load, shell.clock_ms, shell.server, shell.draw_seed);
  command.add_flag("--json", shell.json, "print each reply as a line of JSON");
  command.footer(help::kShellFooter);
  return command;
}

CLI::App& add_completion(CLI::App& app, std::string& shell) {
  auto& command =
      *app.add_subcommand("completion", "print what completes commands and flags in a shell");
  command.add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(shells_with_completion()))
      ->type_name("SHELL");
  command.footer(help::kCompletionFooter);
  return command;
}

CLI::App& add_man(CLI::App& app) {
  auto& command = *app.add_subcommand("man", "print the manual page, as `man -l -` reads it");
  command.footer(help::kManFooter);
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
      .add_option("--server", conform.server,
                  "as which server it is imitated (default: the one that it says it is)")
      ->type_name("NAME");
  command
      .add_option("--seed", conform.seed, "of the random commands (default: another one each time)")
      ->type_name("N");
  command.add_option("--seconds", conform.seconds, "how long (default 10, unless --commands)")
      ->check(CLI::Range(0.1, kLongestLiveSeconds))
      ->type_name("S");
  command.add_option("--commands", conform.commands, "how many commands")->type_name("N");
  command.add_flag("--flush", conform.flush, "the server's keys may be deleted, all of them");
  command.add_flag("--json", conform.json, "print JSON");
  command.footer(help::kConformFooter);
  return command;
}

/// As CLI11 takes them. `lockstep help check` is as with others.
std::vector<std::string> reversed_of(const std::vector<std::string>& words) {
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  if (!words.empty() && words[0] == "help") {
    reversed.pop_back();
    reversed.insert(reversed.begin(), "--help");
  }
  return reversed;
}

/// The commands, each with what its words are read into.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {}

  template <class Read>
  void offer(CLI::App& (*add)(CLI::App&, Read&)) {
    auto read = std::make_shared<Read>();
    const CLI::App& command = add(app_, *read);
    all_.emplace_back(&command, [read] { return Arguments(*read); });
  }

  /// What was read of the one that was named, if it is one of these.
  std::optional<Arguments> named() const {
    for (const auto& [command, read] : all_)
      if (command->parsed()) return read();
    return std::nullopt;
  }

 private:
  CLI::App& app_;
  std::vector<std::pair<const CLI::App*, std::function<Arguments()>>> all_;
};

void offer_all(Commands& commands) {
  commands.offer<ListArguments>(add_list);  // there is another one
  commands.offer(add_check);
  commands.offer(add_replay);
  commands.offer(add_live);
  commands.offer(add_learn);
  commands.offer(add_test);
  commands.offer(add_report);
  commands.offer(add_matrix);
  commands.offer(add_diff);
  commands.offer(add_new);
  commands.offer(add_why);
  commands.offer(add_graph);
  commands.offer(add_record);
  commands.offer(add_eval);
  commands.offer(add_shell);
  commands.offer(add_conform);
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  CLI::App app(help::kAbout, "lockstep");
  app.footer(help::kFooter);
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION "\n", "show the version");

  Commands commands(app);
  offer_all(commands);
  std::string completed;
  const auto& completion_command = add_completion(app, completed);
  add_man(app);
  check_values(app);
  std::vector<std::string> reversed = reversed_of(words);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const auto& command = named_command(app);
    return TextArguments{command.help(&command == &app ? "" : "lockstep")};
  } catch (const CLI::CallForVersion& version) {
    return TextArguments{version.what()};
  } catch (const CLI::ParseError& error) {
    throw sim::BadInput(explained(app, error));
  }
  if (auto named = commands.named()) return std::move(*named);
  if (completion_command.parsed()) return TextArguments{completion(app, completed)};
  return TextArguments{man_page(app)};
}

}  // namespace lockstep::cli
