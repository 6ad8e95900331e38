// What is added to a counterexample before it is shown: a trace file, the point of no return.
#pragma once

#include <string>

#include "cli/describe.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/judge.hpp"

namespace lockstep::cli {

/// Writes the counterexample of `judgement` where --trace says. Returns the file, or "" if there is
/// nothing to write.
std::string keep_trace(const std::string& file, const scenarios::Judgement& judgement,
                       const scenarios::Catalog& catalog);

/// Computes the point of no return, if there is one to compute and `progress` leaves the time, and
/// says it in `notes`.
void find_no_return(scenarios::Judgement& judgement, CheckNotes& notes,
                    const checker::Progress& progress);

}  // namespace lockstep::cli
