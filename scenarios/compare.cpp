// See compare.hpp.
#include "scenarios/compare.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace lockstep::scenarios {

namespace {

int rank(Standing standing) {
  switch (standing) {
    case Standing::holds:
    case Standing::cannot_happen:
      return 3;
    case Standing::not_reentrant:
      return 2;
    case Standing::inconclusive:
    case Standing::vacuous:
      return 1;
    case Standing::violated:
      return 0;
  }
  sim::fail("a standing without a rank", __FILE__, __LINE__);
}

}  // namespace

const char* name(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::weaker:
      return "weaker";
    case Change::stronger:
      return "stronger";
    case Change::changed:
      return "changed";
  }
  sim::fail("a change without a name", __FILE__, __LINE__);
}

Change change_between(const Finding& before, const Finding& after) {
  const auto was = rank(before.standing), is = rank(after.standing);
  if (is < was) return Change::weaker;
  // From violated to not known is no comfort.
  if (is > was) return is >= rank(Standing::not_reentrant) ? Change::stronger : Change::changed;
  const bool other_way = is < rank(Standing::not_reentrant) && before.standing != after.standing;
  return other_way || before.steps != after.steps ? Change::changed : Change::same;
}

std::vector<Difference> compare(const std::vector<Finding>& before,
                                const std::vector<Finding>& after) {
  std::vector<Difference> all;
  for (const auto& finding : after) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const Finding& other) {
      return other.condition == finding.condition && other.property == finding.property;
    });
    if (old != before.end()) all.push_back({*old, finding, change_between(*old, finding)});
  }
  return all;
}

const Difference* first_violated(const std::vector<Difference>& differences) {
  const Difference* first = nullptr;
  const auto order = [](const Difference& each) {
    return std::pair(each.after.steps, each.after.property);
  };
  for (const auto& each : differences) {
    if (each.change != Change::weaker || each.after.standing != Standing::violated) continue;
    if (first != nullptr && each.after.condition != first->after.condition) break;
    if (first == nullptr || order(each) < order(*first)) first = &each;
  }
  return first;
}

}  // namespace lockstep::scenarios
