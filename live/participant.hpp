// One client process of a live run: its program on real connections, with real clocks and sleeps,
// in an event loop that one thread runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/client.hpp"
#include "live/ownership.hpp"
#include "live/referee.hpp"
#include "live/watched_connection.hpp"
#include "sim/client/program.hpp"

namespace lockstep::live {

/// What a participant is given.
struct Part {
  std::uint8_t process = 0;
  sim::ProcessSetup setup;
  std::int64_t request_timeout_ms = 0;  ///< where the program states none; 0: none
  std::int64_t clock_offset_ms = 0;     ///< of its wall clock from this machine's
  Address address;
};

class Participant {
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

  void loop();
  bool finished() const;
  bool take_ready();
  bool take_turn();
  bool rests() const;
  bool fire_timers();
  void listen(Clock::time_point until);
  bool receive(const Place& place, bool readable);
  void receive_late(WatchedConnection& line);
  void put_aside(WatchedConnection& line);
  void hear_out();
  void feed(sim::Observation observation);
  void send(const sim::Effect& effect);
  void drop_lines_of(sim::TaskId task);
  void settle(const Client::Did& did, Clock::time_point begun);
  void start_timer(const sim::Wait& wait);
  Clocks clocks() const;
  std::string answer(const sim::Query& query) const;

  Part part_;
  Referee& referee_;
  Ownership* ownership_;
  Client client_;
  std::map<Place, WatchedConnection> lines_;
  std::list<WatchedConnection>
      late_;  ///< nobody hears their replies any more; but the server executes
  std::map<sim::TaskId, Clock::time_point> timers_;
  std::map<sim::TaskId, Clock::time_point> acquiring_since_;
  std::map<sim::TaskId, Resource::Basis> basis_;
  std::deque<sim::Observation> ready_;
};

}  // namespace lockstep::live
