// The rules of docs/semantics.md as the naive explorer reads them: what may happen in a world, and
// what it then is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/naive/memory.hpp"
#include "checker/naive/world.hpp"
#include "sim/base/bounds.hpp"
#include "sim/base/time.hpp"
#include "sim/base/token.hpp"
#include "sim/client/clock_use.hpp"
#include "sim/client/node_clocks.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/servers.hpp"
#include "sim/client/token_bytes.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/model/action.hpp"
#include "sim/model/connections.hpp"
#include "sim/model/model.hpp"
#include "sim/model/slack.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::checker::naive {

class Belongings;

/// Where a lease key is.
struct LeasePlace {
  std::size_t node = 0;
  int database = 0;
  std::string key;
};

/// A property that an action has violated, and by whom.
struct Violation {
  sim::Property property = sim::Property::mutual_exclusion;
  std::uint8_t process = 0;  ///< whose action it was
  /// Whose lock suffers: mutual_exclusion, foreign_release, foreign_extend. Whom the fresh client
  /// is like: deadlock.
  std::uint8_t other = 0;
  std::string key;      ///< the lock, or the lease key
  bool shared = false;  ///< deadlock: it asks for it in shared mode
};

/// What happened in one action.
struct Facts {
  std::vector<sim::Effect> effects;        ///< of the action's process, in order
  std::vector<sim::Wait> waits;            ///< that it started
  std::vector<sim::Departure> departures;  ///< of the requests among the effects that are to a node
  std::optional<sim::SharedReply> reply;   ///< execute: what the node or the resource answered
  bool closed = false;  ///< execute: the node heard that nobody waits any more for the request
  bool called = false;  ///< execute: the command ran, at the node
  std::set<int> lines;  ///< execute: of the script, that ran (tell_lines() only)
  bool looked_at_time = false;   ///< execute: the node, at the time of day
  bool looked_at_clock = false;  ///< execute: its reply may tell what is left of a lifetime
  std::optional<Violation> violation;
  std::set<sim::Witness> witnesses;  ///< `acquired`: by the action's process
  int choices_missing =
      0;  ///< > 0: the step asked choose(n) once more than the action tells; nothing else is valid
  std::size_t choices_used = 0;
  unsigned cuts_passed = 0;             ///< of the step
  sim::Cut cut = sim::Cut::none;        ///< what kind of place it ended at before its end
  std::optional<sim::TaskId> spinning;  ///< this task takes step after step while time cannot pass
  bool ended_nothing = false;           ///< crash_begin: nothing of the process went on
  bool probe_endless = false;           ///< the probe for deadlock came to no end
  sim::Slack slack;                     ///< of the critical sections that it ended
  bool kept_on = false;                 ///< a release() ended that has not released
};

struct Successor {
  sim::Action action;
  World world;
  Facts facts;
};

/// Where something that depends on a clock turns (section 4), in ms.
struct Thresholds {
  bool absolute = false;           ///< some run, or some probe, looks at the absolute time
  bool clocks = false;             ///< some client reads a clock
  bool replica_waits = false;      ///< some client sends a WAIT
  bool parts_of_seconds = false;   ///< some score is Unix seconds with a fraction
  std::set<std::int64_t> ages;     ///< of instants
  std::set<std::int64_t> lefts;    ///< of keys' lifetimes
  std::set<std::int64_t> replies;  ///< of a number that a node answers, in its own unit
  std::set<std::int64_t> made;     ///< how far after a look an absolute time lies that is made
  std::set<std::int64_t> met;      ///< how far after an absolute time something turns
  std::set<std::int64_t> between;  ///< how far one that was made lies after another where it does
  std::set<std::int64_t> units;    ///< what absolute times are rounded to
  friend bool operator==(const Thresholds&, const Thresholds&) = default;
  void add(const Thresholds& others);
};

/// The rules of the world, for one model.
class Rules {
 public:
  /// A probe that the watch over a search cuts off counts as one that acquires; the watch knows.
  explicit Rules(const sim::Model& model, Memory memory = Memory::history, Thresholds expected = {},
                 Watch* watch = nullptr);
  ~Rules();

