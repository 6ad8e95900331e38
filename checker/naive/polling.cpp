// Who asks the same again and again, so that time passes meanwhile: section 4 of docs/semantics.md.
#include <algorithm>
#include <map>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/token.hpp"
#include "sim/redis/commands/unknown.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Keyspace;
using sim::Request;

namespace {

std::string slots_word(sim::Slots slots) {
  switch (slots) {
    case sim::Slots::own:
      return "";
    case sim::Slots::migrating:
      return "migrating ";
    case sim::Slots::importing:
      return "importing ";
    case sim::Slots::elsewhere:
      return "elsewhere ";
  }
  return "";
}

}  // namespace

/// The same request for every token of the process, on the way of one connection.
Request normalised(const Message& message, const Connection& connection, std::uint8_t p) {
  const Request& request = message.request;
  Request same{std::to_string(connection.node)};
  if (message.asking) same[0] += " asking";
  if (connection.sent_for != connection.node)
    same[0] += " for " + std::to_string(connection.sent_for);
  for (const std::string& argument : request) {
    same.push_back(sim::rename_tokens(argument, [p](sim::Token token) {
      return token.process == p ? sim::Token{p, 1} : token;
    }));
  }
  return same;
}

/// What a node stores, every token of the process alike, and whether it may be written to.
std::string Rules::stored(const World& world, std::uint8_t node, std::uint8_t p) const {
  const Keyspace keyspace = with_lifetimes(world, world.nodes[node], world.nodes[node].keyspace);
  std::string role = world.nodes[node].follows ? "replica " : "";
  if (world.nodes[node].full) role += "full ";
  if (world.nodes[node].is_reading()) role += "loading ";
  if (few_replicas(world, node)) role += "few ";
  role += slots_word(world.nodes[node].slots);
  return role + sim::rename_tokens(encode(keyspace), [p](sim::Token token) {
           return token.process == p ? sim::Token{p, 1} : token;
         });
}

/// Whether the message that `execute` would execute asks what its task has been answered at this
/// instant, tokens apart, by a node that stored what it stores now, and holds up no other message.
bool Rules::polling(const World& world, std::uint8_t p, const Connection& connection) const {
  const std::optional<std::size_t> place = executable(world, connection);
  if (!place || connection.messages[*place].blocked || !remembers_stored_) return false;
  if (!connection.open || connection.former || connection.messages[*place].unheard ||
      world.processes[p].life != Life::up || *place + 1 != connection.messages.size())
    return false;
  const auto task = world.processes[p].tasks.find(connection.messages[*place].sender);
  if (task == world.processes[p].tasks.end()) return false;
  if (connection.node == sim::kResource || task->second.answered.empty()) return false;
  const Request request = normalised(connection.messages[*place], connection, p);
  return task->second.answered.contains({request, stored(world, connection.node, p)});
}

/// Whether time may pass before what is next on the connection. A request that was made of what a
/// clock showed must not be late, so that of those its answer waits. (A probe does not look whether
/// its client comes back.)
bool Rules::waits_for_time(const World& world, std::uint8_t p, std::uint8_t c, bool of_any_client) {
  const Connection& connection = world.processes[p].connections[c];
  if (connection.messages.empty() || world.processes[p].life != Life::up) return false;
  const Message& last = connection.messages.back();
  if (last.state == Message::State::broken) return false;
  const bool idle = last.state == Message::State::answered;
  const Process& process = world.processes[p];
  if ((idle ? process.unheard : process.unreached).contains(connection.node)) return false;
  if (idle) {
    const bool may = connection.messages.size() == 1 && last.idle;
    return may && (expected_.clocks || of_any_client) && (alone_ || comes_back(world, p, c, true));
  }
  const bool at_once = expected_.clocks && sim::may_write(last.request) && !of_any_client;
  return !at_once && polling(world, p, connection) && (alone_ || comes_back(world, p, c, false));
}

namespace {

/// What a task asks, and where it stands with that.
struct Asking {
  sim::TaskId task = 0;
  std::uint8_t node = 0;
  std::string round;         ///< where its process was at a boundary last, tokens apart
  std::size_t observed = 0;  ///< since then
  Request request;
  std::string stored;
  friend bool operator==(const Asking&, const Asking&) = default;
};

bool asks(const Connection& connection, sim::TaskId task, std::uint8_t node) {
  return connection.open && !connection.former && connection.node == node &&
         !connection.messages.empty() && connection.messages.back().sender == task;
}

}  // namespace

/// Follows one client at this instant, until it asks what it asked, from where it did.
class Rules::WayBack {
 public:
  WayBack(Rules& rules, std::uint8_t p) : rules_(rules), p_(p) {
    rules_.alone_ = rules_.following_ = true;
  }
  ~WayBack() {
    rules_.alone_ = before_;
    rules_.following_ = false;
  }
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;

