// A protocol (client program and exact scripts) as something that can be run: a process is a
// deterministic function of what it has observed. A run starts from a snapshot, is fed
// observations, and says what the process did at the last one and what its tasks wait for now.
// Nothing here knows about time, networks or faults: that is the world's business.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/client/setup.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

// ---- what a process sees ------------------------------------------------------------------------

using TaskId =
    std::uint8_t;  ///< main tasks are 0..threads-1; spawned ones get the lowest free number

/// Node index in a send: a Redis node, or the protected resource.
inline constexpr std::uint8_t kResource = 255;

struct Observation;

/// A question that only the world can answer. A run stops at it; it is run again with the answer
/// appended to the last observation's `answers`.
struct Query {
  enum class Kind : std::uint8_t {
    token,       ///< unique(): answer = the bytes of a fresh token (token_text)
    choice,      ///< choose(n): answer = decimal 1..n; the world branches
    difference,  ///< instant - instant: answer = decimal milliseconds (first - second) on that
                 ///< clock
    absolute     ///< an instant turned into a number: answer = decimal Unix milliseconds. Makes the
                 ///< run absolute
  };
  Kind kind = Kind::token;
  int choices = 0;  ///< choice
  std::uint16_t first = 0,
                second =
                    0;  ///< difference, absolute (first): instant ids, offsets already taken out
  friend bool operator==(const Query&, const Query&) = default;
};

// ---- what a process does ------------------------------------------------------------------------

/// One effect of a step, in program order.
struct Effect {
  enum class Kind : std::uint8_t {
    send,  ///< a request leaves on the task's connection to `node`; for kResource: {"READ"|"WRITE",
           ///< fencing token or ""}
    gave_up,   ///< the task waits no longer for what it has sent: nobody hears those answers
    instant,   ///< a clock was read: the process now holds one more instant, with the next free id,
               ///< age 0
    acquired,  ///< acquire() returned success in the client: the critical section of `lock` begins
               ///< (outermost only)
    reentered,  ///< a nested acquire() returned success: the critical section goes on
    refused,    ///< acquire() returned without success
    left,       ///< an inner release() returned; `ok` is what it said. The critical section goes on
    releasing,  ///< the outermost release() call: the critical section ends
    released,   ///< that release() returned; `ok` is what it said
    failed,     ///< acquire() or release() ended in an uncaught error (`text`); a held critical
                ///< section of the task ends
    lost,       ///< the workload handled *lost*: the critical section ends, the rest of the work is
                ///< skipped
    exited,     ///< exit(): the process ends as in a crash; nothing of the step comes behind it
    log         ///< log(text)
  };
  Kind kind = Kind::send;
  TaskId task = 0;
  std::uint8_t node = 0;     ///< send
  Request request;           ///< send
  bool subscribes = false;   ///< send: on the connection of a listener, which takes messages
  bool wall = false;         ///< instant: of the wall clock (else the monotonic one)
  std::uint8_t lock = 0;     ///< acquired ... lost
  std::uint8_t depth = 0;    ///< reentered, left: how often the lock is held now
  bool ok = false;           ///< left, released: release() returned a true value; lost: the
                             ///< protocol called lost(), not only did the resource refuse;
                             ///< releasing: it was not given up as lost before
  bool silent = false;       ///< left, released: it returned nothing at all
  bool in_release = false;   ///< failed: during release()
  bool leaves_open = false;  ///< failed: it claims nothing: it heard that a request gets no answer
                             ///< that names a lease key of the lock, or is an EXEC; or release()
                             ///< ended in a request's error
  std::string fencing;       ///< acquired: the fencing token (second result of acquire()), or ""
  std::string text;          ///< failed, log
  /// send: where in protocol.lua it was asked for, if that is noted (Program::note_lines), else 0.
  /// For people: no part of what it is.
  struct Line {
    int number = 0;
    friend bool operator==(Line, Line) { return true; }
  } line = {};
  friend bool operator==(const Effect&, const Effect&) = default;
};

inline bool ends_process(const Effect& effect) { return effect.kind == Effect::Kind::exited; }

