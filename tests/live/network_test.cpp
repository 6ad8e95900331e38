// What becomes of requests under way where connections break, are given up, or outlive a crash of
// their client or of their server; without a server, for none is asked.
#include "live/network.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "live/nodes.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using live::Channel;
using live::Message;
using State = Message::State;

/// Two tasks that have each sent a request to each of two nodes, and one to the resource.
struct UnderWay {
  explicit UnderWay(bool shares = false) : network(nodes, {.shares = shares}) {
    for (sim::TaskId task = 0; task < 2; ++task)
      for (const std::uint8_t node : {std::uint8_t{0}, std::uint8_t{1}, sim::kResource})
        send(task, node);
  }
  void send(sim::TaskId task, std::uint8_t node) {
    Message message;
    message.request = {"GET", "lock"};
    network.send(task, node, node, std::move(message));
  }
  /// How many channels are so.
  std::ptrdiff_t count(const std::function<bool(const Channel&)>& is) const {
    return std::ranges::count_if(network.channels(), is);
  }

  live::Nodes nodes{{}, {}};
  live::Network network;
};

bool has(const Channel& channel, State state) {
  return std::ranges::any_of(channel.messages,
                             [&](const Message& message) { return message.state == state; });
}

TEST_CASE("A connection that is lost tells its task, and only that") {
  UnderWay way;
  way.send(0, 1);
  way.network.lose({0, 1, true, 0});
  CHECK(way.network.channel({0, 1, true, 0}).messages.size() == 1);
  CHECK(way.count([](const Channel& c) { return has(c, State::broken); }) == 1);
  CHECK(way.network.take({0, 1, true, 0}).state == State::broken);
  CHECK(way.count([](const Channel& c) { return c.open && has(c, State::waiting); }) == 5);
  CHECK(way.network.channels().size() == 5);
  way.send(0, 1);
  CHECK(way.network.channel({0, 1, true, 0}).messages.size() == 1);
}

TEST_CASE("A connection that tasks share tells each of them, and then takes no more") {
  UnderWay way(true);
  CHECK(way.network.channels().size() == 4);  // to each node one, and two to the resource
  way.send(0, 1);
  CHECK(way.network.channel({0, 1, true, 0}).messages.size() == 3);
  way.network.lose({0, 1, true, 0});
  way.send(1, 1);
  CHECK(way.network.channel({0, 1, true, 1}).messages.front().sender == 1);
  for (sim::TaskId task = 0; task < 2; ++task) {
    const auto heard = way.network.take({0, 1, true, 0});
    CHECK(heard.state == State::broken);
    CHECK(heard.sender == task);
  }
  CHECK(way.network.channel({0, 1, true, 0}).messages.front().state == State::waiting);
}

TEST_CASE("Who listens is told of the death of its server, though it has asked nothing") {
  UnderWay way;
  Message subscription;
  subscription.request = {"SUBSCRIBE", "news"};
  way.network.send(2, 1, 1, std::move(subscription), true);
  const sim::ConnectionName listener{2, 1, true, 0, true};
  way.network.channel(listener).messages.clear();  // it has been confirmed
  way.network.server_died(0);
  CHECK(way.network.channel(listener).messages.empty());
  way.network.server_died(1);
  CHECK(has(way.network.channel(listener), State::broken));
}

TEST_CASE("What a task has given up on a shared connection is executed, and heard by nobody") {
  UnderWay way(true);
  way.network.abandon(0);
  auto& channel = way.network.channel({0, 1, true, 0});
  CHECK(channel.messages.size() == 2);
  channel.messages.front().state = State::answered;
  way.network.tidy();
  const auto& left = way.network.channel({0, 1, true, 0}).messages;
  REQUIRE(left.size() == 1);
  CHECK(left.front().sender == 1);
  way.network.server_died(1);
  CHECK(way.network.take({0, 1, true, 0}).sender == 1);
  way.network.abandon_all();
  CHECK(way.count([](const Channel& c) { return c.open; }) == 0);
}

TEST_CASE("A request that outlives its connection waits, and its task is told") {
  UnderWay way;
  way.network.lose_late({1, 0, true, 0});
  CHECK(has(way.network.channel({1, 0, true, 0}), State::broken));
  CHECK(has(way.network.channel({1, 0, false, 0}), State::waiting));
  CHECK(way.count([](const Channel& c) { return !c.open; }) == 1);
}

TEST_CASE("Who gives up waiting gives up its own connections; what it has sent stays under way") {
  UnderWay way;
  way.network.channel({0, 0, true, 0}).messages.front().state = State::answered;
  way.network.abandon(0);
  CHECK(way.count([](const Channel& c) { return c.task == 1 && c.open; }) == 3);
  CHECK(way.count([](const Channel& c) { return c.task == 0 && c.open; }) == 0);
  CHECK(way.count([](const Channel& c) { return c.task == 0; }) == 2);  // the answer is dropped
  CHECK(way.count([](const Channel& c) { return c.former; }) == 0);
  way.send(0, 1);
  CHECK(way.network.channel({0, 1, true, 0}).messages.size() == 1);
}

