// A loaded protocol.lua: its class, its scripts, and everything that its functions can reach, which
// must stay as it was after loading: a process may keep state only in its own objects.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

struct Script {
  std::string name;
  std::string body;
  std::string sha1;
  bool by_sha = false;  ///< EVALSHA first, EVAL if the node does not know it
};

/// A variable that functions of the module share: upvalue `index` of constant `function`.
struct Cell {
  int function = 0;
  int index = 0;
};

class Module {
 public:
  /// What is added to the text: calls around what comparisons compare, and, if asked for, around
  /// accesses to tables.
  enum class Shows : std::uint8_t { comparisons, accesses };
  /// Runs `folder`/protocol.lua. Throws BadInput.
  Module(Vm& vm, std::filesystem::path folder, Shows shows = Shows::comparisons);

  const std::string& title() const { return title_; }
  const std::string& source() const { return source_; }
  const std::vector<std::string>& leases() const { return leases_; }
  const std::vector<std::string>& permanent() const { return permanent_; }
  bool shared_connection() const { return shared_connection_; }
  const std::vector<Script>& scripts() const { return scripts_; }
  const std::string& fingerprint() const { return fingerprint_; }
  const std::vector<std::string>& invariants() const { return invariants_; }

  /// script(name, options), protocol(fields) and invariant(name, f) of the client API; only while
  /// loading.
  int load_script(lua_State* lua);
  int declare_protocol(lua_State* lua);
  int state_invariant(lua_State* lua);

  /// Whether the invariant of this number is true of the world that is shown. Throws BadInput for
  /// an error in it.
  bool is_true_of(std::size_t invariant, std::string_view world) const;

  void push_class() const;
  void push_instance_metatable() const;
  /// The number of an object of the module or of the API (a table, function or userdata at
  /// `index`), or 0. The same in every Program of the same protocol.
  int constant(lua_State* lua, int index) const;
  void push_constant(int number) const;
  /// The variable with this lua_upvalueid, or null.
  const Cell* cell(const void* id, int* number) const;
  const Cell& cell(int number) const { return cells_[static_cast<std::size_t>(number)]; }

  /// If something that the module reaches is not as it was after loading, complains and puts it
  /// back.
  void check_unchanged() const;

 private:
  struct Watched {
    std::string name;  ///< "field of Lock", "upvalue `count`"
    int line = 0;      ///< of the function, for an upvalue
  };

  std::string read_file(const std::string& name) const;
  void load(const std::string& text);
  void check_class();
  std::vector<std::string> template_list(lua_State* lua, const char* field);
  void number_api();
  int number_object(int index);
  void watch(int index, const std::string& name);
  void watch_table(const std::string& name);
  void watch_function(const std::string& name);
  bool table_changed(std::size_t watched, std::string* field) const;

  Vm& vm_;
  std::filesystem::path folder_;
  Shows shows_;
  std::string title_, source_;
  std::vector<std::string> leases_, permanent_;
  bool shared_connection_ = false;
  std::vector<Script> scripts_;
  std::string fingerprint_;
  std::vector<std::string> invariants_;  ///< their functions are in the registry
  int constants_ = 0;
  std::vector<Cell> cells_;
  std::vector<Watched> watched_cells_;                 ///< by cell
  std::vector<Watched> watched_tables_;                ///< with their copies, in the registry
  std::unordered_map<const void*, int> cell_numbers_;  ///< never iterated
};

}  // namespace lockstep::sim::program
