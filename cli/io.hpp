// The streams of one run of the program, so that tests can stand in for a terminal.
#pragma once

#include <cstddef>
#include <istream>
#include <ostream>

namespace lockstep::cli {

struct Io {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool colours = false;     ///< `out` is a terminal and NO_COLOR is not set
  bool prompts = false;     ///< `in` and `out` are terminals: ask before reading
  bool progress = false;    ///< `err` is a terminal: show how a search is getting on
  bool timings = false;     ///< `out` is a terminal: say how long each piece took
  std::size_t columns = 0;  ///< of `out`, if it is a terminal that says how wide it is
  bool annotates = false;   ///< a GitHub workflow reads `out`: show there at which file what failed
  bool edits =
      false;  ///< `prompts`, and they are the standard streams: what is typed can be edited
};

}  // namespace lockstep::cli
