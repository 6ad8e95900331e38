// Reads the keys of a server from outside, on a connection of its own.
#pragma once

#include <set>
#include <string>

#include "live/connection.hpp"
#include "sim/visible_key.hpp"

namespace lockstep::live {

class Observer {
 public:
  /// Looks at all keys of the server (`names` empty), or at these. Throws as Connection does.
  Observer(const Address& address, std::set<std::string> names)
      : connection_(address), names_(std::move(names)) {}

  /// The keys as they are now. They are read one after another: one that expires meanwhile is gone.
  sim::VisibleKeys keys();
  /// The first of `names` that exists, or "".
  std::string existing(const std::set<std::string>& names);
  void remove(const std::set<std::string>& names);
  /// A completed RDB save.
  void save();
  /// "7.0.15"
  std::string version();

 private:
  std::set<std::string> names_now();

  Connection connection_;
  std::set<std::string> names_;
};

}  // namespace lockstep::live
