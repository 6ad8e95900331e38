// `lockstep replay --live`: a run driven step by step against a real server.
#pragma once

#include "cli/arguments.hpp"
#include "cli/io.hpp"
#include "cli/recorded.hpp"

namespace lockstep::cli {

/// Returns the exit code: 0 CONFIRMED, 1 a step differs, 2 it cannot be done live.
int replay_live(const Recorded& run, const ReplayArguments& arguments, Format format, Io& io);

}  // namespace lockstep::cli
