// The deadlock probe: a fresh client, alone and without faults, tries to acquire until it can or
// nothing changes any more.
#include <algorithm>
#include <set>

#include "sim/check.hpp"
#include "sim/error.hpp"
#include "sim/world.hpp"

namespace lockstep::sim {

bool World::probe(std::vector<Id> nodes, Id run, std::uint32_t setup) {
  // The probe is one more process of a world of its own: its ids never meet the search's states.
  constexpr unsigned kMaxSteps = 100'000;
  const auto next_deadline = [&] {
    std::int64_t next = 0;
    for (const Id node : nodes)
      for (const std::int64_t deadline : node_infos_[node].deadlines)
        if (next == 0 || deadline < next) next = deadline;
    return next;
  };
  Process process;
  process.index = static_cast<std::uint8_t>(processes_);
  const auto begin_again = [&] {
    process = Process{};
    process.index = static_cast<std::uint8_t>(processes_);
    process.rounds = {0};
    process.program = automaton_.initial(setup, process.rounds);
  };
  const auto pass = [&](std::int64_t ms) {
    process = process_infos_[aged_process(intern(process), ms)].value;
    for (Id& node : nodes) node = aged_node(node, ms);
    if (knowledge_.absolute) run = aged_run(run, ms);
  };
  begin_again();
  std::set<std::vector<Id>>
      seen;  // worlds without a deadline of the nodes ahead: meeting one again is a deadlock
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    const Id id = intern(process);
    const std::int64_t deadline = next_deadline();
    if (deadline == 0) {
      std::vector<Id> world = nodes;
      world.push_back(id);
      if (!seen.insert(std::move(world)).second) return false;
    }
    const ProcessInfo& info = process_infos_[id];
    const LocalAction* next =
        nullptr;  // what happens next: an urgent action, else polling, else a new attempt
    for (const auto& action : info.actions) {
      const bool possible = action.urgent || action.kind == Action::Kind::begin;
      if (possible && !action.polling && (next == nullptr || (!next->urgent && action.urgent)))
        next = &action;
    }
    const bool ended = info.quiet && !process.rounds.empty() && process.rounds[0] > 0;
    if (ended) {  // refused or failed
      if (deadline == 0) return false;
      pass(deadline);
      begin_again();
      continue;
    }
    if (next == nullptr) {  // polling or asleep
      const std::int64_t timer = info.deadlines.empty() ? 0 : info.deadlines.front();
      const std::int64_t ms = timer == 0 || (deadline != 0 && deadline < timer) ? deadline : timer;
      if (ms == 0) return false;
      pass(ms);
      continue;
    }
    StepContext context;
    if (next->kind == Action::Kind::execute) {
      Connection& connection = process.connections[next->index];
      Message& message =
          connection.messages[static_cast<std::size_t>(Process::executable(connection))];
      message.stage = Stage::answered;
      if (connection.node == kResource) {
        message.reply = intern_reply(Reply::ok());
      } else {
        const Command command = run_command(node_infos_[nodes[connection.node]].value.keyspace,
                                            message.request, static_cast<Maker>(processes_ + 1),
                                            node_clock(nodes[connection.node], run));
        message.reply = command.reply;
        Node node = node_infos_[nodes[connection.node]].value;
        node.keyspace = command.keyspace;
        nodes[connection.node] = intern(node);
      }
      continue;
    }
    const LocalAction action = *next;
    for (;;) {  // choose(n): the probe always takes the first
      StepContext attempt;
      attempt.choices = context.choices;
      attempt.now_ms = run_infos_[run].value.now_ms;
      Process after = process;
      act(after, action, attempt);
      if (attempt.open_choice > 0) {
        context.choices.push_back(1);
        continue;
      }
      if ((attempt.flags & kAcquired) != 0) return true;
      process = after;
      break;
    }
  }
  throw BadInput(model_.program->folder().string() +
                 "/protocol.lua: a lone client that tries to acquire has not come to an end after "
                 "100000 steps");
}

}  // namespace lockstep::sim
