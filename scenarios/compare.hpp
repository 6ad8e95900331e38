// Two versions of a protocol, verdict by verdict: what got weaker, what stronger.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/matrix.hpp"

namespace lockstep::scenarios {

enum class Change : std::uint8_t {
  same,
  weaker,    ///< what held is violated, vacuous, not known any more, or no longer re-entrant
  stronger,  ///< the other way round
  changed    ///< neither: a shortest counterexample has another length, ...
};
const char* name(Change);

/// One verdict on both versions.
struct Difference {
  Finding before, after;
  Change change = Change::same;
};

/// How `after` compares with `before`. From best to worst: it holds; it is not asked, because the
/// lock is not re-entrant; it is inconclusive or vacuous; it is violated.
Change change_between(const Finding& before, const Finding& after);

/// Every verdict that stands in both, in the order of `after`.
std::vector<Difference> compare(const std::vector<Finding>& before,
                                const std::vector<Finding>& after);

/// Of the verdicts that got weaker by a run that can be shown: of the first condition the one with
/// the fewest steps, mutual exclusion before less serious properties. Null if there is none.
const Difference* first_violated(const std::vector<Difference>& differences);

}  // namespace lockstep::scenarios
