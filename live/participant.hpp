// One client process of a live run: a host on real connections, with real clocks and sleeps, in an
// event loop that one thread runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/host.hpp"
#include "live/ownership.hpp"
#include "live/referee.hpp"
#include "live/watched_connection.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// What a participant is given.
struct Part {
  std::uint8_t process = 0;
  sim::ProcessSetup setup;
  std::int64_t request_timeout_ms = 0;  ///< where the program states none; 0: none
  std::int64_t clock_offset_ms = 0;     ///< of its wall clock from this machine's
  std::vector<Address> addresses;       ///< of the nodes
};

class Participant final : private Surroundings {
 public:
  /// `program` must be this participant's own: a Program is not for several threads. `ownership`:
  /// who watches its requests, or null.
  Participant(const sim::Program& program, Part part, Referee& referee, Ownership* ownership);

  /// Runs until every main task is done (or idle, when the run winds down), or the referee stops
  /// the run. Errors go to the referee.
  void run();

  /// After run(): whether tasks that the program has spawned were still there.
  bool has_spawned() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Place = std::pair<sim::TaskId, std::uint8_t>;  ///< task and node

  /// What a task hears without waiting: the resource's reply, or that it could not connect.
  struct Ready {
    Place place;
    std::optional<sim::SharedReply> reply;
  };

  void loop();
  bool finished() const;
  bool rests() const;
  bool take_ready();
  bool fire_due_timer();
  bool take_turn();
  void feed(const std::function<void(Host&)>& happening);

  Clock::duration nap() const;
  void listen(Clock::duration longest);
  bool receive(const Place& place, bool readable);
  void subscribe(const sim::Effect& effect);
  bool takes_message(sim::TaskId task) const;
  bool take_message(sim::TaskId task, bool readable);
  bool take_messages();
  void note_error(std::uint8_t node, const ConnectionBroken& error);
  void receive_late(WatchedConnection& connection);
  void put_aside(WatchedConnection& connection);
  void hear_out();

  Clocks clocks() const override;
  std::string answer(const sim::Query& query) override;
  void did(const sim::Effect& effect) override;
  void exited() override;
  void send(const sim::Effect& effect) override;
  void send_to_resource(sim::TaskId task, const sim::Request& request,
                        Resource::Basis basis) override;
  void abandon(sim::TaskId task, Sent what) override;

  Part part_;
  Referee& referee_;
  Ownership* ownership_;
  std::map<Place, WatchedConnection> connections_;
  /// A listener's, by its task: what comes on it is for that alone.
  struct Subscription {
    std::uint8_t node = 0;
    Connection socket;
  };
  std::map<sim::TaskId, Subscription> subscriptions_;
  std::list<WatchedConnection> late_;  ///< nobody hears their replies; but the server executes
  std::deque<Ready> ready_;
  std::map<sim::TaskId, Clock::time_point> acquiring_since_;
  Clock::time_point fed_at_;
  Host host_;
};

}  // namespace lockstep::live
