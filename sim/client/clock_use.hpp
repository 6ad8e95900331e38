// What a step of a process makes of the clocks: at which readings it would have done something
// else, and which durations it works out from them. Found by running the same step at other
// readings (docs/semantics.md, section 4); nothing is guessed from the program's text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/base/bounds.hpp"
#include "sim/client/program.hpp"
#include "sim/client/step_numbers.hpp"
#include "sim/client/turning.hpp"

namespace lockstep::sim {

struct Reply;

struct ClockUse : TimeUse {
  std::set<std::int64_t> ages;       ///< of an instant: the first one with which the step differs
  std::set<std::int64_t> replies;    ///< whole numbers of a reply: the last one before it differs
  std::set<std::int64_t> durations;  ///< what each of those that it works out is at age 0
  SentDurations sent;                ///< that it works out
};

/// Looks at the last observation of `path`, which `step` came of. `tells_clock`: whether a reply
/// may come from a node's clock. `drift`: some clock does. Where `watch` (if there is one) ends it,
/// not all was looked at.
class ClockUses {
 public:
  ClockUses(const Program& program, std::function<bool(const Reply&)> tells_clock, bool drift,
            checker::Watch* watch)
      : program_(program), tells_clock_(std::move(tells_clock)), drift_(drift), watch_(watch) {}

  void look_at(const ProcessSetup& setup, const std::string& snapshot,
               std::span<const Observation> path, const Step& step, ClockUse& use);

 private:
  friend class Look;

  /// A number that a client keeps beyond its operation: what it remembers would be something else
  /// if the clock had shown something else.
  struct Kept {
    std::string like;  ///< what it would remember, varied to what all such have in common
    std::string was;   ///< what it remembered: the tokens in what is told below are named so
    std::int64_t like_by = 0;       ///< how far `like` is varied, in ms
    std::int64_t from = 0, to = 0;  ///< how far the clock can be varied, in ms
    std::function<std::optional<std::string>(std::int64_t)> remembered;  ///< if it is varied so
    std::function<void(ClockUse&, std::int64_t)> note;   ///< that it turns if it is varied so
    std::optional<std::int64_t> time_ms = std::nullopt;  ///< an absolute time that it came from
    std::vector<std::int64_t> ages;                      ///< or the ages, as they were read
    int steps = 0;  ///< for which it has been kept, and has to be told again
  };
  using KeptThere = std::vector<std::shared_ptr<const Kept>>;
  const Program& program_;
  std::function<bool(const Reply&)> tells_clock_;
  bool drift_;
  checker::Watch* watch_;
  std::set<std::int64_t> windows_;  ///< lengths of those whose numbers a step has worked out, in ms
  bool missed_ = false;             ///< more turns of a step than could be found
  bool mixed_ = false;              ///< ClockUse::mixes of some step: no more is to be found out
  std::map<std::string, RestPlaces> known_;  ///< steps that were looked at, but for what is varied
  std::map<std::string, KeptThere> kept_;    ///< by what is remembered, tokens numbered anew
  std::size_t kept_count_ = 0;
  std::map<std::string, std::vector<bool>> matters_;  ///< Look::that_matter(), but for times
  std::vector<bool> mattered_;                        ///< of the last long path
};

}  // namespace lockstep::sim
