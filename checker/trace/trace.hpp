// A trace: the worlds and actions that a schedule leads through, as data and told for a person.
// Told by the naive explorer's world, never by the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/keyspace/visible_key.hpp"
#include "sim/model/action.hpp"
#include "sim/model/connections.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::checker {

namespace naive {
struct Thresholds;
}

/// A request to a node or to the resource, in the words that a person has for its arguments.
struct NamedRequest {
  std::uint8_t node = 0;
  std::vector<sim::ArgumentText> words;
};

/// A line of the protocol's own text that a step has run.
struct SourceLine {
  std::string file;  ///< in its folder: "protocol.lua", "release.lua"
  int number = 0;    ///< from 1
  std::string text;
};

/// What happened in one step. Whatever is to be steered, compared or replayed looks here.
struct StepData {
  sim::Action action;
  std::int64_t time_ms = 0;                ///< true time after the step
  std::vector<sim::Effect> effects;        ///< what the client program did, in order
  std::vector<NamedRequest> requests;      ///< those that were sent, in order; or the one executed
  std::vector<sim::Departure> departures;  ///< of those to a node that were sent
  sim::ConnectionName connection;          ///< that the action is of, if it is of one
  std::optional<sim::SharedReply> reply;   ///< execute: what the node or the resource answered
  bool looked_at_time = false;         ///< execute: at the time of day (Execution::looked_at_time)
  bool looked_at_clock = false;        ///< execute: at a lifetime (Execution::looked_at_clock)
  bool waited_in_part = false;         ///< timer: its clock had measured it before the ms began
  std::vector<std::string> taken;      ///< keys that time has taken, of any node, or eviction, or a
                                       ///< move; or that a node notices to have expired
  std::vector<sim::VisibleKeys> keys;  ///< of each server, after the step
  bool closes = false;  ///< execute: its node hears that nobody waits any more for the request
  std::vector<SourceLine> ran;  ///< what has sent the requests; execute: of the script that ran
  bool tells = false;           ///< who listens at a node gets a message
  bool serves = false;  ///< a node is about to serve somebody, which a real one has done by now
};

/// The same for a person.
struct StepProse {
  bool environment = false;          ///< done by the environment: a fault (mark `!`)
  std::string actor;                 ///< "A", "redis", "resource", or "" for time
  std::string sentence;              ///< "SET lock A.1 NX PX 30000 -> OK"
  std::vector<std::string> changes;  ///< only what changed: "lock = A.1, expires in 30000 ms"
};

/// "A pauses", "time passes".
std::string in_one_line(const StepProse& told);

struct TraceStep {
  StepData data;
  StepProse prose;
};

struct Trace {
  std::vector<TraceStep> steps;
  std::optional<sim::Property> violated;  ///< by the last step
  std::string violation;     ///< the violated property in words, with the names of this run
  std::optional<Loop> loop;  ///< of an endless run, which its last steps are again and again
  bool stuck = false;  ///< it is that after the last step nothing but a fault can happen any more
};

/// One action that is possible somewhere, with the step it would be.
struct Option {
  sim::Action action;
  TraceStep step;
};

/// Walks through one run, step by step, forwards and backwards; lists what else is enabled.
class Walk {
 public:
  explicit Walk(const sim::Model& model);
  ~Walk();
  Walk(Walk&&) noexcept;
  Walk& operator=(Walk&&) noexcept;

  /// Takes one action. Throws BadInput if it is not enabled here, naming what is (`place` is where
  /// the action comes from).
  const TraceStep& take(const sim::Action& action, const std::string& place = "");
  /// Says that the run ends here, violated by no step: nothing else can follow for ever
  /// (Result::endless). Does nothing if a step has violated already.
  void end_endless(sim::Property property, std::optional<Loop> loop = {});
  /// How far time can pass in one action, in ms, whether or not anything waits for it; 0: something
  /// has to happen first.
  std::int64_t undisturbed_ms() const;
  void back();                          ///< undoes the last step; nothing at the start
  std::vector<Option> enabled() const;  ///< everything possible here, in a fixed order; of time
                                        ///< only the points of `pass` that are deadlines
  const Trace& trace() const;
  /// Whether something that is done in the run so far hangs on the bytes of lock tokens (how long
  /// one is, what is in it): with others it would be another run.
  bool hangs_on_tokens() const;

 private:
  static constexpr std::size_t kLong = 500;  ///< steps of a run

  const TraceStep& take_on(const sim::Action& action, const std::string& place);
  void expect_a_wait(const sim::Action& action);
  sim::Schedule schedule() const;
  void begin_again(const sim::Schedule& schedule, naive::Thresholds expected,
                   const std::string& place);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Takes all actions of `schedule`, which come from `place`, from the initial world. Throws
/// BadInput at the first one that is not enabled.
Walk walked(const sim::Model& model, const sim::Schedule& schedule, const std::string& place = "");

/// What that was.
Trace tell(const sim::Model& model, const sim::Schedule& schedule);

}  // namespace lockstep::checker
