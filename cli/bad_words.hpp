// What is wrong with the words of a command line, said in a line with the near miss.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

/// "1,,2" as "1", "" and "2".
std::vector<std::string> items_of(const std::string& list);

/// Has each value of the command looked at before CLI11 reads it, by its type: of "" CLI11 makes
/// nothing, of "010" 8, and "nan" is in every range. Arguments of which there may be many are
/// excepted: a script's may be empty.
void check_values(CLI::App& command);

/// The subcommand that was named, or the program itself.
const CLI::App& named_command(const CLI::App& app);

/// One line for what CLI11 could not make sense of.
std::string explained(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lockstep::cli
