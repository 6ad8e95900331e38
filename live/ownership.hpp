// Judges foreign-release, foreign-extend, honest-result and reentrancy of a live run: puts together
// what the clients report and what the server's envelopes tell. Each report gets its place in the
// run's logical clock; a violation is what is one at whichever moment, between two reports, the
// server really executed a request. As soon as something happens that the ledger cannot follow,
// sight is lost: nothing more is claimed.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "live/connection.hpp"
#include "live/drawn_tokens.hpp"
#include "live/envelope.hpp"
#include "live/ledger.hpp"
#include "live/operations.hpp"
#include "live/referee.hpp"

namespace lockstep::live {

/// What has to be remembered of a request on its way.
struct Ticket {
  std::uint8_t node = 0;
  Stamp sent = 0;
  std::uint64_t turn = 0;  ///< Operations::turn of its task
};

/// Whether a property is judged here.
bool needs_ownership(sim::Property property);
/// Whether it is so only if one node has all keys: it is about what holds as a call ends.
bool is_of_calls(sim::Property property);

/// Safe to use from all processes' threads at once.
class Ownership {
 public:
  /// Both outlive it.
  Ownership(const sim::Model& model, Referee& referee);

  const Envelope& envelope() const { return envelope_; }
  /// Whether requests are to be sent in envelopes.
  bool watching() const { return watching_; }
  /// A request leaves without envelope, or its fate is unknown. Only the first reason counts.
  void lose_sight(const std::string& why);
  /// Empty while nothing was lost.
  std::string lost_because() const;
  /// Whether somebody who is no client of the run was seen to use its keys.
  bool others_write() const;

  // ---- reports of a process, from its thread
  /// After Referee::did, and before what comes after the effect.
  void did(std::uint8_t process, const sim::Effect& effect);
  /// After each step.
  void waits(std::uint8_t process, const std::vector<sim::Wait>& waits);
  /// Before the request leaves.
  Ticket sent(std::uint8_t process, sim::TaskId task, std::uint8_t node = 0);
  /// Before the program hears the reply; not `in_time`: it has given up waiting for it.
  void heard(std::uint8_t process, sim::TaskId task, const Ticket& ticket, sim::Request request,
             Executed executed, bool in_time);

  /// Before anything else has it.
  void drew(std::uint8_t process, const std::string& token);

  /// When all processes have ended: looks at a node's keys once more, on a connection of the run's
  /// own. Throws ConnectionBroken.
  void close(Connection& connection, std::uint8_t node = 0);

 private:
  void lose(const std::string& why);
  void post(Entry entry);
  void judge(const Posting& posting);
  std::string named(const Posting& posting, std::size_t key) const;

  Referee& referee_;
  const sim::Model& model_;
  const LeaseKeys leases_;
  const Envelope envelope_;
  const bool several_hold_;  ///< a lock, so that a text may name them all
  std::atomic<bool> watching_ = true;
  mutable std::mutex mutex_;  ///< guards all below
  Stamp now_ = 0;
  DrawnTokens tokens_;
  std::deque<Ledger> ledgers_;  ///< by node
  Operations operations_;
  std::string lost_because_;
};

}  // namespace lockstep::live
