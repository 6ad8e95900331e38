// When two naive worlds are the same: canonical bytes of everything in them, times relative to now.
#include <array>
#include <cstring>
#include <map>

#include "checker/naive/clocks.hpp"
#include "checker/naive/world.hpp"
#include "sim/base/token.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/servers.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::checker::naive {

namespace {

constexpr std::uint8_t kLastOfOneDigit = 9;

/// Appends values so that no two different sequences give the same bytes.
class Bytes {
 public:
  void number(std::int64_t value) {
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    text_.append(bytes.data(), bytes.size());
  }
  template <typename Enum>
  void kind(Enum value) {
    number(static_cast<std::int64_t>(value));
  }
  void text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    text_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  void maybe(const std::optional<std::int64_t>& value) { value ? number(*value) : text("none"); }

  void reply(const sim::Reply& reply_) {
    kind(reply_.kind);
    number(reply_.integer);
    text(reply_.text);
    number(static_cast<std::int64_t>(reply_.items.size()));
    for (const sim::Reply& item : reply_.items) reply(item);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add(Bytes& bytes, const sim::Observation& observation) {
  bytes.kind(observation.kind);
  bytes.number(observation.task);
  bytes.number(observation.node);
  bytes.number(observation.cut);
  bytes.number(observation.by_access);
  bytes.reply(*observation.reply);
  bytes.texts(observation.answers);
}

void add(Bytes& bytes, const Connection& connection) {
  bytes.number(connection.task);
  bytes.number(connection.shared);
  bytes.number(connection.node);
  if (connection.sent_for != connection.node)
    bytes.text("for " + std::to_string(connection.sent_for));
  bytes.number(connection.open);
  bytes.number(connection.former);
  bytes.kind(connection.sent);
  bytes.number(connection.late);
  if (connection.listens) bytes.text("listens");
  if (connection.closing) bytes.text("closing");
  if (connection.made_before) bytes.text("made before");
  if (connection.stale) bytes.text("stale");
  if (connection.greeted) bytes.text("greeted");
  if (connection.line != Line::made) bytes.text(connection.bound ? "bound" : "free");
  if (connection.line != Line::made) bytes.kind(connection.line);
  bytes.number(static_cast<std::int64_t>(connection.messages.size()));
  for (const Message& message : connection.messages) {
    bytes.number(message.sender);
    bytes.number(message.unheard);
    bytes.kind(message.sent);
    bytes.number(message.in_release);
    bytes.texts(message.request);
    bytes.kind(message.state);
    bytes.number(message.held);
    bytes.number(message.orphaned);
    bytes.reply(*message.reply);
    bytes.kind(message.basis);
    bytes.text(message.node_was);
    bytes.number(message.idle);
    if (message.asking) bytes.text("asking");
    bytes.number(message.way_ms);
    bytes.number(message.blocked);
    bytes.maybe(message.blocked_left_ms);
    bytes.number(static_cast<std::int64_t>(message.in_queue));
  }
  bytes.number(static_cast<std::int64_t>(connection.ahead.size()));
  for (const std::uint8_t replica : connection.ahead) bytes.number(replica);
  bytes.text(encode(connection.session));
}

void add(Bytes& bytes, const TaskState& task) {
  bytes.maybe(task.timer_ms);
  bytes.maybe(task.wait_ms);
  bytes.number(task.times_passed);
  bytes.number(task.given_back_by ? 1 + *task.given_back_by : 0);
  bytes.number(static_cast<std::int64_t>(task.answered.size()));
  for (const auto& [request, node_was] : task.answered) {
    bytes.texts(request);
    bytes.text(node_was);
  }
  bytes.kind(task.basis);
  bytes.number(task.releasing);
  for (const auto* nodes : {&task.made, &task.given, &task.freed}) {
    bytes.number(static_cast<std::int64_t>(nodes->size()));
    for (const std::uint8_t node : *nodes) bytes.number(node);
  }
  bytes.number(task.counted);
  bytes.number(task.stayed);
  bytes.number(task.wrote);
  bytes.number(task.owned);
  bytes.number(task.keeps_mode);
  bytes.number(static_cast<std::int64_t>(task.given_up.size()));
  for (const std::uint8_t lock : task.given_up) bytes.number(lock);
  bytes.number(task.overtaken);
  bytes.number(static_cast<std::int64_t>(task.prolonged.size()));
  for (const sim::Maker maker : task.prolonged) bytes.number(maker);
}

void add(Bytes& bytes, const World& world, const Process& process) {
  bytes.kind(process.life);
  bytes.number(process.crashed);
  for (const int rounds : process.rounds_begun) bytes.number(rounds);
  bytes.text(process.snapshot);
  bytes.number(static_cast<std::int64_t>(process.history.size()));
  for (const sim::Observation& observation : process.history) add(bytes, observation);
  // The waits follow from snapshot and history.
  for (const auto& [task, state] : process.tasks) {
    bytes.number(task);
    add(bytes, state);
  }
  bytes.text("connections");
  bytes.maybe(process.pause_left_ms);
  for (const Connection& connection : process.connections) add(bytes, connection);
  bytes.text("instants");
  for (const Instant& instant : process.instants) {
    const std::int64_t shown =
        instant.wall ? wall_clock(world, process) : monotonic_clock(world, process);
    bytes.number(shown - instant.reading);
  }
  bytes.text("holdings");
  for (const auto& [holding, held] : process.holdings) {
    bytes.number(holding.first);
    bytes.number(holding.second);
    bytes.text(held.fencing);
    bytes.number(held.owned);
  }
  for (const auto* cut : {&process.unreached, &process.unheard}) {
    if (cut->empty()) continue;
    bytes.text(cut == &process.unheard ? "unheard" : "unreached");
    for (const std::uint8_t node : *cut) bytes.number(node);
  }
  bytes.number(process.offset.ms);
  bytes.number(process.tokens_used);
}

void add(Bytes& bytes, const World& world, const Node& node) {
  const auto add_keyspace = [&](const sim::Keyspace& keyspace) {
    bytes.text(encode(with_lifetimes(world, node, keyspace)));
  };
  bytes.number(node.up);
  if (node.dark) bytes.text("dark");
  if (node.full) bytes.text("full");
  if (node.loading) bytes.text("loading");
  if (node.receives) bytes.text("receives");
  if (node.frozen) bytes.text("frozen");
  for (const sim::Place& place : node.came) {
    bytes.text("came");
    bytes.number(place.database);
    bytes.text(place.key);
  }
  if (!node.frozen || world.absolute) bytes.number(node.offset.ms);
  bytes.number(node.down_left_ms);
  bytes.number(node.micros);
  add_keyspace(node.keyspace);
  add_keyspace(node.saved);
  bytes.number(static_cast<std::int64_t>(node.not_durable.size()));
  for (const Image& image : node.not_durable) {
    bytes.number(image.age_ms);
    add_keyspace(image.keyspace);
  }
}

/// Of servers that follow others.
void add_roles(Bytes& bytes, const World& world) {
  for (const std::uint8_t master : world.newest) bytes.number(master);
  for (const Process& process : world.processes) {
    bytes.number(static_cast<std::int64_t>(process.knows.size()));
    for (const std::uint8_t master : process.knows) bytes.number(master);
  }
  for (const Node& node : world.nodes) {
    bytes.number(node.follows.value_or(sim::kNoServer));
    bytes.kind(node.slots);
    bytes.number(node.lags);
    bytes.number(node.syncing);
    bytes.number(node.misses);
    bytes.number(node.silent);
    for (const auto* unnoticed : {&node.counts_gone, &node.lists}) {
      bytes.text("gone");
      for (const auto& [gone, left_ms] : *unnoticed) {
        bytes.number(gone);
        bytes.number(left_ms);
      }
    }
    bytes.text("behind");
    for (const std::uint8_t gone : node.lists_behind) bytes.number(gone);
  }
}

}  // namespace

std::string identity(const World& world) {
  Bytes bytes;
  bytes.number(world.absolute ? world.now.ms : -1);
  bytes.number(world.outlook_ms);
  for (const std::uint8_t left : world.budget) bytes.number(left);
  bytes.number(static_cast<std::int64_t>(world.highest_token.size()));
  for (const auto& [lock, token] : world.highest_token) {
    bytes.text(lock);
    bytes.number(token);
  }
  for (const Process& process : world.processes) add(bytes, world, process);
  for (const Node& node : world.nodes) add(bytes, world, node);
  if (world.nodes.size() > world.newest.size()) add_roles(bytes, world);
  return bytes.take();
}

/// Each process's tokens are numbered as they appear in the bytes. Only one-digit numbers change
/// places with each other, so that no length changes: bytes that are equal afterwards are those of
/// worlds that differ in nothing but names.
std::string identity_but_token_names(const World& world) {
  std::string bytes = identity(world);
  const sim::TokenScan scan = sim::scan_tokens(bytes);
  if (scan.cut) return bytes;
  std::map<sim::Token, sim::Token> names;
  std::map<std::uint8_t, std::uint8_t> named;
  bool changed = false;
  for (const sim::Token token : scan.tokens) {
    if (token.number > kLastOfOneDigit) continue;
    const sim::Token name{token.process, ++named[token.process]};
    names.emplace(token, name);
    changed = changed || name != token;
  }
  if (!changed) return bytes;
  return sim::rename_tokens(bytes, [&](sim::Token token) {
    const auto name = names.find(token);
    return name == names.end() ? token : name->second;
  });
}

}  // namespace lockstep::checker::naive
