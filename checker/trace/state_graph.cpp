// See the header.
#include "checker/trace/state_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "checker/naive/rules.hpp"
#include "checker/trace/event.hpp"
#include "checker/trace/teller.hpp"
#include "sim/base/token.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::checker {

namespace {

using naive::World;

/// What a task of the workload is at, in a word.
std::string whereabouts(const naive::Process& process, const sim::Wait& wait) {
  const bool inside = std::ranges::any_of(
      process.holdings, [&](const auto& held) { return held.first.first == wait.task; });
  if (wait.kind == sim::Wait::Kind::idle) return "idle";
  if (wait.kind == sim::Wait::Kind::done) return "done";
  if (wait.in_acquire) return inside ? "inside, acquires" : "acquires";
  if (wait.in_operation) return "releases";
  return inside ? "inside" : "outside";
}

std::vector<std::string> lines_of(const Event& event) {
  std::vector<std::string> lines;
  for (std::uint8_t p = 0; p < event.after.processes.size(); ++p) {
    const naive::Process& process = event.after.processes[p];
    std::string text;
    for (const sim::Wait& wait : process.waits)
      if (wait.task < process.rounds_begun.size())
        text += (text.empty() ? "" : " / ") + whereabouts(process, wait);
    if (process.life == naive::Life::dead) text = "dead";
    if (process.life == naive::Life::paused) text += ", paused";
    lines.push_back(sim::process_name(p) + " " + text);
  }
  for (std::uint8_t n = 0; n < event.after.nodes.size(); ++n) {
    const naive::Node& node = event.after.nodes[n];
    const std::string name = event.after.nodes.size() == 1 ? "" : node_name(event, n) + ": ";
    if (!node.up) lines.push_back(node_name(event, n) + " is down");
    for (const auto& [key, entry] : node.keyspace.keys)
      lines.push_back(name + sim::worded_key(key, visible(event, node, entry)));
  }
  return lines;
}

std::string told(const Event& event) {
  if (event.action.kind == sim::Action::Kind::pass) return ms(event.action.amount_ms) + " pass";
  return in_one_line(tell_step(event));
}

}  // namespace

bool StateGraph::complete() const { return std::ranges::none_of(states, &State::open); }

StateGraph state_graph(const sim::Model& model, std::size_t most) {
  naive::Rules rules(model, naive::Memory::boundary);
  StateGraph graph;
  std::vector<World> worlds{rules.initial()};
  std::map<std::string, std::size_t> known{{naive::identity_but_token_names(worlds[0]), 0}};
  graph.states.push_back({lines_of({rules, worlds[0], {}, worlds[0], {}}), 0, {}, false});
  for (std::size_t from = 0; from < worlds.size(); ++from) {
    if (graph.states[from].violated) continue;
    const World here = worlds[from];
    for (const naive::Successor& successor : successors_at_deadlines(rules, here)) {
      const Event event{rules, here, successor.action, successor.world, successor.facts};
      const auto& violation = successor.facts.violation;
      std::string name = naive::identity_but_token_names(successor.world);
      if (violation) name += std::string("violates ") + sim::name(violation->property);
      const auto place = known.find(name);
      if (place == known.end() && worlds.size() == most) {
        graph.states[from].open = true;
        continue;
      }
      const std::size_t to = place == known.end() ? worlds.size() : place->second;
      if (place == known.end()) {
        known.emplace(std::move(name), to);
        worlds.push_back(successor.world);
        graph.states.push_back({lines_of(event), graph.states[from].depth + 1, {}, false});
        if (violation) graph.states.back().violated = violation->property;
      }
      graph.steps.push_back({from, to, told(event), sim::is_fault(successor.action.kind)});
    }
  }
  return graph;
}

}  // namespace lockstep::checker