  /// Whether it comes there as often as that.
  bool leads_back(const World& world, const Connection& from, int times) {
    start_ = asking(world, from);
    return goes_round(world, times);
  }

 private:
  Asking asking(const World& world, const Connection& connection) const {
    const Process& process = world.processes[p_];
    const Message& message = connection.messages.back();
    return {message.sender,
            connection.node,
            sim::rename_tokens(process.round,
                               [](sim::Token t) {
                                 return sim::Token{t.process, 1};
                               }),
            process.history.size() - process.before_round,
            normalised(message, connection, p_),
            rules_.stored(world, connection.node, p_)};
  }

  bool stands_there(const World& world) const {
    const auto& connections = world.processes[p_].connections;
    return std::any_of(connections.begin(), connections.end(), [&](const Connection& connection) {
      return asks(connection, start_.task, start_.node) &&
             connection.messages.back().state == Message::State::waiting &&
             asking(world, connection) == start_;
    });
  }

  /// The next thing that its task does by itself.
  std::optional<Action> next(const World& world) const {
    for (const Action& action : rules_.enabled(world)) {
      if (action.process != p_) continue;
      const bool its_own = action.kind == Action::Kind::run || action.kind == Action::Kind::timer;
      if (its_own && action.task == start_.task) return action;
      if (action.kind != Action::Kind::execute && action.kind != Action::Kind::deliver) continue;
      const Connection& connection = world.processes[p_].connections[action.connection];
      if (asks(connection, start_.task, connection.node)) return action;
    }
    return {};
  }

  bool goes_round(const World& world, int times) {
    const std::optional<Action> action = next(world);
    return action && goes_on(world, *action, times);
  }

  /// However choose() turns out.
  bool goes_on(const World& world, const Action& action, int times) {
    static constexpr int kMostSteps = 40;
    if (++steps_ > kMostSteps) return false;
    World then = world;
    Facts facts;
    const bool executes = action.kind == Action::Kind::execute;
    executes ? rules_.execute(then, action, facts) : rules_.step(then, action, facts);
    if (std::ranges::any_of(then.nodes, [](const Node& node) { return !node.came.empty(); }))
      return false;             // somebody else comes first
    rules_.mirror(then, true);  // it may ask a replica for what it has written
    for (int choice = 1; choice <= facts.choices_missing; ++choice) {
      Action chosen = action;
      chosen.choices.push_back(static_cast<std::uint8_t>(choice));
      if (goes_on(world, chosen, times)) return true;
    }
    if (facts.choices_missing > 0) return false;
    if (!executes && stands_there(then) && --times == 0) return true;
    return goes_round(then, times);
  }

  Rules& rules_;
  std::uint8_t p_;
  bool before_ = rules_.alone_;
  Asking start_;
  int steps_ = 0;
};

/// Whether hearing the answer leads the client to where it is now. An answer that it has not heard
/// yet (`idle`) may be an old one: what it hears next must then be the same.
bool Rules::comes_back(const World& world, std::uint8_t p, std::uint8_t c, bool idle) {
  return WayBack(*this, p).leads_back(world, world.processes[p].connections[c], idle ? 2 : 1);
}

/// What is asked again and again leads its client elsewhere at this time from now, if before
/// `at_most_ms`.
std::int64_t Rules::till_heard_otherwise_ms(const World& world, std::uint8_t p, std::uint8_t c,
                                            std::int64_t at_most_ms) {
  const std::set<std::int64_t> ahead = deadlines(world);  // nothing turns after the last
  const std::int64_t last_ms = ahead.empty() ? 0 : rounded_up(*ahead.rbegin());
  const bool idle =
      world.processes[p].connections[c].messages.back().state == Message::State::answered;
  for (std::int64_t ms = model_.tick_ms; ms < at_most_ms && ms <= last_ms; ms += model_.tick_ms) {
    World later = world;
    Facts ignored;
    pass(later, ms, ignored);
    if (!comes_back(later, p, c, idle)) return ms;
  }
  return at_most_ms;
}

/// Who asks again and again has, when the pass ends, asked just now.
void Rules::pass_for_clients(World& world, std::int64_t ms, Facts& facts) {
  std::map<std::pair<std::size_t, sim::TaskId>, std::optional<std::int64_t>> timers;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    for (std::size_t c = 0; c < process.connections.size(); ++c) {
      if (!waits_for_time(world, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(c), true))
        continue;
      const sim::TaskId task = process.connections[c].messages.back().sender;
      timers[{p, task}] = process.tasks.at(task).timer_ms;
    }
  }
  pass(world, ms, facts);
  for (const auto& [whose, timer_ms] : timers)
    world.processes[whose.first].tasks.at(whose.second).timer_ms = timer_ms;
}

}  // namespace lockstep::checker::naive
