// Reader and writer of trace files; see the header.
#include "scenarios/trace_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"

namespace fs = std::filesystem;

namespace lockstep::scenarios {

namespace {

using Do = sim::Action::Kind;

constexpr const char* kVersionKey = "lockstep_trace";

/// What an action of each kind names besides its kind.
struct ActionFields {
  bool process = false, task = false, connection = false, node = false, image = false,
       amount = false;
};

ActionFields fields_of(Do kind) {
  ActionFields fields;
  switch (kind) {
    case Do::begin:
    case Do::run:
    case Do::timer:
      fields.process = fields.task = true;
      break;
    case Do::execute:
    case Do::deliver:
    case Do::delay:
    case Do::release:
    case Do::lose:
      fields.process = fields.connection = true;
      break;
    case Do::pause:
    case Do::resume:
    case Do::crash:
      fields.process = true;
      break;
    case Do::pass:
      fields.amount = true;
      break;
    case Do::jump_process:
      fields.process = fields.amount = true;
      break;
    case Do::jump_node:
      fields.node = fields.amount = true;
      break;
    case Do::power_loss:
      fields.node = fields.image = true;
      break;
    case Do::node_crash:
    case Do::node_restart:
    case Do::save:
      fields.node = true;
      break;
  }
  return fields;
}

std::vector<std::string> keys_of(const ActionFields& fields) {
  std::vector<std::string> keys{"do", "choices"};
  if (fields.process) keys.emplace_back("process");
  if (fields.task) keys.emplace_back("task");
  if (fields.connection) keys.emplace_back("connection");
  if (fields.node) keys.emplace_back("node");
  if (fields.image) keys.emplace_back("image");
  if (fields.amount) keys.emplace_back("amount_ms");
  return keys;
}

std::uint8_t byte(const JsonPlace& place, const char* key) {
  return static_cast<std::uint8_t>(place.required(key).integer(0, 255));
}

sim::Action read_action(const JsonPlace& place, const std::vector<std::string>& clients) {
  sim::Action action;
  action.kind = kActions.at(place.required("do").one_of(names_of(kActions), "action"));
  const auto fields = fields_of(action.kind);
  place.expect_object(keys_of(fields));
  if (fields.process)
    action.process = static_cast<std::uint8_t>(place.required("process").one_of(clients, "client"));
  if (fields.task) action.task = byte(place, "task");
  if (fields.connection) action.connection = byte(place, "connection");
  if (fields.node) action.node = byte(place, "node");
  if (fields.image) action.image = byte(place, "image");
  if (fields.amount)
    action.amount_ms = place.required("amount_ms").integer(-kLongestMs, kLongestMs);
  if (const auto choices = place.optional("choices"))
    for (const auto& choice : choices->elements())
      action.choices.push_back(static_cast<std::uint8_t>(choice.integer(1, 255)));
  return action;
}

std::vector<std::string> client_names(std::size_t clients) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < clients; ++i)
    names.push_back(sim::process_name(static_cast<unsigned>(i)));
  return names;
}

}  // namespace

Json to_json(const sim::Action& action) {
  const auto fields = fields_of(action.kind);
  Json json{{"do", name(action.kind)}};
  if (fields.process) json["process"] = sim::process_name(action.process);
  if (fields.task) json["task"] = action.task;
  if (fields.connection) json["connection"] = action.connection;
  if (fields.node) json["node"] = action.node;
  if (fields.image) json["image"] = action.image;
  if (fields.amount) json["amount_ms"] = action.amount_ms;
  if (!action.choices.empty()) json["choices"] = action.choices;
  return json;
}

void write_whole(const fs::path& file, const std::string& text) {
  const auto unlike_others = std::chrono::steady_clock::now().time_since_epoch().count();
  const fs::path temporary = fmt::format("{}.{}.tmp", file.string(), unlike_others);
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code failed;
  if (out) fs::rename(temporary, file, failed);
  if (out && !failed) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw sim::BadInput(fmt::format("{}: cannot be written", file.string()));
}

void write_trace(const fs::path& file, const TraceFile& trace, const Catalog& catalog) {
  const auto& scenario = trace.scenario;
  Json json{{kVersionKey, kTraceVersion}, {"name", scenario.name}};
  json["scenario"] = to_json(scenario, catalog.reference(scenario.folder, file.parent_path()));
  json["fingerprint"] = trace.fingerprint;
  json["violated"] = trace.violated ? Json(name(*trace.violated)) : Json();
  if (trace.endless) json["endless"] = true;
  json["schedule"] = Json::array();
  for (const auto& action : trace.schedule) json["schedule"].push_back(to_json(action));
  json["told"] = trace.told;
  write_whole(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

TraceFile read_trace(const fs::path& file, const Catalog& catalog) {
  const auto json = parse_json(read_text_file(file), file.string());
  const JsonPlace place(json, file.string());
  place.required(kVersionKey)
      .expect_version(kTraceVersion, "a trace", "find the run again with `lockstep check`");
  place.expect_object(
      {kVersionKey, "name", "scenario", "fingerprint", "violated", "endless", "schedule", "told"});
  TraceFile trace;
  trace.scenario =
      embedded_scenario(place.required("scenario"), place.required("name").text(),
                        file.parent_path(), [&](const std::string& protocol, const fs::path& base) {
                          return catalog.protocol_folder(protocol, base);
                        });
  trace.fingerprint = place.required("fingerprint").text();
  if (const auto violated = place.required("violated"); !violated.value().is_null())
    trace.violated = sim::kProperties.at(violated.one_of(names_of(sim::kProperties), "property"));
  if (const auto endless = place.optional("endless")) trace.endless = endless->boolean();
  if (trace.endless && !trace.violated)
    place.required("endless").fail("only a violation can be endless, and `violated` names none");
  const auto clients = client_names(trace.scenario.clients.size());
  for (const auto& action : place.required("schedule").elements())
    trace.schedule.push_back(read_action(action, clients));
  return trace;
}

void expect_unchanged(const TraceFile& trace, const sim::Program& program, const fs::path& file) {
  if (trace.fingerprint == program.fingerprint()) return;
  throw sim::BadInput(
      fmt::format("{}: the protocol in {} has changed since this trace was made (fingerprint {}, "
                  "now {}): find the run again with `lockstep check`",
                  file.string(), program.folder().string(), trace.fingerprint.substr(0, 8),
                  program.fingerprint().substr(0, 8)));
}

bool is_trace(const fs::path& file) {
  const auto json = parse_json(read_text_file(file), file.string());
  return json.is_object() && json.contains(kVersionKey);
}

}  // namespace lockstep::scenarios