/// What a live task waits for.
struct Wait {
  enum class Kind : std::uint8_t {
    idle,  ///< a main task between two rounds (or before the first): its next round may begin at
           ///< any time
    done,  ///< a main task after its last round
    runnable,    ///< nothing: a `run` observation lets it go on (a task just spawned, or woken by
                 ///< another task)
    blocked,     ///< another task of the process (a mutex): nothing the world can do
    replies,     ///< replies of all its outstanding requests; `ms` > 0 is a request timeout
    message,     ///< one that is published on what it has subscribed to
    sleep,       ///< `ms`; passes also while the process is paused
    work,        ///< `ms` of progress; stands still while the process is paused
    interrupted  ///< nothing, in the middle of a step: no other task of the process comes before it
  };
  TaskId task = 0;
  Kind kind = Kind::idle;
  std::int64_t ms = 0;  ///< the duration with which this wait *started*; the world counts it down
  bool fresh =
      false;  ///< true if this wait started in this very step (the world must start its timer now)
  bool subscribes = false;  ///< replies: to its subscription
  bool together = false;    ///< replies: it goes on when all have come, not at each
  bool told = false;        ///< it waits for another task, or its time bounds such a wait: it does
                            ///< nothing by itself
  bool in_acquire = false;  ///< a main task inside acquire(): a waiting client
  bool in_operation = false;  ///< a main task inside acquire() or release(), also an inner one
  bool in_call = false;       ///< a main task inside a `call` of its workload
  std::uint8_t lock = 0;      ///< in_operation: of which lock
  /// Whether a `run` observation lets it go on.
  bool can_run() const { return kind == Kind::runnable || kind == Kind::interrupted; }
  friend bool operator==(const Wait&, const Wait&) = default;
};

/// A place at which a step can be cut, because somebody else could tell: after a clock was read or
/// a timer set, and after a request of several that one call sends; and, for another task of the
/// process, at an access to a table (docs/semantics.md, section 2).
enum class Cut : std::uint8_t { none, clock, timer, request, access };

/// Whether nobody else knows of what the step has done at such a place.
constexpr bool is_unnoticed(Cut cut) { return cut == Cut::clock || cut == Cut::timer; }

