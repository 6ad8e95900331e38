// Reader and writer of trace files; see the header.
#include "scenarios/trace_file.hpp"

#include <fmt/format.h>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/token.hpp"
#include "sim/client/program.hpp"
#include "sim/model/invariants.hpp"

namespace fs = std::filesystem;

namespace lockstep::scenarios {

namespace {

constexpr const char* kTraceKey = "lockstep_trace";

using Clients = std::vector<std::string>;

/// A member of an action as JSON has it.
struct ActionKey {
  const char* key;
  bool sim::ActionFields::*used;
  void (*read)(const JsonPlace& value, const Clients& clients, sim::Action& action);
  Json (*written)(const sim::Action& action);
};

template <std::uint8_t sim::Action::*member>
constexpr ActionKey byte_key(const char* key, bool sim::ActionFields::*used) {
  return {key, used,
          [](const JsonPlace& value, const Clients&, sim::Action& action) {
            action.*member = static_cast<std::uint8_t>(value.integer(0, UINT8_MAX));
          },
          [](const sim::Action& action) { return Json(action.*member); }};
}

const std::array kActionKeys{
    ActionKey{"process", &sim::ActionFields::process,
              [](const JsonPlace& value, const Clients& clients, sim::Action& action) {
                action.process = static_cast<std::uint8_t>(value.one_of(clients, "client"));
              },
              [](const sim::Action& action) { return Json(sim::process_name(action.process)); }},
    ActionKey{"step", &sim::ActionFields::cut,
              [](const JsonPlace& value, const Clients&, sim::Action& action) {
                action.step = sim::kActions.at(value.one_of(names_of(sim::kActions), "action"));
                if (!sim::is_step(action.step)) value.fail("only a step of a client can be cut");
              },
              [](const sim::Action& action) { return Json(name(action.step)); }},
    ActionKey{"cut", &sim::ActionFields::cut,
              [](const JsonPlace& value, const Clients&, sim::Action& action) {
                action.cut = static_cast<std::uint16_t>(value.integer(1, UINT16_MAX));
              },
              [](const sim::Action& action) { return Json(action.cut); }},
    byte_key<&sim::Action::task>("task", &sim::ActionFields::task),
    byte_key<&sim::Action::connection>("connection", &sim::ActionFields::connection),
    byte_key<&sim::Action::node>("node", &sim::ActionFields::node),
    byte_key<&sim::Action::image>("image", &sim::ActionFields::image),
    byte_key<&sim::Action::key>("key", &sim::ActionFields::key),
    ActionKey{"amount_ms", &sim::ActionFields::amount,
              [](const JsonPlace& value, const Clients&, sim::Action& action) {
                action.amount_ms = value.integer(-kLongestMs, kLongestMs);
              },
              [](const sim::Action& action) { return Json(action.amount_ms); }}};

sim::Action read_action(const JsonPlace& place, const Clients& clients) {
  sim::Action action;
  action.kind = sim::kActions.at(place.required("do").one_of(names_of(sim::kActions), "action"));
  std::vector<std::string> keys{"do"};
  for (const auto& each : kActionKeys)
    if (row(action.kind).fields.*each.used) keys.emplace_back(each.key);
  if (row(action.kind).fields.choices) keys.emplace_back("choices");
  place.expect_object(keys);
  for (const auto& each : kActionKeys)
    if (row(action.kind).fields.*each.used) each.read(place.required(each.key), clients, action);
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
  Json json{{"do", name(action.kind)}};
  for (const auto& each : kActionKeys)
    if (row(action.kind).fields.*each.used) json[each.key] = each.written(action);
  if (!action.choices.empty()) json["choices"] = action.choices;
  return json;
}

void write_trace(const fs::path& file, const TraceFile& trace, const Catalog& catalog) {
  auto scenario = trace.scenario;
  if (!scenario.claims.empty())
    scenario.invariants = relative_path(scenario.claims, file.parent_path());
  Json json{{kTraceKey, kTraceVersion}, {"name", scenario.name}};
  json["scenario"] = to_json(scenario, catalog.reference(scenario.folder, file.parent_path()));
  json["fingerprint"] = trace.fingerprint;
  json["violated"] = trace.violated ? Json(name(*trace.violated)) : Json();
  if (trace.endless) json["endless"] = true;
  if (trace.loop) json["loop"] = {{"from", trace.loop->from}, {"process", trace.loop->process}};
  json["schedule"] = Json::array();
  for (const auto& action : trace.schedule) json["schedule"].push_back(to_json(action));
  json["told"] = trace.told;
  sim::write_file(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

TraceFile read_trace(const fs::path& file, const Catalog& catalog) {
  const auto json = parse_json(sim::file_text(file), file.string());
  const JsonPlace place(json, file.string());
  place.required(kTraceKey).expect_version(kTraceVersion, "a trace",
                                           "find the run again with `lockstep check`");
  place.expect_object({kTraceKey, "name", "scenario", "fingerprint", "violated", "endless", "loop",
                       "schedule", "told"});
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
  if (trace.endless && row(*trace.violated).endless == nullptr)
    place.required("endless").fail(
        fmt::format("`{}` is violated by a step, never for ever", name(*trace.violated)));
  const auto clients = client_names(trace.scenario.clients.size());
  for (const auto& action : place.required("schedule").elements())
    trace.schedule.push_back(read_action(action, clients));
  if (const auto loop = place.optional("loop")) {
    if (!trace.endless) loop->fail("only of a run that is `endless` are the last steps a loop");
    loop->expect_object({"from", "process"});
    const auto most = static_cast<std::int64_t>(trace.schedule.size());
    trace.loop = checker::Loop{static_cast<std::size_t>(loop->required("from").integer(0, most)),
                               static_cast<std::uint8_t>(loop->required("process").integer(
                                   0, std::int64_t(clients.size()) - 1))};
  }
  return trace;
}

void expect_unchanged(const TraceFile& trace, const sim::Model& model, const fs::path& file) {
  const auto now = sim::fingerprint(model);
  if (trace.fingerprint == now) return;
  throw sim::BadInput(
      fmt::format("{}: the protocol in {}{} has changed since this trace was made (fingerprint {}, "
                  "now {}): find the run again with `lockstep check`",
                  file.string(), model.program->folder().string(),
                  model.claims ? ", or " + trace.scenario.claims.string() + "," : std::string(),
                  trace.fingerprint.substr(0, 8), now.substr(0, 8)));
}

bool is_trace(const fs::path& file) {
  const auto json = parse_json(sim::file_text(file), file.string());
  return json.is_object() && json.contains(kTraceKey);
}

}  // namespace lockstep::scenarios
