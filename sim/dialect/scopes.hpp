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
  void take_varargs() { functions_.back().varargs = true; }
  bool has_varargs() const { return functions_.back().varargs; }
  bool in_loop() const;

  Place find(const std::string& name) const;
  /// Whether `name`, where it stands, would be the table `arg` that 5.1 makes for a function with
  /// varargs.
  bool is_implicit_arg(const std::string& name) const;

 private:
  struct Function {
    std::vector<std::string> locals;
    std::vector<std::size_t> blocks;  ///< where each block's locals begin
    std::vector<bool> loops;          ///< per block: whether it is a loop's
    bool varargs = false;
    bool main = false;
  };
  std::vector<Function> functions_;
};

}  // namespace lockstep::sim::dialect
