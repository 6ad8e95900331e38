// A run as a log with vector clocks, which ShiViz draws as a space-time diagram.
#pragma once

#include <string>

#include "cli/telling.hpp"

namespace lockstep::cli {

/// The first line of such a log: how ShiViz reads an event of it.
inline constexpr const char* kShivizEvent =
    R"((?<ms>\d+) ms: (?<event>.*)\n(?<host>\S*) (?<clock>{.*}))";

/// As ShiViz loads a file (https://bestchai.bitbucket.io/shiviz/, "log format"): that line, an
/// empty one (there is one run), two lines for each event. Clients, servers and
/// the resource are its hosts; that time passes is no event of any of them.
std::string as_shiviz(const sim::Model& model, const checker::Trace& trace);
/// A log of one event that says what came out where there is no run.
std::string as_shiviz_note(const Telling& telling);

}  // namespace lockstep::cli
