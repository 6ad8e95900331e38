// A violation can be avoided from a state if some run from it never violates, in which nothing
// happens that need not ever happen: it comes to its end, or back to a state that it has met. A
// depth-first search looks for such a run.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/search/search.hpp"
#include "checker/search/stack.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker {

/// A system that says which steps need not ever happen: nothing brings them about, and nobody does
/// them to avoid anything.
template <class S>
concept HasOptionalSteps = System<S> && requires(S& system, const typename S::Step& step) {
  { system.optional(step) } -> std::convertible_to<bool>;
};

/// A system without these steps.
template <HasOptionalSteps S>
class Undisturbed {
 public:
  using Step = typename S::Step;
  using Facts = typename S::Facts;

  explicit Undisturbed(S& system) : system_(system) {}

  unsigned width() const { return system_.width(); }
  void initial(std::uint32_t* state) { system_.initial(state); }
  template <class Sink>
  Facts expand(const std::uint32_t* state, std::size_t passes, Sink&& sink) {
    return system_.expand(state, passes,
                          [&](std::uint32_t* next, const Step& step, const Facts& facts) {
                            if (!system_.optional(step)) sink(next, step, facts);
                          });
  }
  bool passes_time(const Step& step) const { return system_.passes_time(step); }
  LabelOf<S> label(const std::uint32_t* state, const Step& step) const {
    return system_.label(state, step);
  }
  bool adequate() const { return system_.adequate(); }
  std::string obstacle() const { return system_.obstacle(); }

 private:
  S& system_;
};

/// Where runs can still escape from all violations. What was learnt is remembered between
/// questions.
template <HasOptionalSteps S>
class Escape {
 public:
  using Step = typename S::Step;
  using Facts = typename S::Facts;
  using State = typename Graph<S>::State;

  /// One step out of a state, and where to.
  struct Successor {
    State state{};
    Step step;
    bool ends = false;
  };

  Escape(S& system, Watch& watch)
      : system_(system), undisturbed_(system), search_(undisturbed_, watch) {}

  /// Whether some run from `start` never ends in a violation; nothing if a bound was met first, and
  /// then for good.
  std::optional<bool> possible(const State& start) {
    if (gave_up_) return std::nullopt;
    Observer observer;
    const End end = search_.run(start.data(), observer);
    gave_up_ = end == End::stopped;
    return gave_up_ ? std::nullopt : std::optional(end == End::found);
  }

  std::vector<Successor> successors(const State& state) const {
    std::vector<Successor> found;
    system_.expand(state.data(), kAllPasses,
                   [&](const std::uint32_t* next, const Step& step, const Facts& facts) {
                     Successor successor{{}, step, facts.ends()};
                     std::copy_n(next, system_.width(), successor.state.begin());
                     found.push_back(successor);
                   });
    return found;
  }

 private:
  struct Observer {
    bool must_go_on = false;  ///< the state has steps: one of them has to happen

    void step(std::uint32_t, const Step&, const Facts&) { must_go_on = true; }
    /// A state that is a violation by itself is one in which nothing more happens.
    bool shown(std::uint32_t, const Facts&) { return std::exchange(must_go_on, false); }
    bool cycle(std::uint32_t) const { return false; }
  };

  S& system_;
  Undisturbed<S> undisturbed_;
  Search<Undisturbed<S>, Stack> search_;
  bool gave_up_ = false;
};

/// The step of a way after which its violation can no longer be avoided.
template <class Label>
struct LastEscape {
  std::size_t step = 0;  ///< 1-based; 0: it could not be avoided from the start
  /// What could still be done instead just before that step: the first step of a run that avoids
  /// the violation. Nothing if nothing else could be done but also nothing had to happen.
  std::optional<Label> way_out;
};

/// Nothing if a bound of `watch` was met first, or the system has no such way.
template <HasOptionalSteps S>
std::optional<LastEscape<LabelOf<S>>> last_escape(S& system, Watch& watch,
                                                  const std::vector<LabelOf<S>>& way) {
  Escape<S> escape(system, watch);
  std::vector<typename Escape<S>::State> states(1);  // before each step
  system.initial(states[0].data());
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    bool found = false;
    for (const auto& next : escape.successors(states.back())) {
      if (system.label(states.back().data(), next.step) != way[i]) continue;
      states.push_back(next.state);
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  // From the last step backwards: the first state that can still be escaped from lies just before
  // the point of no return.
  for (std::size_t i = states.size(); i-- > 0;) {
    bool must_go_on = false;
    for (const auto& next : escape.successors(states[i])) {
      if (system.optional(next.step)) continue;
      must_go_on = true;
      if (next.ends) continue;
      const std::optional<bool> possible = escape.possible(next.state);
      if (!possible) return std::nullopt;
      if (*possible)
        return LastEscape<LabelOf<S>>{i + 1, system.label(states[i].data(), next.step)};
    }
    if (!must_go_on) return LastEscape<LabelOf<S>>{i + 1, std::nullopt};
  }
  return LastEscape<LabelOf<S>>{};
}

}  // namespace lockstep::checker
