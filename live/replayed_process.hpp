// One client process of a replay: a host whose requests are executed, and whose replies arrive,
// when the trace says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/host.hpp"
#include "live/naming.hpp"
#include "live/network.hpp"
#include "live/nodes.hpp"
#include "live/pace.hpp"
#include "live/replay.hpp"
#include "live/resource.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// The end of a replay before its last step.
struct Stopped {
  Confirmation::Outcome outcome;
  std::string detail;
};

/// What all processes of a replay share.
struct Stage {
  Stage(const sim::Model& simulated, const std::vector<RunningServer>& servers,
        Observer::Names names)
      : model(simulated), nodes(servers, std::move(names)), resource(model.resource) {}

  const sim::Model& model;
  Nodes nodes;
  std::int64_t epoch_ms =
      0;  ///< Unix time at which the trace begins, as the clients' clocks show it
  Naming naming{0};
  Pace pace{Pace::Clock::now()};
  Resource resource;
  std::vector<std::uint8_t> choices_left;  ///< of the step under way
};

class ReplayedProcess final : private Surroundings {
 public:
  /// `stage` outlives it.
  ReplayedProcess(std::uint8_t process, Stage& stage);

  // ---- what the trace does to it; throws Stopped where the process cannot do that
  Client::Did begin(sim::TaskId task) { return host_.begin(task); }
  Client::Did run(sim::TaskId task);
  Client::Did fire_timer(sim::TaskId task);
  /// The reply, or the error, in front of a connection arrives.
  Client::Did deliver(std::size_t connection);
  /// The next request on a connection is executed.
  struct Executed {
    sim::Request request;
    std::uint8_t node = 0;
    sim::SharedReply reply;
    bool lost_update = false;  ///< a WRITE that overwrote what its task had not read
  };
  Executed execute(std::size_t connection);
  std::uint8_t node_of(std::size_t connection) { return network_.channel(connection).node; }
  /// The next step of its program ends there (sim::Observation::cut).
  void cut_next(std::uint16_t cut, bool by_access) { host_.cut_next(cut, by_access); }
  void lose(std::size_t connection) { network_.lose(connection); }
  void lose_late(std::size_t connection) { network_.lose_late(connection); }
  void crash();
  void jump(std::int64_t ms) { offset_ms_ += ms; }
  void node_died(std::uint8_t node) { network_.node_died(node); }

  // ---- without a trace
  /// Takes a step of its own or of one of its messages; false if there is none without time
  /// passing.
  bool go_on();
  /// Fires a timer that is due; false if there is none.
  bool fire_due_timer();
  /// When its next timer is due, in the trace's time.
  std::optional<std::int64_t> next_timer_ms() const;

 private:
  Clocks clocks() const override;
  std::string answer(const sim::Query& query) override;
  void did(const sim::Effect&) override {}  // the replay compares the step as a whole
  void send(sim::TaskId task, std::uint8_t node, const sim::Request& request) override;
  void send_to_resource(sim::TaskId task, const sim::Request& request,
                        Resource::Basis basis) override;
  void abandon(sim::TaskId task) override { network_.abandon(task); }

  void expect_alive() const;

  const std::uint8_t process_;
  Stage& stage_;
  Network network_;
  std::int64_t offset_ms_;  ///< of its wall clock
  Host host_;
};

}  // namespace lockstep::live