TEST_CASE("What a client has sent before its crash is of its former life, and stays under way") {
  UnderWay way;
  way.network.abandon_all();
  CHECK(way.network.channels().size() == 6);
  CHECK(way.count([](const Channel& c) { return c.former && !c.open; }) == 6);
  way.send(0, sim::kResource);
  CHECK_FALSE(way.network.channel({0, sim::kResource, true, 0}).former);
}

TEST_CASE("The death of a server is told to who waits there, and to nobody else") {
  UnderWay way;
  way.network.lose_late({0, 1, true, 0});
  way.send(1, 0);
  way.network.server_died(1);
  CHECK(has(way.network.channel({1, 1, true, 0}), State::broken));
  CHECK(way.count([](const Channel& c) { return !c.open; }) ==
        0);  // nobody can execute it any more
  for (const std::uint8_t node : {std::uint8_t{0}, sim::kResource})
    for (sim::TaskId task = 0; task < 2; ++task)
      CHECK_FALSE(has(way.network.channel({task, node, true, 0}), State::broken));
}

TEST_CASE("Of several connections that a task has given up each has its place") {
  UnderWay way;
  way.network.abandon(0);
  way.send(0, 1);
  way.network.channel({0, 1, true, 0}).messages.front().request = {"GET", "second"};
  way.network.abandon(0);
  CHECK(way.network.next_waiting({0, 1, false, 0}).request.at(1) == "lock");
  CHECK(way.network.next_waiting({0, 1, false, 1}).request.at(1) == "second");
  CHECK_THROWS_WITH(way.network.channel({0, 1, false, 2}), Catch::Contains("no such connection"));
}

/// A real server, and one client's connections to it.
struct RealServer {
  explicit RealServer(live::Library library = {})
      : servers(live::own_servers(test::model({"setnx"}))),
        nodes(servers, {}),
        network(nodes, library) {}
  void send(sim::Request request) {
    Message message;
    message.request = std::move(request);
    network.send(0, 0, 0, std::move(message));
  }
  Message& ask(sim::Request request) {
    send(std::move(request));
    Message& message = network.next_waiting(name);
    network.ask(name, message);
    return message;
  }
  std::string answer(sim::Request request) {
    Message& message = ask(std::move(request));
    network.take_reply(name, message);
    return message.reply->text;
  }

  const sim::ConnectionName name{0, 0, true, 0};
  std::vector<live::RunningServer> servers;
  live::Nodes nodes;
  live::Network network;
};

TEST_CASE("A connection that breaks takes its transaction with it") {
  RealServer real;
  CHECK(real.answer({"MULTI"}) == "OK");
  real.network.take(real.name);
  CHECK(real.answer({"SET", "lock", "1"}) == "QUEUED");
  real.network.take(real.name);
  real.send({"EXEC"});
  real.network.lose(real.name);
  CHECK_THAT(real.answer({"EXEC"}), Catch::Matchers::Contains("EXEC without MULTI"));
}

TEST_CASE("A connection that breaks unheard is made anew with its database") {
  RealServer real;
  CHECK(real.answer({"SELECT", "3"}) == "OK");
  real.network.take(real.name);
  CHECK(real.answer({"SET", "lock", "1"}) == "OK");
  real.network.take(real.name);
  real.network.close_behind(real.name);
  CHECK(real.answer({"GET", "lock"}) == "1");
  real.network.take(real.name);
  // Whose error the task has heard begins again.
  real.send({"GET", "lock"});
  real.network.lose(real.name);
  real.network.take(real.name);
  CHECK(real.answer({"GET", "lock"}).empty());
}

TEST_CASE("A library that greets does so on each new connection, and only there") {
  RealServer real({.greets = true});
  const auto greeted = [&](const std::string& times) {
    const std::string stats = real.answer({"INFO", "commandstats"});
    real.network.take(real.name);
    return stats.find("cmdstat_ping:calls=" + times + ",") != std::string::npos;
  };
  CHECK(real.answer({"CONFIG", "RESETSTAT"}) == "OK");
  real.network.take(real.name);
  real.network.close_behind(real.name);
  CHECK(greeted("1"));
  CHECK(greeted("1"));
  real.send({"GET", "lock"});
  real.network.lose(real.name);
  real.network.take(real.name);
  CHECK(greeted("2"));
}

TEST_CASE("Who is unblocked because its master is none any more has to connect anew") {
  RealServer real;
  Message& wait = real.ask({"WAIT", "1", "0"});
  auto& beside = real.nodes.connection(0);
  while (beside.execute({"INFO", "clients"}).text.find("blocked_clients:1") == std::string::npos) {
  }
  beside.execute({"REPLICAOF", "127.0.0.1", "1"});
  real.network.take_reply(real.name, wait);
  CHECK(wait.reply->text.starts_with("UNBLOCKED"));
  real.network.take(real.name);
  CHECK(real.answer({"PING"}) == "PONG");
}

}  // namespace
}  // namespace lockstep::tests
