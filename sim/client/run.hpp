// One run of a process: its tasks, what they wait for, and the workload that its main tasks carry
// out. A task is at a boundary iff it has no coroutine: everything that it will do next is then
// plain data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/client/comparisons.hpp"
#include "sim/client/module.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/values.hpp"
#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// A Lua value that the host keeps during a run: its place in the anchor table, which is at index 1
/// of the main state's stack. 0 is nil.
using Anchor = int;
inline constexpr int kAnchors = 1;

/// One outstanding request.
struct Call {
  enum class Outcome : std::uint8_t { pending, reply, broken, timeout };
  std::uint8_t node = 0;
  Outcome outcome = Outcome::pending;
  SharedReply reply;
  Request request;
};

/// A lock that a main task has acquired: `depth` successful acquire() calls without their
/// release().
struct Holding {
  std::uint8_t lock = 0;
  int depth = 1;
  /// Who has told that it is lost (the resource refused, or lost() was called), until the workload
  /// has handled it.
  enum class Lost : std::uint8_t { no, refused, told };
  Lost lost = Lost::no;
  std::string fencing;
};

/// Where a main task stands in its workload.
struct Work {
  enum class Phase : std::uint8_t {
    idle,
    done,
    between,
    operation,
    reading,
    working,
    writing,
    sleeping,
    interrupted,
    calling  ///< a function of the protocol's own
  };
  enum class Mode : std::uint8_t {
    normal,
    lost,   ///< a lock is lost: everything but unlocks is skipped until it has been released
    ending  ///< the round ends: what is held is released in reverse order
  };
  Phase phase = Phase::idle;
  Mode mode = Mode::normal;
  std::uint8_t lost_lock = 0;  ///< Mode::lost
  int rounds_done = 0;
  std::size_t position = 0;      ///< in the workload
  std::vector<Holding> held;     ///< in the order of acquisition
  bool releasing = false;        ///< operation: release(), else acquire()
  std::uint8_t lock = 0;         ///< operation
  std::vector<Request> unheard;  ///< operation: that got no answer, since it, or retry(), began
};

/// Whether a main task is in the protocol's code.
inline bool in_protocol(const Work& work) {
  return work.phase == Work::Phase::operation || work.phase == Work::Phase::calling;
}

/// In place of the serial of a task.
inline constexpr int kNobody = -1;

struct Task {
  /// What runs in the coroutine, or will when the task goes on.
  enum class Body : std::uint8_t {
    call,   ///< `function(arguments)`; for a main task acquire() or release()
    every,  ///< one iteration of every(): `function()`
    retry,  ///< one iteration of retry(): `function()`
    timer,  ///< nothing: it sleeps, and ends
    listen  ///< what is done with one message of a subscription: `function(text, channel)`
  };
  TaskId id = 0;
  int serial = 0;  ///< never used again within a run
  bool main = false;
  Work work;  ///< of a main task
  Body body = Body::call;
  Anchor function = 0;
  std::vector<Anchor> arguments;
  std::int64_t pause_ms = 0;  ///< between two iterations of every(), or of retry() if it has one
  Anchor latch = 0;           ///< retry(f, semaphore): its pause is a wait for a permit of that,
  std::optional<std::int64_t> most_ms;  ///< for at most so long, as its last iteration has said
  int caller = kNobody;  ///< listen: the serial of the task that waits for the subscription
  Anchor locals = 0;     ///< the table of task_local(), once asked for

  Wait::Kind wait = Wait::Kind::idle;
  std::int64_t wait_ms = 0;
  std::vector<int> awaited;  ///< serials of tasks: it is blocked until one of them has ended
  bool granted = false;      ///< it has been given the permit of a semaphore that it waited for
  bool fresh = false;

  lua_State* thread = nullptr;  ///< the coroutine, if one is under way
  Anchor thread_anchor = 0;
  std::vector<Call> calls;        ///< outstanding or just answered
  std::vector<Effect> unsent;     ///< of a call that was cut: the requests that have not left
  std::int64_t timeout_ms = 0;    ///< of that call
  bool hears_each = false;        ///< it goes on at each answer to that call, not at the last
  bool decides = false;           ///< whether it goes on waiting for that call
  bool iteration_waited = false;  ///< retry(): since this iteration began
  bool by_sha = false;            ///< the call under way is an EVALSHA that falls back to EVAL
  bool stopped = false;           ///< stop()ped by itself
  /// Whether it is its subscription that it waits for, not what it does with a message.
  bool listens() const { return body == Body::listen && thread == nullptr; }
  bool parking = false;  ///< an iteration of retry() is over and nothing else is under way below it
};

struct Mutex {
  int owner = 0;  ///< serial + 1 of the task, 0: nobody
  int depth = 0;
  std::vector<int> waiters;  ///< serials, first come first served
};

