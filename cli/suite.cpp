// Scenarios of a regression suite; see the header.
#include "cli/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "checker/audit.hpp"
#include "cli/describe.hpp"
#include "cli/progress.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "scenarios/judge.hpp"
#include "sim/base/error.hpp"
#include "sim/base/path.hpp"

namespace fs = std::filesystem;

namespace lockstep::cli {

namespace {

std::vector<Case> in_folder(const fs::path& folder) {
  std::vector<Case> cases;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto file = entry.path().filename().string();
    if (!entry.is_regular_file() || !file.ends_with(".json") || file.ends_with(".schema.json"))
      continue;
    cases.push_back({entry.path().lexically_relative(folder).replace_extension().string(),
                     entry.path().lexically_normal()});
  }
  if (cases.empty())
    throw sim::BadInput(fmt::format("{}: no scenario (*.json) in this folder", folder.string()));
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.file < b.file; });
  return cases;
}

std::vector<Case> named_by(const std::string& target, const scenarios::Catalog& catalog) {
  if (sim::is_folder(target)) return in_folder(target);
  const auto file = catalog.scenario_file(target);
  return {{file == fs::path(target) ? fs::path(target).stem().string() : target, file}};
}

std::string what_came(const scenarios::Judgement& judgement) {
  const auto& result = judgement.result;
  scenarios::Expectation came{judgement.outcome(), result.property, std::nullopt};
  if (came.outcome == scenarios::Outcome::violated) came.steps = result.schedule.size();
  auto words = claim_in_words(came);
  if (!result.why_inconclusive.empty()) words += ": " + result.why_inconclusive;
  if (!result.unmet_detail.empty() && result.vacuous()) words += ": " + result.unmet_detail;
  if (judgement.scenario.kind == scenarios::ScenarioKind::search)
    words += "; " + plural(result.statistics.states, "state");
  return words;
}

/// As `replay` tells it, without its end where it is very long.
std::string told_run(const checker::Trace& trace) {
  constexpr std::size_t kMostBytes = 50'000;
  std::ostringstream out;
  print_trace(out, trace, {});
  std::string text = out.str();
  if (text.size() <= kMostBytes) return text;
  return text.substr(0, text.rfind('\n', kMostBytes) + 1) + "...\n";
}

void take_over(const scenarios::Judgement& judgement, Tested& tested) {
  tested.result = judgement.result;
  tested.text = what_came(judgement);
  tested.status = Tested::Status::as_expected;
  if (judgement.difference) {
    tested.status = Tested::Status::different;
    tested.text = fmt::format("expected {}; came {}", claim_in_words(*judgement.scenario.expect),
                              tested.text);
    if (judgement.trace) tested.told = told_run(*judgement.trace);
    tested.trace = judgement.trace;
    tested.folder = judgement.model.program->folder();
  }
  if (!judgement.audit) return;
  const auto& audit = *judgement.audit;
  if (audit.outcome == checker::Audit::Outcome::agree) {
    tested.text += "; the audit agrees";
  } else if (audit.outcome == checker::Audit::Outcome::disagree) {
    tested.status = Tested::Status::failure;
    tested.text += "; THE AUDIT DISAGREES: " + audit.detail;
  } else {
    tested.text += "; the audit is inconclusive: " + audit.detail;
    if (tested.status == Tested::Status::as_expected) tested.status = Tested::Status::unaudited;
  }
}

void carry_out(const Case& one, const TestArguments& arguments, const scenarios::Catalog& catalog,
               Tested& tested) {
  auto scenario = catalog.read(one.file);
  apply(arguments.bounds, scenario);
  const auto watch = until_interrupted(scenario.bounds);
  auto judgement = scenarios::judge(scenario, watch);
  const bool search = scenario.kind == scenarios::ScenarioKind::search;
  if (arguments.audit && search && !interrupted())
    judgement.audit = checker::audit(judgement.model, judgement.result, scenario.bounds, watch);
  if (!interrupted() || judgement.outcome() == scenarios::Outcome::violated)
    take_over(judgement, tested);
}

}  // namespace

std::vector<Case> suite_of(const TestArguments& arguments, const scenarios::Catalog& catalog) {
  auto targets = arguments.targets;
  if (targets.empty()) targets = catalog.scenarios();
  std::vector<Case> suite;
  for (const auto& target : targets)
    for (const auto& one : named_by(target, catalog)) {
      const bool wanted = one.name.find(arguments.filter) != std::string::npos;
      const bool known = std::any_of(suite.begin(), suite.end(),
                                     [&](const Case& other) { return other.file == one.file; });
      if (wanted && !known) suite.push_back(one);
    }
  if (suite.empty() && !arguments.filter.empty())
    throw sim::BadInput(fmt::format(
        "--filter: the name of no scenario contains `{}`; see `lockstep list scenarios`",
        arguments.filter));
  if (suite.empty()) throw sim::BadInput("test: there is no scenario here");
  return suite;
}

Tested tested(const Case& one, const TestArguments& arguments, const scenarios::Catalog& catalog) {
  Tested result{one.name, one.file.string(), Tested::Status::not_run, "interrupted", 0, {}, "", {},
                {}};
  if (interrupted()) return result;
  const auto start = std::chrono::steady_clock::now();
  try {
    carry_out(one, arguments, catalog, result);
  } catch (const sim::BadInput& error) {
    result.status = Tested::Status::broken;
    result.text = error.what();
  } catch (const std::exception& error) {
    result.status = Tested::Status::failure;
    result.text = std::string("a bug of lockstep itself, please report it: ") + error.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::string how_to_see(const Tested& tested) { return "lockstep check " + tested.file; }

ExitCode exit_code(const Tested& tested) {
  switch (tested.status) {
    case Tested::Status::as_expected:
      return kAsExpected;
    case Tested::Status::different:
      return scenarios::outcome_of(*tested.result) == scenarios::Outcome::inconclusive ||
                     scenarios::outcome_of(*tested.result) == scenarios::Outcome::vacuous
                 ? kInconclusive
                 : kViolated;
    case Tested::Status::unaudited:
    case Tested::Status::not_run:
      return kInconclusive;
    case Tested::Status::broken:
      return kBadInput;
    case Tested::Status::failure:
      return kOwnFailure;
  }
  return kOwnFailure;
}

}  // namespace lockstep::cli
