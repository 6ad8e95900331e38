// The printouts of a check and of a run that is told: verdict, what was simulated, the
// counterexample, and what the search covered.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "cli/describe.hpp"
#include "cli/io.hpp"

namespace lockstep::cli {

/// A line each; at a terminal of so many columns several, if it does not fit.
void print_rows(std::ostream& out, const std::vector<Row>& rows, std::size_t columns);

void print_check(const scenarios::Judgement& judgement, const CheckNotes& notes, Io& io);

/// A run that was told: as `run` if it was a check's counterexample, and `why` it goes so, if there
/// is a reasoning.
void print_replay(const scenarios::Judgement& run, const CheckNotes& notes, Io& io);

}  // namespace lockstep::cli
