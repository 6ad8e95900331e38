// What commands and scripts make of a node's clock: at which remaining lifetimes, and how far from
// a time that they know of, they would have done something else. Found by executing the same
// request at other times (docs/semantics.md, section 4).
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "sim/redis/execute.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// A request about to be executed: what it meets.
struct Met {
  const Keyspace& keyspace;  ///< with expiries in the node's time
  const Session& session;
  const Request& request;
  const Execution& execution;  ///< as it was given
};

/// Whether a request names a time: what its client's clock showed, or something worked out from it.
bool names_time(const Request& request, WallTime now);

struct NodeClockUse {
  std::set<std::int64_t> lefts;     ///< of a key: the last remaining lifetime before it differs
  std::set<std::int64_t> made;      ///< how far an absolute time that it makes lies after the clock
  std::set<std::int64_t> met;       ///< how far after a time that it knows it turns
  std::set<std::int64_t> units;     ///< what an absolute time is rounded to, in ms
  std::set<std::int64_t> computed;  ///< lifetimes that it works out
  bool all = true;                  ///< false: it turns more often than could be found out
  bool explained = true;            ///< false: it turns at a time that nothing it knows decides
};

class NodeClocks {
 public:
  explicit NodeClocks(RedisVersion version) : scripts_({}, version, true) {}

  /// To be told of every execution that looked at a clock or whose request names a time. `replies`:
  /// numbers below which a client does something else with the reply.
  void look_at(const Met& met, bool looked_at_time, const std::set<std::int64_t>& replies,
               NodeClockUse& use);

 private:
  /// What of a result is looked at to see where it turns.
  enum class Shown : std::uint8_t {
    comparisons,  ///< nothing else
    values,       ///< all but absolute times
    forms,        ///< all but numbers: they change all the time
  };
  struct Tried;
  Tried tried(const Met& met, std::int64_t later_ms);
  bool is_new(const Met& met);
  Shown what_tells(const Met& met, bool looked_at_time);
  std::set<std::int64_t> turns(const Met& met, Shown what, NodeClockUse& use);
  void note_turn(const Met& met, std::int64_t later_ms, Shown what, NodeClockUse& use);
  bool decides(const Met& met, std::int64_t later_ms, std::int64_t number, Shown what);
  bool lifetime_decides(const Met& met, std::int64_t later_ms, const std::string& key, Shown what);
  void note_times_sent(const Met& met, NodeClockUse& use);
  void note_time_sent(const Met& met, std::int64_t number, std::int64_t unit, NodeClockUse& use);
  void note_results(const Met& met, NodeClockUse& use);
  void note_reply(const Met& met, std::int64_t reply, NodeClockUse& use);

  ScriptVm scripts_;
  std::set<std::string> known_;  ///< executions that were looked at, but for their times
};

}  // namespace lockstep::sim
