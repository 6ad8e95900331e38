// See the header.
#include "checker/trace/event.hpp"

#include <algorithm>
#include <set>

#include "checker/trace/wording.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"

namespace lockstep::checker {

using naive::Connection;
using naive::Message;

std::string ms(std::int64_t amount) { return std::to_string(amount) + " ms"; }

std::string node_name(const Event& event, std::uint8_t node) {
  if (node == sim::kResource) return "resource";
  return event.before.nodes.size() == 1 ? "redis" : "redis " + std::to_string(node + 1);
}

std::string lock_name(const Event& event, std::uint8_t process, std::uint8_t lock) {
  std::set<std::string> keys;
  for (const sim::ProcessSetup& setup : event.rules.model().processes) {
    keys.insert(setup.lock_keys.begin(), setup.lock_keys.end());
  }
  if (keys.size() == 1) return "the lock";
  return "the lock " + worded_value(event.rules.model().processes[process].lock_keys[lock]);
}

const Connection& connection_of(const Event& event) {
  return event.before.processes[event.action.process].connections[event.action.connection];
}

std::string worded_to(const Event& event, const sim::Request& request, std::uint8_t node) {
  if (node == sim::kResource) return worded_for_resource(request);
  return worded(request, *event.rules.model().program, event.after.nodes[node].keyspace);
}

const Message& executed(const Event& event) {
  const auto& messages = connection_of(event).messages;
  const auto message = std::find_if(messages.begin(), messages.end(), [](const Message& m) {
    return m.state == Message::State::waiting;
  });
  LOCKSTEP_CHECK(message != messages.end());
  return *message;
}

}  // namespace lockstep::checker
