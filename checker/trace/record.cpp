// Takes the data of a step off the worlds before and after it; see the header.
#include "checker/trace/record.hpp"

#include <set>
#include <sstream>

#include "checker/trace/changes.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::checker {

using naive::Node;
using sim::Action;
using sim::Effect;

namespace {

NamedRequest named(const Event& event, const sim::Request& request, std::uint8_t node) {
  return {node, words_to(event, request, node)};
}

std::vector<NamedRequest> requests_of(const Event& event) {
  if (event.action.kind == Action::Kind::execute)
    return {named(event, executed(event).request, connection_of(event).node)};
  std::vector<NamedRequest> sent;
  for (const Effect& effect : event.facts.effects)
    if (effect.kind == Effect::Kind::send)
      sent.push_back(named(event, effect.request, effect.node));
  return sent;
}

std::vector<std::string> taken_in(const Event& event) {
  std::vector<std::string> taken;
  if (sim::is_about_expired(event.action.kind)) return {unnoticed(event).first.second};
  if (!by_time(event) && !row(event.action.kind).fields.key) return taken;
  for (std::size_t n = 0; n < event.before.nodes.size(); ++n)
    for (const auto& [key, entry] : event.before.nodes[n].keyspace.keys)
      if (!event.after.nodes[n].keyspace.keys.contains(key)) taken.push_back(key);
  return taken;
}

/// Whether the action is of a connection: `deliver` may also be what is cut short.
bool is_of_connection(const Action& action) {
  return row(action.kind).fields.connection &&
         (!row(action.kind).fields.cut || action.step == Action::Kind::deliver);
}

sim::ConnectionName connection_in(const Event& event) {
  if (!is_of_connection(event.action)) return {};
  const naive::Connection& named = connection_of(event);
  sim::ConnectionName name{named.task, named.sent_for, named.open, 0, named.listens};
  const auto& connections = event.before.processes[event.action.process].connections;
  for (std::size_t c = 0; c < event.action.connection; ++c) {
    const naive::Connection& other = connections[c];
    if (other.task == name.task && other.sent_for == name.node && other.open == name.open &&
        other.listens == name.listens)
      ++name.place;
  }
  return name;
}

/// The keys of each server, as anybody can read them after the step.
std::vector<sim::VisibleKeys> visible_keys(const Event& event) {
  std::vector<sim::VisibleKeys> all;
  for (const Node& node : event.after.nodes) {
    sim::VisibleKeys& keys = all.emplace_back();
    for (const auto& [name, entry] : node.keyspace.keys) keys[name] = visible(event, node, entry);
  }
  return all;
}

/// Work is measured in true time.
bool waited_in_part(const Event& event) {
  if (sim::step_of(event.action) != sim::Action::Kind::timer) return false;
  const sim::Rate rate(sim::of_clock(event.rules.model().drifts_ppm, event.action.process));
  const auto& waits = event.before.processes[event.action.process].waits;
  return std::ranges::any_of(waits, [&](const sim::Wait& wait) {
    return wait.task == event.action.task && wait.kind != sim::Wait::Kind::work &&
           !rate.is_whole(wait.ms);
  });
}

/// The text of the script that an `execute` runs; "" if it runs none by itself.
std::string script_of(const Event& event) {
  const sim::Request& request = executed(event).request;
  const sim::Command* command = sim::find_command(request);
  const bool runs = command && command->has(sim::kRunsScript) && !command->has(sim::kRunsFunction);
  if (!runs || request.size() < 2) return "";
  if (!command->has(sim::kNamesScript)) return request[1];
  const auto& scripts = event.before.nodes[connection_of(event).node].keyspace.scripts;
  const auto known = scripts.find(sim::lower_case(request[1]));
  return known == scripts.end() ? "" : known->second;
}

/// But for what is no statement: the VM comes by the end of a script, too.
std::vector<SourceLine> lines_of(const std::string& file, const std::string& source,
                                 const std::set<int>& numbers) {
  std::vector<SourceLine> lines;
  std::istringstream in(source);
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (!numbers.contains(number) || first == text.npos || text.compare(first, 2, "--") == 0)
      continue;
    lines.push_back({file, number, text.substr(0, text.find_last_not_of(" \t\r") + 1)});
  }
  return lines;
}

std::vector<SourceLine> lines_run(const Event& event) {
  if (event.action.kind == Action::Kind::execute) {
    const std::string script = script_of(event);
    if (script.empty()) return {};
    const auto words = requests_of(event).front().words;
    return lines_of(words.at(1).plain, script, event.facts.lines);
  }
  std::set<int> numbers;
  for (const Effect& effect : event.facts.effects)
    if (effect.line.number > 0) numbers.insert(effect.line.number);
  if (numbers.empty()) return {};
  const auto file = event.rules.model().program->folder() / "protocol.lua";
  return lines_of(file.filename(), sim::is_file(file) ? sim::file_text(file) : "", numbers);
}

/// Whether a listener is to hear something that the node which acts has published.
bool tells(const Event& event) {
  const bool may = event.action.kind == Action::Kind::execute || row(event.action.kind).fields.key;
  return may && !new_messages(event).empty();
}

bool serves(const Event& event) {
  return std::ranges::any_of(event.after.nodes,
                             [](const Node& node) { return !node.came.empty(); });
}

}  // namespace

StepData record(const Event& event) {
  const auto& facts = event.facts;
  return {event.action,          event.after.now.ms,    facts.effects,   requests_of(event),
          facts.departures,      connection_in(event),  facts.reply,     facts.looked_at_time,
          facts.looked_at_clock, waited_in_part(event), taken_in(event), visible_keys(event),
          facts.closed,          lines_run(event),      tells(event),    serves(event)};
}

}  // namespace lockstep::checker
