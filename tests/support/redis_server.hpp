// A real redis-server for a test: started on a free loopback port, stopped by its pid, spoken to
// through hiredis.
#pragma once

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/reply.hpp"

namespace lockstep::test {

class RedisServer {
 public:
  RedisServer() : port_(free_port()) {
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) become_server();
    connect();
  }
  ~RedisServer() {
    connection_.reset();
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }

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
  sim::Reply execute(const sim::Request& request) {
    std::vector<const char*> arguments;
    std::vector<std::size_t> lengths;
    for (const std::string& argument : request) {
      arguments.push_back(argument.data());
      lengths.push_back(argument.size());
    }
    auto* raw = static_cast<redisReply*>(redisCommandArgv(
        connection_.get(), static_cast<int>(request.size()), arguments.data(), lengths.data()));
    if (!raw) throw std::runtime_error(std::string("redis-server: ") + connection_->errstr);
    const std::unique_ptr<redisReply, void (*)(void*)> guard(raw, freeReplyObject);
    return convert(*raw);
  }

 private:
  static int free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound = bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0;
    close(fd);
    if (!bound) throw std::runtime_error("no free loopback port");
    return ntohs(address.sin_port);
  }

  [[noreturn]] void become_server() const {
    const std::string port = std::to_string(port_);
    if (!freopen("/dev/null", "w", stdout)) _exit(127);
    execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1", "--save",
           "", "--appendonly", "no", "--dir", "/tmp", static_cast<char*>(nullptr));
    _exit(127);
  }

  void connect() {
    for (int attempt = 0; attempt < 200; ++attempt) {
      connection_.reset(redisConnect("127.0.0.1", port_));
      if (connection_ && !connection_->err) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    throw std::runtime_error("redis-server did not start; is it installed?");
  }

  static sim::Reply convert(const redisReply& raw) {
    const std::string text = raw.str ? std::string(raw.str, raw.len) : std::string();
    switch (raw.type) {
      case REDIS_REPLY_STATUS:
        return sim::Reply::status(text);
      case REDIS_REPLY_ERROR:
        return sim::Reply::error(text);
      case REDIS_REPLY_INTEGER:
        return sim::Reply::number(raw.integer);
      case REDIS_REPLY_STRING:
        return sim::Reply::bulk(text);
      case REDIS_REPLY_ARRAY: {
        std::vector<sim::Reply> items;
        for (std::size_t i = 0; i < raw.elements; ++i) items.push_back(convert(*raw.element[i]));
        return sim::Reply::array(std::move(items));
      }
      default:
        return sim::Reply::null();
    }
  }

  struct Disconnect {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  int port_;
  pid_t pid_ = -1;
  std::unique_ptr<redisContext, Disconnect> connection_;
};

}  // namespace lockstep::test
