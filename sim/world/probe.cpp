// The deadlock probe: a fresh client, alone and without faults, tries to acquire until it can or
// nothing changes any more.
#include <algorithm>
#include <set>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

/// The probe's little world: the nodes and one more process, whose ids never meet the search's
/// states.
struct World::Probe {
  World& world;
  std::vector<Id> nodes;
  Id run = 0;
  std::uint32_t setup = 0;
  Process process;
  std::int64_t patience_ms = 0;  ///< absolute runs: what may still pass with no deadline ahead

  void begin() {
    process.index = static_cast<std::uint8_t>(world.processes_);
    process.rounds = {0};
    process.program = world.automaton_.initial(setup, process.rounds);
  }
  void begin_again() { process.rounds = {0}; }

  /// Of the nodes; 0 if nothing lies ahead.
  std::int64_t next_deadline() const {
    std::int64_t next = 0;
    for (const Id node : nodes)
      for (const std::int64_t deadline : world.node_infos_[node].deadlines)
        if (next == 0 || deadline < next) next = deadline;
    return next;
  }

  void pass(std::int64_t ms) {
    process = world.process_infos_[world.aged_process(world.intern(process), ms)].value;
    for (Id& node : nodes) node = world.aged_node(node, ms);
    if (world.knowledge_.absolute) run = world.aged_run(run, ms);
  }

  /// Waits for `ms`, or until the node's next deadline; 0: for nothing in particular. False if
  /// nothing can change any more.
  bool wait(std::int64_t ms) {
    const std::int64_t deadline = next_deadline();
    if (deadline != 0) {
      pass(ms == 0 ? deadline : std::min(ms, deadline));
      return true;
    }
    if (!world.knowledge_.absolute) {
      if (ms != 0) pass(ms);
      return ms != 0;
    }
    if (patience_ms <= 0) return false;
    const std::int64_t passing = ms == 0 ? patience_ms : ms;
    patience_ms -= passing;
    pass(passing);
    return true;
  }

  /// A request that polls: it is executed when no time can pass.
  static const LocalAction* polling_action(const ProcessInfo& info) {
    for (const auto& action : info.actions)
      if (action.polling) return &action;
    return nullptr;
  }

  /// What happens next: an urgent action, else a new attempt; nothing while it polls or sleeps.
  static const LocalAction* next_action(const ProcessInfo& info) {
    const LocalAction* next = nullptr;
    for (const auto& action : info.actions) {
      const bool possible = action.urgent || action.kind == Action::Kind::begin;
      if (possible && !action.polling && (next == nullptr || (!next->urgent && action.urgent)))
        next = &action;
    }
    return next;
  }

  /// A former attempt's token may still be somewhere.
  std::uint16_t used_tokens() {
    std::uint16_t used = 0;
    const auto mark = [&](const std::vector<Token>& tokens) {
      for (const Token token : tokens)
        if (token.process == process.index)
          used |= static_cast<std::uint16_t>(1U << (token.number - 1U));
    };
    for (const Id node : nodes) mark(world.node_infos_[node].tokens);
    mark(world.process_infos_[world.intern(process)].tokens);
    return used;
  }

  void execute(const LocalAction& action) {
    Connection& connection = process.connections[action.index];
    const int place = Process::executable(connection);
    LOCKSTEP_CHECK(place >= 0);
    Message& message = connection.messages[static_cast<std::size_t>(place)];
    message.stage = Stage::answered;
    if (connection.node == kResource) {
      message.reply = world.intern_reply(Reply::ok());
      return;
    }
    Id& at = nodes[connection.node];
    Node node = world.node_infos_[at].value;
    const Command command =
        world.run_command(node.keyspace, message.request, static_cast<Maker>(world.processes_ + 1),
                          world.node_clock(at, run));
    message.reply = command.reply;
    node.keyspace = command.keyspace;
    at = world.intern(node);
    if (!connection.open) {  // its task has given it up: nobody hears the answer
      connection.messages.erase(connection.messages.begin() + place);
      process.drop_empty_connections();
    }
  }

  /// Any other action; of choose(n) the probe always takes the first. Returns whether it acquired.
  bool act(const LocalAction& action) {
    std::vector<std::uint8_t> choices;
    for (;;) {
      StepContext context;
      context.choices = choices;
      context.now_ms = world.run_infos_[run].value.now_ms;
      context.used_tokens = used_tokens();
      Process after = process;
      world.act(after, action, context);
      if (context.open_choice == 0) {
        process = std::move(after);
        return (context.flags & kAcquired) != 0;
      }
      choices.push_back(1);
    }
  }
};

/// Long enough for every timestamp that a clock which is right can have written (semantics.md, 5).
std::int64_t World::patience_ms() const {
  std::int64_t lease = 0;
  for (const auto& process : model_.processes) lease = std::max(lease, process.lease_ms);
  std::int64_t sum = lease + model_.request_timeout_ms;
  for (const std::int64_t literal : model_.program->literals()) sum += literal;
  return rounded(sum) + model_.tick_ms;
}

bool World::probe(std::vector<Id> nodes, Id run, std::uint32_t setup) {
  constexpr unsigned kMaxSteps = 100'000;
  Probe probe{*this, std::move(nodes), run, setup, {}, patience_ms()};
  probe.begin();
  std::set<std::vector<Id>>
      seen;  // the probe has no choice: meeting a world again, it never acquires
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    const Id id = intern(probe.process);
    const ProcessInfo& info = process_infos_[id];
    std::vector<Id> met = probe.nodes;
    met.insert(met.end(), {id, probe.run});
    if (!seen.insert(std::move(met)).second) return false;
    const auto& rounds = info.value.rounds;
    const bool ended =
        (info.rest & kQuiet) != 0 && !rounds.empty() && rounds[0] > 0;  // refused or failed
    const LocalAction* next = Probe::next_action(info);
    if (ended) {
      if (!probe.wait(0)) return false;
      probe.begin_again();
    } else if (next == nullptr) {
      if (probe.wait(info.deadlines.empty() ? 0 : info.deadlines.front())) continue;
      const LocalAction* polling = Probe::polling_action(info);
      if (polling == nullptr) return false;
      probe.execute(*polling);
    } else if (next->kind == Action::Kind::execute) {
      probe.execute(*next);
    } else if (probe.act(*next)) {
      return true;
    }
  }
  throw BadInput(model_.program->folder().string() +
                 "/protocol.lua: a lone client that tries to acquire has not come to an end after "
                 "100000 steps");
}

}  // namespace lockstep::sim
