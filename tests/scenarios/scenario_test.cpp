// Reading and writing scenarios: what is understood, and the line that each mistake ends in.
#include "scenarios/scenario.hpp"

#include <catch2/catch.hpp>

#include "scenarios/json_reader.hpp"
#include "sim/client/program.hpp"
#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

using Catch::Matchers::Contains;
using tests::bad_input;
using tests::TemporaryFolder;

const FindProtocol kAnyProtocol = [](const std::string& protocol, const std::filesystem::path&) {
  return std::filesystem::path("/protocols") / protocol;
};

/// A scenario that is right, for tests to spoil.
Json sound() {
  return Json::parse(R"({
    "title": "t", "source": "s", "why": "w", "protocol": "p", "kind": "search",
    "roles": {"reader": {"workload": ["lock", "work 30", "unlock"], "rounds": 2, "threads": 3},
              "writer": {"workload": ["lock", "lock b", "sleep 5", "unlock b", "unlock"]}},
    "clients": ["reader", "writer", "writer"], "lease_ms": 20, "request_timeout_ms": 7,
    "pause_max_ms": 9, "jumps_ms": [4, -4], "server": "redis-7.2", "draw_seed": 9223372036854775807,
    "nodes": 3, "restart_after_ms": 8, "persistence": "aof-always", "resource": "fenced-writes",
    "faults": {"pause": 2, "node-crash": 1}, "properties": ["deadlock", "leak"],
    "witnesses": ["lost"], "bounds": {"max_states": 10, "max_seconds": 0.5, "max_memory_mb": 3},
    "expect": {"verdict": "violated", "property": "leak", "steps": 12}})");
}

Json sound_schedule() {
  return Json::parse(
      R"({"title": "t", "source": "s", "why": "w", "protocol": "p", "kind": "schedule",
    "steps": ["A acquires", "A pauses", "redis's clock jumps by -50 ms"], "expect": {"verdict": "holds"}})");
}

Scenario read_text(const std::string& text) {
  const TemporaryFolder folder;
  return read_scenario(folder.write("x.json", text), kAnyProtocol);
}
Scenario read(const Json& json) { return read_text(json.dump(2)); }

/// The error of a sound scenario in which `path` (a JSON pointer) is set to `value`.
std::string spoilt(const std::string& path, const Json& value, Json json = sound()) {
  json[Json::json_pointer(path)] = value;
  return bad_input([&] { read(json); });
}

std::string without(const std::vector<std::string>& keys) {
  auto json = sound();
  for (const std::string& key : keys) json.erase(key);
  return bad_input([&] { read(json); });
}

}  // namespace

TEST_CASE("everything that a scenario says is understood") {
  const auto scenario = read(sound());
  CHECK(scenario.name == "x");
  CHECK(scenario.folder == "/protocols/p");
  REQUIRE(scenario.roles.size() == 2);
  CHECK(scenario.roles[0].name == "reader");
  CHECK(scenario.roles[0].rounds == 2);
  CHECK(scenario.clients == std::vector<std::size_t>{0, 1, 1});
  CHECK(scenario.expect->outcome == Outcome::violated);
  CHECK(scenario.expect->property == sim::Property::leak);
  CHECK(scenario.expect->steps == 12);
  CHECK(scenario.bounds.max_bytes == 3u << 20);

  const auto model = model_of(scenario, nullptr);
  REQUIRE(model.processes.size() == 3);
  CHECK(model.processes[0].lock_keys == std::vector<std::string>{"lock", "b"});
  CHECK(model.processes[0].threads == 3);
  using Work = sim::WorkStep;
  CHECK(model.processes[1].workload == std::vector<Work>{{Work::Kind::lock, 0, 0},
                                                         {Work::Kind::lock, 1, 0},
                                                         {Work::Kind::sleep, 0, 5},
                                                         {Work::Kind::unlock, 1, 0},
                                                         {Work::Kind::unlock, 0, 0}});
  CHECK(model.processes[2].lease_ms == 20);
  CHECK(model.server == sim::ServerVersion::redis_7_2);
  CHECK(model.draw_seed == INT64_MAX);
  CHECK(model.persistence == sim::Persistence::aof_always);
  CHECK(model.resource == sim::Resource::fenced_writes);
  CHECK(model.budget.at(static_cast<std::size_t>(sim::Fault::pause)) == 2);
  CHECK(model.budget.at(static_cast<std::size_t>(sim::Fault::delay)) == 0);
  CHECK(model.jumps_ms == std::vector<std::int64_t>{4, -4});
  CHECK(model.request_timeout_ms == 7);
  CHECK(model.pause_max_ms == 9);
  CHECK(model.processes[0].nodes == 3);
  CHECK(model.restart_after_ms == 8);
  CHECK(model.properties == std::set<sim::Property>{sim::Property::deadlock, sim::Property::leak});
  CHECK(model.witnesses == std::set<sim::Witness>{sim::Witness::lost});
}

