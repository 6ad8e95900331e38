// The interned world: a state is a short vector of ids, one per process, one per node, one for the
// run; expanding it is table look-ups. docs/semantics.md says what happens; here it is computed
// once per distinct input and remembered.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/keyspace.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/world/automaton.hpp"
#include "sim/world/node.hpp"
#include "sim/world/process.hpp"

namespace lockstep::sim {

/// Properties and witnesses as bits.
using Bits = std::uint8_t;
constexpr Bits bit(Property p) { return static_cast<Bits>(1U << static_cast<unsigned>(p)); }
constexpr Bits bit(Witness w) { return static_cast<Bits>(1U << static_cast<unsigned>(w)); }

/// What a step showed.
struct Facts {
  Bits violated = 0;             ///< properties
  Bits witnessed = 0;            ///< claims
  std::uint8_t acquired_by = 0;  ///< processes, as bits
};

/// One possible step, in the engine's own terms; World::label gives its name.
struct Candidate {
  Action::Kind kind = Action::Kind::pass;
  std::uint8_t actor = 0;  ///< process or node
  std::uint16_t action =
      0;  ///< index into the process's actions; jump: index into jumps_ms; power_loss: image
  std::uint16_t outcome = 0;   ///< which combination of choices
  std::int64_t amount_ms = 0;  ///< pass
};

/// What the search must know beforehand; when a run shows that it knew too little, it starts again
/// (World::needs).
struct Knowledge {
  bool absolute = false;             ///< absolute time is part of the state
  bool reads_clock = false;          ///< the program's literals are durations of the grid
  bool recycles_tokens = true;       ///< off where more than the equality of tokens matters
  std::set<std::int64_t> durations;  ///< durations in use, in ms
  friend bool operator==(const Knowledge&, const Knowledge&) = default;
};

class World {
 public:
  static constexpr unsigned kMaxWidth = 16;
  static constexpr unsigned kRoom = 2 * kMaxWidth;
  static constexpr unsigned kMaxDurations =
      24;  ///< more are not added to the grid (Knowledge says which are in it)

  World(const Model& model, const Knowledge& knowledge);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  unsigned width() const { return processes_ + nodes_ + 1; }
  void initial(Id* state);

  /// Calls sink(next state, candidate, facts) for every possible step. `state` has room for
  /// kMaxWidth ids (that many are copied), `next` for kRoom: the sink may use what follows the ids.
  /// Without `with_pass` time does not pass (for a state that was reached by passing time: those
  /// steps start earlier).
  template <class Sink>
  void expand(const Id* state, bool with_pass, Sink&& sink);

  /// The name of a step from `state`.
  Action label(const Id* state, const Candidate& candidate) const;

  /// How many faults a run has had after this step.
  unsigned faults_used(const Id* state, const Candidate& candidate) const;

  /// What this world was built with, and what it has turned out to need: larger if something was
  /// missing.
  const Knowledge& knowledge() const { return knowledge_; }
  const Knowledge& needs() const { return needs_; }
  /// Lifetimes that followed from an absolute time, in ms: what was left until then.
  const std::set<std::int64_t>& computed_lifetimes() const { return computed_lifetimes_; }
  /// Whether the state graph can have cycles (retry or every was seen).
  bool loops() const { return automaton_.loops(); }
  /// The error of the first acquire() or release() that ended in one, of any run; "" if none did.
  const std::string& first_failure() const { return first_failure_; }
  std::uint64_t script_runs() const { return scripts_.runs(); }
  std::uint64_t command_runs() const { return commands_.size(); }

  // For the analysis of a finished graph (checker/graph.cpp).
  /// Processes with a task inside acquire(), as bits.
  std::uint8_t waiting(const Id* state) const;
  /// Whether a task is inside acquire() and nothing but a fault can happen any more.
  bool stuck(const Id* state);
  /// Whether all main tasks are done, dead or not begun while a spawned task lives.
  bool only_spawned(const Id* state) const;

