// Verdicts by condition and property; see the header.
#include "scenarios/matrix.hpp"

#include <algorithm>

#include "scenarios/judge.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"

namespace lockstep::scenarios {

namespace {

Standing standing_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return Standing::holds;
    case Outcome::violated:
      return Standing::violated;
    case Outcome::inconclusive:
      return Standing::inconclusive;
    case Outcome::vacuous:
      return Standing::vacuous;
  }
  sim::fail("an outcome without a standing", __FILE__, __LINE__);
}

Finding finding(const Condition& condition, sim::Property property, const Judgement& judgement) {
  const auto& result = judgement.result;
  Finding made;
  made.condition = condition.name;
  made.property = property;
  made.standing = standing_of(judgement.outcome());
  made.states = result.statistics.states;
  if (made.standing == Standing::violated) made.steps = result.schedule.size();
  if (made.standing == Standing::inconclusive) made.detail = result.why_inconclusive;
  if (made.standing == Standing::vacuous) made.detail = result.unmet_detail;
  return made;
}

/// Whether the condition's faults can never happen: `holding`, a search of the whole space, took no
/// other steps than without them.
bool never_happens(const Condition& condition, const Scenario& world, const Judgement& holding,
                   const checker::Progress& progress) {
  if (condition.faults == sim::Budget{}) return false;
  auto harmless = condition;
  harmless.faults = {};
  auto scenario = under(harmless, world);
  scenario.properties.clear();
  const auto without = judge(scenario, progress).result.statistics;
  const auto& with = holding.result.statistics;
  return with.states == without.states && with.transitions == without.transitions;
}

/// All properties at once; then, as long as one is violated, the others without it: a shortest
/// counterexample to the first of several is one to that property alone.
void judge_by_elimination(const Condition& condition, const Scenario& world,
                          const checker::Progress& progress, std::set<sim::Property>& open,
                          std::vector<Finding>& findings) {
  auto scenario = under(condition, world);
  while (!open.empty()) {
    scenario.properties = open;
    const auto judgement = judge(scenario, progress);
    if (judgement.outcome() == Outcome::violated) {
      const auto violated = *judgement.result.property;
      findings.push_back(finding(condition, violated, judgement));
      open.erase(violated);
      continue;
    }
    const bool idle = findings.empty() && judgement.outcome() == Outcome::holds &&
                      never_happens(condition, world, judgement, progress);
    for (const auto property : open) {
      findings.push_back(finding(condition, property, judgement));
      if (idle) findings.back().standing = Standing::cannot_happen;
    }
    open.clear();
  }
}

}  // namespace

const char* name(Standing standing) {
  switch (standing) {
    case Standing::holds:
      return "holds";
    case Standing::cannot_happen:
      return "cannot-happen";
    case Standing::violated:
      return "violated";
    case Standing::inconclusive:
      return "inconclusive";
    case Standing::vacuous:
      return "vacuous";
    case Standing::not_reentrant:
      return "not-reentrant";
  }
  sim::fail("a standing without a name", __FILE__, __LINE__);
}

bool reenters(const Scenario& world, const checker::Progress& progress) {
  using sim::Witness;
  Condition nested;
  nested.shape = Shape::nested;
  auto scenario = under(nested, world);
  scenario.clients.resize(1);
  scenario.faults = {};
  for (auto& role : scenario.roles) {
    role.rounds = role.threads = 1;
    for (auto& step : role.workload) step.ms = 0;
  }
  scenario.properties.clear();
  scenario.witnesses = {Witness::acquired, Witness::released, Witness::refused,
                        Witness::expired_while_held};
  try {
    return judge(scenario, progress).result.unmet ==
           std::set<Witness>{Witness::refused, Witness::expired_while_held};
  } catch (const sim::BadInput&) {
    return false;
  }
}

std::vector<Finding> judge_each(const Condition& condition, const Scenario& world, bool reentrant,
                                const checker::Progress& progress) {
  std::vector<Finding> findings;
  auto open = world.properties;
  Finding other;
  other.condition = condition.name;
  other.standing = Standing::inconclusive;
  if (progress) other.detail = progress({});
  const bool reached = other.detail.empty();
  try {
    if (reached && condition.needs_reentry() && !reentrant)
      other.standing = Standing::not_reentrant;
    else if (reached)
      judge_by_elimination(condition, world, progress, open, findings);
  } catch (const sim::BadInput& error) {
    other.detail = error.what();
  }
  for (const auto property : open) {
    findings.push_back(other);
    findings.back().property = property;
  }
  return findings;
}

}  // namespace lockstep::scenarios
