// The real replicas of a replay (docs/semantics.md, section 7): who follows whom, each through a
// gate of its own, where what its master sends is held back as the trace says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "live/address.hpp"
#include "live/gate.hpp"
#include "live/nodes.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::live {

class Replication {
 public:
  /// Every replica follows the master of its group and has its first copy. `nodes` outlive it.
  Replication(sim::Servers servers, Nodes& nodes);

  // ---- what the trace does to a server
  void lag(std::uint8_t server);
  void catch_up(std::uint8_t server);
  void fail_over(std::uint8_t server);
  void follow(std::uint8_t server);
  /// After its crash.
  void crashed(std::uint8_t server);
  /// After its restart.
  void restarted(std::uint8_t server);

  /// Until each replica that neither lags nor is syncing has what its master has sent.
  void await_mirrors();
  /// Until a master knows of each replica that misses nothing: a WAIT counts those. Where there are
  /// WAITs, before each request: 7.0's is about all that was written before the last one.
  void await_acknowledged(std::uint8_t master);

  /// Where the clients' nodes are: of a group, its newest master.
  std::vector<Address> addresses() const;

 private:
  struct Role {
    std::optional<std::uint8_t> follows;
    bool lags = false, syncing = false;
    std::unique_ptr<Gate> gate;  ///< between it and whom it follows
  };

  bool is_online(std::uint8_t server) const;
  bool is_mirror(std::uint8_t server) const;
  bool misses(std::uint8_t server);
  std::size_t depth(std::uint8_t server) const;
  void lead(std::uint8_t server, bool open);
  void synchronize(std::uint8_t server);

  sim::Servers servers_;
  Nodes& nodes_;
  std::vector<Role> roles_;           ///< by server
  std::vector<std::uint8_t> newest_;  ///< masters, by group
};

}  // namespace lockstep::live
