// The properties: what must hold in every run. Their order is that in which they are shown, and in
// which one of several that a step violates is chosen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>

#include "sim/model/table.hpp"

namespace lockstep::sim {

enum class Property : std::uint8_t {
  mutual_exclusion,
  no_lost_update,
  foreign_release,
  foreign_extend,
  honest_result,
  reentrancy,
  deadlock,
  leak,
  fairness,
  lost_wakeup,
  waits,
  progress,
  lost_told,
  invariant
};

/// Who judges a property on real servers (live/).
enum class LiveJudge : std::uint8_t {
  referee,    ///< from what the clients say and the resource sees
  ownership,  ///< from who has made which key, as far as that can be followed
  end,        ///< from what is left when everybody is done
  nobody
};

struct PropertyRow {
  Property value;
  const char* name;        ///< of flags, scenarios and printouts
  const char* short_name;  ///< in a cell or at the head of a column
  LiveJudge live;
  const char* violated_when;
  /// The sentence of a run after which nothing but that can follow for ever; null for a property
  /// that a step violates, or none.
  const char* endless;
  bool of_keys = false;  ///< judged by what clients have in lease keys
  bool usual = true;     ///< judged unless others are asked for
};

inline constexpr auto kPropertyTable = std::to_array<PropertyRow>({
    {Property::mutual_exclusion, "mutual-exclusion", "mutex", LiveJudge::referee,
     "two clients are in the critical section of one lock at once", nullptr},
    {Property::no_lost_update, "no-lost-update", "lost", LiveJudge::referee,
     "the resource accepts the write of a holder although another changed what it had read",
     nullptr},
    {Property::foreign_release, "foreign-release", "release", LiveJudge::ownership,
     "a client removes, overwrites or shortens the lease of another client that believes in it",
     nullptr, true},
    {Property::foreign_extend, "foreign-extend", "extend", LiveJudge::ownership,
     "a client extends the lease of another client that believes in it", nullptr, true},
    {Property::honest_result, "honest-result", "honest", LiveJudge::ownership,
     "release() says true though nothing of its own was released, or false though its key is "
     "removed, or acquire() false though it holds the key",
     nullptr, true},
    {Property::reentrancy, "reentrancy", "re-entry", LiveJudge::ownership,
     "a client that has entered more often than it has left is told so and no longer holds its "
     "key, "
     "or removes it itself; or is told that it has left for good, and still holds it",
     nullptr, true},
    {Property::deadlock, "deadlock", "deadlock", LiveJudge::end,
     "all is quiet, yet a fresh client can never acquire, at whatever times it tries (of a lock "
     "with permits: so many at the same time); or a waiting one never can",
     "From here on no waiting client can ever acquire, though no fault is left to come."},
    {Property::leak, "leak", "leak", LiveJudge::end,
     "nobody is under way any more (or yet), and a lease key without expiry stays, or all are done "
     "or dead, and a task goes on sending requests (it renews, it asks), for ever",
     "All clients are done or dead, yet from here on a task goes on for ever.", true},
    {Property::fairness, "fairness", "fair", LiveJudge::nobody,
     "while a client is inside acquire() others get its lock more often than --overtakes says, "
     "which "
     "asks for it",
     nullptr, false, false},
    {Property::lost_wakeup, "lost-wakeup", "wake-up", LiveJudge::nobody,
     "a lock is given back, and a client goes on waiting inside acquire() to be told so, though "
     "nothing is under way that will tell it",
     nullptr, true, false},
    {Property::waits, "waits", "waits", LiveJudge::nobody,
     "a client is inside acquire() for longer than --waits-ms says, which asks for it", nullptr,
     false, false},
    {Property::progress, "progress", "progress", LiveJudge::nobody,
     "a client may stay inside acquire() for ever while time goes on, though no fault is left to "
     "come and everybody who can begin does",
     "From here on a client is inside acquire() for ever, though no fault is left to come.", false,
     false},
    {Property::lost_told, "lost-told", "told lost", LiveJudge::nobody,
     "a client is told that it has lost the lock, and still has its key", nullptr, true, false},
    {Property::invariant, "invariant", "claim", LiveJudge::nobody,
     "an invariant that the protocol or the scenario states is not true (usual where there is one)",
     nullptr, false, false},
});
static_assert(is_complete(kPropertyTable));
constexpr const auto& table_of(Property) { return kPropertyTable; }

inline constexpr auto kProperties = values_of(kPropertyTable);
/// What is judged unless something else is asked for.
inline std::set<Property> usual_properties() {
  std::set<Property> usual;
  for (const auto& each : kPropertyTable)
    if (each.usual) usual.insert(each.value);
  return usual;
}
using PropertySet = SetOf<kProperties.size()>;

/// Judged by whose the parts of a lease key are.
inline constexpr std::array kOfOwners{Property::foreign_release, Property::foreign_extend,
                                      Property::honest_result, Property::reentrancy,
                                      Property::lost_told};

/// What a client violates that waits inside acquire() where nothing but faults leads on, or nobody
/// ever acquires: a deadlock; without that, progress.
inline std::optional<Property> kept_waiting(const std::set<Property>& judged) {
  for (const auto property : {Property::deadlock, Property::progress})
    if (judged.contains(property)) return property;
  return {};
}

}  // namespace lockstep::sim
