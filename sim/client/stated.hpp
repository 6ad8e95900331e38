// The invariants that a file states with invariant(name, f): their names, and the judging of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/client/vm.hpp"
#include "sim/client/watched.hpp"

namespace lockstep::sim::program {

class Stated {
 public:
  /// None yet. Of one Vm, there is one.
  explicit Stated(Vm& vm);

  /// invariant(name, f) of the client API; only while the file is being loaded.
  int state(lua_State* lua);
  /// The file is loaded: pushes the table of the functions.
  void close();

  const std::vector<std::string>& names() const { return names_; }
  /// The first that is not true of the world that is shown. Throws BadInput for an error in one,
  /// and where one has changed something that the file can reach.
  std::optional<std::string> broken(std::string_view world, const Watched& reached) const;
  /// What all of them compare of the world that is shown, as text.
  std::string compared_of(std::string_view world) const;

 private:
  bool is_true_of(std::size_t invariant, std::string_view world) const;

  Vm& vm_;
  bool open_ = true;
  std::vector<std::string> names_;  ///< their functions are in the registry
};

}  // namespace lockstep::sim::program
