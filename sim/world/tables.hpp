// What travels and what is kept, by number: requests, replies, sessions and keyspaces of a search,
// and what becomes of a keyspace, remembered.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tokens.hpp"

namespace lockstep::sim {

struct Connection;
struct Message;
struct Entry;
struct Keyspace;
struct KeyspaceInfo;
struct Node;
struct Reply;
struct SessionInfo;

/// Keys of a node, in order, each once.
using Places = std::vector<Place>;
/// What connections listen to at a node.
using Listening = std::vector<Subscriptions>;
using Publications = std::vector<Publication>;

class Tables {
 public:
  static constexpr Id kFresh = 0;    ///< the session of a new connection
  static constexpr Id kNowhere = 0;  ///< no places, nobody who listens, nothing published

  explicit Tables(const Setting& setting);
  ~Tables();
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  Id intern(const Request& request);
  Id intern(const Reply& reply);
  Id intern(const Keyspace& keyspace);
  Id intern(const Session& session);
  Id intern(Places places);
  Id intern(Listening listening);
  Id intern(const Publications& publications);
  const Request& request(Id id) const { return requests_[id]; }
  const Reply& reply(Id id) const;
  const KeyspaceInfo& keyspace(Id id) const;
  const SessionInfo& session(Id id) const;
  const Places& places(Id id) const { return places_[id]; }
  const Listening& listening(Id id) const { return listening_[id]; }
  const Publications& publications(Id id) const { return publications_[id]; }
  Id empty_keyspace() const { return empty_keyspace_; }
  /// A number for an instant or a duration.
  Id moment(std::int64_t ms);

  /// The request on a connection, with all tokens of `process` read alike.
  Id normalised(const Message& message, const Connection& on, std::uint8_t process);
  Id renamed_request(Id request, const Renaming& renaming);
  Id renamed_reply(Id reply, const Renaming& renaming);
  /// Of the connection that a client's library makes in its place (Session::reconnected).
  Id reconnected(Id session);
  Id renamed_session(Id session, const Renaming& renaming);

  /// A number (not 0) for what a node stores, its role, and whether its memory is full, with all
  /// tokens of `process` read alike.
  Id node_state(const Node& node, std::uint8_t process);
  Id renamed_node_state(Id state, const Renaming& renaming);
  /// The tokens of other processes in it.
  const TokenUse& tokens_of_node_state(Id state) const { return node_states_[state].tokens; }

  struct Aged {
    Id id = 0;
    std::vector<LeaseChange> expired;
  };
  /// After so many parts of a ms on a clock of that rate (an index into Setting::rates); negative:
  /// it was set back.
  const Aged& aged(Id keyspace, std::uint8_t rate, std::int64_t parts);
  Id renamed(Id keyspace, const Renaming& renaming);
  /// With all absolute times in it so many ms sooner.
  Id sooner(Id keyspace, std::int64_t ms);
  /// Without what `maker` made being its own.
  Id disowned(Id keyspace, Maker maker);
  Id without_reliances(Id keyspace);
  /// What a replica with these scripts gets from its master; on a clock that is ahead of the
  /// master's by so much.
  Id mirrored(Id master, Id replica, std::int64_t ahead_ms);
  /// As a restarted server has it: without the script cache and what scripts leave behind.
  Id without_scripts(Id keyspace);
  /// One for all keyspaces that differ in nothing but how long keys that live still do.
  Id without_lifetimes(Id keyspace);

 private:
  struct NodeState {
    std::string bytes;
    TokenUse tokens;
  };
  Id intern_node_state(const std::string& bytes);
  Aged age(Id keyspace, const Rate& rate, std::int64_t parts);
  void note_expired(const std::map<std::string, Entry, std::less<>>& before,
                    const std::map<std::string, Entry, std::less<>>& after, Aged& aged) const;
  KeyspaceInfo describe(const Keyspace& keyspace) const;

  const Setting& setting_;
  Interner<Request> requests_;
  Interner<Reply> replies_;
  Interner<KeyspaceInfo> keyspaces_;
  Interner<SessionInfo> sessions_;
  Interner<Places> places_;
  Interner<Listening> listening_;
  Interner<Publications> publications_;
  Interner<NodeState> node_states_;
  Interner<std::int64_t> moments_;
  std::vector<Aged> aged_keyspaces_;
  FlatMap age_, rename_, sooner_, node_state_, without_lifetimes_;
  Id empty_keyspace_ = 0;
};

}  // namespace lockstep::sim
