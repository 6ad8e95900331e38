// The simulated server and a real one side by side: the same requests go to both, in batches, and
// every reply and, in the end, every key is compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "conform/difference.hpp"
#include "conform/likeness.hpp"
#include "conform/servers.hpp"
#include "live/connection.hpp"
#include "sim/redis/server/server.hpp"

namespace lockstep::conform {

class Pair {
 public:
  /// Both servers are emptied before each run. `version`: which one the real one is.
  explicit Pair(const live::Address& address,
                sim::ServerVersion version = sim::ServerVersion::redis_7_0)
      : servers_(address, version) {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// Runs `steps` on empty servers and compares all keys at the end. With `one_by_one` each reply
  /// is awaited before the next request is sent. A step that lockstep refuses to simulate, or whose
  /// effect is a matter of chance, goes to neither.
  std::optional<Difference> run(const std::vector<Step>& steps, bool one_by_one);

  /// From the next run on both publish all keyspace events, which are compared as well. Expired
  /// keys are told of where a command meets them; one that meets some of them by chance goes to
  /// neither. The real server has to be one that allows DEBUG.
  void listen_to_events() { listens_ = true; }

  // The parts of a run, for who has more to do between them (conform/replicas).

  /// Empties both servers; so many connections are open then.
  void begin(std::size_t connections);
  /// Runs steps on what the servers hold.
  std::optional<Difference> go_on(const std::vector<Step>& steps, bool one_by_one);
  /// Compares all keys.
  std::optional<Difference> compare_contents(Packing packing = Packing::shown);
  /// Sends requests to database 0 of both, and compares nothing.
  void send_unseen(const std::vector<sim::Request>& requests);
  /// Waits until what has a lifetime of `ms` is gone on both.
  void let_expire(std::int64_t ms);
  /// Ends the connections of whom `ends` says so of, and opens others in their place.
  void reconnect(const std::function<bool(const sim::Session&)>& ends);
  /// The simulated server has what its master has from now on.
  void mirror(const Pair& master);
  sim::Server& fake() { return servers_.fake; }
  live::Connection& real() { return servers_.admin; }
  const live::Address& address() const { return servers_.address; }

  std::uint64_t commands() const { return commands_; }  ///< sent to both so far
  std::uint64_t refused() const { return refused_; }    ///< that lockstep does not simulate

 private:
  struct Expected {
    std::size_t connection = 0;
    const Step* step = nullptr;
    sim::SharedReply reply;
    Likeness likeness;
  };

  std::optional<Difference> run_all(const std::vector<Step>& steps, bool one_by_one);
  std::int64_t server_ms();
  void look_at_clock();
  std::size_t submit_batch(const std::vector<Step>& steps, std::size_t first, bool one_by_one);
  void begin_to_listen();
  bool is_listener(std::size_t connection) const;
  std::optional<Difference> compare_unordered(const std::vector<sim::Reply>& replies) const;
  void submit(const Step& step, const sim::Request& request);
  std::optional<Difference> collect();
  std::optional<Difference> surplus();
  bool anyone_waits() const;
  bool is_replica() const;
  std::vector<sim::Place> soon_expired() const;
  void drop_soon_expired();

  Servers servers_;
  sim::Server& fake_ = servers_.fake;
  std::vector<Client> clients_;
  std::vector<sim::Request> batch_;  ///< to send to the real server
  std::vector<Expected> expected_;   ///< what the simulated one answered
  std::int64_t now_ms_ = 0;          ///< the real server's clock when the batch began
  std::int64_t slack_ms_ = 1;        ///< most by which the two clocks were apart
  bool listens_ = false;             ///< the last connection but one hears of keyspace events
  std::uint64_t commands_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace lockstep::conform
