// The verdicts of one protocol: every condition by every property, each judged for itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/conditions.hpp"
#include "scenarios/scenario.hpp"

namespace lockstep::scenarios {

/// What a verdict of a matrix can be: an outcome of a search, or why it says little or nothing.
enum class Standing : std::uint8_t {
  holds,
  cannot_happen,  ///< holds, because the condition's fault can never happen here
  violated,
  inconclusive,
  vacuous,
  not_reentrant  ///< not judged: the condition needs a re-entrant lock
};
inline constexpr std::array kStandings{Standing::holds,    Standing::cannot_happen,
                                       Standing::violated, Standing::inconclusive,
                                       Standing::vacuous,  Standing::not_reentrant};
const char* name(Standing);

/// One verdict: a property under a condition.
struct Finding {
  std::string condition;
  sim::Property property = sim::Property::mutual_exclusion;
  Standing standing = Standing::holds;
  std::uint64_t steps = 0;   ///< violated: the fewest
  std::uint64_t states = 0;  ///< of the search that decided it
  std::string detail;        ///< inconclusive, vacuous: why

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What one protocol's matrix was made of and came to.
struct Matrix {
  Scenario world;           ///< the conditions change this one
  std::string fingerprint;  ///< of the protocol's files
  std::vector<Finding> findings;
};

/// Whether a lone client can lock, lock, unlock, unlock in `world`, without ever being refused or
/// outwaiting its own lease. Worth nothing if `progress` has ended it.
bool reenters(const Scenario& world, const checker::Progress& progress = {});

/// The verdict of each of `world`'s properties under `condition`: violated ones first, fewest steps
/// first. `reentrant` is what reenters() says. A run that the protocol cannot stand (BadInput) is
/// inconclusive with that text; so is everything where `progress` says from the start why it has to
/// end. A counterexample is re-executed as judge() does.
std::vector<Finding> judge_each(const Condition& condition, const Scenario& world, bool reentrant,
                                const checker::Progress& progress = {});

}  // namespace lockstep::scenarios
