// A real redis-server for a test, and a connection to it.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::test {

class RedisServer {
 public:
  /// `options` are given to redis-server.
  explicit RedisServer(std::vector<std::string> options = {})
      : server_(sim::Persistence::none, std::move(options)) {}

  int port() const { return server_.address().port; }
  const live::Address& address() const { return server_.address(); }

  /// Sends all requests, then waits for their replies.
  std::vector<sim::Reply> execute_all(const std::vector<sim::Request>& requests) {
    for (const sim::Request& request : requests) connection_.send(request);
    std::vector<sim::Reply> replies;
    bool readable = false;
    while (replies.size() < requests.size()) {
      auto reply = connection_.receive(readable);
      readable = !reply;
      if (reply) {
        replies.push_back(std::move(*reply));
      } else {
        pollfd waiting{connection_.descriptor(), POLLIN, 0};
        poll(&waiting, 1, 10'000);
      }
    }
    return replies;
  }

  /// Sends a request and waits for its reply.
  sim::Reply execute(const sim::Request& request) { return connection_.execute(request); }

 private:
  live::Server server_;
  live::Connection connection_{server_.address()};
};

}  // namespace lockstep::test
