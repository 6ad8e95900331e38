// The lines below a sentence; see the header.
#include "checker/trace/changes.hpp"

#include <algorithm>

#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::checker {

using naive::Connection;
using naive::Message;
using naive::Node;
using naive::Process;
using sim::Action;
using sim::Effect;

namespace {

/// What a promoted replica has not got of its master's.
void tell_lacking(const Event& event, std::vector<std::string>& changes) {
  if (event.action.kind != Action::Kind::failover) return;
  const Node& replica = event.before.nodes[event.action.node];
  const Node& master = event.before.nodes[replica.follows.value_or(event.action.node)];
  for (const auto& [key, entry] : master.keyspace.keys) {
    const auto has = replica.keyspace.keys.find(key);
    const sim::VisibleKey seen = visible(event, master, entry);
    if (has == replica.keyspace.keys.end() || has->second.value != entry.value)
      changes.push_back(node_name(event, event.action.node) + " has not got " +
                        sim::worded_key(key, seen));
  }
  for (const auto& [key, entry] : replica.keyspace.keys)
    if (!master.keyspace.keys.contains(key))
      changes.push_back(node_name(event, event.action.node) + " still has " +
                        sim::worded_key(key, visible(event, replica, entry)));
}

void tell_keys(const Event& event, std::size_t n, std::vector<std::string>& changes) {
  const Node& before = event.before.nodes[n];
  const Node& after = event.after.nodes[n];
  const std::string where =
      event.before.nodes.size() == 1 ? "" : node_name(event, static_cast<std::uint8_t>(n)) + ": ";
  for (const auto& [key, entry] : after.keyspace.keys) {
    const auto was = before.keyspace.keys.find(key);
    const bool known = was != before.keyspace.keys.end();
    const sim::VisibleKey seen = visible(event, after, entry);
    // A crash makes keys nobody's; any other new maker has written the key again.
    const bool rewritten = known && entry.maker != was->second.maker && entry.maker != 0;
    if (!known || rewritten || was->second.value != entry.value) {
      changes.push_back(where + sim::worded_key(key, seen));
    } else if (was->second.expires != entry.expires ||
               (event.action.kind == Action::Kind::jump_node && event.action.node == n &&
                entry.expires)) {
      changes.push_back(where + sim::worded_value(key) + " now " + (entry.expires ? "" : "stays ") +
                        sim::worded_expiry(seen.left_ms));
    }
  }
  for (const auto& [key, entry] : before.keyspace.keys) {
    if (after.keyspace.keys.contains(key)) continue;
    changes.push_back(where + sim::worded_value(key) +
                      (by_time(event) ? " has expired" : " is gone"));
  }
}

bool has_basis(const Process& process, naive::Basis basis) {
  return std::any_of(process.tasks.begin(), process.tasks.end(),
                     [&](const auto& task) { return task.second.basis == basis; });
}

void tell_resource(const Event& event, std::vector<std::string>& changes) {
  if (event.action.kind != Action::Kind::execute) return;
  if (connection_of(event).node != sim::kResource) return;
  if (executed(event).request[0] == "WRITE") {
    changes.push_back(sim::process_name(event.action.process) + "'s write is " +
                      (event.facts.reply->is_error() ? "rejected" : "accepted"));
  }
  const std::string& lock = executed(event).request.at(2);
  if (event.after.highest_token != event.before.highest_token) {
    changes.push_back("the highest fencing token seen is now " +
                      std::to_string(event.after.highest_token.at(lock)));
  }
  for (std::size_t p = 0; p < event.after.processes.size(); ++p) {
    const bool was = has_basis(event.before.processes[p], naive::Basis::stale);
    if (was || !has_basis(event.after.processes[p], naive::Basis::stale)) continue;
    changes.push_back("what " + sim::process_name(static_cast<unsigned>(p)) +
                      " has read is out of date");
  }
}

void tell_processes(const Event& event, std::vector<std::string>& changes) {
  const std::uint8_t p = event.action.process;
  const Process& after = event.after.processes[p];
  const auto said = [&](Effect::Kind kind) {
    return std::any_of(event.facts.effects.begin(), event.facts.effects.end(),
                       [&](const Effect& effect) { return effect.kind == kind; });
  };
  const bool left = !event.before.processes[p].holdings.empty() && after.holdings.empty();
  if (left && !said(Effect::Kind::releasing) && !said(Effect::Kind::lost)) {
    changes.push_back(sim::process_name(p) + " is no longer in the critical section");
  }
  if (event.action.kind == Action::Kind::jump_process ||
      event.action.kind == Action::Kind::jump_within) {
    const std::int64_t offset_ms = after.offset.ms;
    changes.push_back(offset_ms < 0 ? "its wall clock is " + ms(-offset_ms) + " slow"
                                    : "its wall clock is " + ms(offset_ms) + " fast");
  }
}

void tell_lost_requests(const Event& event, std::vector<std::string>& changes) {
  if (event.action.kind != Action::Kind::node_crash) return;  // of a machine that dies they wait
  for (std::size_t p = 0; p < event.before.processes.size(); ++p) {
    for (const Connection& connection : event.before.processes[p].connections) {
      if (connection.node != event.action.node) continue;
      for (const Message& message : connection.messages) {
        if (message.state != Message::State::waiting) continue;
        changes.push_back(sim::process_name(static_cast<unsigned>(p)) + "'s " +
                          worded_to(event, message.request, connection.node) + " is lost");
      }
    }
  }
}

/// What has been published and waits for a listener of the process.
void add_messages(const Process& process, std::vector<NewMessage>& messages) {
  for (const Connection& connection : process.connections) {
    if (!connection.listens || !connection.open) continue;
    for (const Message& message : connection.messages)
      if (message.state == Message::State::answered && message.request.front() == "PUBLISH")
        messages.push_back({message.request.at(1), message.reply->items.back().text});
  }
}

/// Keyspace events that somebody will hear: no request says that they are published.
void tell_events(const Event& event, std::vector<std::string>& changes) {
  for (const NewMessage& message : new_messages(event)) {
    const std::string told = "told on " + message.channel + ": " + sim::worded_value(message.text);
    const bool known = std::ranges::find(changes, told) != changes.end();  // to another listener
    if (message.channel.starts_with("__key") && !known) changes.push_back(told);
  }
}

}  // namespace

std::vector<NewMessage> new_messages(const Event& event) {
  std::vector<NewMessage> before, found;
  for (const Process& process : event.before.processes) add_messages(process, before);
  for (const Process& process : event.after.processes) add_messages(process, found);
  for (const NewMessage& known : before)
    if (const auto it = std::ranges::find(found, known); it != found.end()) found.erase(it);
  return found;
}

std::vector<std::string> tell_changes(const Event& event) {
  std::vector<std::string> changes;
  for (std::size_t n = 0; n < event.after.nodes.size(); ++n) tell_keys(event, n, changes);
  tell_lacking(event, changes);
  tell_resource(event, changes);
  tell_processes(event, changes);
  tell_lost_requests(event, changes);
  tell_events(event, changes);
  return changes;
}

}  // namespace lockstep::checker
