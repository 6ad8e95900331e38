// The sentences of a trace.
#include "checker/trace/teller.hpp"

#include <algorithm>

#include "checker/trace/changes.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::checker {

using naive::Connection;
using naive::Message;
using naive::Process;
using sim::Action;
using sim::Effect;
using sim::Wait;

namespace {

/// A request, with the name of its process where no token tells it.
std::string owned(const Event& event, const sim::Request& request, std::uint8_t node) {
  const std::uint8_t process = event.action.process;
  const bool told = std::any_of(request.begin(), request.end(), [&](const std::string& argument) {
    const auto tokens = sim::scan_tokens(argument).tokens;
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](sim::Token token) { return token.process == process; });
  });
  const std::string text = worded_to(event, request, node);
  return told ? text : sim::process_name(process) + "'s " + text;
}

// ---- what a process does ------------------------------------------------------------------------

/// The server that a request has gone to: that of the youngest connection for its node.
std::uint8_t server_of(const Event& event, const Effect& effect) {
  std::uint8_t server = effect.node;
  for (const Connection& connection : event.after.processes[event.action.process].connections)
    if (connection.sent_for == effect.node && (connection.shared || connection.task == effect.task))
      server = connection.node;
  return server;
}

/// What is sent, and where to.
std::string sent(const Event& event, const Effect& effect) {
  std::string request = worded_to(event, effect.request, effect.node);
  if (effect.node == sim::kResource) return request + " to the resource";
  if (event.before.nodes.size() == 1) return request;
  return request + " to " + node_name(event, server_of(event, effect));
}

std::string tell_effect(const Event& event, const Effect& effect) {
  return sim::worded(effect, sim::lock_name(event.rules.model(), event.action.process, effect.lock),
                     effect.kind == Effect::Kind::send ? sent(event, effect) : "");
}

std::string tell_wait(const Wait& wait) {
  switch (wait.kind) {
    case Wait::Kind::sleep:
      return "sleeps " + ms(wait.ms);
    case Wait::Kind::work:
      return "works " + ms(wait.ms);
    case Wait::Kind::blocked:
      return "waits for another task";
    default:
      return "";
  }
}

bool about_the_lock(const Effect& effect) {
  switch (effect.kind) {
    case Effect::Kind::send:
    case Effect::Kind::gave_up:
    case Effect::Kind::instant:
    case Effect::Kind::exited:
    case Effect::Kind::log:
      return false;
    default:
      return true;
  }
}

/// "hears OK" and what follows from it.
std::string with_consequences(const Event& event, std::string opening) {
  std::vector<std::string> phrases;
  const auto add = [&](const std::string& phrase) {
    if (!phrase.empty() && (phrases.empty() || phrases.back() != phrase)) phrases.push_back(phrase);
  };
  for (const Effect& effect : event.facts.effects) add(tell_effect(event, effect));
  for (const Wait& wait : event.facts.waits) add(tell_wait(wait));
  const bool outcome = !event.facts.effects.empty() && about_the_lock(event.facts.effects.front());
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    opening += (i == 0 && outcome ? ": " : "; ") + phrases[i];
  }
  const auto task_of = [&] {
    const Action& action = event.action;
    return sim::step_of(action) == Action::Kind::deliver
               ? connection_of(event).messages.front().sender
               : action.task;
  };
  const sim::ProcessSetup& setup = event.rules.model().processes[event.action.process];
  const int task = task_of();
  if (task >= setup.threads) return "(task " + std::to_string(task) + ") " + opening;
  return setup.threads > 1 ? "(thread " + std::to_string(task) + ") " + opening : opening;
}

std::string opening_of_begin(const Event& event) {
  const Process& before = event.before.processes[event.action.process];
  if (before.life == naive::Life::dead) return "starts again";
  const int round = before.rounds_begun[event.action.task];
  if (round == 0) return "starts";
  const bool counted = event.rules.model().processes[event.action.process].rounds > 0;
  return counted ? "starts round " + std::to_string(round + 1) : "starts another round";
}

std::string opening_of_deliver(const Event& event) {
  const Connection& connection = connection_of(event);
  const Message& message = connection.messages.front();
  const bool plain = connection.node != sim::kResource && event.before.nodes.size() == 1;
  const std::string where =
      connection.node == sim::kResource ? "the resource" : node_name(event, connection.node);
  if (message.state == Message::State::broken) return "gets a connection error from " + where;
  std::string text = "hears " + sim::worded(*message.reply) + (plain ? "" : " from " + where);
  const auto& connections = event.after.processes[event.action.process].connections;
  if (event.action.connection < connections.size()) {
    const Connection& now = connections[event.action.connection];
    const bool led_on = now.task == connection.task && now.sent_for == connection.sent_for &&
                        now.open && !now.messages.empty() && now.node != connection.node;
    if (led_on && event.facts.effects.empty())
      text += "; its library goes on to " + node_name(event, now.node) +
              (now.messages.front().asking ? ", asking" : "");
  }
  return text;
}

