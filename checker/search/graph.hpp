// A finished search as a graph: the one view of it, for whoever asks for more than the search saw.
// Nothing of it was kept but the states: their steps are computed again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/search/parents.hpp"
#include "checker/search/state_store.hpp"
#include "checker/search/system.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker {

template <System S>
class Graph {
 public:
  using Step = typename S::Step;
  using Facts = typename S::Facts;
  using Label = LabelOf<S>;
  using State = std::array<std::uint32_t, Unfolded::kRoom>;
  /// In the place of a state that the search did not visit.
  static constexpr std::uint32_t kUnvisited = StateStore::kAbsent;

  /// All must outlive the view.
  Graph(S& system, StateStore& store, const Parents& parents)
      : system_(system), store_(store), parents_(parents) {}

  S& system() const { return system_; }
  /// States have the numbers from 0 on, in order of discovery.
  std::uint32_t states() const { return store_.size(); }

  State operator[](std::uint32_t state) const {
    Unfolded unfolded{};
    store_.load(state, unfolded);
    return unfolded.values;
  }

  /// The number of a state, or kUnvisited.
  std::uint32_t find(const std::uint32_t* state) const { return store_.find(store_.fold(state)); }

  /// Calls sink(to, step, facts) for every step out of a state. `to` is kUnvisited where a run ends
  /// with the step, or where the search did not come. Where time passes on, after time has passed,
  /// it passes to the next instant: what lies beyond is reached from there.
  template <class Sink>
  void successors(std::uint32_t state, Sink sink) const {
    Unfolded from;
    store_.load(state, from);
    const std::size_t passes = parents_.reached_by_time(state) ? kNextPass : kAllPasses;
    system_.expand(
        from.values.data(), passes, [&](std::uint32_t* next, const Step& step, const Facts& facts) {
          const bool followed = !facts.ends();
          sink(followed ? store_.find(store_.fold(next, from)) : kUnvisited, step, facts);
        });
  }

  Label label(std::uint32_t state, const Step& step) const {
    return system_.label((*this)[state].data(), step);
  }

  /// The states from the beginning to `state`, both included, as the search first came there.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const { return parents_.path_to(state); }

  /// The steps along such a path.
  std::vector<Label> steps_along(const std::vector<std::uint32_t>& path) const {
    std::vector<Label> labels;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      std::optional<Step> found;
      successors(path[i], [&](std::uint32_t to, const Step& step, const Facts&) {
        if (!found && to == path[i + 1]) found = step;
      });
      LOCKSTEP_CHECK(found.has_value());
      labels.push_back(label(path[i], *found));
    }
    return labels;
  }

 private:
  S& system_;
  StateStore& store_;
  const Parents& parents_;
};

}  // namespace lockstep::checker
