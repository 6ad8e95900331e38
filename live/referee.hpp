// Judges a live run from what its clients observed, in real-time order. Every process reports what
// its program did before the requests after it leave; so what is called violated here really was:
// two clients did believe at one instant that they hold the lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "live/resource.hpp"
#include "sim/client/program.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// A line of the history.
struct Observed {
  std::int64_t time_us = 0;  ///< since the start of the run
  std::string actor;         ///< "A"
  std::string sentence;
};

struct LiveViolation {
  sim::Property property = sim::Property::mutual_exclusion;
  std::string text;
  std::vector<Observed> history;  ///< what those who are concerned did just before, oldest first
};

struct LiveFigures {
  std::uint64_t requests = 0;  ///< sent to Redis
  std::uint64_t acquired = 0, refused = 0, failed = 0, released = 0, lost = 0;
  std::vector<std::int64_t> waits_us;  ///< of successful calls of acquire()
};

/// Safe to use from all processes' threads at once.
class Referee {
 public:
  using Concerned = std::set<std::uint8_t>;  ///< processes

  /// `model`, which outlives the referee, says which processes there are.
  explicit Referee(const sim::Model& model) : model_(model), resource_(model.resource) {}

  // ---- reports, from the processes
  void did(std::uint8_t process, const sim::Effect& effect);
  void heard(std::uint8_t process, const std::string& what);
  /// From a node.
  void heard(std::uint8_t process, std::uint8_t node, const std::string& what);
  void waited(std::chrono::microseconds time);
  sim::SharedReply at_resource(std::uint8_t process, const sim::Request& request,
                               Resource::Basis& basis);
  void caught(std::exception_ptr error);

  // ---- reports, from who judges by more than what is reported here
  /// Where the history stands now.
  std::uint64_t moment() const;
  /// A violation that happened at `moment`, and between whom.
  void found(sim::Property property, const std::string& text, const Concerned& concerned,
             std::uint64_t moment);

  // ---- the run
  /// No new round begins.
  void wind_down() { winding_down_ = true; }
  bool winding_down() const { return winding_down_; }
  /// Everything ends at once.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // ---- the outcome
  /// Rethrows what a process could not go on with.
  void rethrow() const;
  LiveFigures figures() const;
  /// The first violation of each property.
  std::vector<LiveViolation> violations() const;

 private:
  void note(std::uint8_t process, std::string sentence);
  void violated(sim::Property property, const std::string& text, const Concerned& concerned,
                std::uint64_t moment);
  Concerned everybody() const;
  void enter(std::uint8_t process, const sim::Effect& effect);

  mutable std::mutex mutex_;  ///< guards all below but the atomic ones
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const sim::Model& model_;
  Resource resource_;
  struct Holder {
    std::uint8_t process = 0;
    sim::TaskId task = 0;
    std::uint8_t lock = 0;  ///< as the process numbers it
    friend auto operator<=>(const Holder&, const Holder&) = default;
  };
  std::set<Holder> holders_;  ///< who is in the critical section
  std::map<std::uint8_t, std::deque<std::pair<std::uint64_t, Observed>>>
      history_;              ///< by process, the last lines, numbered from 1 over all processes
  std::uint64_t noted_ = 0;  ///< lines of all processes
  LiveFigures figures_;
  std::vector<LiveViolation> violations_;
  std::exception_ptr error_;
  std::atomic<bool> winding_down_ = false, stopped_ = false;
};

}  // namespace lockstep::live