  const sim::Model& model() const { return model_; }
  World initial() const;

  /// From now on Facts::lines is filled in, which takes time.
  void tell_lines() { tells_lines_ = true; }
  /// From now on it is noted whether something that is done hangs on the bytes of tokens, but for
  /// which of them comes first.
  void look_at_tokens() { looks_at_tokens_ = true; }
  bool hangs_on_tokens() const { return hangs_; }

  /// Every enabled action but `pass`; what choose() gives is left open, and (0) where a step is
  /// cut: there may be no such place.
  std::vector<sim::Action> enabled(const World& world) const;
  /// How far time can pass in one action, in ms; 0: not at all. Every multiple of the tick up to it
  /// is a `pass`.
  std::int64_t furthest_pass(const World& world);
  bool time_may_pass(const World& world);
  /// How far it could pass if something lay ahead: until something must happen, at most so far.
  /// `of_any_client`: whether or not it is known that some client reads clocks.
  std::int64_t undisturbed_ms(const World& world, std::int64_t at_most_ms,
                              bool of_any_client = false);
  /// Times from now (> 0, ascending) at which something changes by itself.
  std::set<std::int64_t> deadlines(const World& world) const;

  /// Does an enabled action. The world is only worth something if no choices are missing, and if a
  /// step that was to be cut has been.
  Facts apply(World& world, const sim::Action& action);
  /// The same for every way in which choose() can turn out, and every place at which a step can be
  /// cut.
  std::vector<Successor> successors(const World& world, const sim::Action& action);
  /// All that can happen next.
  std::vector<Successor> successors(const World& world);

  /// A task is inside acquire().
  bool waits_in_acquire(const World& world) const;
  /// Every main task is done (or has not begun, or its process is dead), but some spawned one is
  /// not.
  bool only_spawned_go_on(const World& world) const;
  static constexpr int kForEver = 0;  ///< rounds of a process that has no last one
  bool has_rounds_left(std::uint8_t p, int begun) const;
  /// Whether every fault is over, and everybody has begun who does not go on for ever.
  bool undisturbed(const World& world) const;
  using MainTask = std::pair<std::uint8_t, sim::TaskId>;  // process, task
  /// Who is inside acquire().
  std::set<MainTask> in_acquire(const World& world) const;
  /// Of all who go on for ever, who is between two rounds, or dead.
  std::set<MainTask> resting(const World& world) const;
  /// True if what is on the connection is nothing that a main task waits for, or that will come.
  static bool stands(const Process& process, const Connection& connection);
  /// True if no action but faults is left.
  bool has_ended(const World& world);
  /// True if it is so with a task inside release(), and nobody could acquire.
  bool hangs_in_release(const World& world);

  /// True if a token was asked for while the world held a piece of a token without the rest: which
  /// tokens are free to be used again cannot be told. Also if a node asked for the order of tokens,
  /// or their bytes: then their names matter.
  bool token_cut() const { return token_cut_; }

  /// The thresholds that were expected, and those that steps have shown since.
  const Thresholds& expected() const { return expected_; }
  const Thresholds& found() const { return found_; }

  std::uint64_t commands_run() const;
  std::uint64_t scripts_run() const;

 private:
  enum class Probe : std::uint8_t { acquires, fails, endless };

  // enabled.cpp
  void enabled_of_process(const World& world, std::uint8_t p,
                          std::vector<sim::Action>& actions) const;
  void enabled_within(const World& world, std::size_t first,
                      std::vector<sim::Action>& actions) const;
  void enabled_of_connection(const World& world, std::uint8_t p, std::uint8_t c,
                             std::vector<sim::Action>& actions) const;
  void enabled_deaths(const World& world, std::uint8_t n, std::vector<sim::Action>& actions) const;
  void enabled_of_node(const World& world, std::uint8_t n, std::vector<sim::Action>& actions) const;
  void enabled_of_links(const World& world, std::uint8_t p,
                        std::vector<sim::Action>& actions) const;
  std::optional<std::size_t> executable(const World& world, const Connection& connection) const;
  bool is_due_at_node(const World& world, const Connection& connection) const;
  bool arrives(const World& world, const Process& process, const Connection& connection,
               const Message& message) const;
  std::int64_t way_ms(const World& world, const sim::Action& action) const;
  bool urgent(const World& world, const sim::Action& action, bool of_any_client = false);

