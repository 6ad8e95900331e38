// A master and its replica, real and simulated; see the header.
#include "conform/replicas.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "live/stream.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

/// The number in a line of RESP such as "*3" or "$5"; moves `at` behind it.
std::size_t number_at(std::string_view stream, std::size_t& at) {
  std::size_t number = 0;
  const auto end = std::min(stream.find("\r\n", at), stream.size());
  std::from_chars(stream.data() + at + 1, stream.data() + end, number);
  at = std::min(end + 2, stream.size());
  return number;
}

/// The bytes up to the end of the stream's first command; of its first transaction, if that is one:
/// a replica has run nothing of them before it has all.
std::size_t bytes_of_first(std::string_view stream) {
  std::size_t at = 0;
  bool in_transaction = false;
  while (at < stream.size()) {
    std::string name;
    for (std::size_t words = number_at(stream, at), i = 0; i < words && at < stream.size(); ++i) {
      const auto size = number_at(stream, at);
      if (i == 0) name = sim::upper_case(stream.substr(at, size));
      at = std::min(at + size + 2, stream.size());
    }
    in_transaction = (in_transaction || name == "MULTI") && name != "EXEC";
    if (!in_transaction) break;
  }
  return at;
}

bool is_ours(const Step& step) { return step.request[0][0] == '!' && step.request[0] != kExpire; }

}  // namespace

Replicas::Replicas(const live::Address& one, const live::Address& other)
    : pairs_{Pair(one), Pair(other)} {
  for (Pair& pair : pairs_) pair.real().execute({"REPLICAOF", "NO", "ONE"});
  begin_to_follow();
}

void Replicas::begin(const std::vector<Step>& steps) {
  gate_.open();
  lags_ = false;
  if (!follows_) begin_to_follow();
  first_ = (first_ + newest_) % 2;
  newest_ = 0;
  std::size_t most = 0;
  for (const auto& step : steps) most = std::max(most, step.connection);
  master().begin(most + 1);
  await_copy();
  replica().begin(most + 1);
}

std::optional<Difference> Replicas::run(const std::vector<Step>& steps, bool one_by_one) {
  begin(steps);
  for (auto next = steps.begin(); next != steps.end();) {
    const Step& first = *next;
    std::optional<Difference> difference;
    if (is_ours(first)) {
      difference = act(first);
      ++next;
    } else {
      const auto end = std::find_if(next, steps.end(), [&](const Step& step) {
        return is_ours(step) || step.server != first.server;
      });
      difference = send({next, end}, one_by_one);
      next = end;
    }
    if (difference) return difference;
  }
  return std::nullopt;
}

/// Steps of one server.
std::optional<Difference> Replicas::send(const std::vector<Step>& steps, bool one_by_one) {
  const std::size_t number = steps[0].server;
  if (follows_ && !lags_ && number != newest_) await_copy();
  return server(number).go_on(steps, one_by_one);
}

std::optional<Difference> Replicas::act(const Step& step) {
  const std::string& what = step.request[0];
  if (what == kFollow && !follows_) return follow();
  if (!follows_) return std::nullopt;
  if (what == kFailover) return fail_over();
  if (what == kAcknowledged) return compare_acknowledged(step);
  if (!lags_ && (what == kLag || what == kAge)) lag(step.request);
  if (!lags_) return std::nullopt;
  if (what == kPart) let_part_pass(std::stoul(step.request.at(1)));
  if (what == kCatchUp) {
    gate_.open();
    lags_ = false;
  }
  return std::nullopt;
}

void Replicas::lag(const sim::Request& request) {
  constexpr std::int64_t kAgeMs = 15;
  std::vector<sim::Request> ageing;
  for (std::size_t i = 1; i < request.size(); ++i)
    ageing.push_back({"PEXPIRE", request[i], std::to_string(kAgeMs)});
  if (!ageing.empty()) master().send_unseen(ageing);
  await_copy();
  gate_.close();
  lags_ = true;
  cut_ = live::position_of(replica().real()).processed;
  at_cut_ = master().fake().keyspace();
  if (!ageing.empty()) master().let_expire(kAgeMs);
}

/// The beginning of what the master writes next reaches the replica, which makes nothing of it.
void Replicas::let_part_pass(std::size_t choice) {
  const auto sent = live::position_of(master().real()).sent;
  const auto read = live::position_of(replica().real()).read;
  if (sent == read) return;
  const auto waits = static_cast<std::size_t>(sent - read);
  live::await_replica([&] { return gate_.held().size() >= waits; },
                      "been sent what is in the stream");
  if (read != cut_) return;  // a part has passed before
  const auto part = choice % bytes_of_first(gate_.held());
  gate_.let_pass(part);
  await_read(cut_ + static_cast<std::int64_t>(part));
}

/// 7.0's WAIT waits for all that was written before the last command of its connection.
std::optional<Difference> Replicas::compare_acknowledged(const Step& step) {
  live::Connection& real = master().real();
  sim::Keyspace now = master().fake().keyspace();
  now.purge(master().fake().now());
  at_cut_.purge(master().fake().now());
  const bool misses = lags_ && !sim::same_keys(now, at_cut_);
  // It may have what was written, and have not yet said so: what asks it to is held back.
  if (lags_ && !misses) return std::nullopt;
  real.execute({"PING"});
  const auto reply = real.execute({"WAIT", "1", misses ? "5" : "10000"});
  const auto expected = sim::Reply::number(misses ? 0 : 1);
  if (reply == expected) return std::nullopt;
  return Difference{step, step.connection, reply, expected};
}

std::optional<Difference> Replicas::fail_over() {
  if (!lags_) await_copy();
  replica().real().execute({"REPLICAOF", "NO", "ONE"});
  replica().fake().mode().replica = false;
  newest_ = 1 - newest_;
  follows_ = lags_ = false;
  return compare_contents(newest_);
}

/// What the gate holds of another stream is lost.
void Replicas::begin_to_follow() {
  gate_.lead_to(master().address());
  gate_.open();
  replica().real().execute({"REPLICAOF", "127.0.0.1", std::to_string(gate_.port())});
  replica().fake().mode().replica = true;
  follows_ = true;
  await_copy();
}

std::optional<Difference> Replicas::follow() {
  replica().reconnect([](const sim::Session& session) {
    return session.wait || session.subscribed() || !session.watched.empty() || session.watch_broken;
  });
  begin_to_follow();
  auto difference = compare_contents(1 - newest_);
  return difference ? difference : compare_contents(newest_);
}

/// Until the replica has processed what the master has sent: then it is its mirror.
void Replicas::await_copy() {
  live::await_copy(master().real(), replica().real());
  replica().mirror(master());
}

void Replicas::await_read(std::int64_t offset) {
  live::await_replica([&] { return live::position_of(replica().real()).read >= offset; },
                      "read a part of a command");
}

std::optional<Difference> Replicas::compare_contents(std::size_t number) {
  auto difference = server(number).compare_contents(Packing::free);
  if (difference) difference->step.server = number;
  return difference;
}

}  // namespace lockstep::conform
