// What a check comes to: verdict, counterexample, and what was covered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/bounds.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/model/slack.hpp"

namespace lockstep::checker {

enum class Verdict : std::uint8_t { holds, violated, inconclusive };
const char* name(Verdict);

/// What a check really executed, and did not look up.
struct Executed {
  std::uint64_t programs = 0;  ///< runs of client programs
  std::uint64_t scripts = 0;   ///< server-side Lua scripts
  std::uint64_t commands = 0;
};

/// The end of an endless run: steps that may come again and again, as the world after them is the
/// one before them, and who waits all along.
struct Loop {
  std::size_t from = 0;      ///< the first of them; the last is that of the schedule
  std::uint8_t process = 0;  ///< is inside acquire() all along
  friend bool operator==(const Loop&, const Loop&) = default;
};

struct Result {
  Verdict verdict = Verdict::inconclusive;
  std::optional<sim::Property> property;  ///< the violated one
  sim::Schedule schedule;                 ///< of the counterexample
  bool endless =
      false;  ///< not the last step violates, but that nothing else can follow it for ever
  std::optional<Loop> loop;      ///< of an endless run in which somebody waits for ever
  std::set<sim::Witness> unmet;  ///< `sometimes` claims without a witness; with `holds`: vacuous
  std::string unmet_detail;      ///< which process never acquired, ...
  std::string first_failure;     ///< the first call that ended in an error, and that error
  std::string
      why_inconclusive;  ///< the bound that was reached, or the zero-time cycle with its task
  std::string time_gap;  ///< why not every instant was tried that may matter; "" if all were
  /// Not judged where a fresh client came to no end, or could not acquire before something turns.
  bool doubts_deadlock = false;
  /// With `violated`: on the bytes of random tokens, of which real ones may have others.
  bool hangs_on_tokens = false;
  bool many_tasks = false;  ///< some process had more than one task
  /// Execution::readings_apart, of all requests: where the clock of a script or transaction may go
  /// on.
  std::uint32_t readings_apart = 0;
  /// Execution::ordered_fields, the most of all requests: other orders may make a difference.
  unsigned ordered_fields = 0;
  bool waits_at_servers = false;             ///< some request has waited at its node
  std::vector<std::int64_t> grid_durations;  ///< the durations of the time grid, ascending, in ms
  /// Of a search that looks at the absolute time: how much later every run may begin without
  /// changing anything, if nothing hangs on that time but what is rounded; 0: it does not look.
  std::int64_t other_beginning_ms = 0;
  std::set<std::int64_t>
      computed_durations;        ///< lifetimes that only were what was left until a time, in ms
  sim::Slack slack;              ///< of what holds
  std::int64_t patience_ms = 0;  ///< how long a lone client may have to go on trying to acquire,
                                 ///< apart from what is left of keys
  Statistics statistics;
  Executed executed;

  bool vacuous() const { return verdict == Verdict::holds && !unmet.empty(); }
};

/// Inconclusive: there was no memory left for what `watch` watches over.
Result out_of_memory(Watch& watch);

}  // namespace lockstep::checker
