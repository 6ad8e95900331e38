// The program behind main: command line to exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/io.hpp"

namespace lockstep::cli {

/// Runs one command line (without the program's name). Every error is caught here, once, and
/// becomes one line on `io.err` and an exit code (exit_code.hpp).
int run(const std::vector<std::string>& words, Io& io);

}  // namespace lockstep::cli
