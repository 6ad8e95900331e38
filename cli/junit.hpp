// JUnit XML, which the CI servers show: a test case for each scenario.
#pragma once

#include <string>
#include <vector>

#include "cli/report.hpp"

namespace lockstep::cli {

/// The whole document. A scenario that came out otherwise is a `failure`, a broken one or a bug of
/// lockstep an `error`, one that was not run to the end `skipped`.
std::string junit(const std::vector<Tested>& all);

}  // namespace lockstep::cli
