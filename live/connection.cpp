// hiredis behind a small face; see the header.
#include "live/connection.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <vector>

#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr timeval kPatience{10, 0};
/// Of a reply. No lock has one that is nearly as long; hiredis itself would go on to read 512 MiB,
/// or as many elements as there is memory for.
constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kMostElements = 1 << 20;  ///< of a list: each takes at least four bytes
constexpr std::size_t kMostShown = 60;          ///< bytes of an answer that is none

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RawReply = std::unique_ptr<redisReply, FreeReply>;

/// hiredis makes room for as many elements as the server says that there will be, before any comes.
void bound_lists(redisReader& reader) {
  static const redisReplyObjectFunctions theirs = *reader.fn;
  // Made once: connections are opened in several threads.
  static redisReplyObjectFunctions ours = [] {
    redisReplyObjectFunctions bounded = theirs;
    bounded.createArray = [](const redisReadTask* task, auto count) -> void* {
      const bool too_many = static_cast<std::size_t>(count) > kMostElements;
      return too_many ? nullptr : theirs.createArray(task, count);
    };
    return bounded;
  }();
  reader.fn = &ours;
}

sim::Reply converted(const redisReply& raw) {
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
      for (std::size_t i = 0; i < raw.elements; ++i) items.push_back(converted(*raw.element[i]));
      return sim::Reply::array(std::move(items));
    }
    default:
      return sim::Reply::null();
  }
}

/// The server's objection to a request of ours, as a line for the person who gave the address.
sim::Reply expect_accepted(Connection& connection, const sim::Request& request,
                           const Address& address) {
  auto reply = connection.execute(request);
  if (reply.is_error())
    throw sim::BadInput(
        fmt::format("{}: the server refuses {}: {}", address.shown(), request[0], reply.text));
  return reply;
}

}  // namespace

void Connection::Close::operator()(redisContext* context) const { redisFree(context); }

Connection::Connection(const Address& address)
    : address_(address.shown()),
      context_(address.socket.empty()
                   ? redisConnectWithTimeout(address.host.c_str(), address.port, kPatience)
                   : redisConnectUnixWithTimeout(address.socket.c_str(), kPatience)) {
  if (!context_ || context_->err != 0) broken();
  bound_lists(*context_->reader);
  // Writing to a connection that has broken is an error that we handle, not the end of the program.
  static const auto ignored = signal(SIGPIPE, SIG_IGN);
  static_cast<void>(ignored);
  redisSetTimeout(context_.get(), kPatience);
  if (!address.password.empty()) {
    sim::Request request{"AUTH", address.password};
    if (!address.user.empty()) request.insert(request.begin() + 1, address.user);
    expect_accepted(*this, request, address);
  }
  if (address.database != 0)
    expect_accepted(*this, {"SELECT", std::to_string(address.database)}, address);
}

Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

void Connection::broken() const {
  broken(context_ ? static_cast<const char*>(context_->errstr) : "out of memory");
}

void Connection::broken(const std::string& why) const {
  throw ConnectionBroken(fmt::format("no connection to {}: {}", address_, why));
}

void Connection::append(const sim::Request& request) {
  std::vector<const char*> arguments;
  std::vector<std::size_t> lengths;
  for (const auto& argument : request) {
    arguments.push_back(argument.data());
    lengths.push_back(argument.size());
  }
  if (redisAppendCommandArgv(context_.get(), static_cast<int>(request.size()), arguments.data(),
                             lengths.data()) != REDIS_OK)
    broken();
}

void Connection::write_all() {
  int done = 0;
  while (done == 0)
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) broken();
}

void Connection::send(const sim::Request& request) {
  append(request);
  write_all();
}

void Connection::send_all(const std::vector<sim::Request>& requests) {
  for (const auto& request : requests) append(request);
  write_all();
}

sim::Reply Connection::await() {
  using Clock = std::chrono::steady_clock;
  const auto latest = Clock::now() + std::chrono::seconds(kPatience.tv_sec);
  for (;;) {
    if (auto reply = receive(false)) return *std::move(reply);
    if (Clock::now() > latest) broken("an answer without end");
    read();
  }
}

sim::Reply Connection::execute(const sim::Request& request) {
  send(request);
  return await();
}

/// What is here; if there is nothing, waits for something.
void Connection::read() {
  const std::size_t before = context_->reader->len;
  if (redisBufferRead(context_.get()) != REDIS_OK) {
    const bool late = context_->err == REDIS_ERR_IO && errno == EAGAIN;  // SO_RCVTIMEO, socket(7)
    late ? broken(fmt::format("no answer in {} s", kPatience.tv_sec)) : broken();
  }
  unanswered_bytes_ += context_->reader->len - before;
  if (unanswered_bytes_ > kMostBytes)
    broken(fmt::format("an answer of more than {} bytes", kMostBytes));
}

bool Connection::serves() { return !execute({"PING"}).is_error(); }

std::vector<sim::SharedReply> Connection::execute_all(const std::vector<sim::Request>& requests) {
  send_all(requests);
  std::vector<sim::SharedReply> replies;
  replies.reserve(requests.size());
  while (replies.size() < requests.size()) replies.emplace_back(await());
  return replies;
}

std::optional<sim::Reply> Connection::receive(bool readable) {
  if (readable) read();
  void* raw = nullptr;
  if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) broken();
  if (!raw) return std::nullopt;
  unanswered_bytes_ = 0;
  return converted(*RawReply(static_cast<redisReply*>(raw)));
}

int Connection::descriptor() const { return context_->fd; }

void expect_served(const Address& address, const sim::Reply& reply) {
  static constexpr std::array<std::string_view, 12> kRefusals{
      "READONLY", "OOM",        "MISCONF",     "NOAUTH", "NOPERM", "NOREPLICAS",
      "LOADING",  "MASTERDOWN", "CLUSTERDOWN", "MOVED",  "ASK",    "CROSSSLOT"};
  if (!reply.is_error()) return;
  const std::string_view code = std::string_view(reply.text).substr(0, reply.text.find(' '));
  if (std::ranges::find(kRefusals, code) != kRefusals.end())
    throw sim::BadInput(
        fmt::format("{}: the server refuses to serve: {}", address.shown(), reply.text));
}

void expect_usable(const Address& address) {
  Connection connection(address);
  const std::string text = "lockstep";
  const auto reply = expect_accepted(connection, {"PING", text}, address);
  if (reply != sim::Reply::bulk(text))
    throw sim::BadInput(fmt::format("{}: no Redis server: it answers PING {} with {}",
                                    address.shown(), text,
                                    sim::worded(reply).substr(0, kMostShown)));
}

}  // namespace lockstep::live
