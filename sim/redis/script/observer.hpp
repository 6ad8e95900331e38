// Who watches a script run, line by line: what `lockstep eval --trace` and the shell's `.step`
// show.
#pragma once

#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Reply;

class ScriptObserver {
 public:
  virtual ~ScriptObserver() = default;
  /// The script is about to run its line `line` (from 1), or to run it again in a loop. Must not
  /// throw: Lua is on the stack.
  virtual void at_line(int line) = 0;
  /// redis.call or redis.pcall has been answered. Must not throw.
  virtual void called(const Request& request, const Reply& reply) = 0;
};

}  // namespace lockstep::sim
