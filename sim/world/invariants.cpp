// See the header.
#include "sim/world/invariants.hpp"

#include "sim/base/spelling.hpp"
#include "sim/client/program.hpp"
#include "sim/client/view.hpp"
#include "sim/model/invariants.hpp"
#include "sim/model/world_view.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::sim {

bool Invariants::broken(const Id* state) {
  std::vector<Id> parts;
  for (unsigned p = 0; p < setting_.processes; ++p) parts.push_back(view_of_process(state[p]));
  for (unsigned n = 0; n < setting_.nodes; ++n)
    parts.push_back(view_of_node(state[setting_.node_slot(n)]));
  if (const auto known = judged_.find(parts); known != judged_.end()) return known->second;
  std::vector<std::string> clients, nodes;
  for (const Id part : parts)
    (clients.size() < setting_.processes ? clients : nodes).push_back(views_[part]);
  const std::string world = world_view(nodes, clients);
  const bool broken = broken_invariant(setting_.model, world).has_value();
  note_token_order(world, broken);
  note_numbers(world, parts);
  note_keys(world, nodes, clients);
  judged_.emplace(std::move(parts), broken);
  return broken;
}

/// Whether they come out otherwise if tokens stand in another order.
void Invariants::note_token_order(const std::string& world, bool broken) {
  for (unsigned which = 0; which < Spelling::kPair && !setting_.orders_tokens; ++which) {
    Spelling spelling(which);
    const std::string other = spelling.of(world);
    if (!spelling.any()) return;
    setting_.orders_tokens = broken_invariant(setting_.model, other).has_value() != broken;
  }
}

/// Whether they look at numbers that clients keep, or that stand in keys.
void Invariants::note_numbers(const std::string& world, const std::vector<Id>& parts) {
  if (setting_.judges_numbers) return;
  std::vector<std::string> other_clients, other_nodes;
  for (const Id part : parts)
    (other_clients.size() < setting_.processes ? other_clients : other_nodes)
        .push_back(varied_.at(part));
  setting_.judges_numbers =
      invariants_compare(setting_.model, world) !=
      invariants_compare(setting_.model, world_view(other_nodes, other_clients));
}

/// Whether they look at what nodes store, which a replica may show for longer than is told here.
void Invariants::note_keys(const std::string& world, const std::vector<std::string>& nodes,
                           const std::vector<std::string>& clients) {
  if (setting_.judges_keys || setting_.servers.replicas == 0) return;
  for (std::size_t n = 0; n < nodes.size() && !setting_.judges_keys; ++n) {
    std::vector<std::string> others = nodes;
    others[n] = node_view(true, {});
    const std::string other = world_view(others, clients);
    setting_.judges_keys =
        broken_invariant(setting_.model, other) != broken_invariant(setting_.model, world) ||
        invariants_compare(setting_.model, other) != invariants_compare(setting_.model, world);
  }
}

Id Invariants::intern(std::string view) {
  return views_.intern(std::string(view), [&] { return std::move(view); });
}

Id Invariants::view_of_process(Id id) {
  return process_views_.find_or_add(id, 0, [&] {
    const Process& process = processes_.info(id).value;
    ClientView view;
    view.process = process.index;
    view.life = process.life == Life::up ? "up" : process.life == Life::paused ? "paused" : "dead";
    for (const auto& holding : process.holdings)
      ++(has(setting_.shared, holding.lock) ? view.shares
                                            : view.holds)[setting_.locks[holding.lock]];
    if (process.life != Life::dead) {
      const ProgramState& program = processes_.automaton().state(process.program);
      view.belief = setting_.model.program->belief(setting_.setups[program.setup], program.snapshot,
                                                   program.path);
    }
    const Id plain = intern(client_view(view));
    view.belief = with_other_numbers(view.belief, process.index);
    varied_.emplace(plain, client_view(view));
    return plain;
  });
}

Id Invariants::view_of_node(Id id) {
  return node_views_.find_or_add(id, 0, [&] {
    const Node& node = nodes_.info(id).value;
    const Id plain = intern(node_view(node.up, tables_.keyspace(node.keyspace).value));
    varied_.emplace(plain, with_other_numbers(views_[plain], kMaxProcesses));
    return plain;
  });
}

}  // namespace lockstep::sim
