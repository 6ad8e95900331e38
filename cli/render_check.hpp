// The printout of a check: verdict, what was simulated, the counterexample, and what the search
// covered.
#pragma once

#include <ostream>
#include <vector>

#include "cli/describe.hpp"

namespace lockstep::cli {

/// A line each.
void print_rows(std::ostream& out, const std::vector<Row>& rows);

void print_check(std::ostream& out, const scenarios::Judgement& judgement, const CheckNotes& notes,
                 bool colours);

}  // namespace lockstep::cli
