// One client program beside a real client's requests: what it would send next, in whichever way it
// can get there without hearing anything. A value: a copy tries another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "live/client.hpp"
#include "live/stand_ins.hpp"
#include "live/wire_log.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// The answers to a program's questions while one way after the other is tried.
class Answers {
 public:
  std::string answer(const sim::Query& query);
  /// From now on every choice() is answered as the odometer says; false: all ways were tried.
  void first_way();
  bool next_way();

 private:
  std::size_t tokens_ = 0;
  struct Choice {
    int taken = 1, of = 1;
  };
  std::vector<Choice> choices_;
  std::size_t asked_ = 0;
};

/// A request of the program that no real one has been found for yet.
struct Awaited {
  sim::TaskId task = 0;
  sim::Request request;
  bool subscribes = false;
  int line = 0;  ///< in protocol.lua; 0: not known
  std::int64_t computed_us = 0;
};

/// A sleep of the program's, and how long the real client waited.
struct OffTime {
  std::int64_t sleep_ms = 0, waited_ms = 0;
  std::int64_t off_ms() const;
  /// By more than what a client takes for its own work.
  bool is_bad() const;
};

class WireClient {
 public:
  /// `answers`, `program` and `setup` outlive it and its copies.
  WireClient(const sim::Program& program, const sim::ProcessSetup& setup, Answers& answers);

  /// Ways in which it comes to send the request, by few moves first; `most` at most.
  std::vector<WireClient> sending(const WireRequest& real, std::size_t most) const;
  /// What sending() has found.
  const Awaited& matched() const { return awaited_.at(matched_); }
  /// Takes the request that matched away; its task hears the reply then (`answered`).
  sim::TaskId take_matched();
  void answered(sim::TaskId task, const sim::SharedReply& reply, std::int64_t time_us);
  /// Every request that it could send next, by as few moves as possible.
  std::vector<Awaited> possible(std::int64_t time_us) const;
  /// Hears all that was answered, without trying several ways.
  void hear_out();

  const std::vector<Awaited>& awaited() const { return awaited_; }
  /// Whether it is inside acquire() with what it awaits.
  bool acquires() const;
  const StandIns& stand_ins() const { return stand_ins_; }
  const std::vector<OffTime>& off_times() const { return off_times_; }
  /// How many sleeps were not kept to.
  std::size_t badly_timed() const;

  /// What its calls came to so far.
  struct Calls {
    std::size_t acquired = 0, refused = 0, released = 0, failed = 0, lost = 0;
  };
  const Calls& calls() const { return calls_; }

 private:
  /// What happens to it next that needs nothing from a server.
  struct Move {
    sim::Observation observation;
    std::int64_t time_us = 0;
  };
  std::vector<Move> moves(std::int64_t time_us) const;
  void make(Move move);
  void note(const Client::Did& did, std::int64_t time_us);
  void note_call(const sim::Effect& effect);
  bool match(const WireRequest& real);
  enum class Then : std::uint8_t { go_on, leave, stop };
  template <class Visitor>
  void visit_ways(std::int64_t time_us, const Visitor& visit) const;

  Answers* answers_;
  Client client_;
  StandIns stand_ins_;
  std::vector<Awaited> awaited_;
  std::deque<Move> unheard_;         ///< replies, also of the resource, and messages
  std::set<sim::TaskId> listeners_;  ///< what they hear comes on a connection of its own
  std::map<sim::TaskId, std::int64_t> since_us_;  ///< when its wait began
  std::int64_t last_us_ = 0;                      ///< when something happened to it
  std::vector<OffTime> off_times_;
  Calls calls_;
  std::size_t matched_ = 0;
};

/// The SHA-1 of the script that a request runs, in lower case; "": it runs none.
std::string sha_of_script(const sim::Request& request);

/// Whether a request of a program is this one of a client: its name and options in whatever case, a
/// script by its text or its SHA-1, the rest as `stand_ins` bind it.
bool is_same(const sim::Request& program_said, const sim::Request& client_said, WhenSent when,
             StandIns& stand_ins);

}  // namespace lockstep::live
