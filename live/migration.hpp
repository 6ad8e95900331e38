// Two real nodes of a cluster, between which slots migrate as a trace tells it (docs/semantics.md,
// section 8): CLUSTER SETSLOT, and MIGRATE for each key.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "live/nodes.hpp"

namespace lockstep::live {

class Migration {
 public:
  /// Makes a cluster of both, in which node 0 has all slots. `slots`: those of the run's keys,
  /// which are all that is told apart of a migration of every slot. `nodes` outlive it.
  Migration(Nodes& nodes, std::set<unsigned> slots);

  void begin(std::uint8_t source);
  /// What MIGRATE answers.
  std::string move_key(std::uint8_t source, const std::string& key);
  void hand_over(std::uint8_t source);

  /// Of the slots, until they are handed over: the node that they are to leave.
  std::uint8_t owner() const { return owner_; }

 private:
  bool serves(std::uint8_t node);
  std::set<std::string> view_of(std::uint8_t node);
  void set_slots(std::uint8_t node, const std::string& how, std::uint8_t other);

  Nodes& nodes_;
  std::set<unsigned> slots_;
  std::array<std::string, 2> ids_;
  std::uint8_t owner_ = 0;
};

}  // namespace lockstep::live
