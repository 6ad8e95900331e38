// See the header.
#include "checker/trace/event.hpp"

#include <algorithm>

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

bool by_time(const Event& event) {
  return event.action.kind == sim::Action::Kind::pass ||
         event.action.kind == sim::Action::Kind::jump_node;
}

}  // namespace lockstep::checker
