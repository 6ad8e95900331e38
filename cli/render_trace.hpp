// A trace in fixed columns: step, time, mark (`!` for what the environment did), actor, one
// sentence; under it what changed.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "checker/trace/trace.hpp"

namespace lockstep::cli {

struct TraceLook {
  bool colours = false;
  bool scripts = false;  ///< with the lines of the protocol that each step has run
};

/// One step; `number` counts from 1.
void print_step(std::ostream& out, const checker::TraceStep& step, std::size_t number,
                TraceLook look);
/// All steps, then the violated property in words.
void print_trace(std::ostream& out, const checker::Trace& trace, TraceLook look);
/// The violated property in words, if there is one.
void print_violation(std::ostream& out, const checker::Trace& trace, bool colours);

/// By the numbers that terminals have for them (ECMA-48, SGR).
enum class Colour : std::uint8_t {
  plain = 0,
  bold = 1,
  dim = 2,
  red = 31,
  green = 32,
  yellow = 33,
  blue = 34,
  magenta = 35,
  cyan = 36
};
/// That of a client, the same in every line; those of verdicts and faults are none of them.
Colour colour_of_client(std::uint8_t process);
/// `text` in a colour, if there are colours.
std::string coloured(const std::string& text, Colour colour, bool colours);

}  // namespace lockstep::cli