  // polling.cpp
  class WayBack;
  std::string stored(const World& world, std::uint8_t node, std::uint8_t p) const;
  bool polling(const World& world, std::uint8_t p, const Connection& connection) const;
  bool waits_for_time(const World& world, std::uint8_t p, std::uint8_t c,
                      bool of_any_client = false);
  bool comes_back(const World& world, std::uint8_t p, std::uint8_t c, bool idle);
  std::int64_t till_heard_otherwise_ms(const World& world, std::uint8_t p, std::uint8_t c,
                                       std::int64_t at_most_ms);
  void pass_for_clients(World& world, std::int64_t ms, Facts& facts);

  // process.cpp
  void feed(World& world, std::uint8_t p, sim::Observation observation, const sim::Action& action,
            Facts& facts);
  void begin_round(Process& process, const sim::Step& step) const;
  sim::Token fresh_token(World& world, std::uint8_t p);
  std::optional<sim::Step> run_program(World& world, std::uint8_t p, const sim::Action& action,
                                       Facts& facts);
  std::optional<std::string> answer(World& world, std::uint8_t p, const sim::Query& query,
                                    const sim::Action& action, Facts& facts);
  void read_clock(const World& world, Process& process, bool wall);
  void enter(World& world, std::uint8_t p, const sim::Effect& effect, Facts& facts) const;
  void do_effect(World& world, std::uint8_t p, const sim::Effect& effect, Facts& facts);
  void send(World& world, std::uint8_t p, const sim::Effect& effect, Facts& facts);
  void take_waits(World& world, std::uint8_t p, const std::vector<sim::Wait>& waits, Facts& facts);
  std::int64_t rounded_up(std::int64_t ms) const;
  void start_waiting(Process& process) const;
  void wait_anew(World& world, const std::string& lock) const;
  enum class Down : std::uint8_t { is_not_free, may_be_free };
  bool is_free(const World& world, const std::string& lock, std::uint8_t by, Down down) const;
  void tell_of_returns(World& world, std::uint8_t p) const;
  bool is_held(const World& world, const std::string& lock) const;
  bool counts(const World& world, std::uint8_t p, const sim::Wait& wait) const;
  std::optional<std::int64_t> till_too_long_ms(const World& world, std::uint8_t p,
                                               const sim::Wait& wait) const;
  void look(World& world);
  std::int64_t until_all_show(const World& world, std::int64_t ms) const;
  /// The largest that absolute times are rounded to; 0 if none are.
  std::int64_t common_unit_ms() const;
  void note_thresholds(const Process& process, const sim::ProcessSetup& setup,
                       const sim::Step& step);
  void note_times(const sim::TimeUse& use);

