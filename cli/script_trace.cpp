// Watching a script; see the header.
#include "cli/script_trace.hpp"

#include <fmt/format.h>

#include <sstream>

#include "sim/keyspace/keyspace.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::cli {

namespace {

sim::VisibleKey visible(const sim::Entry& entry, sim::WallTime now) {
  sim::VisibleKey key{sim::visible(entry), std::nullopt};
  if (entry.expires) key.left_ms = (*entry.expires - now).ms;
  return key;
}

}  // namespace

std::vector<std::string> key_changes(const sim::Keys& before, const sim::Keys& after,
                                     sim::WallTime now) {
  std::vector<std::string> changes;
  for (const auto& [key, entry] : after) {
    const auto was = before.find(key);
    const auto seen = visible(entry, now);
    if (was == before.end() || was->second.value != entry.value)
      changes.push_back(sim::worded_key(key, seen));
    else if (was->second.expires != entry.expires)
      changes.push_back(
          fmt::format("{} now {}", sim::worded_value(key), sim::worded_expiry(seen.left_ms)));
  }
  for (const auto& [key, entry] : before)
    if (!after.contains(key)) changes.push_back(sim::worded_value(key) + " is gone");
  return changes;
}

ScriptTracer::ScriptTracer(sim::Server& server, const std::string& script,
                           std::function<void(const ScriptEvent&)> tell)
    : server_(server), tell_(std::move(tell)), before_(server.keyspace().keys) {
  std::istringstream text(script);
  for (std::string line; std::getline(text, line);) lines_.push_back(line);
  server_.observe(this);
}

ScriptTracer::~ScriptTracer() { server_.observe(nullptr); }

void ScriptTracer::at_line(int line) {
  finish();
  line_ = line;
  const auto index = static_cast<std::size_t>(line) - 1;
  const std::string text = index < lines_.size() ? lines_[index] : "";
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos || text.compare(first, 2, "--") == 0) return;  // the end of the script
  tell_({ScriptEvent::Kind::line, line, text});
}

void ScriptTracer::called(const sim::Request& request, const sim::Reply& reply) {
  tell_({ScriptEvent::Kind::call, line_, sim::line_of(request), reply});
}

void ScriptTracer::finish() {
  for (const auto& change : key_changes(before_, server_.keyspace().keys, server_.now()))
    tell_({ScriptEvent::Kind::change, line_, change});
  before_ = server_.keyspace().keys;
}

std::string told(const ScriptEvent& event) {
  switch (event.kind) {
    case ScriptEvent::Kind::line:
      return fmt::format("{:4}  {}\n", event.line, event.text);
    case ScriptEvent::Kind::call:
      return fmt::format("          {} -> {}\n", event.text, sim::worded(*event.reply));
    case ScriptEvent::Kind::change:
      return fmt::format("            {}\n", event.text);
  }
  return "";
}

}  // namespace lockstep::cli
