// One client process of a replay: a host whose requests are executed, and whose replies arrive,
// when the trace says so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "live/host.hpp"
#include "live/network.hpp"
#include "live/resource.hpp"
#include "live/stage.hpp"
#include "sim/model/action.hpp"
#include "sim/model/connections.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

class ReplayedProcess final : private Surroundings {
 public:
  /// `stage` outlives it.
  ReplayedProcess(std::uint8_t process, Stage& stage);

  // ---- what the trace does to it; throws Stopped where the process cannot do that
  Client::Did begin(sim::TaskId task) { return host_.begin(task); }
  Client::Did run(sim::TaskId task);
  Client::Did fire_timer(sim::TaskId task);
  /// The reply, or the error, in front of a connection arrives; the program does not hear one that
  /// its library follows (docs/semantics.md, section 8).
  Client::Did deliver(const sim::ConnectionName& connection);
  /// The next request on a connection is executed.
  struct Executed {
    sim::Request request;
    std::uint8_t node = 0;
    sim::SharedReply reply;
    bool lost_update = false;  ///< a WRITE that overwrote what its task had not read
  };
  Executed execute(const sim::ConnectionName& connection);
  /// The next request on a connection reaches its node, and waits there (WAIT).
  void begin_to_wait(const sim::ConnectionName& connection);
  /// The real connection of a request that waits is closed, and the server hears of it.
  void close(const sim::ConnectionName& connection);
  /// Whether a task of it is inside acquire().
  bool waits_in_acquire();
  /// How many of its connections to the server are subscribed.
  std::ptrdiff_t listeners_at(std::uint8_t server) const;
  std::uint8_t server_of(const sim::ConnectionName& connection) {
    return network_.channel(connection).server;
  }
  /// The next step of its program ends there (sim::Observation::cut).
  void cut_next(std::uint16_t cut, bool by_access) { host_.cut_next(cut, by_access); }
  void lose(const sim::ConnectionName& connection) { network_.lose(connection); }
  void close_behind(const sim::ConnectionName& connection) { network_.close_behind(connection); }
  void lose_late(const sim::ConnectionName& connection) { network_.lose_late(connection); }
  void crash();
  void use_up_round(sim::TaskId task) { host_.use_up_round(task); }
  void jump(std::int64_t ms) { offset_ms_ += ms; }
  void server_died(std::uint8_t server) { network_.server_died(server); }
  /// It takes this server for the master of its group.
  void learn(std::uint8_t server);

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
  void exited() override;
  void send(const sim::Effect& effect) override;
  void send_to_resource(sim::TaskId task, const sim::Request& request,
                        Resource::Basis basis) override;
  void abandon(sim::TaskId task, Sent what) override { network_.abandon(task, what); }

  void expect_alive() const;
  bool hear_message();
  static bool can_go_on(const Channel& channel);
  bool led_on(const sim::ConnectionName& connection);
  sim::Departure departure_to(std::uint8_t node);

  const std::uint8_t process_;
  Stage& stage_;
  Network network_;
  std::int64_t offset_ms_;                       ///< of its wall clock
  std::map<std::uint8_t, std::uint8_t> learnt_;  ///< masters, by node
  Host host_;
};

}  // namespace lockstep::live