 private:
  enum Flag : std::uint32_t {
    kAcquired = 1,
    kRefused = 2,
    kReleased = 4,
    kLost = 8,
    kRefusedMade = 16,
    kSelfOverlap = 32,
    kDishonestRelease = 64,
    kAccepted = 128,
    kStaleWrite = 256,
    kLooked = 1024,  ///< at absolute time
    kTold = 512      ///< `told` is not empty
  };
  enum Rest : std::uint8_t { kQuiet = 1, kFinished = 2 };
  /// What a step tells its task about locks, which are bits here, for judge_told().
  struct Told {
    std::uint8_t nested = 0;    ///< that it is still inside
    std::uint8_t released = 0;  ///< that it has left for good, and no other task is there
    std::uint8_t denied = 0;    ///< that it has not released, although it removed a key
    bool empty() const { return (nested | released | denied) == 0; }
  };
  struct Outcome {
    Id process = 0;
    Id other = 0;  ///< execute: the node's or the run's new id
    std::uint32_t flags = 0;
    std::uint8_t lock = 0;  ///< acquired or refused
    Told told;
    bool tokens_changed = false;
    std::uint32_t changes = FlatMap::kAbsent;  ///< execute: index into changes_
    std::vector<std::uint8_t> choices;
  };
  struct Memo {
    struct Case {
      std::uint64_t context = 0;
      std::uint32_t first = 0, count = 0;  ///< outcomes
    };
    bool known = false, uses_tokens = false, sends = false, uses_now = false;
    std::vector<Case> cases;
  };
  static constexpr std::uint8_t kNoFault = 0xFF;
  struct LocalAction {
    Action::Kind kind = Action::Kind::run;
    std::uint8_t index = 0;  ///< task or connection
    std::uint8_t node = 0;   ///< execute
    std::uint8_t jump = 0;
    bool polling = false;  ///< execute
    bool urgent = false;   ///< if possible at all
    std::uint8_t fault = kNoFault;
    // A copy of the only outcome, once it is known that there is one and that it depends on nothing
    // else: what the search mostly needs.
    bool quick = false;
    bool tokens_changed = false;
    std::uint8_t lock = 0;
    Told told;
    std::uint32_t flags = 0;
    Id process = 0;
  };
  struct ProcessInfo {
    Process value;
    std::vector<LocalAction> actions;
    std::vector<Memo> memos;
    std::vector<std::int64_t> points, deadlines;  ///< ascending
    std::vector<Token> tokens;
    bool cut_token = false;
    bool urgent = false;      ///< something other than an execute is urgent
    bool free = false;        ///< a free action is possible
    std::uint8_t faults = 0;  ///< kinds of fault that are possible, as bits
    std::uint8_t held = 0;    ///< locks in their critical section, as bits
    bool waiting = false, spawned = false;
    std::uint8_t rest = 0;        ///< Rest
    Id stale = FlatMap::kAbsent;  ///< with every fresh basis stale; computed when first asked
    std::vector<Id> cut_off;      ///< by node: after that node died
  };
  struct NodeInfo {
    Node value;
    std::vector<std::int64_t> points, deadlines;
    std::vector<Token> tokens;
    bool cut_token = false;
    bool has_expiry = false;
    bool leaky = false;  ///< a lease key without expiry
    std::vector<std::uint16_t>
        lease_makers;          ///< by lock: who made its lease keys, as bits of Maker
    std::vector<Id> disowned;  ///< by process
  };
  struct KeyspaceInfo {
    Keyspace value;
    std::vector<std::int64_t> lifetimes;
    std::vector<Token> tokens;
    bool cut_token = false;
    bool leaky = false;
    std::vector<std::uint16_t> lease_makers;
  };
  struct Run {
    std::int64_t highest = 0;  ///< fencing token seen by the resource
    Budget budget{};
    // Absolute runs only: the time since the start, and how long a timestamp may still matter.
    std::int64_t now_ms = 0, outlook_ms = 0;
  };
  struct RunInfo {
    Run value;
    std::vector<std::int64_t> points, deadlines;
    Id looked = FlatMap::kAbsent;  ///< with the outlook full; computed when first asked
    std::uint8_t left = 0;         ///< kinds of fault with budget left, as bits
    std::array<Id, kFaults.size()> spent{};
  };
  enum class ChangeKind : std::uint8_t { taken, extended };
  struct LeaseChange {
    ChangeKind kind = ChangeKind::taken;
    std::uint8_t lock = 0;
    Maker maker = 0;  ///< before
  };
  struct Command {  ///< one executed command
    Id keyspace = 0;
    Id reply = 0;
    std::vector<LeaseChange> changes;
    bool made = false, freed = false;
    bool looked = false;  ///< at absolute time
  };
  struct Aged {
    Id id = 0;
    std::vector<LeaseChange> expired;
  };
  /// What surrounds one step of a process, and what the step turned out to do and to depend on.
  struct StepContext {
    std::uint16_t used_tokens =
        0;                    ///< numbers of this process's tokens that are somewhere in the world
    std::uint8_t up = 0xFF;   ///< nodes that are up, as bits
    std::int64_t now_ms = 0;  ///< absolute runs
    std::vector<std::uint8_t> choices;  ///< answers to choose(), in order
    std::size_t chosen = 0;
    int open_choice = 0;  ///< out: choose(n) without an answer: the step must be tried with each
    bool uses_tokens = false, sends = false, uses_now = false;
    std::uint32_t flags = 0;
    std::uint8_t lock = 0;
    Told told;
  };