struct Semaphore {
  std::int64_t permits = 0;
  std::vector<int> waiters;  ///< serials, first come first served
};

class Run {
 public:
  /// A process in which nothing has happened yet: main tasks idle, empty objects.
  Run(Vm& vm, const Module& module, const ProcessSetup& setup);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Rounds that former incarnations have used up, per main task.
  void use_up_rounds(std::span<const int> rounds_done);
  /// Feeds one observation. If vm.stopped() afterwards, nothing else may be done with the run.
  void feed(const Observation& observation);
  bool at_boundary() const;
  /// The serials of the tasks that are in the midst of something.
  std::vector<int> with_coroutine() const;
  int serial_of(TaskId id) { return task(id).serial; }
  /// What the last observation came to.
  Step report();
  /// Of a run that has stopped: what it did until then.
  Step report_stopped();
  /// The guest line of a task that is in the middle of something, or 0.
  int unfinished_line() const;

  // ---- for the client API, called by the current task ----
  Task& current() { return *current_; }
  const ProcessSetup& setup() const { return setup_; }
  /// The answer to `query`, or null: then the run must end at once.
  const std::string* answer(const Query& query);
  /// An operand of the comparison `place`, the left one or the right one, was worked out.
  void show_operand(int place, bool right, Operand operand);
  void show_comparison(int place, const Operand& left, const Operand& right);
  void emit(Effect effect);
  /// Sends each request to its node (from 0) and waits for what comes of them: of all, or with
  /// `each` until the next answer.
  void call(const std::vector<std::pair<std::uint8_t, Request>>& requests, std::int64_t timeout_ms,
            bool each = false);
  /// The current task does not wait for the rest of its call.
  void leave_call();
  void wait(Wait::Kind kind, std::int64_t ms);
  /// A clock was read: the id of the new instant.
  std::optional<std::uint16_t> read_clock(bool wall);
  /// Whether it is a table of the module or of the API, that nothing changes.
  bool is_of_module(lua_State* lua, int index) const {
    return module_.watched().constant(lua, index) != 0;
  }
  /// Notes a place at which the step can be cut; true if it has to end here.
  bool cut_here(Cut place);
  /// How a task waits that was cut: where threads may be switched others may come first.
  Wait::Kind cut_wait() const {
    return setup_.shows_accesses ? Wait::Kind::runnable : Wait::Kind::interrupted;
  }
  Task* spawn(Task::Body body);
  /// Ends a spawned task: at once, or, the current one, as soon as it is suspended.
  void stop(int serial);
  Task* task_of(int serial);
  int new_mutex();
  Mutex& mutex(int index) { return mutexes_[static_cast<std::size_t>(index)]; }
  Semaphore& semaphore(int index) { return semaphores_[static_cast<std::size_t>(index)]; }
  bool waits_for_permit(const Task& task) const;
  void wake(int serial);
  /// A task that listens begins to: its arguments say to what (listen.cpp).
  void subscribe(Task& task);
  /// The lock key of the protocol object at `index`, or nothing.
  std::optional<std::string> lock_key_at(lua_State* lua, int index);
  /// Whoever holds a lock of this key, in either mode, has lost it.
  void tell_lost(const std::string& key);
  /// What setting(name) answers; null if the protocol declares no such setting.
  const SettingValue* setting(const std::string& name) const;
  /// An iteration of retry(f), with f at stack index 1 of the current task, is over: parks the task
  /// if nothing is under way below it. False if it must simply go on, after the pause: `pause_ms`,
  /// or a wait for a permit of the semaphore at stack index 2, for at most `most_ms`.
  bool end_iteration(lua_State* lua, std::int64_t pause_ms, std::optional<std::int64_t> most_ms);
  /// Complains of a wait in the function that decides whether to wait for more answers.
  bool is_deciding();
  /// Takes a permit, or lets the task wait for one, for at most so long: then it is false.
  bool take_permit(Task& task, const SemaphoreValue& of, std::optional<std::int64_t> most_ms);
  /// The task waits no more. Whether it has been given a permit.
  bool leave(Task& task, const SemaphoreValue& of);

  Anchor keep(lua_State* from, int index);
  void push(lua_State* to, Anchor anchor);

  // ---- the state, for snapshots ----
  int line_of(Anchor function);
  std::vector<std::unique_ptr<Task>> tasks;  ///< by id
  std::vector<Anchor> objects;               ///< `self`, one for each lock key
  std::vector<std::string> object_keys;      ///< those keys
  Anchor process_table = 0;
  int instants = 0;  ///< ids handed out so far
  int add_mutex(Mutex mutex);
  int add_semaphore(std::int64_t permits);
  int next_serial();

