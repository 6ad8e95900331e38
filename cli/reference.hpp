// The manual page and the completions of shells, made from the flags themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

/// In roff, as `man` reads it.
std::string man_page(const CLI::App& app);

/// Those that completion() knows.
const std::vector<std::string>& shells_with_completion();

/// What makes one of these shells complete commands, flags and shipped names.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace lockstep::cli
