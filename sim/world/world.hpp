// The interned world: a state is a short vector of ids, one per process, one per node, one for the
// run; expanding it is table look-ups. docs/semantics.md says what happens; each part computes it
// once for what a step reads, and this is the only place that sees all parts.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/world/execution.hpp"
#include "sim/world/grid.hpp"
#include "sim/world/invariants.hpp"
#include "sim/world/judges.hpp"
#include "sim/world/nodes.hpp"
#include "sim/world/polling.hpp"
#include "sim/world/probe.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/replica_waits.hpp"
#include "sim/world/run.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class World {
 public:
  static constexpr unsigned kMaxWidth = sim::kMaxWidth;
  static constexpr unsigned kRoom = 2 * kMaxWidth;
  /// Of time, before anything has to happen: more are not tried, and said to be left out.
  static constexpr std::size_t kMostPoints = 100'000;

  /// The watch over its search, which is asked in what may last. Must outlive the world.
  World(const Model& model, const Knowledge& knowledge, checker::Watch& watch);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  unsigned width() const { return setting_.width(); }
  void initial(Id* state);

  /// Calls sink(next state, candidate, facts) for every possible step. `state` has room for
  /// kMaxWidth ids (that many are copied), `next` for kRoom: the sink may use what follows the ids.
  /// Of those in which time passes only the `passes` shortest.
  template <class Sink>
  void expand(const Id* state, std::size_t passes, Sink&& sink);

  /// The name of a step from `state`.
  Action label(const Id* state, const Candidate& candidate) const;

  /// How many faults a run has had after this step.
  unsigned faults_used(const Id* state, const Candidate& candidate) const;

  /// What this world was built with, and what it has turned out to need: larger if something was
  /// missing.
  const Knowledge& knowledge() const { return setting_.knowledge; }
  const Knowledge& needs();
  /// Lifetimes that followed from an absolute time, in ms: what was left until then.
  const std::set<std::int64_t>& computed_lifetimes() const { return setting_.computed_lifetimes; }
  /// How long after a look at absolute time something turns, in ms.
  const std::set<std::int64_t>& reaches() const { return setting_.reaches; }
  /// Whether some points of time were left out: then nothing holds for certain.
  bool sampled() const { return setting_.sampled || setting_.missed_turns || setting_.countless; }
  /// Whether some process has more than one task: then it matters where they switch.
  bool many_tasks() const { return setting_.many_tasks; }
  /// Execution::readings_apart, of all requests.
  std::uint32_t readings_apart() const { return setting_.readings_apart; }
  /// Execution::ordered_fields, the most of all requests.
  unsigned ordered_fields() const { return setting_.ordered_fields; }
  /// Why not every point of time was laid that may matter; "" if all were.
  std::string time_gap() const;
  /// Whether something hangs on which of two lock tokens comes first: one order of them was tried.
  /// Tries more spellings of them than during the search.
  bool orders_tokens() {
    return setting_.orders_tokens || processes_.decide_by_token_bytes() ||
           nodes_.decide_by_token_bytes();
  }
  /// No token is used again in a search that comes after.
  void keep_token_names() { setting_.needs.recycles_tokens = false; }
  /// A request that Redis might have answered otherwise, with other elements or in another order:
  /// one answer of it was tried. "" if there was none.
  const std::string& left_open() const { return setting_.left_open; }
  /// Whether the model's draw_seed has decided an answer.
  bool draws() const { return setting_.draws; }
  /// Whether keys of several slots migrated together, where a cluster takes one after the other.
  bool joins_slots() const { return setting_.slots.size() > 1; }
  bool answers_unwritten() const { return setting_.answers_unwritten(); }
  /// How long a lone client may have to go on trying, apart from what is left of keys, in ms.
  std::int64_t patience_ms() const;
  /// How close the steps that were expanded came to the end of a lease; never said to be exact.
  const Slack& slack() const { return judges_.slack(); }
  /// Whether the state graph can have cycles (retry or every was seen).
  bool loops() const { return processes_.automaton().loops(); }
  /// Whether some retry() goes on below another call: its iterations do not merge.
  bool retries_within() const { return processes_.automaton().retries_within(); }
  /// Whether some operation waits in a loop of its own: its rounds do not merge either.
  bool loops_by_itself() const { return processes_.automaton().loops_by_itself(); }
  /// The error of the first acquire() or release() that ended in one, of any run; "" if none did.
  const std::string& first_failure() const { return setting_.first_failure; }
  /// The first error that a node answered (but NOSCRIPT), with its request; "" if none did.
  const std::string& first_error() const { return setting_.first_error; }
  /// Whether some release() has ended that released nothing, though there was something.
  bool kept_on() const { return judges_.kept_on(); }
  /// What is not tried of several nodes; null: nothing.
  /// sim::names_several(), of some lease key of a lock that one may hold.
  bool names_several() const { return setting_.names_several; }
  const char* untried() const { return setting_.untried; }
  const std::string& obstacle() const { return setting_.obstacle; }
  /// Whether a probe for deadlock came to no end: nothing can be said about deadlock.
  bool endless_probe() const { return setting_.endless_probe; }
  std::uint64_t script_runs() const { return nodes_.scripts_run(); }
  std::uint64_t command_runs() const { return nodes_.commands_run(); }

  // For claims about the whole graph.
  /// Processes with a task inside acquire().
  ProcessSet waiting(const Id* state) const;
  // What a state is made of, for who compares it with another explorer's.
  const Process& process(const Id* state, unsigned p) const {
    return processes_.info(state[p]).value;
  }
  const Node& node(const Id* state, unsigned n) const {
    return nodes_.info(state[setting_.node_slot(n)]).value;
  }
  const Run& run(const Id* state) const { return run_of(state).value; }
  const Setting& setting() const { return setting_; }
  const Tables& tables() const { return tables_; }

  /// Whether a task is inside acquire() and nothing but a fault can happen any more.
  bool stuck(const Id* state);
  /// Where nothing but a fault can happen any more: whether a task is inside release(), nobody
  /// holds anything, and nobody could acquire.
  bool hangs_in_release(const Id* state) const;
  /// Whether time alone will change something.
  bool something_ahead(const Id* state) { return next_point(state) > 0; }
  /// Whether every fault is over, and everybody has begun who does not go on for ever.
  bool undisturbed(const Id* state) const;
  /// Main tasks that are inside acquire().
  TaskSet tasks_in_acquire(const Id* state) const;
  /// Main tasks that go on for ever, and are not between two rounds now.
  TaskSet tasks_under_way(const Id* state) const;
  /// All that go on for ever.
  TaskSet tasks_for_ever() const;
  /// Whether all main tasks are done, dead or not begun while a spawned task lives.
  bool only_spawned(const Id* state) const;

 private:
  using Buffer = std::array<Id, kRoom>;  ///< a successor, as the sink gets it
  static void copy_state(const Id* state, Buffer& copy) {
    std::memcpy(copy.data(), state,
                kMaxWidth * sizeof(Id));  // a fixed size is a few instructions
  }
  template <class Wanted>
  TaskSet main_tasks(const Id* state, Wanted wanted) const;
  bool looks_at_time() const;
  const RunInfo& run_of(const Id* state) const { return runs_.info(state[setting_.run_slot()]); }

  template <class Sink>
  void expand_lags(const Id* state, const RunInfo& run, Sink& sink);
  template <class Sink>
  void expand_part(const Id* state, unsigned slot, const RunInfo& run, Sink& sink,
                   std::optional<unsigned> only = {});
  std::span<const StepResult> results(const Id* state, unsigned slot, unsigned a,
                                      const LocalAction& action);
  template <class Sink>
  void expand_time(const Id* state, const Polls& polls, std::size_t passes, Sink& sink);
  template <class Sink>
  void finish(Id* next, const Candidate& candidate, Facts facts, bool tokens_changed, Sink& sink,
              bool probes);
  /// Whether the master of a replica can send it what it has.
  bool can_catch_up(const Id* state, unsigned node) const;
  /// Whether an `execute` of the process is possible: at the resource, or a node that is up, where
  /// it is not blocked.
  bool can_execute(const Id* state, unsigned process, const LocalAction& action) const {
    if (action.node == kResource) return true;
    return nodes_.info(state[setting_.node_slot(action.node)]).value.up &&
           (!action.blocked || is_blocked_no_more(state, process, action));
  }
  bool is_blocked_no_more(const Id* state, unsigned process, const LocalAction& action) const;
  /// An action of a process, as an index into its actions.
  struct Served {
    unsigned process = 0, action = 0;
  };
  // What most models have nothing of: asked at every step, so here.
  std::optional<Served> next_served(const Id* state) const {
    return setting_.needs.blocks ? who_is_served(state) : std::nullopt;
  }
  void forget_unserved(Id* state) const {
    if (setting_.needs.blocks) forget_all_unserved(state);
  }
  bool replicate(const Id* before, Id* state, Action::Kind by) {
    return setting_.servers.replicas > 0 && mirror_masters(before, state, by);
  }
  bool forget_images(Id* state) {
    return setting_.writes_last() && !(run_of(state).left & only(Fault::power_loss)) &&
           make_all_durable(state);
  }
  std::optional<Served> who_is_served(const Id* state) const;
  void forget_all_unserved(Id* state) const;
  bool mirror_masters(const Id* before, Id* state, Action::Kind by);
  bool make_all_durable(Id* state);
  Surroundings around(const Id* state, unsigned process) const;
  void follow(const Id* state, unsigned actor, const Report& report, Id* next, Facts& facts);
  void spread(const Report& report, unsigned actor, Id* next);
  void tell_waiting(LockSet turned, Id* next);
  void overtake(std::uint8_t lock, Id* next, Facts& facts);
  void give_back(LockSet freed, unsigned actor, Id* next);
  void forget_returns(Id* next);
  NodeSet listing(std::uint8_t replica, const Id* state) const;
  void join_master(std::uint8_t replica, Id* next);
  void note_power(std::uint8_t replica, bool power, Id* next);
  void leave_replicas_alone(std::uint8_t master, Id* next);
  void tell_of_promotion(std::uint8_t promoted, Id* next);
  void make_canonical(Id* state);
  void forget_date(Id* state);

  // polling.cpp
  std::optional<Polls> at_rest(const Id* state);
  bool notices(const Id* state) const;
  bool disturbed(const Id* state, const Id* began, const Polls& polls);
  bool asked_before(const Id* state, unsigned process, const LocalAction& action);
  bool comes_back(const Id* state, unsigned process, unsigned a);
  bool follows_back(const Id* state, unsigned process, unsigned a);
  Asking asking(const Id* state, unsigned process, std::size_t connection);
  bool goes_round(const Buffer& now, unsigned process, WayBack& way);
  bool asks_anew(const Id* state, unsigned process, const Asking& start);
  void end_pass(const Id* began, const Polls& polls, Id* next);

  // time.cpp
  std::int64_t next_point(const Id* state);
  bool advance(Id* state, std::int64_t ms, Facts& facts);

  Setting setting_;
  Grid grid_;
  Tables tables_;
  Reports reports_;
  Processes processes_;
  Nodes nodes_;
  Runs runs_;
  std::int64_t alike_after_ms_;
  ReplicaWaits waits_;
  Queues queues_;
  Executions executions_;
  Prober prober_;
  Judges judges_;
  Invariants invariants_;
  FlatMap came_back_;  ///< where there is one node: by the process and its action, node and run
};

}  // namespace lockstep::sim
