// The properties, judged on steps and worlds (docs/semantics.md, section 5). What a step claims is
// compared with what the processes and nodes of the state are like.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/model/slack.hpp"
#include "sim/world/nodes.hpp"
#include "sim/world/probe.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class Judges {
 public:
  Judges(const Setting& setting, const Tables& tables, const Processes& processes,
         const Nodes& nodes, Prober& prober)
      : setting_(setting), tables_(tables), processes_(processes), nodes_(nodes), prober_(prober) {}

  /// What a step of `actor` out of `state`, into `next`, means to the rest of the world.
  void judge(const Id* state, const Id* next, unsigned actor, const Report& report, Facts& facts);
  /// Whether everything has come to rest in `state`, and then what that means. `probes`: it may
  /// have done so only now.
  void judge_rest(const Id* state, Facts& facts, bool probes) {
    std::uint8_t bits = kQuiet | kFinished | kAlone | kGone;
    for (unsigned p = 0; p < setting_.processes; ++p) {
      bits &= processes_.rest(state[p]);
      if ((bits & kQuiet) == 0) return;
    }
    judge_at_rest(state, bits, facts, probes);
  }
  /// Whether a fresh client could acquire the lock from here on, if nobody else did anything new.
  bool can_ever_acquire(const Id* state) const;
  /// waits, after time has passed: true if somebody has waited for too long.
  bool judge_waits(const Id* state, Facts& facts) const;
  /// lost_wakeup, where nothing is urgent: whether a lock is given back, and nobody who waits to be
  /// told so is, nor will be.
  bool is_wakeup_lost(const Id* state) const;
  /// Whether nobody holds the lock, and on enough nodes nothing of anybody is in its lease keys but
  /// of `by`, who gave it back, and, where it is no string, of who waits.
  /// Of a node that is down it is not known.
  enum class Down : std::uint8_t { is_not_free, may_be_free };
  bool is_free(const Id* state, std::uint8_t lock, std::uint8_t by, Down down) const;
  /// Witness::expired_while_held, when time has made leases disappear.
  void witness_expiry(const Id* state, const std::vector<LeaseChange>& expired, Facts& facts) const;
  /// Of all steps that were judged.
  const Slack& slack() const { return slack_; }
  /// Whether a release() has ended that left its process what it had, in any of them.
  bool kept_on() const { return kept_on_; }
  bool holds(const Id* state, Maker maker, std::uint8_t lock) const {
    return has(processes_.info(state[maker - 1]).held, lock);
  }

 private:
  void note_slack(const Id* state, unsigned actor, LockSet ended);
  void judge_acquired(const Id* state, unsigned actor, LockSet acquired, Facts& facts) const;
  void count_permits(const Id* state, LockSet acquired, Facts& facts) const;
  void judge_told(const Id* state, unsigned actor, const Claims& claims, Facts& facts) const;
  void judge_leases(const Id* state, const std::vector<LeaseChange>& leases, Facts& facts) const;
  void judge_at_rest(const Id* state, std::uint8_t rest, Facts& facts, bool probes);
  Own own_locks(const Id* state, unsigned process) const;

  const Setting& setting_;
  const Tables& tables_;
  const Processes& processes_;
  const Nodes& nodes_;
  Prober& prober_;
  Slack slack_;
  bool kept_on_ = false;
};

}  // namespace lockstep::sim
