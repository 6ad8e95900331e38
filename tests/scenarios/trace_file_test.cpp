// Trace files: written whole, read back the same, and refused in one clear line where they cannot
// be trusted.
#include "scenarios/trace_file.hpp"

#include <catch2/catch.hpp>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "sim/base/files.hpp"
#include "sim/client/program.hpp"
#include "sim/model/invariants.hpp"
#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using tests::bad_input;
using tests::TemporaryFolder;

const char* const kProtocol = R"(
local Lock = protocol { title = "a test", source = "lockstep's own" }
function Lock:acquire() return redis("SET", self.key, 1, "NX") == OK end
function Lock:release() return redis("DEL", self.key) == 1 end
return Lock
)";

/// A folder with a protocol of its own beside which traces are written.
struct Place {
  TemporaryFolder folder;
  Catalog catalog{LOCKSTEP_SOURCE_DIR};
  fs::path file = folder.path() / "x.trace.json";

  Place() { folder.write("mine/protocol.lua", kProtocol); }
  sim::Model model(const Scenario& scenario) const {
    return model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  }

  /// A trace with one action of every kind.
  TraceFile trace() const {
    TraceFile trace;
    trace.scenario = default_scenario("mine", folder.path() / "mine");
    trace.scenario.faults.at(0) = 2;
    trace.fingerprint = sim::fingerprint(model(trace.scenario));
    trace.violated = sim::Property::leak;
    trace.told = {"A starts"};
    for (const auto kind : sim::kActions) {
      sim::Action action;
      action.kind = kind;
      if (row(kind).fields.cut) action.cut = 3;
      trace.schedule.push_back(action);
    }
    trace.schedule[0].choices = {2, 1};
    trace.schedule[2].process = 1;
    trace.schedule[2].connection = 3;
    trace.schedule[4].task = 5;
    trace.schedule[5].amount_ms = 10'001;
    trace.schedule[12].amount_ms = -7;
    trace.schedule[15].image = 4;
    return trace;
  }
  void write(const TraceFile& trace) const { write_trace(file, trace, catalog); }
  TraceFile read() const { return read_trace(file, catalog); }
  Json json() const { return parse_json(sim::file_text(file), file.string()); }
  std::string refused(const Json& json) const {
    folder.write("x.trace.json", json.dump());
    return bad_input([&] { read(); });
  }
};

}  // namespace

TEST_CASE("a trace reads back as it was written, with every kind of action") {
  const Place place;
  const auto trace = place.trace();
  place.write(trace);
  const auto back = place.read();
  CHECK(back.schedule == trace.schedule);
  CHECK(back.fingerprint == trace.fingerprint);
  CHECK(back.violated == trace.violated);
  CHECK(back.scenario.name == "mine");
  CHECK(fs::equivalent(back.scenario.folder, trace.scenario.folder));
  CHECK(to_json(back.scenario, "p") == to_json(trace.scenario, "p"));
  CHECK(is_trace(place.file));
  CHECK_NOTHROW(expect_unchanged(back, place.model(back.scenario), place.file));
}

TEST_CASE("a trace says how long messages take, and how clocks go") {
  const Place place;
  auto trace = place.trace();
  trace.scenario.latency_ms = 7;
  trace.scenario.clocks_ms = {0, 3};
  trace.scenario.drifts_ppm = {500, -500};
  place.write(trace);
  const auto back = place.read();
  CHECK(back.scenario.latency_ms == 7);
  CHECK(back.scenario.clocks_ms == trace.scenario.clocks_ms);
  CHECK(back.scenario.drifts_ppm == trace.scenario.drifts_ppm);
}

TEST_CASE("nothing but the whole trace is ever seen under its name") {
  const Place place;
  place.write(place.trace());
  place.write(place.trace());
  for (const auto& entry : fs::directory_iterator(place.folder.path()))
    CHECK_FALSE(entry.path().string().ends_with(".tmp"));
  const auto nowhere = place.folder.path() / "nowhere" / "x.json";
  CHECK_THAT(bad_input([&] { write_trace(nowhere, place.trace(), place.catalog); }),
             Contains("x.json: cannot be written"));
}

