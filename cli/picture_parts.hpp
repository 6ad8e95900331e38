// The parts of a picture, each made by a file of its own, in the order in which they are filled in.
#pragma once

#include "cli/picture.hpp"

namespace lockstep::cli {

/// Requests and replies, and the scripts of rows. Lanes and rows have to be there.
void draw_arrows(Picture& picture, const sim::Model& model, const checker::Trace& trace);
/// Leases, critical sections, pauses and what else lasts, and the beliefs of rows.
void draw_bars(Picture& picture, const sim::Model& model, const checker::Trace& trace);

}  // namespace lockstep::cli