  // world.cpp
  void incarnate(Process& process, const sim::ProcessSetup& setup) const;
  std::vector<Successor> cut_successors(const World& world, const sim::Action& action);
  void step(World& world, const sim::Action& action, Facts& facts);
  void step_within(World& world, const sim::Action& action, Facts& facts);
  std::vector<Message> connection_errors(const Connection& connection,
                                         const std::vector<Message>& lost) const;
  void stand_still(Process& process) const;
  void go_on(Process& process) const;
  void begin(World& world, const sim::Action& action, Facts& facts);
  void run(World& world, const sim::Action& action, Facts& facts);
  void disturb(World& world, const sim::Action& action) const;
  void disturb_process(World& world, const sim::Action& action) const;
  void disturb_connection(Process& process, const sim::Action& action) const;
  void disturb_node(World& world, const sim::Action& action) const;
  void execute(World& world, const sim::Action& action, Facts& facts);
  sim::Execution execution_on(World& world, std::uint8_t p, const Connection& connection);
  void tell_whose(const World& world, std::uint8_t p, const Message& asked,
                  const sim::Execution& by, const sim::Keyspace& before,
                  sim::Keyspace& after) const;
  void note_reliances(const World& world, std::uint8_t p, const Message& asked, sim::Maker sender,
                      const sim::Keyspace& before, sim::Keyspace& after, sim::WallTime now) const;
  std::set<std::string> locks_with(const std::string& lease_key) const;
  bool is_relied_on(const std::string& key) const;
  /// A request that may ask for a key, at `now`.
  struct Requested {
    sim::Maker sender = 0;
    sim::WallTime now;
    sim::Duration lease;
  };
  std::optional<sim::Expiry> asked_until(const sim::Keyspace& then, const sim::Keyspace& now,
                                         const std::string& key, const sim::Entry* was,
                                         const sim::Entry* is, std::optional<sim::Expiry> before,
                                         const Requested& by) const;
  void keep_reliances(sim::Keyspace& keyspace, sim::Duration jump) const;
  sim::Reply execute_on_node(World& world, std::uint8_t p, Connection& connection,
                             const Message& asked, Facts& facts);
  /// Whether it is noted what hangs on the bytes of tokens: in a probe, too.
  bool notes_hanging() const { return looks_at_tokens_ || (alone_ && !following_); }
  /// Of a request.
  void note_hanging(const sim::Met& met, const sim::Execution& execution, const sim::Reply& reply,
                    const Node& after);
  sim::Reply execute_on_resource(World& world, std::uint8_t p, const Connection& connection,
                                 const Message& message, Facts& facts);
  void outdate(World& world, const std::set<std::string>& locks) const;
  void deliver(World& world, const sim::Action& action, Facts& facts);
  static void give_up_requests(Process& process, sim::TaskId task, bool listens);
  void fire_timer(World& world, const sim::Action& action, Facts& facts);
  void break_connection(Connection& connection) const;
  void lose(Process& process, std::uint8_t c) const;
  void lose_late(Process& process, std::uint8_t c) const;
  void lose_requests(Connection& connection) const;
  void close(Connection& connection) const;
  void crash(World& world, std::uint8_t p) const;
  void stop_node(World& world, std::uint8_t n, std::size_t image) const;
  void crash_node(World& world, std::uint8_t n) const;
  void lose_power(World& world, std::uint8_t n, std::size_t image) const;
  void restart_node(World& world, std::uint8_t n) const;
  bool may_evict(const sim::Entry& entry) const;
  void note_unnoticed(const World& world, Node& node) const;
  std::optional<std::int64_t> till_unnoticed_ms(const World& world, const Node& node) const;
  void enabled_to_notice(const World& world, std::uint8_t n,
                         std::vector<sim::Action>& actions) const;
  void notice(World& world, const sim::Action& action) const;
  void tell_evicted(World& world, std::uint8_t n, const sim::Place& place) const;
  void evict(World& world, std::uint8_t n, std::size_t key) const;
  void flush(World& world, std::uint8_t n) const;
  void save_flushed(Node& node) const;
  void note_not_durable(World& world, Node& node, const sim::Keyspace& before) const;
  void pass(World& world, std::int64_t ms, Facts& facts) const;
  void settle(World& world, bool by_time) const;
  void note_spinning(World& world, const sim::Action& action, Facts& facts);

  /// How many of such faults a run may have, in all.
  int of_all(sim::Fault fault) const { return model_.budget[static_cast<std::size_t>(fault)]; }

