// A real redis-server for a test, and a connection to it.
#pragma once

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/reply.hpp"

namespace lockstep::test {

class RedisServer {
 public:
  int port() const { return server_.address().port; }
  const live::Address& address() const { return server_.address(); }

  /// Sends a request and waits for its reply.
  sim::Reply execute(const sim::Request& request) { return connection_.execute(request); }

 private:
  live::Server server_{sim::Persistence::none};
  live::Connection connection_{server_.address()};
};

}  // namespace lockstep::test