std::string opening_of_timer(const Event& event) {
  for (const Wait& wait : event.before.processes[event.action.process].waits) {
    if (wait.task != event.action.task) continue;
    if (wait.kind == Wait::Kind::sleep) return "wakes up";
    if (wait.kind == Wait::Kind::work) return "has done its work";
  }
  return "gives up waiting for a reply";
}

std::string tell_execute(const Event& event) {
  const Connection& connection = connection_of(event);
  const std::string process = sim::process_name(event.action.process);
  const Message& asked = executed(event);
  std::string text = owned(event, asked.request, connection.node);
  if (event.facts.closed) return text + " waits no more: its connection is closed";
  if (!event.facts.reply)
    return text + (sim::is_name(asked.request.at(0), "wait") ? " waits for replicas" : " waits");
  if (asked.in_queue > 0) text += ", which has waited,";
  text += " -> " + sim::worded(**event.facts.reply);
  if (connection.former) return text + "; sent before " + process + " crashed";
  return connection.open ? text : text + "; " + process + " does not listen any more";
}

// ---- what the environment does ------------------------------------------------------------------

/// "SET lock ... to redis", "the reply OK to A": the message in front of a connection.
std::string tell_message(const Event& event) {
  const Connection& connection = connection_of(event);
  const Message& message = connection.messages.front();
  if (message.state == Message::State::answered) {
    return "the reply " + sim::worded(*message.reply) + " to " +
           sim::process_name(event.action.process);
  }
  return owned(event, message.request, connection.node);
}

std::string tell_loss(const Event& event) {
  const Connection& connection = connection_of(event);
  if (connection.messages.empty())  // a listener's
    return "the connection to " + node_name(event, connection.node) + " breaks, with nothing on it";
  return "the connection breaks: " + tell_message(event) + " is lost";
}

/// Nobody is told; what is sent next goes on a new one.
std::string tell_close(const Event& event) {
  const Connection& connection = connection_of(event);
  const std::string text = "the connection to " + node_name(event, connection.node) + " breaks, ";
  return text +
         (connection.messages.empty() ? "with nothing on it" : "behind " + tell_message(event));
}

std::string tell_jump(std::int64_t amount_ms) {
  return amount_ms < 0 ? "its wall clock jumps back " + ms(-amount_ms)
                       : "its wall clock jumps forward " + ms(amount_ms);
}

/// What a client does by itself.
std::string tell_own_step(const Event& event) {
  switch (sim::step_of(event.action)) {
    case Action::Kind::begin:
      return with_consequences(event, opening_of_begin(event));
    case Action::Kind::deliver:
      return with_consequences(event, opening_of_deliver(event));
    case Action::Kind::timer:
      return with_consequences(event, opening_of_timer(event));
    default:
      return with_consequences(event, "goes on");
  }
}

/// Where a step has been cut short.
std::string tell_cut(const Event& event) {
  if (event.facts.cut == sim::Cut::clock) return " before it does anything about it";
  if (event.facts.cut == sim::Cut::timer) return " before it does anything else";
  return " before it sends the next request";
}

/// The name of the server that the acting replica follows, before or after the step.
std::string followed(const Event& event, const naive::World& world) {
  return node_name(event, world.nodes[event.action.node].follows.value_or(0));
}

/// What a cluster's node does with its slots.
std::string tell_migration(const Event& event) {
  const std::uint8_t n = event.action.node;
  const std::string other = node_name(event, sim::other_of_two(n));
  if (event.action.kind == Action::Kind::migrate) return "begins to hand its slots to " + other;
  if (event.action.kind == Action::Kind::hand_over) return "has handed its slots to " + other;
  for (const auto& [key, entry] : event.before.nodes[n].keyspace.keys)
    if (!event.after.nodes[n].keyspace.keys.contains(key))
      return "moves " + sim::worded_value(key) + " to " + other;
  sim::fail("a key that has moved", __FILE__, __LINE__);
}

/// What a node does about a key that has expired.
std::string tell_notice(const Event& event) {
  const auto& [place, late] = unnoticed(event);
  const std::string what = "that " + sim::worded_value(place.second) + " has expired";
  if (event.action.kind == Action::Kind::overlook) return "is late to notice " + what;
  return (late ? "notices at last " : "notices ") + what + ", and tells who listens";
}

