// A real redis-server for a test, and a connection to it.
#pragma once

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/reply.hpp"

namespace lockstep::test {

class RedisServer {
 public:
  /// `options` are given to redis-server.
  explicit RedisServer(std::vector<std::string> options = {})
      : server_(sim::Persistence::none, std::move(options)) {}

  int port() const { return server_.address().port; }
  const live::Address& address() const { return server_.address(); }

  /// Sends a request and waits for its reply.
  sim::Reply execute(const sim::Request& request) { return connection_.execute(request); }

 private:
  live::Server server_;
  live::Connection connection_{server_.address()};
};

}  // namespace lockstep::test
