// A master and its replica, real ones beside simulated ones: the stream of the real master is held
// back where a sequence says so, and then the simulated replica is a mirror of the simulated master
// as of there (docs/semantics.md, section 7). After a failover the two must hold the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conform/commands.hpp"
#include "conform/difference.hpp"
#include "conform/pair.hpp"
#include "live/gate.hpp"

namespace lockstep::conform {

class Replicas {
 public:
  /// Two servers on this machine, whose keys are deleted.
  Replicas(const live::Address& one, const live::Address& other);

  /// Runs `steps`, and compares replies, and what both hold after a failover and when one has begun
  /// to follow. A step of the harness that does not fit (a failover of a master) does nothing.
  std::optional<Difference> run(const std::vector<Step>& steps, bool one_by_one);

  std::uint64_t commands() const { return pairs_[0].commands() + pairs_[1].commands(); }

 private:
  Pair& server(std::size_t number) { return pairs_[(first_ + number) % 2]; }
  Pair& master() { return server(newest_); }
  Pair& replica() { return server(1 - newest_); }

  void begin(const std::vector<Step>& steps);
  std::optional<Difference> send(const std::vector<Step>& steps, bool one_by_one);
  std::optional<Difference> act(const Step& step);
  void lag(const sim::Request& request);
  void let_part_pass(std::size_t choice);
  std::optional<Difference> compare_acknowledged(const Step& step);
  std::optional<Difference> fail_over();
  void begin_to_follow();
  std::optional<Difference> follow();
  void await_copy();
  void await_read(std::int64_t offset);
  std::optional<Difference> compare_contents(std::size_t number);

  std::array<Pair, 2> pairs_;
  live::Gate gate_;
  std::size_t first_ = 0;   ///< of `pairs_`: server 0 of the steps
  std::size_t newest_ = 0;  ///< server: the newest master
  bool follows_ = false;    ///< the other one is its replica
  bool lags_ = false;       ///< and the gate is closed
  std::int64_t cut_ = 0;    ///< where the stream was cut: the master's offset
  sim::Keyspace at_cut_;    ///< what the simulated master held there
};

/// The random steps of one sequence: writes, a cut, requests to the replica, a failover.
std::vector<Step> random_failover(std::uint64_t seed, const std::vector<std::string>& scripts,
                                  const Repertoire& repertoire);

}  // namespace lockstep::conform
