// The commands and flags that CLI11 has been told of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// Every option of a command, positionals too, and those of its groups.
std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace lockstep::cli
