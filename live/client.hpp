// One incarnation of a client process: the protocol's program, fed with what really happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/client/observation.hpp"

namespace lockstep::live {

/// What the clocks of a process's host show: Unix milliseconds, and a clock that nothing moves.
struct Clocks {
  using Steady = std::chrono::microseconds;  ///< since whenever it was 0
  std::int64_t wall_ms = 0;
  Steady steady{0};
  std::int64_t monotonic_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady).count();
  }
};

/// Gives a fresh random token, or (Query::choice) a number from 1 to `choices`.
using Answer = std::function<std::string(const sim::Query& query)>;

class Client {
 public:
  /// `rounds_done`: by main task, the rounds that former incarnations have used up.
  Client(const sim::Program& program, const sim::ProcessSetup& setup,
         const std::vector<int>& rounds_done, Answer answer);

  struct Did {
    std::vector<sim::Effect> effects;  ///< in order
    std::vector<sim::Wait> fresh;      ///< waits that have begun, in order
  };
  /// Feeds one observation. Throws BadInput for what the protocol does wrong.
  Did feed(sim::Observation observation, const Clocks& now);

  /// What its tasks wait for now.
  const std::vector<sim::Wait>& waits() const { return waits_; }
  /// How many observations it has been fed since all of it was plain data (a boundary). Each more
  /// makes the next one dearer: the program is run again from there.
  std::size_t since_boundary() const { return path_.size(); }
  /// The wait of one task; null if there is no such task.
  const sim::Wait* wait_of(sim::TaskId task) const;

 private:
  struct Instant {
    bool wall = false;
    std::int64_t reading_ms = 0;
  };

  sim::Step run_program(const Clocks& now);
  std::string answered(const sim::Query& query, const Clocks& now) const;
  void settle(const sim::Step& step, const Clocks& now);

  const sim::Program& program_;
  const sim::ProcessSetup& setup_;
  Answer answer_;
  std::string snapshot_;
  std::vector<sim::Observation> path_;
  std::vector<Instant> instants_;
  std::vector<sim::Wait> waits_;
};

}  // namespace lockstep::live
