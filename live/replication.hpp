// The real replicas of a replay (docs/semantics.md, section 7): who follows whom, each through a
// gate of its own, where what its master sends is held back as the trace says; and who has left
// without its master's knowing, which goes on counting it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "live/address.hpp"
#include "live/gate.hpp"
#include "live/nodes.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

class Replication {
 public:
  /// Every replica follows the master of its group and has its first copy. Both outlive it.
  /// `waits`: some request is a WAIT.
  Replication(const sim::Model& model, Nodes& nodes, bool waits = false);

  // ---- what the trace does to a server
  void lag(std::uint8_t server);
  void catch_up(std::uint8_t server);
  void fail_over(std::uint8_t server);
  void follow(std::uint8_t server);
  /// A master hears that those that have left it are gone, but for machines that are out of power.
  void miss(std::uint8_t master);
  void pass(std::int64_t ms);
  /// After its crash.
  void crashed(std::uint8_t server);
  /// After its restart.
  void restarted(std::uint8_t server);

  /// Until each replica that neither lags nor is syncing has what its master has sent.
  void await_mirrors();
  /// Until a master knows of each replica that misses nothing: a WAIT counts those. Where there are
  /// WAITs, before each request: 7.0's is about all that was written before the last one.
  void await_acknowledged(std::uint8_t master);

  // ---- min-replicas-to-write
  /// Until no master counts more replicas than it is to. Gives a master that counts fewer, for it
  /// has missed one by itself, sooner than a real one does.
  std::optional<std::uint8_t> await_counts();
  /// Whether a real master may have missed by now whom this one counts, and could not write then.
  bool may_have_missed(std::uint8_t master) const;

  /// Where the clients' nodes are: of a group, its newest master.
  std::vector<Address> addresses() const;

 private:
  struct Gone {
    std::uint8_t server = 0;
    std::unique_ptr<Gate> gate;  ///< between it and its master
    std::int64_t left_ms = 0;    ///< for which that counts it at most, for min-replicas-to-write
    std::int64_t listed_ms = 0;  ///< the same for WAIT
  };
  struct Role {
    std::optional<std::uint8_t> follows;
    bool lags = false, syncing = false;
    std::unique_ptr<Gate> gate;  ///< between it and whom it follows
    std::vector<Gone> gone;      ///< a master: those that have left it, and that it counts
  };

  static bool is_counted(const Gone& gone);
  /// Whether a real master may have missed it by now.
  static bool is_unsure(const Gone& gone);
  bool is_online(std::uint8_t server) const;
  bool is_mirror(std::uint8_t server) const;
  bool misses(std::uint8_t server);
  bool is_counting(std::uint8_t server) const;
  std::size_t online_at(std::uint8_t master) const;
  std::size_t depth(std::uint8_t server) const;
  void leave(std::uint8_t server);
  void lead(std::uint8_t server, bool open);
  void synchronize(std::uint8_t server);

  const sim::Model& model_;
  const bool waits_;
  sim::Servers servers_;
  Nodes& nodes_;
  std::vector<Role> roles_;           ///< by server
  std::vector<std::uint8_t> newest_;  ///< masters, by group
};

}  // namespace lockstep::live
