// The scopes of a script while it is parsed: which names are locals, and of which function.
#pragma once

#include <string>
#include <vector>

namespace lockstep::sim::dialect {

class Scopes {
 public:
  enum class Place { local, upvalue, global };

  void open_function(bool main);
  void close_function() { functions_.pop_back(); }
  void open_block(bool loop);
  void close_block();
  void declare(std::string name) { functions_.back().locals.push_back(std::move(name)); }
  /// The innermost function takes varargs, and so has the local `arg`.
  void take_varargs();
  bool has_varargs() const { return functions_.back().varargs; }
  /// Notes that the innermost function mentions `...`: its `arg` is then nil.
  void use_varargs() { functions_.back().uses_varargs = true; }
  enum class Arg { unused, table, nothing };
  /// What `arg` must be in the innermost function, whose end has been reached.
  Arg arg() const;
  bool in_loop() const;

  /// Where `name` is declared; counts as a use of it.
  Place find(const std::string& name);

 private:
  struct Function {
    std::vector<std::string> locals;
    std::vector<std::size_t> blocks;  ///< where each block's locals begin
    std::vector<bool> loops;          ///< per block: whether it is a loop's
    bool varargs = false;
    bool uses_varargs = false;
    bool uses_arg = false;
  };
  std::vector<Function> functions_;
};

}  // namespace lockstep::sim::dialect
