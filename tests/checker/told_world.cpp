// See the header.
#include "tests/checker/told_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <variant>

#include "checker/naive/clocks.hpp"
#include "sim/base/token.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/world/dates.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::test {

namespace {

namespace naive = checker::naive;

std::string without_numbers_of_tokens(const std::string& text) {
  return sim::rename_tokens(text, [](sim::Token token) { return sim::Token{token.process, 1}; });
}

/// Puts a line together: what is told of something, word by word.
class Line {
 public:
  explicit Line(std::string of) : text_(std::move(of)) {}
  Line& flag(const char* name, bool is) {
    if (is) text_ += std::string(" ") + name;
    return *this;
  }
  template <class Value>
  Line& is(const char* name, const Value& value) {
    text_ += fmt::format(" {}={}", name, value);
    return *this;
  }
  template <class Numbers>
  Line& all(const char* name, const Numbers& numbers) {
    text_ += fmt::format(" {}=", name);
    for (const auto& number : numbers) text_ += fmt::format("{},", number);
    return *this;
  }
  operator std::string() const { return without_numbers_of_tokens(text_); }

 private:
  std::string text_;
};

/// The numbers of the bits that are set.
template <class Mask>
std::set<unsigned> listed(Mask mask) {
  std::set<unsigned> numbers;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((static_cast<std::uint64_t>(mask) >> bit & 1U) != 0) numbers.insert(bit);
  return numbers;
}

template <class Number>
std::set<unsigned> listed(const std::set<Number>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::string told(const sim::Shares& shares) {
  std::string text;
  for (const auto& share : shares)
    text += fmt::format("{}*{}@{},", share.maker, share.amount, share.place);
  return text;
}

std::string told(const std::string& value) { return "'" + value + "'"; }

std::string joined(std::vector<std::string> parts) {
  for (std::string& part : parts) part = without_numbers_of_tokens(part);
  std::ranges::sort(parts);  // by names without numbers
  std::string text;
  for (const std::string& part : parts) text += part + ",";
  return text;
}

std::string told(const sim::Hash& hash) {
  std::vector<std::string> parts;
  for (const auto& [name, field] : hash)
    parts.push_back(
        fmt::format("{}={} of {} {}", name, field.value, field.maker, told(field.shares)));
  return joined(parts);
}

std::string told(const sim::List& list) {
  std::string text;
  for (const auto& element : list) text += fmt::format("{} of {},", element.value, element.maker);
  return text;
}

std::string told(const sim::Set& set) {
  std::vector<std::string> parts;
  for (const auto& [name, member] : set)
    parts.push_back(fmt::format("{} of {}", name, member.maker));
  return joined(parts);
}

std::string told(const sim::SortedSet& set) {
  std::vector<std::string> parts;
  for (const auto& [name, member] : set)
    parts.push_back(fmt::format("{} at {} of {}", name, member.score, member.maker));
  return joined(parts);
}

/// With lifetimes in place of expiries, the clock's origin being now.
void tell_keys(const std::string& of, const sim::Keyspace& keyspace, std::int64_t now_ms,
               Lines& lines) {
  std::vector<std::string> keys;
  for (int database = 0; database < sim::kDatabases; ++database) {
    const sim::Keys* of_database = keyspace.database(database);
    if (of_database == nullptr) continue;
    for (const auto& [key, entry] : *of_database) {
      Line line(fmt::format("{} {} {}", of, database, key));
      line.is("value", std::visit([](const auto& value) { return told(value); }, entry.value));
      line.is("maker", entry.maker).is("shares", told(entry.shares));
      if (entry.expires) line.is("left", entry.expires->ms - now_ms);
      keys.push_back(line);
    }
  }
  std::ranges::sort(keys);
  lines.insert(lines.end(), keys.begin(), keys.end());
  std::vector<std::string> scripts;
  for (const auto& [sha, body] : keyspace.scripts) scripts.push_back(sha);
  lines.push_back(Line(of).all("scripts", scripts).is("random", keyspace.script_random));
}

/// What the resource says to a token that it does not take has words of its own in each.
std::string told(const sim::Reply& reply, std::uint8_t node) {
  if (node == sim::kResource && reply.kind == sim::Reply::Kind::error) return "an error";
  if (const auto time_ms = sim::time_told(reply)) return std::to_string(*time_ms);
  sim::ByteWriter bytes;
  write(bytes, reply);
  return bytes.take();
}

std::string told(const sim::Request& request) {
  std::string text;
  for (const std::string& word : request) text += word + " ";
  return text;
}

unsigned left(const sim::Budget& budget, sim::Fault fault) {
  return budget[static_cast<std::size_t>(fault)];
}

/// Each as it would be read, one after the other; those alike next to each other count once.
void add_image(std::vector<Lines>& images, const std::string& of, const sim::Keyspace& keyspace,
               std::int64_t now_ms) {
  Lines image;
  tell_keys(of, keyspace, now_ms, image);
  if (images.empty() || images.back() != image) images.push_back(image);
}

/// The first of them is what the node stores now.
void tell_images(const std::vector<Lines>& images, Lines& lines) {
  for (std::size_t i = 1; i < images.size(); ++i)
    lines.insert(lines.end(), images[i].begin(), images[i].end());
}

// What both call alike.

template <class Node>
Line told_node(const std::string& of, const Node& node) {
  Line line(of);
  line.flag("up", node.up).flag("dark", node.dark).flag("loading", node.loading);
  line.flag("full", node.full).flag("frozen", node.frozen).flag("lags", node.lags);
  line.is("slots", static_cast<int>(node.slots)).flag("syncing", node.syncing);
  line.flag("receives", node.receives).flag("silent", node.silent);
  line.is("down_left", node.down_left_ms).all("behind", listed(node.lists_behind));
  for (const auto& place : node.came) line.is("came", place.key);
  return line;
}

template <class Connection>
std::string name_of(const std::string& of, const Connection& connection, bool shared) {
  return fmt::format("{} connection of {} to {} for {}", of, shared ? -1 : connection.task,
                     connection.node, connection.sent_for);
}

/// `state`: of the line; `sent`: for what, if that is over.
template <class Connection, class State, class Sent>
Line told_connection(const std::string& on, const Connection& connection, State state, Sent sent) {
  Line line(on);
  line.flag("open", connection.open).flag("former", connection.former);
  line.flag("late", connection.late).is("line", static_cast<int>(state));
  line.flag("bound", connection.bound).flag("closing", connection.closing);
  line.flag("made_before", connection.made_before).flag("stale", connection.stale);
  line.flag("greeted", connection.open && connection.greeted);
  if (connection.node != sim::kResource && !connection.former)
    line.is("sent", static_cast<int>(sent));
  return line;
}

template <class Message>
Line told_message(const std::string& on, bool open, const Message& message) {
  Line line(on + ":");
  line.flag("held", message.held).is("way", message.way_ms);
  return line.flag("unheard", open && message.unheard);
}

/// While it waits.
template <class Message>
void tell_waiting(const Message& message, const sim::Request& request, Line& line) {
  line.is("request", told(request)).is("basis", static_cast<int>(message.basis));
  line.flag("asking", message.asking).flag("blocked", message.blocked);
}

/// Nothing where nothing of it is remembered: one of them keeps it all the same.
template <class Operation>
void tell_operation(const std::string& of, sim::TaskId task, const Operation& operation,
                    bool overtaken, Lines& lines) {
  Line line(of + " operation");
  const std::string before = line;
  line.flag("releasing", operation.releasing).flag("keeps_mode", operation.keeps_mode);
  line.flag("counted", operation.counted).flag("stayed", operation.stayed);
  line.flag("owned", operation.owned).flag("overtaken", overtaken);
  for (const auto& [name, numbers] : {std::pair{"made", listed(operation.made)},
                                      {"freed", listed(operation.freed)},
                                      {"given_up", listed(operation.given_up)},
                                      {"prolonged", listed(operation.prolonged)}})
    if (!numbers.empty()) line.all(name, numbers);
  if (operation.basis != decltype(operation.basis)::none)
    line.is("basis", static_cast<int>(operation.basis));
  if (std::string(line) != before) lines.push_back(line.is("task", task));
}

// The engine's world.

void tell(const sim::World& world, const sim::Id* state, std::uint8_t n, Lines& lines) {
  const sim::Node& node = world.node(state, n);
  const std::string of = fmt::format("node {}", n);
  Line line = told_node(of, node);
  line.flag("misses", node.misses);
  if (!node.is_master()) line.is("follows", node.follows);
  for (const auto& [name, gone] :
       {std::pair{"counts_gone", &node.counts_gone}, {"lists", &node.lists}})
    for (const unsigned server : listed(gone->servers))
      line.is(name, server).is("for", gone->left_ms.at(server));
  lines.push_back(line);
  const auto keyspace = [&](sim::Id id) -> const sim::Keyspace& {
    return world.tables().keyspace(id).value;
  };
  tell_keys(of, keyspace(node.keyspace), sim::kEpoch.ms, lines);
  const sim::Model& model = world.setting().model;
  if (model.persistence == sim::Persistence::rdb && !node.images.empty())
    tell_keys(of + " saved", keyspace(node.images[0].keyspace), sim::kEpoch.ms, lines);
  if (world.setting().volatile_ms == 0 ||
      left(world.run(state).budget, sim::Fault::power_loss) == 0)
    return;
  std::vector<Lines> images;
  add_image(images, of + " before", keyspace(node.keyspace), sim::kEpoch.ms);
  for (const sim::Image& image : node.images)
    add_image(images, of + " before", keyspace(image.keyspace), sim::kEpoch.ms);
  tell_images(images, lines);
}

void tell(const sim::World& world, const sim::Connection& connection, const std::string& of,
          Lines& lines) {
  const std::string on = name_of(of, connection, connection.shared());
  Line line = told_connection(on, connection, connection.link, connection.outlived);
  line.flag("listens", connection.subscribes).all("ahead", listed(connection.ahead_of));
  lines.push_back(line.is("session", encode(world.tables().session(connection.session).value)));
  for (const sim::Message& message : connection.messages) {
    Line shown = told_message(on, connection.open, message);
    shown.is("task", message.task).is("stage", static_cast<int>(message.stage));
    if (message.stage == sim::Stage::waiting) {
      tell_waiting(message, world.tables().request(message.request), shown);
      shown.flag("in_release", message.releases).flag("for_key", message.for_key);
      if (message.blocked && !message.blocked_for_ever) shown.is("left", message.blocked_ms);
    }
    if (message.stage == sim::Stage::answered) shown.flag("orphaned", message.doubtful);
    if (message.stage == sim::Stage::answered && connection.open)
      shown.is("reply", told(world.tables().reply(message.reply), connection.node));
    lines.push_back(shown);
  }
}

void tell_process(const sim::World& world, const sim::Process& process, Lines& lines) {
  const std::string of = fmt::format("process {}", process.index);
  Line line(of);
  line.is("life", static_cast<int>(process.life)).all("rounds", process.rounds);
  line.is("pause", process.pause_left_ms);
  line.all("unreached", listed(process.unreached)).all("unheard", listed(process.unheard));
  lines.push_back(line);
  std::vector<std::string> told_all;
  for (const auto& master : process.masters)
    if (world.setting().servers.replicas > 0)
      told_all.push_back(Line(of).is("master", master.known).is("newest", master.newest));
  for (const auto& instant : process.instants)
    if (world.setting().rate_of(process.index).parts() == 1)
      told_all.push_back(Line(of).flag("wall", instant.wall).is("age", instant.age));
  for (const auto& timer : process.timers)
    told_all.push_back(Line(of).is("timer of", timer.task).is("left", timer.left_ms));
  for (const auto& held : process.holdings)
    told_all.push_back(
        Line(of).is("holds", held.lock).is("task", held.task).flag("owned", held.owned));
  for (const auto& waiting : process.waiting)
    told_all.push_back(
        Line(of).is("waits", waiting.task).is("ms", waiting.ms).is("passed", waiting.overtaken));
  for (const auto& operation : process.operations)
    tell_operation(of, operation.task, operation, operation.succeeded, told_all);
  std::ranges::sort(told_all);
  lines.insert(lines.end(), told_all.begin(), told_all.end());
  for (const auto& connection : process.connections) tell(world, connection, of, lines);
}

// The naive explorer's.

void tell(const naive::Rules& rules, const naive::World& world, std::uint8_t n, bool replica_waits,
          Lines& lines) {
  const naive::Node& node = world.nodes[n];
  const std::string of = fmt::format("node {}", n);
  Line line = told_node(of, node);
  line.flag("misses", node.misses && replica_waits);
  if (node.follows) line.is("follows", *node.follows);
  for (const auto& [name, gone] :
       {std::pair{"counts_gone", &node.counts_gone}, {"lists", &node.lists}})
    for (const auto& [server, left_ms] : *gone) line.is(name, server).is("for", left_ms);
  lines.push_back(line);
  tell_keys(of, with_lifetimes(world, node, node.keyspace), 0, lines);
  const sim::Model& model = rules.model();
  if (model.persistence == sim::Persistence::rdb)
    tell_keys(of + " saved", with_lifetimes(world, node, node.saved), 0, lines);
  if (naive::writes_wait_ms(model.persistence) == 0 ||
      left(world.budget, sim::Fault::power_loss) == 0)
    return;
  std::vector<Lines> images;
  add_image(images, of + " before", with_lifetimes(world, node, node.keyspace), 0);
  for (const naive::Image& image : node.not_durable)
    add_image(images, of + " before", with_lifetimes(world, node, image.keyspace), 0);
  tell_images(images, lines);
}

void tell(const naive::Connection& connection, const std::string& of, Lines& lines) {
  const std::string on = name_of(of, connection, connection.shared);
  Line line = told_connection(on, connection, connection.line, connection.sent);
  line.flag("listens", connection.listens).all("ahead", connection.ahead);
  lines.push_back(line.is("session", encode(connection.session)));
  for (const naive::Message& message : connection.messages) {
    using State = naive::Message::State;
    Line shown = told_message(on, connection.open, message);
    shown.is("task", message.sender).is("stage", static_cast<int>(message.state));
    if (message.state == State::waiting) {
      tell_waiting(message, message.request, shown);
      shown.flag("in_release", message.in_release).flag("for_key", message.in_queue > 0);
      if (message.blocked_left_ms) shown.is("left", *message.blocked_left_ms);
    }
    if (message.state == State::answered) shown.flag("orphaned", message.orphaned);
    if (message.state == State::answered && connection.open)
      shown.is("reply", told(*message.reply, connection.node));
    lines.push_back(shown);
  }
}

void tell(const naive::World& world, std::size_t p, bool of_replicas, Lines& lines) {
  const naive::Process& process = world.processes[p];
  const std::string of = fmt::format("process {}", p);
  Line line(of);
  line.is("life", static_cast<int>(process.life)).all("rounds", process.rounds_begun);
  line.is("pause", process.pause_left_ms.value_or(0));
  line.all("unreached", process.unreached).all("unheard", process.unheard);
  lines.push_back(line);
  std::vector<std::string> told_all;
  for (std::size_t group = 0; group < world.newest.size(); ++group)
    if (of_replicas)
      told_all.push_back(
          Line(of).is("master", process.knows[group]).is("newest", world.newest[group]));
  for (const auto& instant : process.instants) {
    const std::int64_t shown =
        instant.wall ? wall_clock(world, process) : monotonic_clock(world, process);
    if (process.drift_ppm == 0)
      told_all.push_back(Line(of)
                             .flag("wall", instant.wall)
                             .is("age", (shown - instant.reading) / naive::kMillion));
  }
  for (const auto& [holding, held] : process.holdings)
    told_all.push_back(
        Line(of).is("holds", holding.second).is("task", holding.first).flag("owned", held.owned));
  for (const auto& [task, kept] : process.tasks) {
    if (kept.timer_ms) told_all.push_back(Line(of).is("timer of", task).is("left", *kept.timer_ms));
    if (kept.wait_ms)
      told_all.push_back(
          Line(of).is("waits", task).is("ms", *kept.wait_ms).is("passed", kept.times_passed));
    tell_operation(of, task, kept, kept.overtaken, told_all);
  }
  std::ranges::sort(told_all);
  lines.insert(lines.end(), told_all.begin(), told_all.end());
  for (const auto& connection : process.connections) tell(connection, of, lines);
}

}  // namespace

Lines told(const sim::World& world, const sim::Id* state, std::int64_t now_ms) {
  Lines lines;
  for (std::uint8_t n = 0; n < world.setting().nodes; ++n) tell(world, state, n, lines);
  for (std::uint8_t p = 0; p < world.setting().processes; ++p)
    tell_process(world, world.process(state, p), lines);
  lines.push_back(Line("run").all("budget", world.run(state).budget));
  const std::int64_t taken_ms = now_ms - world.run(state).now_ms;
  if (world.knowledge().absolute && taken_ms != 0)
    for (std::string& line : lines)
      if (line.find(" random=") == std::string::npos) line = sim::sooner(line, -taken_ms);
  return lines;
}

Lines told(const naive::Rules& rules, const naive::World& world, bool replica_waits) {
  Lines lines;
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) tell(rules, world, n, replica_waits, lines);
  for (std::size_t p = 0; p < world.processes.size(); ++p)
    tell(world, p, rules.model().processes[p].replicas > 0, lines);
  lines.push_back(Line("run").all("budget", world.budget));
  return lines;
}

std::string first_difference(const Lines& engine, const Lines& naive) {
  const std::size_t most = std::max(engine.size(), naive.size());
  const auto at = [](const Lines& lines, std::size_t i) {
    return i < lines.size() ? lines[i] : "nothing";
  };
  for (std::size_t i = 0; i < most; ++i)
    if (at(engine, i) != at(naive, i))
      return fmt::format("engine: {}\nnaive:  {}", at(engine, i), at(naive, i));
  return "";
}

}  // namespace lockstep::test
