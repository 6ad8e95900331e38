// The fake server and a real redis-server side by side, over several connections: the same request
// is sent on the same connection of both, and what comes out of every connection is compared.
#pragma once

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/server.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/twin.hpp"

namespace lockstep::test {

/// A connection to a redis-server whose replies are taken as they come, not one a request.
class RawConnection {
 public:
  explicit RawConnection(int port)
      : context_(redisConnect("127.0.0.1", port)), reader_(redisReaderCreate()) {
    if (!context_ || context_->err) throw std::runtime_error("cannot connect to redis-server");
  }
  ~RawConnection() {
    redisReaderFree(reader_);
    redisFree(context_);
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void send(const sim::Request& request) {
    std::vector<const char*> arguments;
    std::vector<std::size_t> lengths;
    for (const std::string& argument : request) {
      arguments.push_back(argument.data());
      lengths.push_back(argument.size());
    }
    char* bytes = nullptr;
    const auto size = redisFormatCommandArgv(&bytes, static_cast<int>(request.size()),
                                             arguments.data(), lengths.data());
    std::size_t sent = 0;
    while (size > 0 && sent < static_cast<std::size_t>(size)) {
      const auto some =
          ::send(context_->fd, bytes + sent, static_cast<std::size_t>(size) - sent, MSG_NOSIGNAL);
      if (some <= 0) break;  // closed by the server
      sent += static_cast<std::size_t>(some);
    }
    redisFreeCommand(bytes);
  }

  /// Every reply that has arrived; "closed" after the last one.
  std::vector<std::string> take() {
    char bytes[16384];
    ssize_t size = 0;
    while ((size = recv(context_->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
      redisReaderFeed(reader_, bytes, static_cast<std::size_t>(size));
    }
    std::vector<std::string> replies;
    void* raw = nullptr;
    while (redisReaderGetReply(reader_, &raw) == REDIS_OK && raw) {
      replies.push_back(show(RedisServer::convert(*static_cast<redisReply*>(raw))));
      freeReplyObject(raw);
      raw = nullptr;
    }
    const bool ended = size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (ended && !closed_) {
      closed_ = true;
      replies.emplace_back("closed");
    }
    return replies;
  }

  /// Sends and waits for one reply.
  std::string ask(const sim::Request& request) {
    send(request);
    while (true) {
      auto replies = take();
      if (!replies.empty()) return replies.back();
    }
  }

 private:
  redisContext* context_;
  redisReader* reader_;
  bool closed_ = false;
};

class ServerTwin {
 public:
  explicit ServerTwin(std::vector<std::string> options = {}, sim::ServerMode mode = {})
      : real_(std::move(options)), fake_(mode, now()) {}

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
  };

  static sim::WallTime now() {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
  }

  void open(char who) {
    if (pairs_.contains(who)) return;
    Pair& pair = pairs_[who];
    pair.real = std::make_unique<RawConnection>(real_.port());
    pair.real_id = pair.real->ask({"CLIENT", "ID"}).substr(1);
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

  std::string differences(const std::string& step, std::vector<sim::Delivery> written) {
    settle();
    std::string found;
    for (auto& [who, pair] : pairs_) {
      std::string fake, real;
      for (const auto& delivery : written) {
        if (delivery.to == pair.fake) fake += "\n      " + show(delivery.reply);
      }
      if (!pair.fake_closed && !fake_.is_open(pair.fake)) {
        pair.fake_closed = true;
        fake += "\n      closed";
      }
      for (const auto& reply : pair.real->take()) real += "\n      " + reply;
      if (real == fake) continue;
      found += step + "\n  connection " + who + "\n    redis:" + real + "\n    fake:" + fake + "\n";
    }
    return found;
  }

  RedisServer real_;
  sim::Server fake_;
  std::map<char, Pair> pairs_;
};

}  // namespace lockstep::test
