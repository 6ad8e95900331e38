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

  /// Sends all requests, then waits for their replies.
  std::vector<sim::Reply> execute_all(const std::vector<sim::Request>& requests) {
    for (const sim::Request& request : requests) {
      std::vector<const char*> arguments;
      std::vector<std::size_t> lengths;
      for (const std::string& argument : request) {
        arguments.push_back(argument.data());
        lengths.push_back(argument.size());
      }
      redisAppendCommandArgv(connection_.get(), static_cast<int>(request.size()), arguments.data(),
                             lengths.data());
    }
    std::vector<sim::Reply> replies;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      void* raw = nullptr;
      if (redisGetReply(connection_.get(), &raw) != REDIS_OK) {
        throw std::runtime_error(std::string("redis-server: ") + connection_->errstr);
      }
      const std::unique_ptr<void, void (*)(void*)> guard(raw, freeReplyObject);
      replies.push_back(convert(*static_cast<redisReply*>(raw)));
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