TEST_CASE("a role has modes, a lease and settings of its own") {
  auto json = sound();
  json["roles"]["reader"] = Json::parse(
      R"({"workload": ["lock-shared", "lock-shared b", "unlock-shared b", "unlock-shared"],
          "lease_ms": 7, "settings": {"version": 2, "name": "x", "eager": true}})");
  const auto scenario = read(json);
  CHECK(read(to_json(scenario, "p")).roles == scenario.roles);
  const auto model = model_of(scenario, nullptr);
  const auto& reader = model.processes[0];
  const auto& writer = model.processes[1];
  CHECK(reader.lease_ms == 7);
  CHECK(writer.lease_ms == 20);
  CHECK(reader.lock_keys == std::vector<std::string>{"lock", "b", "lock", "b"});
  CHECK(reader.shared == std::vector<bool>{true, true, false, false});
  CHECK(reader.lock_keys == writer.lock_keys);
  CHECK(writer.workload.front() == sim::WorkStep{sim::WorkStep::Kind::lock, 2, 0});
  CHECK(reader.settings ==
        sim::Settings{{"version", std::int64_t{2}}, {"name", "x"}, {"eager", true}});
  CHECK(writer.settings.empty());
}

TEST_CASE("a workload calls a function of the protocol's own") {
  const TemporaryFolder folder;
  folder.write("protocol.lua",
               "local L = protocol { title = 't' } function L:extend() end\n"
               "function L:acquire() end function L:release() end return L\n");
  const auto program = std::make_shared<const sim::Program>(folder.path());
  const auto with = [](const std::string& step) {
    auto json = sound();
    json["roles"]["reader"] = Json{{"workload", {"lock b", step, "unlock b"}}};
    return json;
  };
  for (const std::string step : {"call extend", "call extend b"}) {
    const auto scenario = read(with(step));
    CHECK(read(to_json(scenario, "p")).roles == scenario.roles);
    const auto model = model_of(scenario, program);
    const auto& reader = model.processes[0];
    CHECK(reader.workload[1].method == "extend");
    CHECK(reader.lock_keys.at(reader.workload[1].lock) == (step == "call extend" ? "lock" : "b"));
  }
  const auto refused = [&](const std::string& step) {
    return bad_input([&] { model_of(read(with(step)), program); });
  };
  CHECK_THAT(refused("call exted"),
             Contains("role `reader`: `call exted`: the protocol has no function `exted` of its "
                      "own (did you mean `extend`?)"));
  CHECK_THAT(refused("call acquire"), Contains("no function `acquire` of its own"));
  CHECK_THAT(refused("call extend c"),
             Contains("role `reader`: `call extend c`: nobody locks `c`"));
  CHECK_THAT(refused("call"), Contains("expected `call FUNCTION` or `call FUNCTION KEY`"));
}