  // replication.cpp
  std::uint8_t server_meant(const Process& process, std::uint8_t node) const;
  bool is_in_line(const World& world, std::uint8_t n) const;
  void enabled_of_roles(const World& world, std::uint8_t n,
                        std::vector<sim::Action>& actions) const;
  void enabled_to_learn(const World& world, std::uint8_t p,
                        std::vector<sim::Action>& actions) const;
  static void leave_to_network(Connection& connection);
  static bool kept_by_a_cut(const Process& process, const Connection& connection);
  static bool given_up_behind_a_cut(const Process& process, const Connection& connection);
  static bool somebody_waits_behind_a_cut(const Process& process, const Connection& connection);
  bool may_break_freely(const World& world, const Process& process,
                        const Connection& connection) const;
  void change_roles(World& world, const sim::Action& action) const;
  void fail_over(World& world, std::uint8_t n) const;
  void follow(World& world, std::uint8_t n) const;
  void leave_master(World& world, std::uint8_t n) const;
  bool few_replicas(const World& world, std::uint8_t n) const;
  void synchronize(World& world, std::uint8_t n) const;
  void mirror(World& world, bool by_time) const;

  // migration.cpp
  static bool migrates(const World& world);
  void enabled_to_migrate(const World& world, std::uint8_t n,
                          std::vector<sim::Action>& actions) const;
  void migrate(World& world, const sim::Action& action) const;
  void move_key(World& world, std::uint8_t n, std::size_t key) const;
  void refuse_to_send(const sim::Request& request) const;
  bool led_on(World& world, const sim::Action& action) const;

  // wait.cpp
  std::int64_t acknowledged(const World& world, const Connection& connection) const;
  bool has_to_wait(const World& world, const Connection& connection,
                   const sim::Request& request) const;
  void block(Message& message) const;
  bool is_over(const World& world, const Connection& connection, const Message& wait) const;
  std::optional<std::int64_t> till_due_ms(const World& world, const Connection& connection,
                                          const Message& message) const;
  std::optional<std::int64_t> till_over_ms(const World& world, const Process& process,
                                           const Connection& connection) const;
  sim::Reply end_of_wait(const World& world, const Connection& connection) const;
  bool greets(const Connection& connection) const;
  void greet(World& world, Connection& connection) const;
  void note_ahead(World& world, Connection& connection, bool changed, bool called) const;
  void note_missing(const std::vector<Node>& before, World& world) const;
  void has_all(World& world, std::uint8_t n) const;
  void forget_gone(World& world, std::uint8_t n) const;
  static std::set<std::uint8_t> gone_and_heard(const World& world, std::uint8_t n);
  void forget_listed(World& world, std::uint8_t n, std::uint8_t gone) const;
  void forget_long_gone(World& world, std::int64_t ms) const;

  // queue.cpp
  /// Whether a request waits there for a key.
  bool somebody_queues(const World& world, std::uint8_t n) const;
  std::optional<sim::Action> next_served(const World& world) const;
  void spread_messages(World& world, std::uint8_t n,
                       const std::vector<sim::Publication>& published) const;
  void join_queue(World& world, Connection& connection, Message& message,
                  std::optional<std::int64_t> wait_ms) const;
  void order_queues(World& world) const;
  bool has_come(const World& world, const Connection& connection) const;
  bool ends_in_vain(const World& world, const Connection& connection, const Message& message) const;
  bool closes(const World& world, const Connection& connection, const Message& message) const;
  sim::Reply leave_queue(const World& world, Connection& connection, const Message& asked) const;

