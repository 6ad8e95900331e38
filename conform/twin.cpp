// Step by step on both servers; see the header.
#include "conform/twin.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

constexpr std::size_t kReader = 26;  // reads what both hold; the others are a to z
const sim::Reply kClosed = sim::Reply::error("the connection is closed");

void sleep_ms(std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

bool is_scan(const sim::Request& request) {
  const auto name = sim::lower_case(request[0]);
  return is_one_of(name, {"scan", "hscan", "sscan", "zscan"}) &&
         request.size() > (name == "scan" ? 1 : 2);
}

/// The connection that a word names, "@x".
std::optional<std::size_t> named(const std::string& word) {
  if (word.size() != 2 || word[0] != '@' || word[1] < 'a' || word[1] > 'z') return std::nullopt;
  return static_cast<std::size_t>(word[1] - 'a');
}

}  // namespace

Twin::Twin(const live::Address& address) : servers_(address) { fake().advance_to(now()); }

sim::WallTime Twin::now() const {
  using namespace std::chrono;
  const auto since_epoch = system_clock::now().time_since_epoch();
  return sim::WallTime{duration_cast<milliseconds>(since_epoch).count()} + ahead_;
}

Twin::Link& Twin::open(std::size_t connection) {
  const auto [found, fresh] = links_.try_emplace(connection);
  if (fresh) found->second.client = servers_.open();
  return found->second;
}

const sim::Session* Twin::session(std::size_t connection) const {
  const auto it = links_.find(connection);
  if (it == links_.end() || !servers_.fake.is_open(it->second.client.fake)) return nullptr;
  return &servers_.fake.session(it->second.client.fake);
}

void Twin::empty() {
  servers_.empty();
  slack_ms_ = 1;
}

void Twin::reset() {
  std::vector<Client> clients;
  for (auto& [connection, link] : links_) clients.push_back(std::move(link.client));
  links_.clear();
  servers_.reset(clients);
  fake().advance_to(now());
  slack_ms_ = 1;
}

/// In the order of their numbers, whatever step needs them first.
void Twin::open_all(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    open(step.connection);
    for (const auto& word : step.request)
      if (const auto other = named(word)) open(*other);
  }
}

std::optional<Difference> Twin::run(const std::vector<Step>& steps) {
  const auto* first = session(0);
  if (first && first->fresh() && alone())
    empty();
  else
    reset();
  open_all(steps);
  for (const Step& step : steps)
    if (auto difference = run(step)) return difference;
  return compare_contents();
}

std::optional<Difference> Twin::run(const Step& step) {
  const auto& request = step.request;
  if (request[0] == kWait) return wait(step);
  if (request[0] == kExpire) {
    auto difference = run({step.connection, {"PEXPIRE", request.at(1), "1"}});
    sleep_ms(3);
    return difference;
  }
  open(step.connection);
  const auto* session = this->session(step.connection);
  const bool plain = session && session->fresh() && alone();
  if (plain && is_scan(request)) return scan(step);
  Likeness of_preludes;
  of_preludes.any = true;
  for (const auto& prelude : preludes_of(request))
    if (auto difference = exchange({step.connection, prelude}, of_preludes)) return difference;
  Likeness likeness;
  if (session) likeness = left_open(request, *session, fake().keyspace());
  if (likeness.chance) return std::nullopt;
  likeness.dump = dumps_by_value && sim::is_word(request[0], "dump");
  if (plain && likeness.random && sim::is_word(request[0], "spop"))
    return exchange_pop(step, likeness);
  return exchange(step, likeness);
}

std::optional<Difference> Twin::compare_contents() {
  for (const auto& request : reading(fake().keyspace(), fake().mode().version))
    if (auto difference = run({kReader, request})) return difference;
  return std::nullopt;
}

void Twin::skip(sim::Duration by) {
  ahead_.ms += by.ms;
  hear_fake(fake().advance_to(now()));
  settle();
}

std::optional<Difference> Twin::wait(const Step& step) {
  sleep_ms(std::stoll(step.request.at(1)));
  hear_fake(fake().advance_to(now()));
  settle();
  return compared(step, {});
}

sim::Reply Twin::ask_fake(const sim::Request& request) {
  const auto written = submit(open(0), request);
  return written.empty() ? sim::Reply::null() : *written.front().reply;
}

std::vector<sim::Delivery> Twin::submit(const Link& link, const sim::Request& request) {
  auto written = fake().advance_to(now());
  if (link.fake_closed) return written;
  try {
    for (auto& delivery : fake().submit(link.client.fake, with_ids(request, false)))
      written.push_back(std::move(delivery));
  } catch (const sim::BadInput& bad) {
    written.push_back({link.client.fake, sim::Reply::error(std::string("BADINPUT ") + bad.what())});
  }
  return written;
}

sim::Request Twin::with_ids(sim::Request request, bool real) const {
  for (std::string& word : request) {
    const auto connection = named(word);
    const auto it = connection ? links_.find(*connection) : links_.end();
    if (it == links_.end()) continue;
    const Client& client = it->second.client;
    word = real ? client.real_id : std::to_string(client.fake);
  }
  return request;
}

/// Whether there is nobody, beside the reader, to whom somebody else's request could write.
bool Twin::alone() const { return links_.size() - links_.count(kReader) <= 1; }

