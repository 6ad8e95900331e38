// A run as a Mermaid sequence diagram.
#pragma once

#include <string>

#include "cli/telling.hpp"

namespace lockstep::cli {

std::string as_mermaid(const sim::Model& model, const checker::Trace& trace);
/// A diagram that says what came out where there is no run.
std::string as_mermaid_note(const Telling& telling);

}  // namespace lockstep::cli
