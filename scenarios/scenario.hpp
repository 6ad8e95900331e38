// A scenario: what is simulated, where it comes from, and what is expected of it. The one reader
// and writer of scenario JSON.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/json_fwd.hpp"
#include "scenarios/schedule.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::scenarios {

/// One step of a role's workload, as written: "lock", "lock orders", "lock-shared", "work 3000",
/// "sleep 5", "unlock", "unlock-shared".
struct RoleStep {
  sim::WorkStep::Kind kind = sim::WorkStep::Kind::lock;
  std::string key;          ///< lock, unlock, call: the lock's key
  std::int64_t ms = 0;      ///< work, sleep
  bool shared = false;      ///< lock, unlock: in shared mode
  std::string method = {};  ///< call
  friend bool operator==(const RoleStep&, const RoleStep&) = default;
};

/// The key of "lock" and "unlock" that name none.
inline constexpr const char* kDefaultKey = "lock";

/// What a client does: a workload, for a number of rounds, by a number of threads; and with what.
struct Role {
  std::string name;
  std::vector<RoleStep> workload;
  int rounds = 1;  ///< 0: for ever
  int threads = 1;
  std::optional<std::int64_t> lease_ms;  ///< if another one than the scenario's
  sim::Settings settings;                ///< where they are not the protocol's
  friend bool operator==(const Role&, const Role&) = default;
};

/// What a check can come to, as scenarios and exit codes tell it apart.
enum class Outcome : std::uint8_t { holds, violated, inconclusive, vacuous };
inline constexpr std::array kOutcomes{Outcome::holds, Outcome::violated, Outcome::inconclusive,
                                      Outcome::vacuous};
const char* name(Outcome);
Outcome outcome_of(const checker::Result& result);

/// What the scenario claims.
struct Expectation {
  Outcome outcome = Outcome::holds;
  std::optional<sim::Property> property;  ///< with `violated`
  std::optional<std::uint64_t> steps;     ///< with `violated`: length of the counterexample
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// A `search` explores every run; a `schedule` walks one documented order of events.
enum class ScenarioKind : std::uint8_t { search, schedule };

struct Scenario {
  std::string
      name;  ///< the file's name without ".json", or the protocol's for a check without scenario
  std::string file;              ///< where it was read from, as errors name it; may be empty
  std::string title;             ///< what happens, in one line
  std::string source;            ///< the document that it comes from
  std::string why;               ///< the reasoning behind `expect`
  std::string protocol;          ///< as written: a shipped protocol's name or a folder
  std::filesystem::path folder;  ///< the protocol's folder, found
  ScenarioKind kind = ScenarioKind::search;
  std::vector<Role> roles;
  std::vector<std::size_t> clients;  ///< A, B, C, ...: index of the role of each
  std::int64_t lease_ms = 10'000;
  std::int64_t request_timeout_ms = 0;
  std::int64_t pause_max_ms = 0;
  std::int64_t latency_ms = 0;
  int nodes = 1;                      ///< unless said, as many as the protocol is written for
  int replicas = 0;                   ///< of each node; unless said, what the protocol says
  int min_replicas = 0;               ///< as in sim::Model
  std::int64_t restart_after_ms = 0;  ///< as in sim::Model
  std::int64_t waits_ms = 0;          ///< as in sim::Model
  sim::WaitsAfter waits_after = sim::WaitsAfter::call;
  std::optional<unsigned> overtakes;                      ///< likewise
  std::vector<std::int64_t> clocks_ms, node_clocks_ms;    ///< as in sim::Model
  std::vector<std::int64_t> drifts_ppm, node_drifts_ppm;  ///< the same
  std::vector<std::int64_t> jumps_ms;  ///< empty: twice the lease and half of it, both ways
  bool distinct_micros = false;        ///< as in sim::Model
  sim::ServerVersion server = sim::ServerVersion::redis_7_0;  ///< unless said, the protocol's own
  /// As in sim::ServerMode; unless said, the protocol's own.
  std::optional<sim::KeyspaceEvents> keyspace_events;
  bool tracks = false;          ///< its clients track keys, as the protocol says
  bool cluster = false;         ///< as in sim::ServerMode
  std::uint64_t draw_seed = 0;  ///< as in sim::ServerMode
  sim::Persistence persistence = sim::Persistence::none;
  sim::MaxmemoryPolicy maxmemory_policy = sim::MaxmemoryPolicy::volatile_keys;
  sim::Resource resource = sim::Resource::plain;
  sim::Budget faults{};                ///< of a schedule: what its steps need
  std::set<sim::Property> properties;  ///< all of them unless the scenario names some
  std::string invariants;              ///< as written: a file that states some; may be empty
  std::filesystem::path claims;        ///< that file, found
  std::set<sim::Witness> witnesses;
  checker::Bounds bounds;
  std::vector<ScheduleStep> steps;    ///< of a schedule
  std::optional<Expectation> expect;  ///< nothing: the scenario was made up from flags
};

/// How fast or slow a clock may be.
inline constexpr std::int64_t kMostPpm = 500'000;

/// How many clients a scenario may have.
inline constexpr int kMostClients = sim::kMaxProcesses;

/// A scenario for `check PROTOCOL`: two clients that lock, work 3 s and unlock under a lease of 10
/// s (before that the same in shared mode, if the protocol has one), no faults, every property.
Scenario default_scenario(const std::string& protocol, const std::filesystem::path& folder);

/// The file of invariants that is written so beside `base`. Throws BadInput with a near miss.
std::filesystem::path invariants_file(const std::string& written,
                                      const std::filesystem::path& base);

/// Parses one workload step; `place` says where it stands. Throws BadInput.
RoleStep parse_role_step(const std::string& text, const JsonPlace& place);
/// The sizes of clock jumps where a scenario says none.
std::vector<std::int64_t> usual_jumps_ms(std::int64_t lease_ms);
/// "work 3000", "lock", "lock orders".
std::string written(const RoleStep& step);

/// Turns what stands in `protocol` into the folder it means, `base` being where the scenario lies.
using FindProtocol = std::function<std::filesystem::path(const std::string& protocol,
                                                         const std::filesystem::path& base)>;

/// Reads a scenario file. Unknown keys, wrong types and misspelt names are BadInput with file and
/// JSON path.
Scenario read_scenario(const std::filesystem::path& file, const FindProtocol& find_protocol);

/// Reads the scenario inside a trace, which may have been made up from flags: without title,
/// source, why and expect.
Scenario embedded_scenario(const JsonPlace& place, const std::string& name,
                           const std::filesystem::path& base, const FindProtocol& find_protocol);

/// The JSON that reads back as this scenario; `protocol` is what to write for its protocol.
Json to_json(const Scenario& scenario, const std::string& protocol);

/// The keys that the reader accepts in each object of a scenario, by the object's path ("$",
/// "$.roles.*", "$.bounds", ...).
const std::map<std::string, std::vector<std::string>>& scenario_keys();

/// What both explorers are given. `program` is the scenario's protocol, loaded.
sim::Model model_of(const Scenario& scenario, std::shared_ptr<const sim::Program> program);

/// What differs between the expectation and what came out ("expected 8 steps, found 9"); nothing if
/// it is as expected.
std::optional<std::string> difference(const Expectation& expect, const checker::Result& result);

}  // namespace lockstep::scenarios
