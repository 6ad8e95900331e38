// A picture of a run as inline SVG: a sequence diagram on a time axis.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/picture.hpp"

namespace lockstep::cli {

/// What is marked in a picture besides what happens.
struct Marks {
  std::string violated;                  ///< the property in words; "" if none is
  bool overlap = false;                  ///< it is that critical sections overlap
  std::size_t avoidable_until = 0;       ///< the step with the point of no return; 0: none is known
  std::optional<std::size_t> loop_from;  ///< the first row of what comes again and again
};

/// The names of the lanes, and what is below them; both equally wide.
struct Svg {
  std::string head, body;
};

Svg as_svg(const Picture& picture, const Marks& marks);

/// At most so many letters (not bytes) of a text that is UTF-8.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace lockstep::cli
