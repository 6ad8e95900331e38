// What commands and scripts make of a node's clock: at which remaining lifetimes, and how far from
// a time that they know of, they would have done something else. Found by executing the same
// request at other times (docs/semantics.md, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/bounds.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/turning.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// A request about to be executed: what it meets.
struct Met {
  const Keyspace& keyspace;  ///< with expiries in the node's time
  const Session& session;
  const Request& request;
  const Execution& execution;   ///< as it was given
  std::optional<Place> served;  ///< the request has waited for it

  /// The same with another keyspace and request, which it does not keep.
  Met with(const Keyspace& other, const Request& otherwise) const {
    return {other, session, otherwise, execution, served};
  }
};

/// An execution that is tried beside the real one, and shows what it compares, if that is asked.
Execution to_try(const Execution& given, ScriptVm& scripts, std::vector<Compared>* compared);

class NodeClocks {
 public:
  /// Where `watch` (if there is one) ends the search, nothing more is tried.
  explicit NodeClocks(ServerVersion version, checker::Watch* watch = nullptr)
      : scripts_({}, version, true), watch_(watch) {}

  /// What times are rounded to, as far as that is known beforehand: clients number such windows.
  /// `parts_of_seconds`: some score is Unix seconds with a fraction.
  void know(const std::set<std::int64_t>& units, bool parts_of_seconds);
  /// Whether a request names a time, or meets some that are stored: sim::meets_times().
  bool meets_times(const Keyspace& keyspace, const Request& request, WallTime now) const {
    return sim::meets_times(keyspace, request, now, windows_);
  }
  /// To be told of every execution that meets_times(), or looked at a clock.
  /// `replies`: numbers below which clients do something else with one.
  void look_at(const Met& met, bool looked_at_time, const std::set<std::int64_t>& replies,
               TimeUse& use);
  /// The key that another one's end follows, which a request has set: it ends so much later than
  /// that one (`PTTL + c`), whenever the request is executed.
  struct Prolonged {
    std::optional<Place> key;
    bool or_anew = false;  ///< it ends as long after the request, too: the later of the two
  };
  Prolonged prolonged(const Met& met, const Place& place);
  /// To be told of a request with an argument that is a duration that its client worked out from a
  /// clock: whether it is none but that of a key's life.
  void look_at_duration(const Met& met, std::size_t argument, TimeUse& use);

 private:
  /// What of a result is looked at to see where it turns.
  enum class Shown : std::uint8_t {
    comparisons,  ///< nothing else
    values,       ///< all but absolute times
    forms,        ///< all but numbers: they change all the time
  };
  struct Tried;
  /// What of it: of a reply only how its numbers are to this one.
  struct View {
    Shown what = Shown::comparisons;
    std::optional<std::int64_t> number = std::nullopt;
  };
  Tried tried(const Met& met, std::int64_t later_ms);
  Tried tried(const Met& met, const Execution& given);
  bool is_new(const Met& met);
  void try_at_other_times(const Met& met, bool looked_at_time,
                          const std::set<std::int64_t>& replies, TimeUse& use);
  class NumbersAt;
  void find_windows(const Met& met, const Tried& tried_now, TimeUse& use);
  /// An absolute time, in units of so many ms.
  struct KnownTime {
    std::int64_t number, unit;
    bool is_sent = false;  ///< in the request; else it is stored
    bool operator==(const KnownTime&) const = default;
  };
  std::int64_t unit_of(std::int64_t number, WallTime now) const;
  void tell(const Tried& tried, std::int64_t later_ms, WallTime clock, Courses& courses) const;
  Shown what_tells(const Met& met, bool looked_at_time);
  std::set<std::int64_t> turns(const Met& met, Shown what, TimeUse& use);
  void note_turn(const Met& met, std::int64_t later_ms, const View& view, TimeUse& use);
  bool joins_lifetimes(const Met& met, std::int64_t later_ms);
  struct Cause;
  std::vector<Cause> possible_causes(const Met& met, Shown what, bool of_named_keys) const;
  bool moves_with(const Met& met, std::int64_t later_ms, const View& view,
                  const std::vector<Cause>& moved);
  bool note_cause(const Met& met, std::int64_t later_ms, const Cause& cause, TimeUse& use) const;
  /// What comes of it with such a time so much larger, and the clock later, in ms.
  using Vary = std::function<Tried(const Met&, std::int64_t, std::int64_t)>;
  std::vector<KnownTime> times_sent(const Met& met) const;
  std::vector<KnownTime> times_stored(const Met& met) const;  ///< the earliest first
  void note_times_sent(const Met& met, TimeUse& use);
  /// With what each counts in ms; the latest first, so that none is moved onto another one.
  using KnownTimes = std::map<std::int64_t, std::int64_t, std::greater<>>;
  Tried tried_at_phase(const Met& met, const KnownTimes& times, std::int64_t later_ms,
                       std::int64_t aside_ms);
  void note_phases(const Met& met, Shown what, TimeUse& use);
  void note_times_stored(const Met& met, TimeUse& use);
  void note_time(const Met& met, const KnownTime& time, const Vary& vary, TimeUse& use);
  void note_meeting(const Met& met, const KnownTime& time, std::int64_t turn, Shown what,
                    const Vary& vary, TimeUse& use);
  void note_ages(const Met& met, const std::set<std::int64_t>& turns, const Vary& vary,
                 TimeUse& use);
  void note_results(const Met& met, std::int64_t later_ms, int sign, TimeUse& use);
  void note_made(const std::vector<std::int64_t>& numbers, const std::vector<std::int64_t>& others,
                 std::int64_t by, WallTime now, TimeUse& use) const;
  static void note_lifetimes(const Met& met, const Tried& now, const Tried& other, std::int64_t by,
                             std::set<Place>& still, TimeUse& use);
  void note_reply(const Met& met, std::int64_t number, Shown what, TimeUse& use);
  void note_within_ms(const Met& met, TimeUse& use);

  bool is_over();

  ScriptVm scripts_;
  checker::Watch* watch_;
  bool over_ = false;       ///< the search has to end
  bool missed_ = false;     ///< more turns of one than could be found
  bool parts_met_ = false;  ///< a score was Unix seconds with a fraction
  ScoreUnit score_unit_ = ScoreUnit::second;
  Windows windows_;              ///< that clients, or requests, were found to number
  std::set<std::string> known_;  ///< executions that were looked at, but for their times
};

}  // namespace lockstep::sim
