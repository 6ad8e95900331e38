// One search: a system, a frontier that says in which order its states are expanded (levels.hpp,
// stack.hpp), and an observer that sees every step and says when there is enough. What is here is
// what all of them share: the visited set, the tree of first steps, bounds and figures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "checker/search/graph.hpp"
#include "checker/search/parents.hpp"
#include "checker/search/state_store.hpp"
#include "checker/search/system.hpp"
#include "sim/base/bounds.hpp"

namespace lockstep::checker {

/// How a search ends: everything was explored; the observer has what it wants; or it had to stop
/// (Search::why_stopped).
enum class End : std::uint8_t { complete, found, stopped };

/// Frontier: Levels or Stack.
template <System S, class Frontier>
class Search {
 public:
  using Step = typename S::Step;
  using Facts = typename S::Facts;

  /// Both must outlive the search.
  Search(S& system, Watch& watch) : system_(system), watch_(watch), store_(system.width()) {}

  /// Explores what can be reached from the initial state. The observer:
  /// - void step(state, step, facts): of every step out of an expanded state;
  /// - bool shown(state, facts): after its steps, with what it shows by itself; false ends the
  ///   search;
  /// - and what the frontier asks.
  template <class Observer>
  End run(Observer& observer) {
    std::array<std::uint32_t, Unfolded::kRoom> start{};
    system_.initial(start.data());
    return run(start.data(), observer);
  }

  /// The same from any state. What earlier runs have visited stays visited.
  template <class Observer>
  End run(const std::uint32_t* start, Observer& observer) {
    const StateStore::Root root = store_.fold(start);
    const std::uint32_t index = store_.find(root);
    const End end = frontier_.explore(*this, index != StateStore::kAbsent ? index : add_start(root),
                                      index == StateStore::kAbsent, observer);
    // What a system cuts off because the watch says so, may be missing from the last state's steps.
    return watch_.why().empty() ? end : End::stopped;
  }

  std::uint32_t states() const { return store_.size(); }
  const Facts& facts() const { return facts_; }  ///< of all steps and states together
  /// The figures so far, but for the time.
  Statistics statistics() const {
    return {store_.size(), transitions_, frontier_.depth(), 0, store_.bytes() + parents_.bytes()};
  }
  /// End::stopped: why, as it is printed.
  std::string why_stopped() const {
    if (full_) return "the checker's own limit of two billion states was reached";
    const std::string obstacle = system_.obstacle();
    return obstacle.empty() ? watch_.why() : obstacle + ": no state is met again";
  }
  const Frontier& frontier() const { return frontier_; }
  Graph<S> graph() { return {system_, store_, parents_}; }

  // ---- for the frontier

  /// Expands a state; take(successor, state, origin) gets every successor that a run can go on
  /// from, not folded yet.
  template <class Observer, class Take>
  bool expand(std::uint32_t index, std::size_t passes, Observer& observer, Take take) {
    Unfolded from;
    store_.load(index, from);
    const Facts shown = system_.expand(
        from.values.data(), passes, [&](std::uint32_t* next, const Step& step, const Facts& facts) {
          ++transitions_;
          facts_ |= facts;
          observer.step(index, step, facts);
          if (facts.ends()) return;
          take(next, from, Parents::origin(index, system_.passes_time(step)));
        });
    facts_ |= shown;
    return observer.shown(index, shown);
  }

  /// Whether the search may go on at this depth. Looks closely at every 4096th ticket only, after
  /// as many steps as those usually make, and where a bound is met; in between, where that lasts,
  /// at the bounds alone: what is found must not depend on how fast the machine is.
  bool may_go_on(std::uint64_t ticket, std::uint64_t depth) {
    const bool closely = (ticket & 0xFFF) == 0 || transitions_ >= look_at_ ||
                         watch_.meets_bound(store_.size(), depth) || store_.size() >= kMostStates;
    if (closely) return look_closely(depth);
    constexpr std::uint64_t kTicketsBetween = 16;
    return ticket % kTicketsBetween != 0 || !watch_.is_due() || watch_.may_go_on(figures(depth));
  }

  StateStore& store() { return store_; }
  Parents& parents() { return parents_; }

 private:
  static constexpr std::uint32_t kMostStates = Parents::kMost - 1'000'000;
  static constexpr std::uint64_t kStepsBetween = 1 << 16;

  std::uint32_t add_start(StateStore::Root root) {
    const std::uint32_t index = store_.insert(root).first;
    parents_.push_back(Parents::origin(index, false));
    return index;
  }

  bool look_closely(std::uint64_t depth) {
    if (!system_.adequate() || !system_.obstacle().empty()) return false;
    look_at_ = transitions_ + kStepsBetween;
    full_ = store_.size() >= kMostStates;
    return watch_.may_go_on(figures(depth)) && !full_;
  }

  Statistics figures(std::uint64_t depth) const {
    Statistics figures = statistics();
    figures.depth = depth;
    return figures;
  }

  S& system_;
  Watch& watch_;
  StateStore store_;
  Parents parents_;
  Frontier frontier_;
  Facts facts_{};
  std::uint64_t transitions_ = 0;
  std::uint64_t look_at_ = 0;  ///< transitions: the next close look
  bool full_ = false;
};

}  // namespace lockstep::checker
