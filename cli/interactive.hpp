// `lockstep replay --interactive`: one run, a step at a time, with every other step that is
// possible on the way.
#pragma once

#include "cli/io.hpp"
#include "cli/recorded.hpp"

namespace lockstep::cli {

/// Reads answers from `io.in` until `quit` or its end: next, back, else, take N, help, quit.
void walk_interactively(const Recorded& run, Io& io);

}  // namespace lockstep::cli