TEST_CASE("a mode or a setting that the protocol does not have is refused") {
  const TemporaryFolder folder;
  folder.write("protocol.lua",
               "local L = protocol { title = 't', settings = { version = 1 } }\n"
               "function L:acquire() end function L:release() end return L\n");
  const auto program = std::make_shared<const sim::Program>(folder.path());
  const auto refused = [&](const char* role) {
    auto json = sound();
    json["roles"]["reader"] = Json::parse(role);
    return bad_input([&] { model_of(read(json), program); });
  };
  CHECK_THAT(refused(R"({"workload": ["lock-shared"]})"),
             Contains("role `reader`: `lock-shared`: the protocol has no acquire_shared()"));
  CHECK_THAT(refused(R"({"workload": ["lock"], "settings": {"versoin": 2}})"),
             Contains("the protocol has no setting `versoin` (did you mean `version`?)"));
  CHECK_THAT(refused(R"({"workload": ["lock"], "settings": {"version": "2"}})"),
             Contains("the setting `version` is \"2\"; expected one like 1"));
}

TEST_CASE("what a scenario leaves out has a default") {
  const auto scenario =
      read_text(R"({"title": "t", "source": "s", "why": "w", "protocol": "p", "kind": "search",
    "expect": {"verdict": "holds"}})");
  const auto model = model_of(scenario, nullptr);
  CHECK(model.processes.size() == 2);
  CHECK(model.processes[0].lease_ms == 10'000);
  CHECK(model.properties == sim::usual_properties());
  CHECK(model.witnesses == std::set<sim::Witness>{sim::Witness::acquired});
  CHECK(model.budget == sim::Budget{});
  CHECK(model.jumps_ms == std::vector<std::int64_t>{20'000, -20'000, 5'000, -5'000});
}

TEST_CASE("a schedule's faults and jumps follow from its steps") {
  const auto model = model_of(read(sound_schedule()), nullptr);
  CHECK(model.budget.at(static_cast<std::size_t>(sim::Fault::pause)) == 1);
  CHECK(model.budget.at(static_cast<std::size_t>(sim::Fault::jump)) == 1);
  CHECK(model.jumps_ms == std::vector<std::int64_t>{-50});
}

TEST_CASE("a scenario reads back as it was written") {
  for (const auto& json : {sound(), sound_schedule()}) {
    const auto once = to_json(read(json), "p");
    CHECK(to_json(read(once), "p") == once);
  }
  CHECK(to_json(read(sound()), "p")["roles"]["writer"]["workload"] ==
        sound()["roles"]["writer"]["workload"]);
}

TEST_CASE("an unknown key is named with its place and the near one") {
  CHECK_THAT(spoilt("/faults/puase", 1),
             Contains("x.json: $.faults.puase: ") && Contains("did you mean `pause`?"));
  CHECK_THAT(spoilt("/fault", 1), Contains("$.fault: ") && Contains("did you mean `faults`?"));
  CHECK_THAT(spoilt("/roles/reader/round", 1),
             Contains("$.roles.reader.round: ") && Contains("`rounds`"));
  CHECK_THAT(spoilt("/bounds/max_state", 1),
             Contains("$.bounds.max_state: ") && Contains("`max_states`"));
  CHECK_THAT(spoilt("/expect/propperty", 1),
             Contains("$.expect.propperty: ") && Contains("`property`"));
}

TEST_CASE("a misspelt name is named with its place and the near one") {
  CHECK_THAT(spoilt("/properties/1", "laek"),
             Contains("$.properties[1]: ") && Contains("did you mean `leak`?"));
  CHECK_THAT(spoilt("/witnesses/0", "lst"), Contains("$.witnesses[0]: ") && Contains("`lost`"));
  CHECK_THAT(spoilt("/server", "redis-8.1"), Contains("$.server: ") && Contains("`redis-8.0`"));
  CHECK_THAT(spoilt("/persistence", "aof-allways"),
             Contains("$.persistence: ") && Contains("`aof-always`"));
  CHECK_THAT(spoilt("/resource", "fence"), Contains("$.resource: ") && Contains("`fenced`"));
  CHECK_THAT(spoilt("/kind", "serch"), Contains("$.kind: ") && Contains("`search`"));
  CHECK_THAT(spoilt("/expect/verdict", "hold"),
             Contains("$.expect.verdict: ") && Contains("`holds`"));
  CHECK_THAT(spoilt("/clients/0", "raeder"), Contains("$.clients[0]: ") && Contains("`reader`"));
  CHECK_THAT(spoilt("/roles/reader/workload/0", "lokc"),
             Contains("$.roles.reader.workload[0]: ") && Contains("`lock`"));
  CHECK_THAT(spoilt("/steps/1", "A puases", sound_schedule()),
             Contains("$.steps[1]: ") && Contains("did you mean `A pauses`?"));
}