/// Two numbers that the program compared, and where: equal places compare the same things.
struct Comparison {
  int place = 0;
  double left = 0, right = 0;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// An answer of the path that tells a clock.
struct ClockAnswer {
  std::size_t observation = 0, answer = 0;  ///< its place in the path
  bool absolute = false;
  /// What it grows by for each ms by which the observation comes later; 0: it tells of readings of
  /// before alone.
  int slope = 0;
  bool at_once = false;  ///< it compares two readings of this observation: no time lies between
};

/// Result of a run.
struct Step {
  std::optional<Query> query;   ///< if set, the run stopped at it and nothing below is valid
  std::vector<Effect> effects;  ///< of the last observation only
  std::vector<Wait> tasks;      ///< all live tasks, by task id
  /// Set iff every task stands at a boundary: then this plain data is all that the process
  /// remembers, and a run from it with no observations is in the same state. Its instants are
  /// renumbered 0..n-1: new id i was old id instants[i].
  std::optional<std::string> boundary;
  std::vector<std::uint16_t> instants;  ///< valid with `boundary`
  /// An iteration of retry() or every() ended *within* this step at a boundary of the whole
  /// process: the process goes on by itself. The world replaces the process by `boundary` and feeds
  /// a `run` observation of task `again` at once, as part of the same action.
  std::optional<TaskId> again;
  unsigned cuts = 0;    ///< places at which the last observation's step could be cut, so far
  Cut cut = Cut::none;  ///< at which of them it was (Observation::cut); its task is `runnable` then
  std::vector<Comparison> compared;        ///< at the last observation, in order
  std::vector<ClockAnswer> clock_answers;  ///< of the whole path
  bool ordered_tokens = false;             ///< it asked which of two lock tokens comes first
  /// An iteration of retry() ended below another call: it is no boundary, so that all that comes
  /// after it is explored for each history.
  bool retries_within = false;
  /// Of what_if(): it went another way, on which it asks more than was answered, or complains.
  /// `effects` and `compared` are those until then, and there is nothing else.
  bool stopped = false;
  std::vector<Effect> before;  ///< of what_if(): the effects before the last observation
  std::string way_before;      ///< likewise: what came of the comparisons until then
};

// ---- the program --------------------------------------------------------------------------------

struct ProgramLimits {
  std::int64_t instructions = 2'000'000;  ///< between two waits; beyond it the run ends in BadInput
  std::int64_t bytes = 64 << 20;          ///< of Lua memory
  std::size_t queries = 1000;             ///< between two waits: each runs the step again
  std::int64_t ways = 65'536;             ///< in which choose() may let one step end
  std::size_t observations = 2000;        ///< that a run may be fed from its last boundary on:
                                          ///< enough for a loop that gives up after a minute
};

/// A loaded protocol folder. One object serves all processes; it keeps nothing of one run for the
/// next.
class Program {
 public:
  /// Loads `folder`/protocol.lua and the scripts it names. Throws BadInput (missing folder or file,
  /// Lua syntax error with file and line, no acquire or release, a script file that is not there, a
  /// name that is not available such as os.time).
  explicit Program(std::filesystem::path folder, ProgramLimits limits = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::filesystem::path& folder() const;
  const std::string& title() const;
  const std::string& source() const;
  /// Lower-case SHA-1 over the names and bytes of every file that the protocol consists of: changes
  /// when it changes.
  const std::string& fingerprint() const;
  /// Keys that are leases, for `lock_key`: the protocol's `leases` templates ("{key}" by default).
  std::vector<std::string> lease_keys(const std::string& lock_key) const;
  /// Whether the protocol says which keys are leases; else its lock key is taken for the one.
  bool names_leases() const;
  /// Keys that stay for ever by design (a fencing counter), for `lock_key`: the protocol's
  /// `permanent` templates.
  std::vector<std::string> permanent_keys(const std::string& lock_key) const;
  /// Whether all tasks of a process send on one connection to each node.
  bool shared_connection() const;
  /// Whether its library sends something on each new connection before anything else (INFO, HELLO,
  /// AUTH).
  bool greets() const;
  /// Whether it has acquire_shared() and release_shared().
  bool has_shared_mode() const;
  /// What a workload can `call`: the functions of its class, but for those that it locks with.
  std::vector<std::string> methods() const;
  /// Whether several may hold a lock at once: by permits, or in shared mode.
  bool is_shared() const { return permits() > 1 || has_shared_mode(); }
  /// What setting() answers unless a role says otherwise, by name.
  const Settings& settings() const;
  /// The server that the protocol is written for: the one that is imitated if nobody names another.
  ServerVersion server() const;
  /// Which keyspace events its servers publish if nobody says otherwise.
  KeyspaceEvents keyspace_events() const;
  /// Whether its clients track keys.
  bool tracks() const;
  /// How many nodes it is written for: so many there are if nobody says otherwise.
  int nodes() const;
  /// How many replicas each of them has.
  int replicas() const;
  /// On how many of so many nodes a process must have something of a lock for it to be its own.
  int quorum(int nodes) const;
  /// How many may hold a lock at once: of a semaphore more than 1.
  int permits() const;
  /// The file name of the script with these bytes ("release.lua"), or "" if none has them.
  std::string script_name(const std::string& body) const;
  /// The file that a request comes from: its script's, or protocol.lua.
  std::filesystem::path file_of(const Request& request) const;
  /// The names of the protocol's invariants, in their order.
  const std::vector<std::string>& invariants() const;
  /// The first invariant that is not true of a world, which is shown as the view `world`
  /// (docs/protocols.md). Throws BadInput for an error in one, with its place.
  std::optional<std::string> broken_invariant(const std::string& world) const;
  /// What the invariants compare of it, as text.
  std::string invariants_compare(const std::string& world) const;
  /// What a process knows after `path`: the keys and values "locks", "process" and "threads" of a
  /// view, as an invariant is shown them. The path must lack no answers.
  std::string belief(const ProcessSetup& setup, const std::string& snapshot,
                     std::span<const Observation> path) const;

  /// The state of a new incarnation: every main task idle, `rounds_done` rounds used up per main
  /// task.
  std::string initial(const ProcessSetup& setup, std::span<const int> rounds_done) const;

  /// Starts from `snapshot` (from initial() or Step::boundary), feeds `path`, and reports on the
  /// last observation (or, for an empty path, the waits of the snapshot, none of them fresh).
  /// Deterministic. Throws BadInput for what the protocol does wrong: an instruction or memory
  /// limit, a mutated upvalue of the module, data in `self` that is not plain, ...
  Step run(const ProcessSetup& setup, const std::string& snapshot,
           std::span<const Observation> path) const;

  /// The same for a path that was changed by hand: nothing if the program does not get to its last
  /// observation, or asks something else on the way to it.
  std::optional<Step> what_if(const ProcessSetup& setup, const std::string& snapshot,
                              std::span<const Observation> path) const;

  /// How many observations at the end of `path`, which lacks no answers, only repeat as many before
  /// them and leave everything as it was: a timer has gone round once more beside a task that is in
  /// the midst of something. Without them it is the same state, with the same waits. 0: none.
  std::size_t repeated(const ProcessSetup& setup, const std::string& snapshot,
                       std::span<const Observation> path) const;

  /// Effect::line is filled in from now on until it has been told so often that it is not: each
  /// run takes longer.
  void note_lines(bool on) const;

  /// Number of real runs so far (each replays a path in the Lua VM).
  std::uint64_t runs() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::sim
