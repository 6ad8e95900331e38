// The scenarios that `lockstep test` runs, and what becomes of one of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/report.hpp"
#include "scenarios/catalog.hpp"

namespace lockstep::cli {

/// A scenario of the suite: its file, and what the printout calls it.
struct Case {
  std::string name;
  std::filesystem::path file;
};

/// The scenarios that the command line names: the files of folders (with those below them), files,
/// shipped names; all shipped ones if it names none. In order, each once. Throws BadInput if one is
/// not there, or if none is left.
std::vector<Case> suite_of(const TestArguments& arguments, const scenarios::Catalog& catalog);

/// Carries out one scenario. Never throws: a broken file is a result like any other.
Tested tested(const Case& one, const TestArguments& arguments, const scenarios::Catalog& catalog);

/// "lockstep check FILE", which shows what came.
std::string how_to_see(const Tested& tested);

/// The exit code that one scenario calls for.
ExitCode exit_code(const Tested& tested);

}  // namespace lockstep::cli
