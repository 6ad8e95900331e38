// What is fixed for a whole search: the model with its locks and clients by number, and what the
// search knows beforehand; and, beside it, what a run has shown that it should have known.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/base/rate.hpp"
#include "sim/client/servers.hpp"
#include "sim/client/turning.hpp"
#include "sim/keyspace/reliance.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/request.hpp"
#include "sim/world/dates.hpp"

namespace lockstep::sim {

// How much fits into a state.
inline constexpr unsigned kMaxWidth = kMaxProcesses + kMaxNodes + 1;
using LockSet = SetOf<kMaxLocks>;
using NodeSet = SetOf<kMaxNodes>;

/// What a process does in a run, as far as points of time depend on how much of it is still to
/// come. Counted up to kMost.
struct Doings {
  static constexpr std::uint8_t kMost = 24;
  std::uint8_t sent = 0;      ///< requests; only where messages take time
  std::uint8_t starts = 0;    ///< of what lasts: a lifetime given, a clock read; likewise
  std::uint8_t timeouts = 0;  ///< of requests; only where they need no fault each
  static void count(std::uint8_t& number) {
    if (number < kMost) ++number;
  }
  friend bool operator==(const Doings&, const Doings&) = default;
};

/// How many timers of each duration, in ms.
using TimerCounts = std::map<std::int64_t, unsigned>;

/// The sleeps of a process, as far as they are counted.
struct Sleeps {
  TimerCounts begun, ended;
};

/// What the search must know beforehand; when a run shows that it knew too little, it starts
/// again (World::needs).
struct Knowledge {
  bool absolute = false;  ///< absolute time is part of the state
  /// And what stands for a time cannot be told for certain: no two instants are alike.
  bool dated = false;
  bool recycles_tokens = true;  ///< off where more than the equality of tokens matters
  /// A probe that looked at the absolute time and failed is none: more may turn than is known.
  bool doubts_probes = false;
  bool cuts = false;              ///< a step of the program can be cut, and a fault does so
  bool rounds_up = false;         ///< an absolute time is rounded up to a unit
  bool parts_of_seconds = false;  ///< a score is Unix seconds with a fraction
  bool looks_twice = false;       ///< at a wall clock that may jump, in one step
  bool polls = false;             ///< a request is repeated at one instant: node states count
  bool clocks = false;            ///< a client reads a clock
  bool clocks_jump = false;       ///< some clock may jump that matters
  bool replica_waits = false;     ///< some request is a WAIT
  bool blocks = false;            ///< some request waits at its node
  bool prolongs = false;          ///< a lifetime is worked out from what a key has left
  bool rewrites =
      false;            ///< one client sets what another one has set: who has done with it matters
  bool relies = false;  ///< a key that several share is shortened: what for, matters
  bool hands_over = false;  ///< one client makes what is another's: who has crashed matters
  /// A pause may stop work while another task of the process goes on: its instant is reckoned.
  bool splits_work = false;
  // Durations in use (docs/semantics.md, section 4), in ms.
  std::set<std::int64_t> timers;  ///< of sleeps, waits and work that may come any number of times
  /// By process: how often it sleeps so long in a run, at most; what is among the `timers`, too, is
  /// not counted. 0 times: a probe, or the limit of a pause, which the budget counts.
  std::array<TimerCounts, kMaxProcesses> sleeps{};
  /// Of those: what is begun more often than is counted. That it comes to its end is counted.
  std::set<std::int64_t> often_begun;
  bool many_sleeps = false;  ///< their sums are too many: they, and such limits, are `timers`
  /// Request timeouts, where each needs a fault of its own: else they are `timers`.
  std::set<std::int64_t> timeouts;
  std::set<std::int64_t> lifetimes;  ///< of keys
  std::set<std::int64_t> prolonged;  ///< those of them that were made of what a key had left
  // Thresholds (docs/semantics.md, section 4), in ms.
  std::set<std::int64_t> ages;     ///< of an instant: the first age with which a step differs
  std::set<std::int64_t> lefts;    ///< of a key: the last remaining lifetime before it does
  std::set<std::int64_t> replies;  ///< the same of a reply's number, in the reply's own unit
  std::set<std::int64_t> made;     ///< how far after a look an absolute time lies that is made
  TimesApart met;                  ///< how far after an absolute time something turns
  TimesApart between;              ///< how far one that was made lies after another where it does
  std::set<std::int64_t> units;    ///< what absolute times are rounded to
  /// Some process has requests that time out without a fault each, and has more than are counted.
  bool many_timeouts = false;
  /// By process: the most that it does in a run.
  std::array<Doings, kMaxProcesses> doings{};
  friend bool operator==(const Knowledge&, const Knowledge&) = default;
};

class Setting {
 public:
  /// Throws BadInput for a model that is too large.
  Setting(const Model& model, const Knowledge& knowledge);

