// The scopes of a script while it is parsed.
#include "sim/dialect/scopes.hpp"

#include <algorithm>

namespace lockstep::sim::dialect {

void Scopes::open_function(bool main) {
  functions_.emplace_back();
  functions_.back().varargs = functions_.back().main = main;
}

void Scopes::open_block(bool loop) {
  Function& function = functions_.back();
  function.blocks.push_back(function.locals.size());
  function.loops.push_back(loop);
}

void Scopes::close_block() {
  Function& function = functions_.back();
  function.locals.resize(function.blocks.back());
  function.blocks.pop_back();
  function.loops.pop_back();
}

bool Scopes::in_loop() const {
  const auto& loops = functions_.back().loops;
  return std::ranges::find(loops, true) != loops.end();
}

Scopes::Place Scopes::find(const std::string& name) const {
  for (std::size_t depth = functions_.size(); depth-- > 0;) {
    const auto& locals = functions_[depth].locals;
    if (std::ranges::find(locals, name) == locals.end()) continue;
    return depth + 1 == functions_.size() ? Place::local : Place::upvalue;
  }
  return Place::global;
}

bool Scopes::is_implicit_arg(const std::string& name) const {
  if (name != "arg") return false;
  for (std::size_t depth = functions_.size(); depth-- > 0;) {
    const Function& f = functions_[depth];
    if (std::ranges::find(f.locals, name) != f.locals.end()) return false;
    if (f.varargs && !f.main) return true;
  }
  return false;
}

}  // namespace lockstep::sim::dialect
