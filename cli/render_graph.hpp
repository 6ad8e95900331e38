// A state graph as a file: for Graphviz, or as a picture.
#pragma once

#include <string>

#include "checker/trace/state_graph.hpp"

namespace lockstep::cli {

/// In Graphviz's language (https://graphviz.org/doc/info/lang.html). Faults are dashed.
std::string as_dot(const checker::StateGraph& graph);

/// A picture in SVG: the states in rows by depth, every step a line, its words where one points.
std::string as_svg(const checker::StateGraph& graph);

}  // namespace lockstep::cli