  // The slots of a state: processes, then nodes, then the run.
  unsigned node_slot(unsigned node) const { return processes + node; }
  unsigned run_slot() const { return processes + nodes; }
  unsigned width() const { return processes + nodes + 1; }

  /// Valid as long as this.
  LeaseMap lease_map() const;
  /// Up to the next multiple of the tick.
  std::int64_t rounded(std::int64_t ms) const;
  /// The longest unit that absolute times are rounded to; 0: none.
  std::int64_t common_unit_ms() const;
  /// In an absolute run, how much later it all may happen, times this, without changing anything
  /// but dates (docs/semantics.md, section 4); 0 if that is not known.
  std::int64_t alike_after_ms() const;
  /// Some part of the world holds these.
  void note_dates(const DateUse& dates) {
    needs.dated = needs.dated || (knowledge.absolute && dates.odd);
  }
  /// For how long after a look what was looked at may matter, as clocks show it that do not drift.
  std::int64_t longest_matter_ms() const;
  /// Of the timers in use, request timeouts too; 0: there are none.
  std::int64_t longest_timer_ms() const;
  /// Longer than a run takes that comes to an end, with much to spare. What is older than that, and
  /// grows older, never makes a world that was met before.
  std::int64_t long_run_ms() const;
  /// What all timers that are not counted are multiples of, and units: distances of points of time
  /// are known but for multiples of it. 0: there are none.
  std::int64_t step_ms() const;
  /// How fast the clocks of a process run (a probe's are right), and that of a node: an index
  /// into `rates`.
  std::uint8_t process_rate(unsigned process) const {
    return process < processes ? process_rates_[process] : std::uint8_t{0};
  }
  std::uint8_t node_rate(unsigned node) const { return node_rates_[node]; }
  const Rate& rate_of(unsigned process) const { return rates[process_rate(process)]; }
  /// How long a timer of a process runs, in true time.
  std::int64_t timer_ms(unsigned process, std::int64_t ms) const {
    const Rate& rate = rate_of(process);
    return model.part_of_ms == PartOfMs::off_timers ? rate.true_ms_before(ms) : rate.true_ms(ms);
  }
  /// How long a step of a process's workload takes.
  std::int64_t true_ms(unsigned process, const WorkStep& step) const {
    return step.kind == WorkStep::Kind::sleep ? timer_ms(process, step.ms) : step.ms;
  }
  void use_timer(std::int64_t ms) {
    if (ms > 0) needs.timers.insert(rounded(ms));
  }
  /// A process begins to sleep so long; `slept` counts that it has.
  void use_sleep(unsigned process, std::int64_t ms, Sleeps& slept);
  /// It has slept so long: nobody has stopped or woken it before.
  void note_slept(unsigned process, std::int64_t ms, Sleeps& slept);
  bool counts_sleeps() const;
  /// Whether the instants of a pause that stops work while another task goes on can be reckoned:
  /// what else its process does lies at fixed distances from the beginning of that work.
  bool reckons_split_work() const;
  bool pauses_are_limited() const { return budget(Fault::pause) > 0 && model.pause_max_ms > 0; }
  /// What a process may still sleep, that has slept so much.
  TimerCounts sleeps_to_come(unsigned process, const Sleeps& slept) const;
  void use_timeout(std::int64_t ms) {
    if (ms > 0) (timeouts_counted() ? needs.timeouts : needs.timers).insert(rounded(ms));
  }
  /// Whether so many requests may time out as there are faults, for each lets but one do so (who
  /// has a connection of its own sends the next request on another one), and as are counted.
  bool timeouts_counted() const {
    return latency_ms == 0 && !shares_connections && !knowledge.many_timeouts;
  }
  /// Whether it makes no difference which of several answers that a task waits for together it
  /// hears first at an instant: no answer takes time, no link is cut before it comes, no machine
  /// dies with what it remembers of a connection, none counts as another one's repetition.
  bool hears_together() const {
    return model.merges_orders && latency_ms == 0 && !shares_connections && !knowledge.polls &&
           budget(Fault::cut) + budget(Fault::power_loss) == 0 &&
           servers.replicas + servers.spare == 0;
  }
  /// Whether some come without a fault of their own: a link that is cut, a machine that has died,
  /// a request that waits at its node. Those are counted by process.
  bool counts_timeouts(unsigned process) const {
    return process < processes && timeouts_counted() &&
           (budget(Fault::cut) + budget(Fault::power_loss) > 0 || knowledge.blocks);
  }
  /// A request waits at its node for so long, as that one's wall clock shows it (Redis 7.0
  /// timeout.c), which does not drift here.
  void note_wait_at_node(std::int64_t ms) {
    needs.blocks = true;
    use_timer(ms);
    waits_by_clock = waits_by_clock || (ms > 0 && drifts);
  }
  void use_lifetime(std::int64_t ms) {
    if (ms > 0) needs.lifetimes.insert(rounded(ms));
  }
  /// Whether clients differ in nothing but their names.
  bool clients_alike() const;
  /// What a step or a command makes of times is needed from now on.
  void note(const TimeUse& use);
  /// Whether something hangs on the bytes of tokens.
  void note_hanging(bool hangs) {
    orders_tokens = orders_tokens || hangs;
    hangs_in_probe = hangs_in_probe || (hangs && probes);
  }
  void leave_untried(const char* why) { untried = untried == nullptr ? why : untried; }
  /// Whether it counts what this process does: not of a probe, whose messages take no time.
  bool counts_doings(unsigned process) const { return latency_ms > 0 && process < processes; }
  void note_doings(unsigned process, const Doings& done);
  /// What a process may still do, that has done so much.
  Doings doings_to_come(unsigned process, const Doings& done) const;
  /// Whether it is one of the model's, not a probe's, that has no last round.
  bool goes_on_for_ever(unsigned process) const {
    return process < processes && model.processes[process].rounds == 0;
  }
  /// Whether it is told that this process waits: a probe's does not.
  bool counts_waits(unsigned process) const {
    return (too_long_ms > 0 || overtakes) && process < processes;
  }
  /// Whether a server may die that has not written what it has answered: while an fsync is under
  /// way, for up to 2 s (Redis 7.0 flushAppendOnlyFile).
  bool answers_unwritten() const { return volatile_ms > 0 && budget(Fault::node_crash) > 0; }
  /// Whether a write may be taken back by a power loss for some time, which begins with it.
  bool writes_last() const { return volatile_ms > 0 && budget(Fault::power_loss) > 0; }
  /// Whether it matters when a replica catches up, or becomes master; where requests wait at their
  /// nodes, it does while one of them waits.
  bool replication_lasts() const { return writes_last() || model.min_replicas > 0; }
  bool replication_may_last() const { return replication_lasts() || knowledge.blocks; }
  /// Whether what was done at these groups was done at as many as make a lock a process's own.
  bool enough(NodeSet at) const { return static_cast<unsigned>(std::popcount(at)) >= quorum; }
  unsigned budget(Fault fault) const { return model.budget[static_cast<std::size_t>(fault)]; }
  /// The number of a lock that a process (or a probe, which has its own) calls `index`.
  std::uint8_t lock_of(unsigned process, std::uint8_t index) const {
    return process < processes ? lock_of_[process].at(index) : index;
  }