  // judge.cpp
  void violated(Facts& facts, Violation violation) const;
  void judge_acquired(const World& world, std::uint8_t p, const sim::Effect& effect,
                      Facts& facts) const;
  enum class Modes : std::uint8_t { all, exclusive };
  void judge_prolonged(const World& world, std::uint8_t p, sim::TaskId task,
                       std::uint8_t lock_index, Modes modes, Facts& facts) const;
  void judge_sleep(World& world, std::uint8_t p, const sim::Wait& wait, Facts& facts) const;
  void judge_refused(const World& world, std::uint8_t p, const sim::Effect& effect,
                     Facts& facts) const;
  void judge_denied(const World& world, std::uint8_t p, const sim::Effect& effect,
                    Facts& facts) const;
  void judge_released(const World& world, std::uint8_t p, const sim::Effect& effect,
                      Facts& facts) const;
  void judge_inside(const World& world, std::uint8_t p, const sim::Effect& effect,
                    Facts& facts) const;
  void judge_outside(const World& world, std::uint8_t p, const sim::Effect& effect,
                     Facts& facts) const;
  void note_slack(const World& world, std::uint8_t p, const sim::Effect& effect,
                  Facts& facts) const;
  void note_left(const World& world, std::uint8_t p, std::uint8_t lock, Facts& facts) const;
  void note_kept_on(const World& world, std::uint8_t p, std::uint8_t lock, Facts& facts) const;
  void judge_lost(const World& world, std::uint8_t p, const sim::Effect& effect,
                  Facts& facts) const;
  void judge_waits(const World& world, Facts& facts) const;
  void judge_wakeups(const World& world, Facts& facts);
  void judge_fairness(World& world, std::uint8_t p, Facts& facts) const;
  void judge_invariants(const World& world, const sim::Action& action, Facts& facts) const;
  /// All of a lock's, those that stay by design, or the others.
  enum class LeaseKeys : std::uint8_t { all, permanent, passing };
  /// Of a group with several: where something has to be that a client should have, and where that
  /// is which it should not have any more.
  enum class On : std::uint8_t { some_master, all_masters };
  using Wanted = std::function<bool(const Belongings&, sim::Maker)>;
  std::optional<std::string> lease_key_with(const World& world, std::uint8_t p, std::uint8_t lock,
                                            const Wanted& wanted, On masters,
                                            LeaseKeys which = LeaseKeys::all) const;
  std::optional<std::string> lease_key_on(const Node& node, std::uint8_t p, std::uint8_t lock,
                                          const Wanted& wanted, LeaseKeys which) const;
  /// Whether what was done at these nodes (groups) makes a lock a process's own, or frees it.
  bool enough(const std::set<std::uint8_t>& nodes) const;
  bool has_lease(const World& world, std::uint8_t p, std::uint8_t lock,
                 LeaseKeys which = LeaseKeys::all, On masters = On::some_master) const;
  /// Has something of the lock, and nothing of it that stays by design.
  bool has_what_should_go(const World& world, std::uint8_t p, std::uint8_t lock) const;
  bool shared_beside(const World& world, std::uint8_t p, std::uint8_t lock) const;
  bool key_in_use(const World& world, std::uint8_t p, sim::TaskId task, std::uint8_t lock) const;
  std::vector<LeasePlace> leases_of_holders(const World& world) const;
  std::vector<std::uint8_t> other_mode(const Process& process, std::uint8_t p,
                                       const sim::Effect& effect) const;
  void judge_other_mode(const World& world, std::uint8_t p, const sim::Effect& effect,
                        Facts& facts) const;
  /// Whether the process holds a lock with this lease key, in one of these modes.
  bool holds_lease(const World& world, std::uint8_t p, const std::string& lease_key,
                   Modes modes = Modes::all) const;

  // judge_leases.cpp
  void note_lease_databases(const sim::Keyspace& before, sim::Keyspace& after,
                            sim::Maker sender) const;
  /// Who sent a request, and all words that it executes.
  struct Author {
    sim::Maker sender;
    std::vector<std::string> words;
  };
  void judge_execution(const World& world, std::uint8_t p, const Author& by,
                       const sim::Keyspace& before, const sim::Keyspace& after, Facts& facts) const;
  bool stays_in(const sim::Keyspace& keyspace, std::uint8_t p, std::uint8_t lock) const;
  std::set<sim::Maker> holders_prolonged(const World& world, std::uint8_t p, const std::string& key,
                                         const sim::Keyspace& before,
                                         const sim::Keyspace& after) const;
  bool uses_lease(const World& world, std::uint8_t p, const std::string& lease_key) const;
  void judge_prolonged_outside(const World& world, std::uint8_t p, Sent sent,
                               const sim::Keyspace& before, const sim::Keyspace& after,
                               Facts& facts) const;
  void note_given(World& world, std::uint8_t p, const Connection& connection, const Message& asked,
                  const sim::Keyspace& before, const sim::Keyspace& after) const;
  void note_made_and_freed(World& world, std::uint8_t p, std::uint8_t node, const Message& asked,
                           Sent sent, const sim::Keyspace& before, const sim::Keyspace& after,
                           Facts& facts) const;
  void judge_own_removal(const World& world, std::uint8_t p, const Message& asked, Sent sent,
                         const sim::Keyspace& before, const sim::Keyspace& after,
                         Facts& facts) const;
  bool stands_for_others(const World& world, const sim::Keyspace& keyspace, std::uint8_t p,
                         std::uint8_t lock) const;

