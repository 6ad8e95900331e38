// See the header.
#include "checker/trace/event.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "checker/naive/clocks.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker {

using naive::Connection;
using naive::Message;

std::string ms(std::int64_t amount) { return std::to_string(amount) + " ms"; }

std::string node_name(const Event& event, std::uint8_t node) {
  if (node == sim::kResource) return "resource";
  return sim::server_name(node, event.before.nodes.size());
}

const Connection& connection_of(const Event& event) {
  return event.before.processes[event.action.process].connections[event.action.connection];
}

std::vector<sim::ArgumentText> words_to(const Event& event, const sim::Request& request,
                                        std::uint8_t node) {
  if (node == sim::kResource) return sim::words_for_resource(request);
  return sim::argument_texts(request, *event.rules.model().program,
                             event.after.nodes[node].keyspace.scripts);
}

std::string worded_to(const Event& event, const sim::Request& request, std::uint8_t node) {
  return sim::printed(words_to(event, request, node));
}

const Message& executed(const Event& event) {
  const auto& messages = connection_of(event).messages;
  const auto message = std::find_if(messages.begin(), messages.end(), [](const Message& m) {
    return m.state == Message::State::waiting;
  });
  LOCKSTEP_CHECK(message != messages.end());
  return *message;
}

sim::VisibleKey visible(const Event& event, const naive::Node& node, const sim::Entry& entry) {
  sim::VisibleKey key{sim::visible(entry), std::nullopt};
  if (entry.expires) key.left_ms = naive::lifetime_left(event.after, node, entry).ms;
  return key;
}

const std::pair<const std::pair<std::uint8_t, std::string>, bool>& unnoticed(const Event& event) {
  const auto& keys = event.before.nodes[event.action.node].keyspace.unnoticed;
  return *std::next(keys.begin(), event.action.key);
}

bool by_time(const Event& event) {
  return event.action.kind == sim::Action::Kind::pass ||
         event.action.kind == sim::Action::Kind::jump_node;
}

std::vector<naive::Successor> successors_at_deadlines(naive::Rules& rules,
                                                      const naive::World& world) {
  std::vector<sim::Action> actions = rules.enabled(world);
  const std::int64_t furthest_ms = rules.furthest_pass(world);
  std::set<std::int64_t> times = rules.deadlines(world);
  if (furthest_ms > 0) times.insert(furthest_ms);
  for (const std::int64_t time_ms : times) {
    if (time_ms > furthest_ms) break;
    actions.emplace_back();
    actions.back().kind = sim::Action::Kind::pass;
    actions.back().amount_ms = time_ms;
  }
  std::vector<naive::Successor> all;
  for (const sim::Action& action : actions)
    for (naive::Successor& successor : rules.successors(world, action))
      all.push_back(std::move(successor));
  return all;
}

}  // namespace lockstep::checker