  // interning
  Id intern(const Process& process);
  Id intern(const Node& node);
  Id intern(const Run& run);
  Id intern(const Keyspace& keyspace);
  Id intern_request(const Request& request);
  Id intern_reply(const Reply& reply);
  /// The request to `node`, with all tokens of `process` read alike.
  Id normalised(Id request, std::uint8_t node, std::uint8_t process);
  void describe(ProcessInfo& info);
  void list_actions(ProcessInfo& info);
  bool list_task_actions(ProcessInfo& info);
  void list_message_actions(ProcessInfo& info, std::size_t c);
  void list_process_faults(ProcessInfo& info, bool active);
  static void add_action(ProcessInfo& info, Action::Kind kind, std::size_t index, bool is_urgent);
  void add_fault(ProcessInfo& info, Action::Kind kind, std::size_t index, Fault fault);
  void describe(NodeInfo& info);
  std::vector<std::int64_t> grid_points(const std::vector<std::int64_t>& deadlines) const;
  std::int64_t rounded(std::int64_t ms) const;
  void use_duration(std::int64_t ms);

  // a process's step
  const Memo::Case& outcomes(Id process, unsigned action, const Id* state);
  void act(Process& process, const LocalAction& action, StepContext& context);
  void feed(Process& process, Observation observation, StepContext& context);
  std::string answer(Process& process, const Query& query, StepContext& context);
  bool used_by_another_task(const Process& process, TaskId task, std::uint8_t lock) const;
  void apply(Process& process, const Effect& effect, StepContext& context);
  void send(Process& process, const Effect& effect, StepContext& context);
  void start_timers(Process& process, const std::vector<Wait>& tasks);
  void crash(Process& process);
  std::uint16_t used_tokens(const Id* state, std::uint8_t process) const;
  std::uint8_t nodes_up(const Id* state) const;

  // nodes and the resource
  const Outcome& execute(Id process, unsigned action, Id node, Id run);
  void note_own_keys(Process& process, TaskId sender, const Command& command) const;
  const Outcome& execute_at_resource(Id process, unsigned action, Id run);
  Reply execute_named(Keyspace& keyspace, const Request& request, Execution& execution);
  const Command& run_command(Id keyspace, Id request, Maker sender, WallTime now);
  void note_changes(const Keyspace& before, const Keyspace& after, Maker sender, Command& command);
  void remember_for_power_loss(Node& node, Id before);
  Id without_scripts(Id keyspace);
  WallTime node_clock(Id node, Id run) const;
  Id disowned(Id node, std::uint8_t process);
  Id after_power_cut(Id node, bool power_loss, unsigned image);
  Id cut_off(Id process, std::uint8_t node);
  Id stale(Id process);

