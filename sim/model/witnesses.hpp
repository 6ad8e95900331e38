// The witnesses: claims that some run must fulfil, so that nothing holds because nothing happened.
#pragma once

#include <cstdint>

#include "sim/model/table.hpp"

namespace lockstep::sim {

enum class Witness : std::uint8_t {
  acquired,
  refused,
  released,
  lost,
  expired_while_held,
  owned,
  written,
  freed
};

struct WitnessRow {
  Witness value;
  const char* name;  ///< of scenarios and printouts
  const char* met_when;
};

inline constexpr auto kWitnessTable = std::to_array<WitnessRow>({
    {Witness::acquired, "acquired", "every client acquires in some run"},
    {Witness::refused, "refused", "some client is refused in some run"},
    {Witness::released, "released", "some release() says true in some run"},
    {Witness::lost, "lost", "some client is told that it has lost the lock in some run"},
    {Witness::expired_while_held, "expired-while-held",
     "some lease ends while its maker holds the lock in some run"},
    {Witness::owned, "owned", "some client that acquires has a lease key of the lock in some run"},
    {Witness::written, "written", "the resource accepts some client's WRITE in some run"},
    {Witness::freed, "freed",
     "some release() frees something in the lock's lease keys in some run"},
});
static_assert(is_complete(kWitnessTable));
constexpr const auto& table_of(Witness) { return kWitnessTable; }

inline constexpr auto kWitnesses = values_of(kWitnessTable);
using WitnessSet = SetOf<kWitnesses.size()>;

}  // namespace lockstep::sim