/// What becomes of a node.
std::string tell_node(const Event& event) {
  if (sim::is_migration(event.action.kind)) return tell_migration(event);
  if (sim::is_about_expired(event.action.kind)) return tell_notice(event);
  switch (event.action.kind) {
    case Action::Kind::node_crash:
      return "crashes";
    case Action::Kind::power_loss:
      return "loses power";
    case Action::Kind::node_restart:
      return "restarts";
    case Action::Kind::node_load:
      return "restarts, and reads its data: until it has, it answers LOADING";
    case Action::Kind::receive:
      return "reads what " + followed(event, event.before) +
             " has sent it: until it has, it answers LOADING";
    case Action::Kind::loaded:
      return "has read its data";
    case Action::Kind::save:
      return "has saved its keys to disk";
    case Action::Kind::evict:
      return "is short of memory and evicts a key";
    case Action::Kind::flush:
      return "is emptied: FLUSHALL by somebody else";
    case Action::Kind::oom:
      return "is out of memory: what would need more is refused";
    case Action::Kind::relief:
      return "has memory again";
    case Action::Kind::miss:
      return event.before.nodes[event.action.node].lags
                 ? "acknowledges nothing: " + followed(event, event.before) + " counts it no more"
                 : "misses the replicas that have left it";
    case Action::Kind::freeze:
      return "has a clock that stands still from now on";
    case Action::Kind::lag:
      return "lags: what " + followed(event, event.before) + " sends it waits";
    case Action::Kind::catch_up:
      return "catches up with " + followed(event, event.before);
    case Action::Kind::failover:
      return "becomes master in place of " + followed(event, event.before);
    case Action::Kind::follow:
      return "becomes a replica of " + followed(event, event.after);
    default:
      return tell_jump(event.action.amount_ms);
  }
}

/// What becomes of a client's way to a node.
std::string tell_link(const Event& event) {
  const std::string node = node_name(event, event.action.node);
  switch (event.action.kind) {
    case Action::Kind::cut:
      return "is cut off from " + node;
    case Action::Kind::cut_requests:
      return "cannot reach " + node + " any more, but hears it";
    case Action::Kind::cut_replies:
      return "does not hear " + node + " any more, but reaches it";
    case Action::Kind::heal:
      return "is connected to " + node + " again";
    case Action::Kind::heal_late:
      return "is connected to " + node + " again, but what has waited comes later";
    default:
      return "learns that " + node + " is the master now";
  }
}

std::string sentence_of(const Event& event) {
  const auto& fields = row(event.action.kind).fields;
  if (fields.node) return fields.process ? tell_link(event) : tell_node(event);
  switch (event.action.kind) {
    case Action::Kind::begin:
    case Action::Kind::run:
    case Action::Kind::deliver:
    case Action::Kind::timer:
      return tell_own_step(event);
    case Action::Kind::pause_within:
      return tell_own_step(event) + "; pauses" + tell_cut(event);
    case Action::Kind::crash_within:
      return tell_own_step(event) + "; crashes" + tell_cut(event);
    case Action::Kind::jump_within:
      return tell_own_step(event) + "; then " + tell_jump(event.action.amount_ms);
    case Action::Kind::preempt:
      return tell_own_step(event) + "; another thread goes first" +
             (event.facts.cut == sim::Cut::access ? ", at an access to what they share" : "");
    case Action::Kind::execute:
      return tell_execute(event);
    case Action::Kind::pass:
      return "time passes";
    case Action::Kind::pause:
      return "pauses";
    case Action::Kind::resume:
      return "resumes";
    case Action::Kind::delay:
      return tell_message(event) + " is held back on its way";
    case Action::Kind::release:
      return tell_message(event) + " goes on its way again";
    case Action::Kind::lose:
      return tell_loss(event);
    case Action::Kind::close:
      return tell_close(event);
    case Action::Kind::lose_late:
      return "the connection breaks, but " + tell_message(event) + " is still on its way";
    case Action::Kind::crash:
      return "crashes";
    case Action::Kind::crash_begin:
      return "crashes as it begins, before it has sent anything";
    case Action::Kind::jump_process:
      return tell_jump(event.action.amount_ms);
    default:
      break;
  }
  sim::fail("an action kind", __FILE__, __LINE__);
}

std::string actor_of(const Event& event) {
  const Action& action = event.action;
  if (action.kind == Action::Kind::execute) return node_name(event, connection_of(event).node);
  const auto& fields = row(action.kind).fields;
  if (fields.process) return sim::process_name(action.process);
  return fields.node ? node_name(event, action.node) : "";
}

}  // namespace

StepProse tell_step(const Event& event) {
  return {sim::is_fault(event.action.kind), actor_of(event), sentence_of(event),
          tell_changes(event)};
}

}  // namespace lockstep::checker
