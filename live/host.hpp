// One client process on its host: its program, fed with what really happens, the timers of its
// tasks, what they have read of the resource, and its rounds over crashes. What happens, and when,
// is the business of whoever drives it: a live run (participant.hpp), where the network and the
// clock do, or a replay (replayed_process.hpp), where a trace does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/client.hpp"
#include "live/resource.hpp"
#include "sim/client/observation.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// Of what a task has sent: all, its requests, or a listener's subscription.
enum class Sent : std::uint8_t { all, requests, subscription };

/// What a host stands in. All but answer() and clocks() is told while the host feeds its program.
class Surroundings {
 public:
  Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  virtual ~Surroundings() = default;

  virtual Clocks clocks() const = 0;
  /// Gives a fresh token, or a number from 1 to `choices`.
  virtual std::string answer(const sim::Query& query) = 0;
  /// The program has done this; a request has not left yet.
  virtual void did(const sim::Effect& effect) = 0;
  /// A request to a node leaves.
  virtual void send(const sim::Effect& effect) = 0;
  /// A request to the resource leaves. `basis`: of a WRITE.
  virtual void send_to_resource(sim::TaskId task, const sim::Request& request,
                                Resource::Basis basis) = 0;
  /// The task hears nothing more of what it has sent.
  virtual void abandon(sim::TaskId task, Sent what) = 0;
  /// The program has ended its process, and is not to be fed any more.
  virtual void exited() = 0;
};

class Host {
 public:
  /// `request_timeout_ms`: where the program states none; 0: none. `surroundings` outlive the host.
  Host(const sim::Program& program, sim::ProcessSetup setup, std::int64_t request_timeout_ms,
       Surroundings& surroundings);

  // ---- what happens to it; each says what the program did. Throws BadInput for what the protocol
  // does wrong.
  /// A main task begins its next round; a process that has crashed starts again.
  Client::Did begin(sim::TaskId task);
  /// A task that waits for nothing goes on.
  Client::Did run(sim::TaskId task);
  /// A reply arrives; nothing: a connection error.
  Client::Did hear(sim::TaskId task, std::uint8_t node, std::optional<sim::SharedReply> reply);
  /// The task's sleep or work is over, or it gives up waiting for replies.
  Client::Did fire_timer(sim::TaskId task);
  /// The next of these ends at its cut of this number (sim::Observation::cut).
  void cut_next(std::uint16_t cut, bool by_access) {
    cut_ = cut;
    by_access_ = by_access;
  }
  /// Its memory, tasks and timers are gone.
  void crash();
  /// A main task's next round is over before it has done anything.
  void use_up_round(sim::TaskId task) { rounds_begun_.at(task) += 1; }

  // ---- how it stands
  const sim::ProcessSetup& setup() const { return setup_; }
  bool crashed() const { return !client_; }
  /// What its tasks wait for; nothing if it has crashed.
  const std::vector<sim::Wait>& waits() const;
  /// Null if there is no such task.
  const sim::Wait* wait_of(sim::TaskId task) const;
  std::size_t since_boundary() const { return client_->since_boundary(); }
  /// When the timers of its tasks are due, by Clocks::steady.
  const std::map<sim::TaskId, Clocks::Steady>& timers() const { return timers_; }
  /// A task whose timer is due now, if there is one.
  std::optional<sim::TaskId> due() const;
  /// What a task has read of the resource.
  Resource::Basis& basis(sim::TaskId task) { return basis_[task]; }

 private:
  Client::Did feed(sim::Observation observation);
  void incarnate();
  void leave(const sim::Effect& effect);
  void abandon_the_gone(const std::vector<sim::Wait>& before);
  void keep_timers(const Client::Did& did, Clocks::Steady now);

  const sim::Program& program_;
  const sim::ProcessSetup setup_;
  const std::int64_t request_timeout_ms_;
  Surroundings& surroundings_;
  std::unique_ptr<Client> client_;  ///< none: crashed
  std::vector<int> rounds_begun_;   ///< by main task
  std::uint16_t cut_ = 0;
  bool by_access_ = false;
  std::map<sim::TaskId, Clocks::Steady> timers_;
  std::map<sim::TaskId, Resource::Basis> basis_;
};

}  // namespace lockstep::live
