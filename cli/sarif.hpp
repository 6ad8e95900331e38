// SARIF 2.1.0 (OASIS), which GitHub's code scanning shows in a pull request: what failed, at the
// line of the protocol that did the last harm.
#pragma once

#include <string>
#include <vector>

#include "cli/report.hpp"

namespace lockstep::cli {

/// The whole document: a result for each scenario that came out otherwise, is broken or met a bug.
/// Its code flow is the run, as far as its steps run lines of the protocol. Files are named as the
/// command line names them, so a reader finds them from the folder where lockstep was run.
std::string sarif(const std::vector<Tested>& all);

}  // namespace lockstep::cli