/// A request of somebody alone has a reply each, which is awaited. Whatever else is written shows
/// after all that was sent is processed.
std::optional<Difference> Twin::exchange(const Step& step, const Likeness& likeness) {
  Link& link = links_.at(step.connection);
  const auto began = now();
  const auto written = submit(link, step.request);
  const bool one =
      alone() && written.size() == 1 && !link.real_closed && fake().is_open(link.client.fake);
  hear_fake(written);
  try {
    if (!link.real_closed) link.client.real->send(with_ids(step.request, true));
  } catch (const live::ConnectionBroken&) {
    link.real_closed = true;
  }
  if (one)
    await_real(link);
  else
    settle();
  slack_ms_ = std::max(slack_ms_, (now() - began).ms + 1);
  return compared(step, likeness);
}

/// Which members SPOP takes nobody knows: then those that the real server took are taken here.
std::optional<Difference> Twin::exchange_pop(const Step& step, const Likeness& likeness) {
  const auto& request = step.request;
  const Link& link = links_.at(step.connection);
  sim::Keyspace before = fake().keyspace();
  const auto popped_here = *submit(link, request).back().reply;
  const auto reply = link.client.real->execute(request);
  Difference difference{step, step.connection, reply, popped_here};
  if (!alike(likeness, reply, popped_here, 0)) return difference;
  if (reply.is_error()) return std::nullopt;
  fake().take(std::move(before));
  std::vector<sim::Reply> members = reply.items;
  if (reply.kind == sim::Reply::Kind::bulk) members = {reply};
  for (const auto& member : members)
    if (submit(link, {"SREM", request[1], member.text}).back().reply->integer != 1)
      return difference;
  sim::Keyspace after = fake().keyspace();
  const auto rest = after.keys.find(request[1]);
  if (request.size() != 3 || rest == after.keys.end()) return std::nullopt;
  sim::repack_after_pop(rest->second, static_cast<std::int64_t>(members.size()));
  fake().take(std::move(after));
  return std::nullopt;
}

/// To the end on both; what one call returns is a matter of chance.
std::optional<Difference> Twin::scan(const Step& step) {
  const std::size_t at = sim::is_word(step.request[0], "scan") ? 1 : 2;
  const auto whole = [&](const auto& execute) {
    sim::Request request = step.request;
    sim::Reply all = sim::Reply::array({});
    do {
      sim::Reply reply = execute(request);
      if (reply.is_error()) return reply;
      request[at] = reply.items.at(0).text;
      const auto& items = reply.items.at(1).items;
      all.items.insert(all.items.end(), items.begin(), items.end());
    } while (request[at] != "0");
    return all;
  };
  const Link& link = links_.at(step.connection);
  const auto redis = whole([&](const auto& one) { return link.client.real->execute(one); });
  const auto lockstep = whole([&](const auto& one) { return *submit(link, one).back().reply; });
  if (in_one_order(redis) == in_one_order(lockstep)) return std::nullopt;
  const bool from_start = step.request[at] == "0";
  if (!from_start && !redis.is_error() && !lockstep.is_error()) return std::nullopt;
  return Difference{step, step.connection, redis, lockstep};
}

void Twin::hear_fake(const std::vector<sim::Delivery>& written) {
  for (auto& [connection, link] : links_) {
    for (const auto& delivery : written)
      if (delivery.to == link.client.fake) link.fake_said.push_back(delivery.reply);
    if (link.fake_closed || fake().is_open(link.client.fake)) continue;
    link.fake_closed = true;
    link.fake_said.emplace_back(kClosed);
  }
}

void Twin::await_real(Link& link) {
  try {
    link.real_said.emplace_back(link.client.real->await());
  } catch (const live::ConnectionBroken&) {
    link.real_closed = true;
    link.real_said.emplace_back(kClosed);
  }
}

/// Every reply that has arrived.
void Twin::hear_real(Link& link) {
  pollfd bytes{link.client.real->descriptor(), POLLIN, 0};
  while (!link.real_closed) {
    try {
      auto reply = link.client.real->receive(false);
      const bool more = !reply && poll(&bytes, 1, 0) > 0;
      if (more) reply = link.client.real->receive(true);
      if (!reply && !more) return;
      if (reply) link.real_said.emplace_back(std::move(*reply));
    } catch (const live::ConnectionBroken&) {
      link.real_closed = true;
      link.real_said.emplace_back(kClosed);
    }
  }
}

/// When these are answered, everything sent before has been processed and its replies written:
/// each of them is processed in a later round of the server's event loop.
void Twin::settle() {
  for (int i = 0; i < 3; ++i) real().execute({"PING"});
  for (auto& [connection, link] : links_) hear_real(link);
}

std::optional<Difference> Twin::differing(const Step& step, const Likeness& likeness) const {
  for (const auto& [connection, link] : links_) {
    const auto& real = link.real_said;
    const auto& fake = link.fake_said;
    const Likeness& own = connection == step.connection ? likeness : Likeness{};
    for (std::size_t i = 0; i < std::max(real.size(), fake.size()); ++i) {
      const bool both = i < real.size() && i < fake.size();
      if (both && alike(own, *real[i], *fake[i], 2 * slack_ms_)) continue;
      Difference difference{step, connection, {}, {}};
      if (i < real.size()) difference.redis = real[i];
      if (i < fake.size()) difference.lockstep = fake[i];
      return difference;
    }
  }
  return std::nullopt;
}

/// Where several connections differ they get a little more time: a wait may have ended on one
/// server only.
std::optional<Difference> Twin::compared(const Step& step, const Likeness& likeness) {
  auto difference = differing(step, likeness);
  if (difference && links_.size() > 1) {
    sleep_ms(60);
    hear_fake(fake().advance_to(now()));
    settle();
    difference = differing(step, likeness);
  }
  forget_replies();
  return difference;
}

void Twin::forget_replies() {
  for (auto& [connection, link] : links_) {
    link.real_said.clear();
    link.fake_said.clear();
  }
}

}  // namespace lockstep::conform
