// The scopes of a script while it is parsed.
#include "sim/lua51/scopes.hpp"

#include <algorithm>

namespace lockstep::sim::dialect {

void Scopes::open_function(bool main) {
  functions_.emplace_back();
  functions_.back().varargs = main;  // without the local arg
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

void Scopes::take_varargs() {
  functions_.back().varargs = true;
  declare("arg");
}

Scopes::Arg Scopes::arg() const {
  const Function& function = functions_.back();
  if (!function.varargs || !function.uses_arg) return Arg::unused;
  return function.uses_varargs ? Arg::nothing : Arg::table;
}

Scopes::Place Scopes::find(const std::string& name) {
  for (std::size_t depth = functions_.size(); depth-- > 0;) {
    const auto& locals = functions_[depth].locals;
    if (std::ranges::find(locals, name) == locals.end()) continue;
    if (name == "arg") functions_[depth].uses_arg = true;
    return depth + 1 == functions_.size() ? Place::local : Place::upvalue;
  }
  return Place::global;
}

}  // namespace lockstep::sim::dialect
