// A trace in fixed columns: step, time, mark (`!` for what the environment did), actor, one
// sentence; under it what changed.
#pragma once

#include <ostream>
#include <string>

#include "checker/trace/trace.hpp"

namespace lockstep::cli {

/// One step; `number` counts from 1.
void print_step(std::ostream& out, const checker::TraceStep& step, std::size_t number,
                bool colours);
/// All steps, then the violated property in words.
void print_trace(std::ostream& out, const checker::Trace& trace, bool colours);
/// The violated property in words, if there is one.
void print_violation(std::ostream& out, const checker::Trace& trace, bool colours);

enum class Colour { plain, red, green, yellow, dim };
/// `text` in a colour, if there are colours.
std::string coloured(const std::string& text, Colour colour, bool colours);

}  // namespace lockstep::cli
