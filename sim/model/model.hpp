// What is simulated: protocol, processes, nodes, faults and bounds, as plain data. Filled in by the
// scenario reader or the command line, read by both explorers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/client/setup.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class Program;

enum class Fault : std::uint8_t { pause, delay, lose, crash, jump, node_crash, power_loss };
inline constexpr std::array kFaults{Fault::pause, Fault::delay,      Fault::lose,      Fault::crash,
                                    Fault::jump,  Fault::node_crash, Fault::power_loss};
using Budget =
    std::array<std::uint8_t, kFaults.size()>;  ///< by Fault: how many of each one run may contain

/// What a restarted node still has (Redis persistence): nothing; every write; what the last
/// completed RDB save had; AOF with fsync always or everysec (they differ from `aof` only under
/// power loss).
enum class Persistence : std::uint8_t { none, rdb, aof_everysec, aof_always };

/// Whether the protected resource checks fencing tokens.
enum class Resource : std::uint8_t { plain, fenced, fenced_writes };

enum class Property : std::uint8_t {
  mutual_exclusion,
  no_lost_update,
  foreign_release,
  foreign_extend,
  honest_result,
  reentrancy,
  deadlock,
  leak
};
inline constexpr std::array kProperties{Property::mutual_exclusion, Property::no_lost_update,
                                        Property::foreign_release,  Property::foreign_extend,
                                        Property::honest_result,    Property::reentrancy,
                                        Property::deadlock,         Property::leak};

/// Claims that some run must fulfil, so that nothing holds because nothing happened.
enum class Witness : std::uint8_t { acquired, refused, released, lost, expired_while_held };
inline constexpr std::array kWitnesses{Witness::acquired, Witness::refused, Witness::released,
                                       Witness::lost, Witness::expired_while_held};

struct Model {
  std::shared_ptr<const Program> program;
  std::vector<ProcessSetup> processes;  ///< A, B, C, ...; at most 8
  RedisVersion redis_version = RedisVersion::v7_0;
  Persistence persistence = Persistence::none;
  Resource resource = Resource::plain;
  Budget budget{};
  std::vector<std::int64_t> jumps_ms;   ///< sizes of clock jumps; may be negative
  std::int64_t request_timeout_ms = 0;  ///< 0: none. Used where the program states none
  std::int64_t pause_max_ms = 0;        ///< 0: a pause may last for ever
  std::int64_t tick_ms =
      1;  ///< the smallest step of time; the audit uses a coarser one on both explorers
  bool merges_tokens = true;      ///< the engine's one reduction: recycled and renamed lock tokens
  std::set<Property> properties;  ///< checked as `always`
  std::set<Witness>
      witnesses;  ///< checked as `sometimes`; Witness::acquired means: by every process
};

/// "pause", "node-crash", ...: the names of flags, scenarios and printouts.
const char* name(Fault);
const char* name(Persistence);
const char* name(Resource);
const char* name(Property);
const char* name(Witness);

}  // namespace lockstep::sim