  // time
  const Aged& aged_keyspace(Id keyspace, std::int64_t ms);
  Aged age_keyspace(Id keyspace, std::int64_t ms);
  Id aged_process(Id process, std::int64_t ms);
  Id aged_node(Id node, std::int64_t ms);
  Id aged_run(Id run, std::int64_t ms);
  Id looked(Id run);
  Id jumped_node(Id node, std::int64_t ms);
  bool urgent(const Id* state, const Id* began) const;
  bool all_points_count(const Id* state) const;
  std::int64_t next_point(const Id* state) const;
  bool advance(Id* state, std::int64_t ms, Facts& facts);

  // whole worlds
  void judge_overlap(const Id* state, unsigned process, std::uint32_t flags, std::uint8_t lock,
                     Facts& facts) const;
  void judge_told(const Id* state, unsigned process, const Told& told, Facts& facts) const;
  void judge_changes(const Id* state, const Outcome& outcome, Facts& facts) const;
  void judge_quiet(const Id* state, Facts& facts);
  void judge_rest(const Id* state, bool finished, Facts& facts);
  bool can_acquire(const std::vector<Id>& nodes, Id run);
  struct Probe;
  std::int64_t patience_ms() const;
  std::int64_t reach_ms() const;
  bool probe(std::vector<Id> nodes, Id run, std::uint32_t setup);
  void make_canonical(Id* state);
  Id renamed_process(Id process, std::uint8_t whose, std::uint64_t renaming);
  Id renamed_node(Id node, std::uint8_t whose, std::uint64_t renaming);
  Id renamed_keyspace(Id keyspace, std::uint8_t whose, std::uint64_t renaming);
  Facts facts_of(std::uint32_t flags, unsigned process) const;

  using Buffer = std::array<Id, kRoom>;  ///< a successor, as the sink gets it
  static void copy_state(const Id* state, Buffer& copy) {
    std::memcpy(copy.data(), state,
                kMaxWidth * sizeof(Id));  // a fixed size is a few instructions
  }

  template <class Sink>
  void expand_process(const Id* state, unsigned p, Sink& sink);
  template <class Sink>
  void expand_execute(const Id* state, unsigned p, unsigned a, Sink& sink);
  template <class Sink>
  void expand_node(const Id* state, unsigned n, Sink& sink);
  template <class Sink>
  void expand_time(const Id* state, Sink& sink);
  template <class Sink>
  void finish(Id* next, const Candidate& candidate, Facts facts, bool tokens_changed, Sink& sink);

  const Model& model_;
  const unsigned processes_, nodes_;
  const bool nodes_fail_;  ///< some node may be down
  Knowledge knowledge_, needs_;
  std::vector<std::int64_t> grid_;  ///< durations of the time grid, ascending
  std::set<std::int64_t> computed_lifetimes_;
  std::vector<std::string> locks_;                           ///< lock keys, by index
  std::map<std::string, std::uint8_t, std::less<>> leases_;  ///< lease key -> lock
  std::set<std::string, std::less<>> permanent_;
  std::vector<std::uint32_t> setup_of_;             ///< by process
  std::vector<std::vector<std::uint8_t>> lock_of_;  ///< by process: its lock index -> the world's

  Automaton automaton_;
  ScriptVm scripts_{{}, model_.redis_version};
  Interner<Request> requests_;
  Interner<Reply> replies_;
  Interner<ProcessInfo> process_infos_;
  Interner<NodeInfo> node_infos_;
  std::vector<std::uint8_t> process_rest_;  ///< by process id: a copy of `rest`, close together

  Interner<RunInfo> run_infos_;
  Interner<KeyspaceInfo> keyspaces_;
  std::vector<Outcome> outcomes_;
  std::vector<std::vector<LeaseChange>> changes_;
  std::vector<Command> commands_;
  std::vector<Aged> aged_keyspaces_;
  FlatMap command_memo_, execute_memo_, resource_memo_;
  FlatMap age_process_, age_node_, age_keyspace_, age_run_, jump_node_;
  FlatMap rename_process_, rename_node_, rename_keyspace_;
  std::string first_failure_;
  Id empty_keyspace_ = 0;
  std::vector<std::uint32_t> probe_setups_;  ///< one fresh client per lock
  std::map<std::vector<Id>, bool> probes_;   ///< by node ids and, in absolute runs, the run's
};

}  // namespace lockstep::sim
