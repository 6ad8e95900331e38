// What a check comes to: verdict, counterexample, and what was covered.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {

enum class Verdict : std::uint8_t { holds, violated, inconclusive };
const char* name(Verdict);

/// Limits on a search; 0 means none. Reaching one makes the verdict inconclusive.
struct Bounds {
  std::uint64_t max_states = 0;
  double max_seconds = 0;
  std::uint64_t max_bytes = 0;  ///< of the visited set
  std::uint64_t max_depth = 0;  ///< in steps
};

struct Statistics {
  std::uint64_t states = 0;  ///< distinct states
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;  ///< of the deepest level reached, in steps
  double seconds = 0;
  std::uint64_t visited_bytes = 0;  ///< memory of the visited set, parents included
  std::uint64_t program_runs = 0;   ///< client programs really run (not looked up)
  std::uint64_t script_runs = 0;    ///< server-side Lua scripts really run
  std::uint64_t command_runs = 0;   ///< commands really executed
};

struct Result {
  Verdict verdict = Verdict::inconclusive;
  std::optional<sim::Property> property;  ///< the violated one
  sim::Schedule schedule;                 ///< of the counterexample
  bool endless =
      false;  ///< not the last step violates, but that nothing else can follow it for ever
  std::set<sim::Witness> unmet;  ///< `sometimes` claims without a witness; with `holds`: vacuous
  std::string unmet_detail;      ///< which process never acquired, ...
  std::string
      why_inconclusive;  ///< the bound that was reached, or the zero-time cycle with its task
  std::vector<std::int64_t> grid_durations;  ///< the durations of the time grid, ascending, in ms
  std::set<std::int64_t>
      computed_durations;  ///< lifetimes that were what was left until an absolute time, in ms
  Statistics statistics;

  bool vacuous() const { return verdict == Verdict::holds && !unmet.empty(); }
};

/// Called now and then during a search with the figures so far; returning false ends the search
/// (inconclusive, "interrupted").
using Progress = std::function<bool(const Statistics&)>;

}  // namespace lockstep::checker
