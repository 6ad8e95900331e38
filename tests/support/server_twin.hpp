// The fake server and a real redis-server side by side, over several connections: the same request
// is sent on the same connection of both, and what comes out of every connection is compared.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/twin.hpp"

namespace lockstep::test {

/// A connection to a redis-server whose replies are taken as they come, not one a request.
class RawConnection {
 public:
  explicit RawConnection(const live::Address& address) : connection_(address) {}

  void send(const sim::Request& request) {
    if (closed_) return;
    try {
      connection_.send(request);
    } catch (const live::ConnectionBroken&) {
      closed_ = true;
    }
  }

  /// Every reply that has arrived; "closed" after the last one.
  std::vector<std::string> take() {
    std::vector<std::string> replies;
    pollfd bytes{connection_.descriptor(), POLLIN, 0};
    while (!closed_) {
      try {
        auto reply = connection_.receive(false);
        if (!reply && poll(&bytes, 1, 0) > 0) reply = connection_.receive(true);
        if (!reply) break;
        replies.push_back(show(*reply));
      } catch (const live::ConnectionBroken&) {
        closed_ = true;
        replies.emplace_back("closed");
      }
    }
    return replies;
  }

  sim::Reply execute(const sim::Request& request) { return connection_.execute(request); }

 private:
  live::Connection connection_;
  bool closed_ = false;
};

class ServerTwin {
 public:
  explicit ServerTwin(std::vector<std::string> options = {})
      : real_(std::move(options)), fake_({}, now()) {}

  /// Puts both into a mode; cluster mode the real one has to have from the start.
  void set_mode(const sim::ServerMode& mode) {
    fake_.mode() = mode;
    if (mode.over_memory) real_.execute({"CONFIG", "SET", "maxmemory", "1"});
    if (mode.replica) real_.execute({"REPLICAOF", "127.0.0.1", "1"});
    if (mode.cluster) {
      real_.execute({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
      while (real_.execute({"CLUSTER", "INFO"}).text.find("cluster_state:ok") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  /// Sends a request on the connection `who`, which is opened if it is not there. "@x" as an
  /// argument is the id of connection x. Empty if both servers wrote the same to every connection.
  std::string run(char who, const sim::Request& request) {
    open(who);
    auto written = submit(who, request);
    pairs_.at(who).real->send(with_ids(request, true));
    return differences(std::string(1, who) + " " + show(request), std::move(written));
  }

  /// Lets time pass on both.
  std::string wait(std::int64_t ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    return differences("+" + std::to_string(ms), fake_.advance_to(now()));
  }

  /// Puts the fake's clock forward; nothing is compared.
  void skip(std::int64_t ms) {
    ahead_.ms += ms;
    note(fake_.advance_to(now()));
  }

  /// New connections and an empty server.
  void reset() {
    pairs_.clear();
    real_.execute({"FLUSHALL"});
    real_.execute({"SCRIPT", "FLUSH"});
    fake_ = sim::Server(fake_.mode(), now());
  }

  const sim::Server& fake() const { return fake_; }
  /// The fake's session of `who`, or null if it is not open.
  const sim::Session* session(char who) const {
    const auto it = pairs_.find(who);
    if (it == pairs_.end() || !fake_.is_open(it->second.fake)) return nullptr;
    return &fake_.session(it->second.fake);
  }
  RedisServer& real() { return real_; }

 private:
  struct Pair {
    std::unique_ptr<RawConnection> real;
    std::string real_id;
    sim::SessionId fake = 0;
    bool fake_closed = false;
    std::string real_said, fake_said;  ///< not compared yet
  };

  sim::WallTime now() const {
    using namespace std::chrono;
    const auto since_epoch = system_clock::now().time_since_epoch();
    return sim::WallTime{duration_cast<milliseconds>(since_epoch).count()} + ahead_;
  }

  void open(char who) {
    if (pairs_.contains(who)) return;
    Pair& pair = pairs_[who];
    pair.real = std::make_unique<RawConnection>(real_.address());
    pair.real_id = std::to_string(pair.real->execute({"CLIENT", "ID"}).integer);
    pair.fake = fake_.open();
  }

  std::vector<sim::Delivery> submit(char who, const sim::Request& request) {
    auto written = fake_.advance_to(now());
    if (pairs_.at(who).fake_closed) return written;
    try {
      for (auto& delivery : fake_.submit(pairs_.at(who).fake, with_ids(request, false))) {
        written.push_back(std::move(delivery));
      }
    } catch (const sim::BadInput& bad) {
      written.push_back(
          {pairs_.at(who).fake, sim::Reply::error(std::string("BADINPUT ") + bad.what())});
    }
    return written;
  }

  sim::Request with_ids(sim::Request request, bool real) const {
    for (std::string& argument : request) {
      if (argument.size() != 2 || argument[0] != '@') continue;
      const Pair& pair = pairs_.at(argument[1]);
      argument = real ? pair.real_id : std::to_string(pair.fake);
    }
    return request;
  }

  /// When these are answered, everything sent before has been processed and its replies written:
  /// each of them is processed in a later round of the server's event loop.
  void settle() {
    for (int i = 0; i < 3; ++i) real_.execute({"PING"});
  }

  /// Where the two differ they get a little more time: a wait may have ended on one of them only.
  std::string differences(const std::string& step, const std::vector<sim::Delivery>& written) {
    note(written);
    std::string found = compare(step);
    if (found.empty()) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    note(fake_.advance_to(now()));
    return compare(step);
  }

  void note(const std::vector<sim::Delivery>& written) {
    settle();
    for (auto& [who, pair] : pairs_) {
      for (const auto& delivery : written) {
        if (delivery.to == pair.fake) pair.fake_said += "\n      " + show(delivery.reply);
      }
      if (!pair.fake_closed && !fake_.is_open(pair.fake)) {
        pair.fake_closed = true;
        pair.fake_said += "\n      closed";
      }
      for (const auto& reply : pair.real->take()) pair.real_said += "\n      " + reply;
    }
  }

  std::string compare(const std::string& step) {
    std::string found;
    for (auto& [who, pair] : pairs_) {
      if (pair.real_said == pair.fake_said) {
        pair.real_said.clear();
        pair.fake_said.clear();
        continue;
      }
      found += step + "\n  connection " + who + "\n    redis:" + pair.real_said +
               "\n    fake:" + pair.fake_said + "\n";
    }
    return found;
  }

  RedisServer real_;
  sim::Duration ahead_{0};  ///< of the fake's clock
  sim::Server fake_;
  std::map<char, Pair> pairs_;
};

}  // namespace lockstep::test
