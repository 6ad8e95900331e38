// A process as an automaton discovered while searching: a state is a snapshot and the observations
// since; each transition is computed once by really running the program, then looked up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/base/token.hpp"
#include "sim/client/observation.hpp"
#include "sim/world/tokens.hpp"

namespace lockstep::sim {

/// A state of the automaton.
struct ProgramState {
  std::uint32_t setup = 0;        ///< index of the ProcessSetup
  std::string snapshot;           ///< where the path starts
  std::vector<Observation> path;  ///< observations since the snapshot
  /// So many of the last ones are answers to tasks that wait for more (Wait::together).
  std::size_t heard_part = 0;
  Id round = 0;             ///< the same for equal snapshots, whatever their tokens
  std::vector<Wait> tasks;  ///< what every live task waits for (`fresh` cleared)
  TokenUse tokens;          ///< that the state mentions
};

/// What an observation leads to: a query, or effects and the next state.
struct Transition {
  std::optional<Query> query;
  std::vector<Effect> effects;
  std::vector<Wait> tasks;  ///< `fresh` set on waits that start here
  Id next = 0;
  bool rebased = false;                 ///< `next` is a snapshot; its instants are numbered anew:
  std::vector<std::uint16_t> instants;  ///< new id i was old id instants[i]
  std::optional<TaskId> again;          ///< feed a `run` observation of this task at once
  unsigned cuts = 0;                    ///< places at which the step could be cut
  Cut cut = Cut::none;                  ///< where it was
};

class Automaton {
 public:
  /// Is shown every step that is really run: where it starts, what was observed, what came of it.
  using Observer = std::function<void(const ProcessSetup&, const std::string& snapshot,
                                      const std::vector<Observation>& path, const Step&)>;

  Automaton(const Program& program, std::vector<ProcessSetup> setups, Observer observer);

  /// The state of a new incarnation whose main tasks have used up so many rounds.
  Id initial(std::uint32_t setup, const std::vector<int>& rounds_done);
  const ProgramState& state(Id id) const { return states_[id]; }
  const Transition& advance(Id from, const Observation& observation);
  /// The same state with the tokens of one process renamed.
  Id rename(Id from, const std::function<Token(Token)>& renaming);

  /// Whether any iteration of retry() or every() was seen: only then can the state graph have
  /// cycles.
  bool loops() const { return loops_; }
  /// Whether some retry() goes on below another call (Step::retries_within).
  bool retries_within() const { return retries_within_; }
  /// Whether some operation waits very often: in a loop of the program's own.
  bool loops_by_itself() const { return loops_by_itself_; }

 private:
  Id root(std::uint32_t setup, std::string snapshot);
  Transition run(Id from, const Observation& observation);

  const Program& program_;
  std::vector<ProcessSetup> setups_;
  Observer observer_;
  Interner<ProgramState> states_;
  Interner<Transition> transitions_;
  Interner<std::string> rounds_;
  bool loops_ = false, retries_within_ = false, loops_by_itself_ = false;
};

/// Applies a renaming of tokens to everything in a request, a reply or an observation.
Request rename_tokens(const Request& request, const std::function<Token(Token)>& renaming);
Reply rename_tokens(const Reply& reply, const std::function<Token(Token)>& renaming);

}  // namespace lockstep::sim
