// Everything that a loaded file can reach: numbered, so that it can be named in a snapshot, and
// watched, for it must stay as it was after loading.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// A variable that functions of the file share: upvalue `index` of constant `function`.
struct Cell {
  int function = 0;
  int index = 0;
};

/// The string keys of the table at `index`, sorted; another type of key (but numbers) makes `plain`
/// false.
std::vector<std::string> string_keys(lua_State* lua, int index, bool* plain);

class Watched {
 public:
  /// Nothing yet. Of one Vm, there is one.
  explicit Watched(Vm& vm);

  /// Numbers everything in the table of built-in names, on top of the stack, and in the libraries
  /// in it.
  void number_api();
  /// Numbers the variable in which the functions of the chunk at `index` find global names.
  void number_environment(int index);
  /// Numbers and watches the value at `index` and what it reaches.
  void watch(int index, const std::string& name);

  /// The number of an object of the file or of the API (a table, function or userdata at `index`),
  /// or 0. The same in every Vm that has loaded the same file.
  int constant(lua_State* lua, int index) const;
  void push_constant(int number) const;
  /// The variable with this lua_upvalueid, or null.
  const Cell* cell(const void* id, int* number) const;
  const Cell& cell(int number) const { return cells_[static_cast<std::size_t>(number)]; }

  /// If something that the file reaches is not as it was after loading, complains and puts it back.
  void check_unchanged() const;

 private:
  struct Name {
    std::string name;  ///< "field of Lock", "upvalue `count`"
    int line = 0;      ///< of the function, for an upvalue
  };

  int number_object(int index);
  void watch_table(const std::string& name);
  void watch_function(const std::string& name);
  bool number_cell(int function, Cell cell, Name name);
  bool table_changed(std::size_t watched, std::string* field) const;

  Vm& vm_;
  int constants_ = 0;
  int depth_ = 0;  ///< of what is being watched
  std::vector<Cell> cells_;
  std::vector<Name> watched_cells_;                    ///< by cell
  std::vector<Name> watched_tables_;                   ///< with their copies, in the registry
  std::unordered_map<const void*, int> cell_numbers_;  ///< never iterated
};

}  // namespace lockstep::sim::program
