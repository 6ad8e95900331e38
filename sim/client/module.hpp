// A loaded protocol.lua: its class, its scripts, its invariants, and everything that its functions
// can reach, which must stay as it was after loading: a process may keep state only in its own
// objects.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/client/stated.hpp"
#include "sim/client/vm.hpp"
#include "sim/client/watched.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim::program {

struct Script {
  std::string name;
  std::string body;
  std::string sha1;
  bool by_sha = false;  ///< EVALSHA first, EVAL if the node does not know it
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
  /// As Program has them.
  std::vector<std::string> lease_keys(const std::string& lock_key) const;
  std::vector<std::string> permanent_keys(const std::string& lock_key) const;
  bool names_leases() const { return names_leases_; }
  bool shared_connection() const { return shared_connection_; }
  bool greets() const { return greets_; }
  ServerVersion server() const { return server_; }
  KeyspaceEvents keyspace_events() const { return keyspace_events_; }
  bool tracks() const { return tracks_; }
  int nodes() const { return nodes_; }
  int replicas() const { return replicas_; }
  /// Of so many nodes.
  int quorum(int nodes) const { return quorum_ == kMajority ? nodes / 2 + 1 : quorum_; }
  int permits() const { return permits_; }
  /// Whether it has acquire_shared() and release_shared().
  bool has_shared_mode() const { return has_shared_mode_; }
  const std::vector<std::string>& methods() const { return methods_; }
  /// What setting() answers unless a role says otherwise, by name.
  const Settings& settings() const { return settings_; }
  const std::vector<Script>& scripts() const { return scripts_; }
  const std::string& fingerprint() const { return fingerprint_; }
  const Stated& stated() const { return stated_; }
  const Watched& watched() const { return watched_; }

  /// script(name, options) and protocol(fields) of the client API; only while loading.
  int load_script(lua_State* lua);
  int declare_protocol(lua_State* lua);

  void push_class() const;
  void push_instance_metatable() const;

 private:
  void load(const std::string& text);
  void check_class();
  std::vector<std::string> template_list(lua_State* lua, const char* field);
  std::string read_server(lua_State* lua);
  std::string read_keyspace_events(lua_State* lua);
  std::string read_nodes(lua_State* lua);
  std::string read_replicas(lua_State* lua);
  std::string read_quorum(lua_State* lua);
  std::string read_permits(lua_State* lua);
  std::string read_settings(lua_State* lua);
  bool has_method(const char* method) const;
  void note_methods(const std::vector<std::string>& fields);

  Vm& vm_;
  std::filesystem::path folder_;
  Shows shows_;
  std::string title_, source_;
  std::vector<std::string> leases_, permanent_;
  bool names_leases_ = false;
  bool shared_connection_ = false;
  bool greets_ = false;
  bool has_shared_mode_ = false;
  std::vector<std::string> methods_;
  Settings settings_;
  ServerVersion server_ = ServerVersion::redis_7_0;
  KeyspaceEvents keyspace_events_ = 0;
  bool tracks_ = false;
  static constexpr int kMajority = 0;
  static constexpr int kMostPermits = 64;
  int nodes_ = 1, replicas_ = 0, quorum_ = 1, permits_ = 1;
  std::vector<Script> scripts_;
  std::string fingerprint_;
  Watched watched_;
  Stated stated_;
};

}  // namespace lockstep::sim::program