TEST_CASE("a truncated trace is refused, wherever it is cut") {
  const Place place;
  place.write(place.trace());
  const auto text = sim::file_text(place.file);
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    INFO(length);
    place.folder.write("x.trace.json", text.substr(0, length));
    CHECK_THAT(bad_input([&] { place.read(); }), Contains("x.trace.json:") && Contains("not JSON"));
  }
}

TEST_CASE("a trace of another version or with a wrong content is refused with the place") {
  const Place place;
  place.write(place.trace());
  const auto spoilt = [&](const std::string& path, const Json& value) {
    auto json = place.json();
    json[Json::json_pointer(path)] = value;
    const auto error = place.refused(json);
    place.write(place.trace());
    return error;
  };
  CHECK_THAT(spoilt("/lockstep_trace", 2),
             Contains("$.lockstep_trace: a trace of version 2; this lockstep reads version 1"));
  CHECK_THAT(spoilt("/schedul", 2), Contains("$.schedul: ") && Contains("`schedule`"));
  CHECK_THAT(spoilt("/violated", "laek"), Contains("$.violated: ") && Contains("`leak`"));
  CHECK_THAT(spoilt("/schedule/6/do", "puase"),
             Contains("$.schedule[6].do: ") && Contains("`pause`"));
  CHECK_THAT(spoilt("/schedule/6/process", "C"),
             Contains("$.schedule[6].process: unknown client `C`"));
  CHECK_THAT(spoilt("/schedule/6/task", 1), Contains("$.schedule[6].task: unknown key"));
  CHECK_THAT(spoilt("/schedule/6/choices", Json{1}),
             Contains("$.schedule[6].choices: unknown key"));
  CHECK_THAT(spoilt("/schedule/0/task", 256), Contains("$.schedule[0].task: found 256"));
  CHECK_THAT(spoilt("/scenario/faults/puase", 1),
             Contains("$.scenario.faults.puase: ") && Contains("`pause`"));
  auto endless = place.json();
  endless["endless"] = true;
  CHECK(place.refused(endless).empty());
  endless["violated"] = "mutual-exclusion";
  CHECK_THAT(place.refused(endless),
             Contains("$.endless: `mutual-exclusion` is violated by a step, never for ever"));
  endless["violated"] = Json();
  CHECK_THAT(place.refused(endless), Contains("$.endless: only a violation can be endless"));
  CHECK_THAT(place.refused(Json::object()), Contains("the key `lockstep_trace` is missing"));
}

TEST_CASE("a trace of a protocol that has changed since is refused") {
  const Place place;
  place.write(place.trace());
  place.folder.write("mine/protocol.lua", std::string(kProtocol) + "-- changed\n");
  const auto back = place.read();
  CHECK_THAT(bad_input([&] { expect_unchanged(back, place.model(back.scenario), place.file); }),
             Contains("has changed since this trace was made") && Contains("mine"));
}

TEST_CASE("a trace names the scenario's own invariants, and is refused when they have changed") {
  const Place place;
  const std::string claims = "invariant('nothing', function(world) return true end)\n";
  auto trace = place.trace();
  trace.scenario.claims = place.folder.write("claims.lua", claims);
  trace.scenario.invariants = "as it was written";
  place.write(trace);
  CHECK_FALSE(place.json()["scenario"].contains("invariants"));  // they are not judged
  trace.scenario.properties.insert(sim::Property::invariant);
  trace.fingerprint = sim::fingerprint(place.model(trace.scenario));
  place.write(trace);
  CHECK(place.json()["scenario"]["invariants"] == "claims.lua");
  const auto back = place.read();
  CHECK(fs::equivalent(back.scenario.claims, trace.scenario.claims));
  CHECK_NOTHROW(expect_unchanged(back, place.model(back.scenario), place.file));
  place.folder.write("claims.lua", claims + "-- changed\n");
  CHECK_THAT(bad_input([&] { expect_unchanged(back, place.model(back.scenario), place.file); }),
             Contains("has changed since this trace was made") && Contains("claims.lua"));
}

}  // namespace lockstep::scenarios