  /// The number of the first lock with this key.
  std::uint8_t lock_with(std::string_view key) const;
  /// All locks with this key.
  LockSet locks_with(std::string_view key) const;
  /// All locks that have their key in common with one of these.
  LockSet same_keys(LockSet some) const;
  /// All that nobody else may hold beside one of these.
  LockSet conflicting_with(LockSet some) const;
  /// The locks that a READ or WRITE names.
  LockSet locks_in(const Request& request) const;

  const Model& model;
  const unsigned processes;
  const Servers servers;          ///< which nodes there are
  const unsigned nodes;           ///< all servers
  const unsigned permits;         ///< so many may hold a lock at once
  const unsigned quorum;          ///< on so many groups a lock has to be a process's own
  const bool nodes_fail;          ///< some node may be down
  const bool stops_within;        ///< a process may pause or crash in the middle of a step
  const bool shares_connections;  ///< all tasks of a process send on one connection to a node
  const bool greets;              ///< something is sent first on each new connection
  const std::int64_t latency_ms;  ///< Model::latency_ms, up to the tick
  /// How long a power loss may lose a write, as Redis's appendfsync everysec does; 0: it does
  /// not.
  const std::int64_t volatile_ms;
  const std::int64_t too_long_ms;  ///< a wait that violates `waits`; 0: that is not judged
  /// So often others may get a lock while somebody waits for it; none: that is not judged.
  const std::optional<unsigned> overtakes;
  const bool wakeups;                    ///< `lost_wakeup` is judged
  bool may_rely = false;                 ///< several share a key, and `foreign_release` is judged
  const bool waits_for_free;             ///< waits count only while nobody holds their lock
  const bool drifts;                     ///< some clock is fast or slow
  std::vector<Rate> rates{Rate{}};       ///< different ones, the right one first
  Knowledge knowledge;                   ///< of this search
  std::set<std::int64_t> reaches;        ///< how long after a look at absolute time something turns
  std::set<std::int64_t> reaches_to_ms;  ///< of these, those that need not end where a unit begins
  std::set<std::int64_t> jumps{0};  ///< how far a clock may have jumped, all its jumps together
  /// How far ahead a clock may be; one that is right, 0 among them.
  std::set<std::int64_t> offsets{0};
  std::int64_t farthest_reach_ms = 0;  ///< of clocks that have not jumped
  Knowledge needs;  ///< larger than `knowledge` if something turns out to be missing
  /// Lifetimes that followed from an absolute time, in ms: what was left until then.
  std::set<std::int64_t> computed_lifetimes;
  std::set<std::int64_t> computed;   ///< durations that a program worked out from a clock, in ms
  bool turns_within_ms = false;      ///< something turns by the microseconds that TIME tells
  bool passes_years = false;         ///< time passes at once by more than turns are looked for
  bool missed_turns = false;         ///< something turns with a clock more often than was found out
  bool scaled_clocks = false;        ///< a number is worked out from a clock, and not by a sum
  SentDurations sent_durations;      ///< worked out from a clock
  bool names_several = false;        ///< a text in a lease key, which one may hold
  bool durations_as_data = false;    ///< one of them is no lifetime where it goes to
  bool splits_anyhow = false;        ///< a pause splits work, and its instants are not reckoned
  bool loose_tasks = false;          ///< tasks of a process begin at no fixed distance
  std::string left_open;             ///< a request that Redis might have answered otherwise
  std::set<unsigned> slots;          ///< with budget for migrate: of the keys that there were
  bool draws = false;                ///< some request was answered as the model's draw_seed decides
  bool orders_tokens = false;        ///< something hangs on more of tokens than which are equal
  bool probes = false;               ///< a fresh client tries to acquire (Prober)
  bool hangs_in_probe = false;       ///< something of that hangs on the bytes of tokens
  bool unexplained_turns = false;    ///< something turns at a time that could not be accounted for
  bool waits_add_up = false;         ///< a client waits in parts of a ms several times
  bool clock_goes_on = false;        ///< Execution::times_within is more than 1, of some request
  std::uint32_t readings_apart = 0;  ///< Execution::readings_apart, of all requests
  unsigned ordered_fields = 0;       ///< Execution::ordered_fields, the most
  /// What Redis or a client may do besides, and the search has not tried; null: nothing known.
  const char* untried = nullptr;
  bool asks_replicas = false;   ///< some request was executed by a replica
  bool judges_keys = false;     ///< with replicas: an invariant looks at what a server stores
  bool forgets_gone = false;    ///< time is over for which a master lists, for WAIT, who has gone
  bool shows_ended = false;     ///< a replica whose clock is behind has what ended at its master
  bool waits_by_clock = false;  ///< a request waits by a node's clock, which may drift
  bool whole_micros = false;    ///< something takes of TIME whole ms, rounded down
  bool each_micro = false;      ///< something takes of it every microsecond
  bool mixes_drifting = false;  ///< clocks drift, and what is read of one is used with more
  std::string obstacle;         ///< why the search can come to no end; "" if nothing is known
  bool keeps_times = false;  ///< a client keeps a number that it has from a clock, or a key has one
  bool judges_numbers = false;  ///< an invariant looks at numbers that clients keep, or keys have
  bool fences_by_time =
      false;                ///< a fencing token is made of a clock, and the resource compares it
  bool many_tasks = false;  ///< some process has more than one task
  bool countless = false;   ///< messages take time, and a process sends more than are counted
  /// Some points of time were left out: too many for a search.
  mutable bool sampled = false;
  std::set<std::string> clock_replies;  ///< replies that told a clock, as bytes
  /// The error of the first acquire() or release() that ended in one, of any run; "" if none did.
  std::string first_failure;
  std::string first_error;      ///< of a node, with its request; "" if there was none
  bool failed_by_time = false;  ///< a probe failed that had looked at the absolute time
  bool endless_probe = false;   ///< a lone client that wanted to acquire came to no end

  std::vector<std::string> locks;  ///< lock keys, by number; a key may be there in either mode
  LockSet shared = 0;              ///< those in shared mode
  std::vector<LockSet> with_key;   ///< by lock: those with its key, itself too
  /// By lock: those that nobody else may hold beside it.
  std::vector<LockSet> conflicting;
  /// Lease key -> the locks that it is a lease of.
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> leases;
  std::vector<LockSet> sharing;  ///< by lock: those that have a lease key in common with it
  std::set<std::string, std::less<>> permanent;  ///< keys that stay by design
  std::vector<ProcessSetup> setups;              ///< different ones, then the probes'
  std::vector<std::uint32_t> setup_of;           ///< by process
  std::vector<std::uint32_t> probe_setups;       ///< one fresh client for each lock

 private:
  void number_rates();
  void number_locks();
  void find_offsets();
  void find_jumps();
  std::set<std::int64_t> distances_of_looks(bool to_ms) const;
  void find_reaches();
  std::set<std::int64_t> clocks_apart() const;

  std::vector<std::uint8_t> process_rates_, node_rates_;
  std::vector<std::vector<std::uint8_t>> lock_of_;  ///< by process: its lock's index -> number
};

}  // namespace lockstep::sim
