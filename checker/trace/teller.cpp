// The sentences of a trace, and what changed in a step.
#include "checker/trace/teller.hpp"

#include <algorithm>

#include "checker/trace/wording.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"

namespace lockstep::checker {

using naive::Connection;
using naive::Message;
using naive::Node;
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

std::string tell_send(const Event& event, const Effect& effect) {
  const std::string request = worded_to(event, effect.request, effect.node);
  if (effect.node == sim::kResource) return "sends " + request + " to the resource";
  if (event.before.nodes.size() == 1) return "sends " + request;
  return "sends " + request + " to " + node_name(event, effect.node);
}

std::string tell_effect(const Event& event, const Effect& effect) {
  const std::string lock = lock_name(event, event.action.process, effect.lock);
  switch (effect.kind) {
    case Effect::Kind::send:
      return tell_send(event, effect);
    case Effect::Kind::instant:
      return effect.wall ? "reads its wall clock" : "reads its monotonic clock";
    case Effect::Kind::acquired:
      return "holds " + lock + ", in the critical section" +
             (effect.fencing.empty() ? "" : ", with fencing token " + worded_value(effect.fencing));
    case Effect::Kind::reentered:
      return "enters " + lock + " again, " + std::to_string(effect.depth) + " deep";
    case Effect::Kind::left:
      return effect.ok
                 ? "has left " + lock + " once, still " + std::to_string(effect.depth) + " deep"
                 : "is told that " + lock + " was not its own any more";
    case Effect::Kind::refused:
      return "does not get " + lock;
    case Effect::Kind::releasing:
      return "leaves the critical section, releases " + lock;
    case Effect::Kind::released:
      return effect.ok ? "has released " + lock
                       : "is told that " + lock + " was not its own any more";
    case Effect::Kind::failed:
      return std::string(effect.in_release ? "release()" : "acquire()") +
             " ends in an error: " + sim::without_brackets(effect.text);
    case Effect::Kind::lost:
      return "gives " + lock + " up as lost, leaves the critical section";
    case Effect::Kind::log:
      return "logs \"" + sim::without_brackets(effect.text) + "\"";
  }
  sim::fail("an effect kind", __FILE__, __LINE__);
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
    case Effect::Kind::instant:
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
    return action.kind == Action::Kind::deliver ? connection_of(event).task : action.task;
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
  return round == 0 ? "starts" : "starts round " + std::to_string(round + 1);
}

std::string opening_of_deliver(const Event& event) {
  const Connection& connection = connection_of(event);
  const Message& message = connection.messages.front();
  const bool plain = connection.node != sim::kResource && event.before.nodes.size() == 1;
  const std::string where =
      connection.node == sim::kResource ? "the resource" : node_name(event, connection.node);
  if (message.state == Message::State::broken) return "gets a connection error from " + where;
  return "hears " + worded(message.reply) + (plain ? "" : " from " + where);
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
  std::string text =
      owned(event, executed(event).request, connection.node) + " -> " + worded(*event.facts.reply);
  if (connection.former) return text + "; sent before " + process + " crashed";
  return connection.open ? text : text + "; " + process + " does not listen any more";
}

// ---- what the environment does ------------------------------------------------------------------

/// "SET lock ... to redis", "the reply OK to A": the message in front of a connection.
std::string tell_message(const Event& event) {
  const Connection& connection = connection_of(event);
  const Message& message = connection.messages.front();
  if (message.state == Message::State::answered) {
    return "the reply " + worded(message.reply) + " to " + sim::process_name(event.action.process);
  }
  return owned(event, message.request, connection.node);
}

std::string tell_jump(std::int64_t amount_ms) {
  return amount_ms < 0 ? "its wall clock jumps back " + ms(-amount_ms)
                       : "its wall clock jumps forward " + ms(amount_ms);
}

std::string sentence_of(const Event& event) {
  switch (event.action.kind) {
    case Action::Kind::begin:
      return with_consequences(event, opening_of_begin(event));
    case Action::Kind::run:
      return with_consequences(event, "goes on");
    case Action::Kind::deliver:
      return with_consequences(event, opening_of_deliver(event));
    case Action::Kind::timer:
      return with_consequences(event, opening_of_timer(event));
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
      return "the connection breaks: " + tell_message(event) + " is lost";
    case Action::Kind::crash:
      return "crashes";
    case Action::Kind::jump_process:
    case Action::Kind::jump_node:
      return tell_jump(event.action.amount_ms);
    case Action::Kind::node_crash:
      return "crashes";
    case Action::Kind::power_loss:
      return "loses power";
    case Action::Kind::node_restart:
      return "restarts";
    case Action::Kind::save:
      return "has saved its keys to disk";
  }
  sim::fail("an action kind", __FILE__, __LINE__);
}

std::string actor_of(const Event& event) {
  switch (event.action.kind) {
    case Action::Kind::pass:
      return "";
    case Action::Kind::execute:
      return node_name(event, connection_of(event).node);
    case Action::Kind::jump_node:
    case Action::Kind::node_crash:
    case Action::Kind::power_loss:
    case Action::Kind::node_restart:
    case Action::Kind::save:
      return node_name(event, event.action.node);
    default:
      return sim::process_name(event.action.process);
  }
}

// ---- what changed -------------------------------------------------------------------------------

bool by_time(const Action& action) {
  return action.kind == Action::Kind::pass || action.kind == Action::Kind::jump_node;
}

std::string tell_expiry(const Event& event, const Node& node, const sim::Entry& entry) {
  if (!entry.expires) return "without expiry";
  return "expires in " + ms(naive::lifetime_left(event.after, node, entry).ms);
}

void tell_keys(const Event& event, std::size_t n, std::vector<std::string>& changes) {
  const Node& before = event.before.nodes[n];
  const Node& after = event.after.nodes[n];
  const std::string where =
      event.before.nodes.size() == 1 ? "" : node_name(event, static_cast<std::uint8_t>(n)) + ": ";
  for (const auto& [key, entry] : after.keyspace.keys) {
    const auto was = before.keyspace.keys.find(key);
    const bool known = was != before.keyspace.keys.end();
    const std::string text = where + worded_value(key);
    const std::string expiry = tell_expiry(event, after, entry);
    // A crash makes keys nobody's; any other new maker has written the key again.
    const bool rewritten = known && entry.maker != was->second.maker && entry.maker != 0;
    if (!known || rewritten || was->second.value != entry.value) {
      changes.push_back(text + " = " + worded(entry) + ", " + expiry);
    } else if (was->second.expires != entry.expires ||
               (event.action.kind == Action::Kind::jump_node && event.action.node == n &&
                entry.expires)) {
      changes.push_back(text + " now " + (entry.expires ? expiry : "stays without expiry"));
    }
  }
  for (const auto& [key, entry] : before.keyspace.keys) {
    if (after.keyspace.keys.contains(key)) continue;
    changes.push_back(where + worded_value(key) +
                      (by_time(event.action) ? " has expired" : " is gone"));
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
  if (event.after.highest_token != event.before.highest_token) {
    changes.push_back("the highest fencing token seen is now " +
                      std::to_string(event.after.highest_token));
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
  if (event.action.kind == Action::Kind::jump_process) {
    const std::int64_t offset_ms = after.offset.ms;
    changes.push_back(offset_ms < 0 ? "its wall clock is " + ms(-offset_ms) + " slow"
                                    : "its wall clock is " + ms(offset_ms) + " fast");
  }
}

void tell_lost_requests(const Event& event, std::vector<std::string>& changes) {
  const bool crash = event.action.kind == Action::Kind::node_crash ||
                     event.action.kind == Action::Kind::power_loss;
  if (!crash) return;
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

decltype(sim::VisibleKey::value) visible(const sim::Entry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  if (const auto* list = std::get_if<sim::List>(&entry.value)) {
    sim::VisibleList elements;
    for (const auto& element : *list) elements.push_back(element.value);
    return elements;
  }
  if (const auto* hash = std::get_if<sim::Hash>(&entry.value)) {
    sim::VisibleHash fields;
    for (const auto& [field, content] : *hash) fields[field] = content.value;
    return fields;
  }
  if (const auto* set = std::get_if<sim::Set>(&entry.value)) {
    sim::VisibleSet members;
    for (const auto& [member, about] : *set) members.insert(member);
    return members;
  }
  sim::VisibleSortedSet scores;
  for (const auto& [member, about] : std::get<sim::SortedSet>(entry.value)) {
    scores[member] = about.score;
  }
  return scores;
}

/// The keys of the first node, as anybody can read them after the step.
sim::VisibleKeys visible_keys(const Event& event) {
  const Node& node = event.after.nodes.front();
  sim::VisibleKeys keys;
  for (const auto& [name, entry] : node.keyspace.keys) {
    sim::VisibleKey& key = keys[name];
    if (entry.expires) key.left_ms = naive::lifetime_left(event.after, node, entry).ms;
    key.value = visible(entry);
  }
  return keys;
}

}  // namespace

TraceStep tell_step(const Event& event) {
  TraceStep step;
  step.action = event.action;
  step.time_ms = event.after.now.ms;
  step.environment = sim::is_fault(event.action.kind);
  step.actor = actor_of(event);
  step.sentence = sentence_of(event);
  for (std::size_t n = 0; n < event.after.nodes.size(); ++n) tell_keys(event, n, step.changes);
  tell_resource(event, step.changes);
  tell_processes(event, step.changes);
  tell_lost_requests(event, step.changes);
  step.effects = event.facts.effects;
  step.reply = event.facts.reply;
  step.keys = visible_keys(event);
  return step;
}

}  // namespace lockstep::checker
