// The simulated server and a real one on this machine, step by step: a request goes to both, and
// whatever is written to any connection is compared as closely as Redis allows. Nothing is left out
// but what Redis itself does not determine: a refusal is a difference. conform/pair.hpp is the
// other way: in batches, many times as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "conform/difference.hpp"
#include "conform/likeness.hpp"
#include "conform/servers.hpp"
#include "live/address.hpp"
#include "live/connection.hpp"
#include "sim/base/time.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/server/server.hpp"

namespace lockstep::conform {

class Twin {
 public:
  explicit Twin(const live::Address& address);

  /// Runs a step on both; its connection is opened if it is not there. "@x" as an argument is the
  /// id of connection x (a is 0). A random choice must be of the same form; what the real server
  /// has popped then is popped from the simulated one. A scan goes on to its end on both.
  std::optional<Difference> run(const Step& step);
  /// Runs `steps` on empty servers and compares what they hold then. For Run.
  std::optional<Difference> run(const std::vector<Step>& steps);
  /// Compares everything that both hold.
  std::optional<Difference> compare_contents();
  /// Puts the simulated clock forward; nothing is compared.
  void skip(sim::Duration by);

  /// Empties both; connections stay.
  void empty();
  /// Empties both and ends all connections.
  void reset();

  /// What the simulated server alone answers on connection 0; a refusal is an error with the word
  /// BADINPUT.
  sim::Reply ask_fake(const sim::Request& request);
  sim::Server& fake() { return servers_.fake; }
  /// The simulated server's session of a connection, or null if it is not open.
  const sim::Session* session(std::size_t connection) const;
  live::Connection& real() { return servers_.admin; }

  bool dumps_by_value = false;  ///< dumps of the same value count as the same

 private:
  struct Link {
    Client client;
    bool real_closed = false, fake_closed = false;
    std::vector<sim::SharedReply> real_said, fake_said;  ///< not compared yet
  };

  sim::WallTime now() const;
  Link& open(std::size_t connection);
  void open_all(const std::vector<Step>& steps);
  bool alone() const;
  sim::Request with_ids(sim::Request request, bool real) const;
  std::vector<sim::Delivery> submit(const Link& link, const sim::Request& request);
  std::optional<Difference> exchange(const Step& step, const Likeness& likeness);
  std::optional<Difference> exchange_pop(const Step& step, const Likeness& likeness);
  std::optional<Difference> scan(const Step& step);
  std::optional<Difference> wait(const Step& step);
  void hear_fake(const std::vector<sim::Delivery>& written);
  static void hear_real(Link& link);
  static void await_real(Link& link);
  void settle();
  std::optional<Difference> differing(const Step& step, const Likeness& likeness) const;
  std::optional<Difference> compared(const Step& step, const Likeness& likeness);
  void forget_replies();

  Servers servers_;
  std::map<std::size_t, Link> links_;
  sim::Duration ahead_{0};     ///< of the simulated clock
  std::int64_t slack_ms_ = 1;  ///< most by which the two clocks were apart at a step
};

}  // namespace lockstep::conform
