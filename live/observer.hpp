// Reads the keys of a server from outside, on a connection of its own.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "live/connection.hpp"
#include "live/real_server.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::live {

class Observer {
 public:
  using Names = std::set<std::string>;

  /// Looks at these keys; without `names` at all keys, for servers of our own only. Throws as
  /// Connection does.
  Observer(const Address& address, std::optional<Names> names)
      : connection_(address), names_(std::move(names)) {}

  /// The keys as they are now. They are read one after another: one that expires meanwhile is gone.
  sim::VisibleKeys keys();
  /// The first of `names` that exists, or "".
  std::string existing(const Names& names);
  void remove(const Names& names);
  /// For whatever else is asked of the server.
  Connection& connection() { return connection_; }
  /// A completed RDB save.
  void save();
  void flush();
  RealServer server() { return real_server(connection_); }

 private:
  sim::Reply look(const sim::Request& request);
  sim::VisibleValue value_of(const std::string& name);
  Names names_now();

  Connection connection_;
  std::optional<Names> names_;
};

}  // namespace lockstep::live
