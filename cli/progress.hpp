// What a person sees and can do during a search: a line of figures on a terminal, and Ctrl-C, which
// ends the search with what was covered so far.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "cli/io.hpp"
#include "sim/model/result.hpp"

namespace lockstep::cli {

/// While it lives, Ctrl-C (and SIGTERM, SIGHUP) is noticed by progress(); a second one ends the
/// program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// While it lives, the process gets no more than about so many bytes of memory (0: any number):
/// std::bad_alloc, or what within_memory() says before it, ends what wants more. Where the system
/// cannot tell or refuse (no Linux, or a sanitizer's shadow), that alone does.
class BoundedMemory {
 public:
  explicit BoundedMemory(std::uint64_t bytes);
  ~BoundedMemory();
  BoundedMemory(const BoundedMemory&) = delete;
  BoundedMemory& operator=(const BoundedMemory&) = delete;
};

/// Ends what it is asked by where the process has so many bytes in memory (0: never).
checker::Progress within_memory(std::uint64_t bytes, checker::Progress progress);
/// The callback for all searches of a command together, within `bounds`: their time runs from now,
/// and the memory is the process's.
checker::Progress progress(const Io& io, const checker::Bounds& bounds);
/// The callback for one of several such pieces of work at once: shows nothing, but ends with
/// Ctrl-C.
checker::Progress until_interrupted(const checker::Bounds& bounds = {});
/// Whether Ctrl-C came since the youngest Interruptible was made.
bool interrupted();
/// "12 of 43": how many of several pieces of work are done.
void count_progress(const Io& io, std::size_t done, std::size_t all);
/// Wipes the progress line.
void end_progress(const Io& io);

/// "1,234 states, 2,000,000 a second, depth 12, 30 MB; 50 % of max-seconds": of the search that
/// goes on, `seconds` after the command began.
std::string progress_line(const checker::Statistics& figures, const checker::Bounds& bounds,
                          double seconds);

}  // namespace lockstep::cli