TEST_CASE("a value of the wrong type is shown with what was expected") {
  CHECK_THAT(spoilt("/lease_ms", "20"),
             Contains("$.lease_ms: found \"20\", expected a whole number from 1 to"));
  CHECK_THAT(spoilt("/lease_ms", 2.5), Contains("found 2.5, expected a whole number"));
  CHECK_THAT(spoilt("/draw_seed", -1), Contains("$.draw_seed: found -1, expected"));
  CHECK_THAT(spoilt("/lease_ms", 0), Contains("found 0, expected"));
  CHECK_THAT(spoilt("/lease_ms", std::uint64_t{1} << 63),
             Contains("found 9223372036854775808, expected"));
  CHECK_THAT(spoilt("/faults", Json::array({"pause"})),
             Contains("$.faults: found [\"pause\"], expected an object"));
  CHECK_THAT(spoilt("/faults/pause", true), Contains("$.faults.pause: found true"));
  CHECK_THAT(spoilt("/faults/pause", -1),
             Contains("$.faults.pause: found -1, expected a whole number from 0"));
  CHECK_THAT(spoilt("/properties", "leak"),
             Contains("$.properties: found \"leak\", expected a list"));
  CHECK_THAT(spoilt("/title", ""), Contains("$.title: found \"\", expected a text"));
  CHECK_THAT(spoilt("/bounds/max_seconds", 0),
             Contains("$.bounds.max_seconds: found 0, expected a number above 0"));
  CHECK_THAT(spoilt("/roles/reader/workload/1", "work"),
             Contains("found `work`, expected `work MILLISECONDS`"));
  CHECK_THAT(spoilt("/roles/reader/workload/1", "work 1s"), Contains("found `work 1s`"));
  CHECK_THAT(spoilt("/jumps_ms/0", 0), Contains("$.jumps_ms[0]: "));
  for (const int locks : {9, 256, 257, 10'000}) {
    Json workload = Json::array();
    for (int lock = 0; lock < locks; ++lock) workload.push_back("lock k" + std::to_string(lock));
    CHECK_THAT(spoilt("/roles/reader/workload", workload),
               Contains("$.roles: found ") && Contains(" locks, expected at most 8"));
  }
}

TEST_CASE("what does not fit together is refused") {
  CHECK_THAT(without({"title"}), Contains("the key `title` is missing"));
  CHECK_THAT(without({"source"}), Contains("the key `source` is missing"));
  CHECK_THAT(without({"why"}), Contains("the key `why` is missing"));
  CHECK_THAT(without({"protocol"}), Contains("the key `protocol` is missing"));
  CHECK_THAT(without({"expect"}), Contains("the key `expect` is missing"));
  CHECK_THAT(without({"why", "title"}), Contains("the keys `title`, `why` are missing"));
  CHECK_THAT(without({"clients"}), Contains("several roles need `clients`"));
  CHECK_THAT(spoilt("/clients", 2), Contains("$.clients: with several roles"));
  CHECK_THAT(spoilt("/expect/property", "no-lost-update"),
             Contains("$.expect.property: ") && Contains("not among"));
  CHECK_THAT(spoilt("/expect/verdict", "holds"), Contains("only a violated scenario"));
  CHECK_THAT(spoilt("/steps", Json::array({"A starts"})),
             Contains("$.steps: only a schedule has steps"));
  CHECK_THAT(spoilt("/faults", Json::object(), sound_schedule()),
             Contains("a schedule has no `faults`"));
}

TEST_CASE("malformed JSON is named with line and column") {
  CHECK_THAT(bad_input([] { read_text("{\n  \"title\": }"); }),
             Contains("x.json:2:12: not JSON: "));
  CHECK_THAT(bad_input([] { read_text("{\"title\": \"t\""); }),
             Contains("x.json:1:14: not JSON: ") && Contains("end of input"));
  CHECK_THAT(bad_input([] { read_text(R"({"faults": {"pause": 0, "pause": 1}})"); }),
             Contains("the key `pause` stands twice"));
  CHECK_THAT(bad_input([] { read_text("{\"faults\":\n {\"pause\": 55e131969}}"); }),
             Contains("x.json:2:12: the number 55e131969 is too large"));
  CHECK_THAT(bad_input([] { read_text("[]"); }), Contains("$: found [], expected an object"));
  CHECK_THAT(bad_input([] { read_scenario("/nowhere/x.json", kAnyProtocol); }),
             Contains("/nowhere/x.json: cannot be read"));
}

TEST_CASE("a file of invariants is found beside the scenario, and asks for them") {
  const TemporaryFolder folder;
  folder.write("claims.lua", "invariant('mine', function(world) return true end)");
  auto json = sound();
  json["invariants"] = "claims.lua";
  const auto read_here = [&] {
    return read_scenario(folder.write("x.json", json.dump()), kAnyProtocol);
  };
  const auto scenario = read_here();
  CHECK(std::filesystem::equivalent(scenario.claims, folder.path() / "claims.lua"));
  CHECK(scenario.properties.contains(sim::Property::invariant));
  CHECK(model_of(scenario, nullptr).claims != nullptr);
  CHECK(to_json(scenario, "p")["invariants"] == "claims.lua");
  auto others = scenario;
  others.properties = {sim::Property::leak};
  CHECK(model_of(others, nullptr).claims == nullptr);
  CHECK_FALSE(to_json(others, "p").contains("invariants"));
  json["invariants"] = "clams.lua";
  CHECK_THAT(bad_input(read_here), Contains("x.json: $.invariants: no file ") &&
                                       Contains("(did you mean `claims.lua`?)"));
  json["invariants"] = 1;
  CHECK_THAT(bad_input(read_here), Contains("$.invariants: found 1, expected a text"));
}

TEST_CASE("how long a client may wait asks for the property") {
  auto json = sound();
  json["waits"] = {{"ms", 200}};
  const auto scenario = read(json);
  CHECK(scenario.properties == std::set<sim::Property>{sim::Property::deadlock, sim::Property::leak,
                                                       sim::Property::waits});
  CHECK(sim::too_long_ms(model_of(scenario, nullptr)) == 201);
  CHECK(scenario.waits_after == sim::WaitsAfter::call);
  json["waits"]["after"] = "free";
  CHECK(read(json).waits_after == sim::WaitsAfter::free);
  CHECK(to_json(read(json), "p")["waits"] == json["waits"]);
  CHECK_THAT(spoilt("/waits", {{"ms", 1}, {"after", "fre"}}),
             Contains("$.waits.after: ") && Contains("did you mean `free`?"));
  auto others = scenario;
  others.properties = {sim::Property::leak};
  CHECK(sim::too_long_ms(model_of(others, nullptr)) == 0);
  CHECK_FALSE(to_json(others, "p").contains("waits"));
  CHECK_THAT(spoilt("/waits", 200), Contains("$.waits: found 200, expected an object"));
  CHECK_THAT(spoilt("/waits/mss", 200), Contains("$.waits.mss: ") && Contains("`ms`"));
  CHECK_THAT(spoilt("/waits/ms", 0), Contains("$.waits.ms: found 0, expected"));
  json = sound();
  json["properties"].push_back("waits");
  CHECK_THAT(bad_input([&] { model_of(read(json), nullptr); }),
             Contains("x.json: the property `waits` is asked for, but not how long"));
}

TEST_CASE("how often others may go first asks for the property") {
  auto json = sound();
  json["overtakes"] = 2;
  const auto scenario = read(json);
  CHECK(scenario.properties.contains(sim::Property::fairness));
  CHECK(sim::judged_overtakes(model_of(scenario, nullptr)) == 2U);
  CHECK(to_json(read(json), "p")["overtakes"] == 2);
  auto others = scenario;
  others.properties = {sim::Property::leak};
  CHECK_FALSE(sim::judged_overtakes(model_of(others, nullptr)));
  CHECK_FALSE(to_json(others, "p").contains("overtakes"));
  CHECK_THAT(spoilt("/overtakes", 1001), Contains("$.overtakes: found 1001, expected"));
  json = sound();
  json["properties"].push_back("fairness");
  CHECK_THAT(bad_input([&] { model_of(read(json), nullptr); }),
             Contains("x.json: the property `fairness` is asked for, but not how often"));
}

TEST_CASE("what is said of a clock that is nobody's is refused") {
  const auto refusal = [](const char* key, const Json& said) {
    auto json = sound();
    json[key] = said;
    return bad_input([&] { model_of(read(json), nullptr); });
  };
  const auto clients = read(sound()).clients.size();
  CHECK(refusal("drifts_ppm", Json(std::vector<int>(clients, 1))).empty());
  CHECK_THAT(refusal("drifts_ppm", Json(std::vector<int>(clients + 1, 1))),
             Contains("x.json: drifts_ppm (--drift-ppm): there are 4 numbers, but 3 clients"));
  CHECK_THAT(refusal("clocks_ms", {1, 2, 3, 4}), Contains("clocks_ms (--clock-ms): there are 4"));
  CHECK_THAT(refusal("node_clocks_ms", {1, 2, 3, 4}), Contains("there are 4 numbers, but 3 nodes"));
  CHECK_THAT(refusal("node_drifts_ppm", {1, 2, 3, 4}),
             Contains("there are 4 numbers, but 3 nodes"));
}

TEST_CASE("JSON that is nested without end is refused") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK_THAT(bad_input([&] { read_text(deep); }),
             Contains("x.json: lists and objects are nested more than 100 deep"));
}

