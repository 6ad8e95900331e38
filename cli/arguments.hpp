// What can be said on the command line, and its help. The commands see plain structs, and nothing
// of CLI11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/format.hpp"
#include "scenarios/scenario.hpp"
#include "sim/redis/execute.hpp"

namespace lockstep::cli {

/// Flags that change what is simulated.
struct ModelFlags {
  std::optional<int> clients, rounds, nodes, replicas, min_replicas;
  std::optional<std::int64_t> lease_ms, work_ms, request_timeout_ms, pause_max_ms, latency_ms,
      restart_after_ms, waits_ms, overtakes, draw_seed;
  std::vector<std::int64_t> jumps_ms, clocks_ms, node_clocks_ms, drifts_ppm, node_drifts_ppm;
  std::vector<std::string> faults;  ///< "pause=1"
  std::vector<std::string> properties;
  std::vector<std::string> settings;  ///< "version=2"
  std::optional<std::string> resource, persistence, maxmemory_policy, server, keyspace_events,
      invariants, waits_after;
  bool cluster = false;
  friend bool operator==(const ModelFlags&, const ModelFlags&) = default;
  bool any() const { return *this != ModelFlags{}; }
};

/// Flags that limit a search.
struct BoundFlags {
  std::optional<std::int64_t> max_states, max_memory_mb;
  std::optional<double> max_seconds;
};

/// What is to be printed, and no more: help, the version, a manual page.
struct TextArguments {
  std::string text;
};
struct ListArguments {
  std::string what;    ///< empty: of each group how many there are, and the first names
  std::string filter;  ///< only what has this in its name or its text
  bool all = false;    ///< of each group everything
  bool json = false;
};
struct CheckArguments {
  std::string target;
  ModelFlags model;
  BoundFlags bounds;
  std::string trace_file;
  bool audit = false;
  bool no_merging = false;
  bool scripts = false;
  FormatFlags output;
  std::string out_file;  ///< empty: to the output
};
struct GraphArguments {
  std::string target;
  ModelFlags model;
  std::size_t most = 300;  ///< states
  std::string out_file;    ///< .dot or .svg; empty: DOT to the output
};
struct ReplayArguments {
  std::string target;
  bool interactive = false;
  bool live = false;
  bool scripts = false;
  std::string redis;  ///< with `live`: the server's address; empty: a server of our own
  FormatFlags output;
  std::string out_file;  ///< empty: to the output
};
struct LiveArguments {
  std::string target;
  ModelFlags model;
  std::vector<std::string> redis;  ///< an address for each node; empty: servers of our own
  double seconds = 10;
  bool json = false;
};
struct LearnArguments {
  std::string lesson;  ///< where to begin: a number or a name; empty: the first
  std::string language = "en";
  bool list = false;
  bool json = false;
};
struct TestArguments {
  std::vector<std::string> targets;  ///< empty: the shipped scenarios
  std::string filter;                ///< only scenarios whose name contains it
  std::optional<int> jobs;           ///< as many as the machine runs at once if left out
  BoundFlags bounds;
  std::string junit_file;
  std::string sarif_file;
  bool audit = false;
  bool json = false;
};
struct ReportArguments {
  std::string folder;
  TestArguments suite;
  std::vector<std::string> protocols;  ///< their matrices instead of the suite
};
struct MatrixArguments {
  std::vector<std::string> protocols;  ///< empty: the shipped ladder
  ModelFlags model;
  BoundFlags bounds;
  std::optional<int> jobs;  ///< as many as the machine runs at once if left out
  FormatFlags output;
};
struct DiffArguments {
  std::vector<std::string> versions;  ///< OLD and NEW, or with a baseline NEW
  std::string baseline;               ///< stored verdicts instead of OLD; may be empty
  ModelFlags model;
  BoundFlags bounds;
  std::optional<int> jobs;  ///< as many as the machine runs at once if left out
  std::string trace_file;
  FormatFlags output;
};
struct NewArguments {
  std::string folder;
};
struct WhyArguments {
  std::string target;
  ModelFlags model;
  BoundFlags bounds;
  std::optional<int> jobs;          ///< as many as the machine runs at once if left out
  std::optional<std::size_t> show;  ///< the row whose run is told
  bool json = false;
};
struct RecordArguments {
  std::string target;
  std::string monitor_file;  ///< a log; empty: `command` is run
  std::vector<std::string> command;
  std::string keep_file;  ///< where the log is written; may be empty
  std::optional<std::int64_t> lease_ms;
  std::optional<std::string> server;
  bool json = false;
};
struct EvalArguments {
  std::string file;                ///< the script; "-": standard input
  std::vector<std::string> words;  ///< key ... , argument ...
  std::vector<std::string> set;    ///< KEY=VALUE, before the script runs
  std::vector<std::string> load;   ///< files of commands, before the script runs
  std::optional<std::int64_t> clock_ms;
  std::string server = "redis-7.0";
  std::int64_t draw_seed = 0;
  bool trace = false;
  bool json = false;
};
struct ShellArguments {
  std::vector<std::string> load;  ///< files of commands to begin with
  std::optional<std::int64_t> clock_ms;
  std::string server = "redis-7.0";
  std::int64_t draw_seed = 0;
  bool json = false;
};
struct ConformArguments {
  std::string redis;                  ///< the server's address; empty: a server of our own
  std::optional<std::string> server;  ///< which one it is; else it is asked
  std::optional<std::int64_t> seed;
  std::optional<double> seconds;
  std::optional<std::int64_t> commands;
  bool flush = false;  ///< the server's keys may be deleted
  bool json = false;
};
using Arguments =
    std::variant<TextArguments, ListArguments, CheckArguments, ReplayArguments, LiveArguments,
                 LearnArguments, TestArguments, ReportArguments, MatrixArguments, DiffArguments,
                 NewArguments, WhyArguments, GraphArguments, RecordArguments, EvalArguments,
                 ShellArguments, ConformArguments>;

/// Understands a command line (without the program's name). Throws BadInput with a near miss.
Arguments parse(const std::vector<std::string>& words);

/// Changes `scenario` as the flags say. Throws BadInput "--fault: ..." for what does not fit it.
void apply(const ModelFlags& flags, scenarios::Scenario& scenario);
void apply(const BoundFlags& flags, scenarios::Scenario& scenario);

/// What --server says. Throws BadInput.
sim::ServerVersion server_version(const std::string& given);

/// What --keyspace-events names. Throws BadInput.
sim::KeyspaceEvents keyspace_events(const std::string& given);
/// What --server and --draw-seed say. Throws BadInput.
sim::ServerMode server_mode(const std::string& server, std::int64_t draw_seed);

/// The groups of `lockstep list`, in order.
const std::vector<std::string>& list_groups();

}  // namespace lockstep::cli