  // judge_rest.cpp
  void judge_rest(const World& world, const sim::Action& action, Facts& facts);
  bool servers_settled(const World& world) const;
  bool quiet(const World& world) const;
  bool rests(const World& world, std::size_t p) const;
  bool nothing_to_come(const World& world) const;
  std::optional<std::string> lasting_lease_key(const World& world) const;

  // probe.cpp
  /// A lock key in a mode, as a client with this lease and these settings asks for it.
  struct Lock {
    std::string key;
    bool shared = false;
    std::int64_t lease_ms = 0;
    sim::Settings settings;
    friend auto operator<=>(const Lock&, const Lock&) = default;
  };
  Probe probe(const World& world, const Lock& lock);
  Probe probe_by(const World& world, const Lock& lock, int at_once);
  bool matter_beside(const World& world, int at_once) const;
  Probe probe_alone(World world, int at_once);
  std::int64_t patience_ms() const;
  std::int64_t patience_from(const World& start, int at_once) const;
  void begin_anew(World& world, std::uint8_t fresh) const;
  std::int64_t longest_matter_ms() const;
  std::int64_t farthest_reach_ms() const;
  std::int64_t probe_pass_ms(const World& world, int at_once, std::int64_t& patience_left_ms) const;
  std::optional<std::int64_t> next_node_deadline(const World& world) const;

  sim::Model model_;
  std::map<Lock, std::uint8_t> locks_;  // of all processes: the first one that asks for it
  std::set<std::string> lease_keys_;    // of all locks
  std::set<std::string> permanent_keys_;
  sim::Servers servers_;
  std::size_t quorum_ = 1;  // on so many nodes a lock has to be a process's own
  sim::ScriptVm scripts_{{.known_only = true}, model_.server};
  const Thresholds expected_;
  Thresholds found_;
  std::set<std::string> clock_replies_;  // what nodes have answered that tells a clock
  sim::ClockUses clock_uses_;
  sim::NodeClocks node_clocks_{model_.server};
  sim::TokenBytes token_bytes_{*model_.program, model_.server};
  bool looks_at_tokens_ = false;
  bool hangs_ = false;  // then, or in a probe: something hangs on the bytes of tokens
  std::uint64_t commands_run_ = 0;
  const Memory memory_;
  Watch* const watch_;  // none where a run is told
  bool token_cut_ = false;
  bool tells_lines_ = false;
  bool following_ = false;  ///< a client is followed to see whether it comes back
  bool alone_ =
      false;  ///< one client is followed, or a probe's: whether it comes back is not asked
  // In a probe of several who try at once, it is first tried without: as long as nobody asks the
  // same twice at an instant, it does not matter what nodes stored as they answered.
  bool remembers_stored_ = true;
  bool asked_twice_ = false;
  // By lock, and how many try at once: the same model and so many processes more.
  std::map<std::pair<Lock, int>, std::unique_ptr<Rules>> probes_;
  // Of a probe's own rules: what it came to, by the identity of the world in which it was alone.
  std::unordered_map<std::string, Probe> probed_;  // never iterated
};

}  // namespace lockstep::checker::naive