TEST_CASE("an error is one line, whatever bytes it shows") {
  CHECK_THAT(spoilt("/pro\ntocol", 1), Contains("unknown key `pro\\ntocol`; did you mean"));
  CHECK_THAT(spoilt("/kind", std::string("sea\0rch", 7)), Contains("`sea\\x00rch`"));
}

TEST_CASE("every number of a scenario is written, be it the least that says anything") {
  const std::vector<std::string> numbers{
      "lease_ms", "request_timeout_ms", "pause_max_ms", "latency_ms",       "nodes",
      "replicas", "draw_seed",          "min_replicas", "restart_after_ms", "cluster"};
  for (const auto& key : numbers) {
    CAPTURE(key);
    auto json = sound();
    const Json value = key == "cluster" ? Json(true) : Json(1);
    json[key] = value;
    CHECK(to_json(read(json), "p")[key] == value);
  }
  for (const std::string key :
       {"clocks_ms", "node_clocks_ms", "drifts_ppm", "node_drifts_ppm", "jumps_ms"}) {
    CAPTURE(key);
    auto json = sound();
    json[key] = {1};
    CHECK(to_json(read(json), "p")[key] == Json{1});
  }
  for (const auto fault : sim::kFaults) {
    auto json = sound();
    json["faults"] = {{name(fault), 1}};
    CHECK(to_json(read(json), "p")["faults"] == json["faults"]);
  }
}

TEST_CASE("a result is compared with the expectation") {
  Expectation expect{Outcome::violated, sim::Property::leak, 3};
  checker::Result result;
  result.verdict = checker::Verdict::violated;
  result.property = sim::Property::leak;
  result.schedule.resize(3);
  CHECK_FALSE(difference(expect, result).has_value());
  for (const std::size_t steps : {0U, 2U, 4U, 100U}) {
    result.schedule.resize(steps);
    CHECK(difference(expect, result) == "expected 3 steps, found " + std::to_string(steps));
  }
  result.property = sim::Property::deadlock;
  CHECK(difference(expect, result) == "expected leak to be violated, found deadlock");
  result.verdict = checker::Verdict::holds;
  CHECK(difference(expect, result) == "expected violated, found holds");
  result.unmet.insert(sim::Witness::acquired);
  CHECK(difference(expect, result) == "expected violated, found vacuous");
}

}  // namespace lockstep::scenarios