  // ---- of a path that was changed by hand ----
  bool tolerates_strange_paths = false;
  bool may_leave_answers = false;  ///< what is observed next may have come of another way
  /// Something was observed that nothing waited for: the run cannot go on.
  bool strange() const { return strange_; }
  /// Of the last observation. The next one begins with none anyway.
  std::vector<Effect> take_effects() { return std::move(effects_); }
  const std::vector<Comparison>& compared() const { return compared_; }

 private:
  bool is_sound(bool condition);
  bool asks_too_much(const Query& query);
  void note_clock(const Query& query);
  Task& task(TaskId id);
  void observe(Task& task, const Observation& observation);
  void run_task(Task& task);
  void send_unsent(Task& task);
  void timer(Task& task);
  void outcome(Task& task, const Observation& observation);
  void hear(Task& listener, const Observation& observation);
  void hear_message(Task& listener, const Reply& message);
  void hear_touched(Task& listener, const Reply& keys);
  void hear_again(Task& listener, const Reply& confirmed);
  void subscribed(Task& listener, const Observation& observation);
  void start_wait(Task& task, Wait::Kind kind, std::int64_t ms);

  // coroutines
  void open_thread(Task& task);
  void start(Task& task);
  void resume(Task& task, int arguments);
  void drop_thread(Task& task);
  void finished(Task& task, int results);
  void died(Task& task);
  std::string fencing_token(const Task& task, lua_State* thread, int index);
  void iteration_over(Task& task);
  void go_round(Task& task);
  SemaphoreValue latch_of(const Task& task);
  void remove(const Task& task);

  // the workload
  void begin_round(Task& task);
  void go_on(Task& task);
  bool advance(Task& task);
  bool do_step(Task& task, const WorkStep& step);
  const char* method_of(const Work& work) const;
  Anchor object_of(std::uint8_t lock) const;
  bool operate(Task& task, bool releasing, std::uint8_t lock);
  void operation_ended(Task& task, bool success, bool silent, std::string fencing);
  void end_acquire(Task& task, bool success, std::string fencing);
  bool is_left_at_once(const Work& work) const;
  bool leaves_open(std::uint8_t lock) const;
  void end_release(Task& task, bool success, bool silent);
  bool call(Task& task, const char* method, std::uint8_t lock);
  void call_failed(Task& task, const std::string& text);
  void operation_failed(Task& task, std::string text, bool of_request);
  void end_round(Task& task);
  bool start_work(Task& task);
  void after_read(Task& task, bool accepted);
  void write(Task& task);
  bool excludes(const Holding& holding) const;
  void touch_resource(Task& task, std::string_view verb);
  void give_up(Task& task, Holding& holding);
  void lock_event(Effect::Kind kind, const Task& task, std::uint8_t lock, bool ok = false);

  Vm& vm_;
  const Module& module_;
  const ProcessSetup& setup_;
  lua_State* lua_;
  Anchor anchors_ = 0;
  std::vector<Mutex> mutexes_;
  std::vector<Semaphore> semaphores_;
  int serials_ = 256;  ///< main tasks have their ids
  Task* current_ = nullptr;
  const Observation* observation_ = nullptr;
  std::vector<Request> unanswered_;  ///< of the call that it ends, if it does
  std::size_t answers_used_ = 0, observed_ = 0;
  std::int64_t ways_ = 1;    ///< in which choose() may have let this step go on
  int instants_before_ = 0;  ///< the observation under way
  bool strange_ = false;
  std::map<int, Operand> left_operands_;  ///< by place
  std::vector<Comparison> compared_;
  std::vector<ClockAnswer> clock_answers_;
  bool ordered_tokens_ = false;
  bool retries_within_ = false;  ///< retry() goes on below another call: no boundary
  std::vector<Effect> effects_;
  std::optional<TaskId> again_;
  unsigned cuts_ = 0;  ///< of this step
  Cut cut_ = Cut::none;
  std::vector<TaskId> freed_;  ///< in this step: not to be given to a new task, which the world
                               ///< could not tell apart
};

/// snapshot_encode.cpp: the canonical bytes of a run at a boundary. `instants` becomes
/// Step::instants. Complains of what is not plain data.
std::string encode_snapshot(Vm& vm, const Module& module, Run& run,
                            std::vector<std::uint16_t>* instants);
/// The same wherever its tasks stand: what there is but for where in their code those are that have
/// a coroutine, and for what got no answer (of that the same observations leave the same). Bytes to
/// compare with those of the same run at another moment. Nothing if something is not plain data.
std::optional<std::string> encode_in_midst(Vm& vm, const Module& module, Run& run);
/// snapshot_decode.cpp: brings an empty run into the state that `bytes` describe.
void decode_snapshot(Vm& vm, const Module& module, Run& run, std::string_view bytes);

}  // namespace lockstep::sim::program
