// What the clients of a live run do with their locks: who holds one, who is inside acquire() or
// release(), what was made and freed meanwhile; and whether each call told the truth
// (honest-result, reentrancy of docs/semantics.md). What holds of the server at the end of a call
// is known only from requests around it: where the keys have changed between them, nothing is
// claimed. Nor is it on several nodes, whose keys nobody sees at one instant.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "live/ledger.hpp"
#include "sim/client/program.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// A property that was violated.
struct Finding {
  sim::Property property = sim::Property::honest_result;
  std::string text;
  std::uint8_t process = 0;
  std::uint64_t moment = 0;  ///< of the history (Referee::moment)
};

/// The lease keys of all locks, numbered.
class LeaseKeys {
 public:
  explicit LeaseKeys(const sim::Model& model);

  const std::vector<std::string>& names() const { return names_; }
  /// The numbers of the lease keys of a lock of a process.
  const std::vector<std::size_t>& of(std::uint8_t process, std::uint8_t lock) const {
    return of_[process][lock];
  }
  /// Whether a `permanent` template names it: release() may leave it behind.
  bool may_stay(std::size_t number) const { return may_stay_[number]; }
  /// The locks of which a key is a lease, numbered by their keys; null: it is none.
  const std::vector<std::uint8_t>* locks_of(const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<bool> may_stay_;                             ///< by number
  std::vector<std::vector<std::uint8_t>> locks_of_;        ///< by number
  std::vector<std::vector<std::vector<std::size_t>>> of_;  ///< by process, then lock
};

class Operations {
 public:
  /// `model` and `leases` must outlive it.
  Operations(const sim::Model& model, const LeaseKeys& leases);

  // ---- reports of a process, in their order; `now` grows with each
  void did(std::uint8_t process, const sim::Effect& effect, Stamp now, std::uint64_t moment,
           const Ledger& ledger);
  void waits(std::uint8_t process, const std::vector<sim::Wait>& waits, Stamp now,
             std::uint64_t moment);

  /// A number that grows whenever an operation of the task begins or ends; odd inside one.
  std::uint64_t turn(std::uint8_t process, sim::TaskId task) const;
  /// Who holds a lock since before `since`.
  std::vector<Holder> holders(Stamp since) const;
  /// Whether its process may have held a lock, or been inside acquire() or release(), meanwhile.
  bool may_have_used_lock(const Entry& entry) const;

  /// Whose lease it extends that may be a mark of all who share the lock.
  sim::Makers lives_on_for_all(const sim::PartsChange& change) const;

  // ---- what has become of a request
  /// Judges the calls that ended before it was sent, and notes what it made and freed.
  std::vector<Finding> take(const Posting& posting);

 private:
  /// The program sleeps inside acquire().
  struct Sleep {
    Stamp since = 0;
    sim::Makers beside = 0;  ///< who holds a lock with a lease key of this one
    std::uint64_t moment = 0;
  };
  /// One call of acquire() or release().
  struct Operation {
    sim::TaskId task = 0;
    Stamp begun = 0, ended = 0;
    bool made = false, freed = false;
    bool given = false;         ///< acquire(): another one has made something for its process
    bool counted = false;       ///< freed some of a share
    sim::Makers prolonged = 0;  ///< acquire(): whose lease it has prolonged since it last slept
    std::vector<Sleep> sleeps;  ///< not judged yet
    bool releasing = false;     ///< release(), the outermost one
    bool owned = false;         ///< release(): of the holding that ended
    bool overtaken = false;     ///< another operation may have made a lease key meanwhile
    bool unclear = false;       ///< what was made or freed at its very edge
    // Once it has ended:
    sim::Effect end;
    sim::Makers beside = 0;      ///< who holds a lock with a lease key of this one
    bool wanted = false;         ///< the process goes on using a key of the lock
    bool shared_beside = false;  ///< others held, acquired or released it in shared mode meanwhile
    bool seen_mark = false;  ///< a string without lock token, where a request of its was executed
    bool seen_sure = false;  ///< of lease keys, something that cannot be a mark of all who share
    bool seen_own = false, seen_none = false;  ///< lease keys of its own that may have been there
    std::uint64_t moment = 0;

    /// Whether a request was executed during it.
    Throughout has_within(const Entry& entry) const;
  };
  struct Holding {
    Stamp since = 0;
    bool owned = false;  ///< its process certainly had something of the lock's keys
  };
  struct Process {
    std::vector<sim::Wait> waits;
    std::map<sim::TaskId, std::uint64_t> turns;
    std::map<std::pair<sim::TaskId, std::uint8_t>, Holding> holdings;  ///< by task and lock
    Stamp lost = 0;  ///< when it was last told that it has no lock any more
    std::vector<Operation> under_way, ended;
  };

  Operation* under_way(Process& process, sim::TaskId task);
  void begin(Process& process, sim::TaskId task, Stamp now);
  Operation end(Process& process, sim::TaskId task, Stamp now);
  void end_with_claim(std::uint8_t process, const sim::Effect& effect, Stamp now,
                      std::uint64_t moment, const Ledger& ledger);
  bool key_in_use(std::uint8_t process, const sim::Effect& effect) const;
  bool shares_key(std::uint8_t process, std::uint8_t lock,
                  const std::vector<std::size_t>& keys) const;
  sim::Makers holders_beside(std::uint8_t process, std::uint8_t lock) const;
  sim::Makers holders_slept_beside(std::uint8_t process, std::uint8_t lock) const;
  bool shared_beside(std::uint8_t process, std::uint8_t lock, Stamp since) const;
  bool has_any(std::uint8_t process, std::uint8_t lock, const KeyStates& keys) const;
  static sim::Makers claimed(const Operation& operation, const sim::Belongings& own);
  void look(std::uint8_t process, Operation& operation, const KeyStates& keys) const;
  void note_made_and_freed(const Posting& posting);
  void note_mark(const Posting& posting);
  void note_given(const Entry& entry, const sim::PartsChange& change);
  static void note(Operation& operation, const Entry& entry, const sim::PartsChange& change);
  static void judge_sleeps(std::uint8_t process, Operation& operation, Stamp before,
                           std::vector<Finding>& findings);
  std::vector<Finding> judged(std::uint8_t process, const Operation& operation) const;

  const sim::Model& model_;
  const LeaseKeys& leases_;
  std::vector<std::vector<bool>> kept_on_purpose_;  ///< by process and lock: its key may stay
  std::vector<Process> processes_;
  std::vector<int> threads_;  ///< main tasks, by process
  const bool judges_calls_;   ///< one node has all keys
};

}  // namespace lockstep::live
