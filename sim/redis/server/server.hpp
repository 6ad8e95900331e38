// A fake Redis 7.0 server as a value: sessions are opened and closed, requests submitted, time
// moved by hand; every reply and message comes back in the order in which it is written. No
// threads, no sockets, no clock of its own: the same calls give the same replies. A copy goes its
// own way; it shares only the compiled scripts, so that copies belong to one thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/server/connections.hpp"
#include "sim/redis/server/soonest_expiry.hpp"

namespace lockstep::sim {

class Server {
 public:
  explicit Server(ServerMode mode = {}, WallTime now = kEpoch);

  /// A new connection.
  SessionId open();
  /// The client closes it: its watches, subscriptions and waits are gone, nothing is written to it
  /// any more.
  void close(SessionId session);
  bool is_open(SessionId session) const { return connections_.clients.contains(session); }
  /// What the server remembers of an open session.
  const Session& session(SessionId session) const;

  /// The session sends a request. Returns what is written because of it, to any session; nothing if
  /// it blocks. A request of a blocked session is processed when that session goes on. A script
  /// that reaches its limit on instructions counts as one that never ends: see busy(). Throws
  /// BadInput for an empty request, a session that is not open, and what is not simulated.
  std::vector<Delivery> submit(SessionId session, const Request& request);

  /// Moves the clock; what is written on the way (waits that time out) comes back. A clock may also
  /// be set back.
  std::vector<Delivery> advance(Duration by) { return advance_to(now_ + by); }
  std::vector<Delivery> advance_to(WallTime now);
  WallTime now() const { return now_; }

  /// The script that does not end, if one runs.
  const std::optional<BusyScript>& busy() const { return connections_.busy; }

  const Keyspace& keyspace() const { return keyspace_; }
  /// To prepare it; watches do not notice.
  void take(Keyspace keyspace) {
    keyspace_ = std::move(keyspace);
    soonest_.forget();
  }
  /// Its switches; the version stays what it was made with.
  ServerMode& mode() { return mode_; }
  /// Watches every script that runs from now on; null: nobody does.
  void observe(ScriptObserver* observer) { observer_ = observer; }

 private:
  struct Serving;

  Client& find(SessionId session);
  void process(Client& client, const Request& request);
  bool runs_script(const Client& client) const;
  void end_busy_script();
  Execution execution() const;
  void spread(Execution& execution);
  void serve_ready();
  void serve(const Place& place);
  void go_on();
  std::optional<WallTime> next_timeout() const;
  void end_waits(WallTime now);
  std::vector<Delivery> take_written();
  void tell_who_tracks();

  Keyspace keyspace_;
  SoonestExpiry soonest_;  ///< of it
  ServerMode mode_;
  WallTime now_ = kEpoch;
  Connections connections_;
  std::shared_ptr<ScriptVm> scripts_;
  ScriptObserver* observer_ = nullptr;
  std::set<std::string> invalidated_;  ///< keys that this round's requests have touched
};

}  // namespace lockstep::sim
