// The frontier of a depth-first search: it follows one run as far as it goes, and knows of each
// state whether it lies on that run, so that it sees where a run comes back to itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/search/search.hpp"

namespace lockstep::checker {

/// Asks its observer also: bool cycle(state), where a step leads back to a state of the run; false
/// ends the search. When the observer ends one, its run stays: a later one that meets a state of it
/// finds the same. After one that was stopped there is no other.
class Stack {
 public:
  template <class Search, class Observer>
  End explore(Search& search, std::uint32_t start, bool is_new, Observer& observer) {
    run_.clear();
    if (!is_new) return on_run_[start] && !observer.cycle(start) ? End::found : End::complete;
    if (!enter(search, start, observer)) return End::found;
    while (!run_.empty()) {
      if (!search.may_go_on(tickets_++, run_.size() - 1)) return End::stopped;
      if (run_.back().next == run_.back().successors.size()) {
        on_run_[run_.back().state] = false;
        run_.pop_back();
        continue;
      }
      const auto [root, origin] = run_.back().successors[run_.back().next++];
      const auto [state, added] = search.store().insert(root);
      if (added) search.parents().push_back(origin);
      if (added ? !enter(search, state, observer) : on_run_[state] && !observer.cycle(state))
        return End::found;
    }
    return End::complete;
  }

  /// Steps of the longest run that was followed.
  std::uint64_t depth() const { return depth_; }

 private:
  struct Frame {
    std::uint32_t state = 0;
    std::vector<std::pair<StateStore::Root, Parents::Origin>> successors;
    std::size_t next = 0;
  };

  template <class Search, class Observer>
  bool enter(Search& search, std::uint32_t state, Observer& observer) {
    on_run_.push_back(true);  // states are new in the order of their numbers
    run_.push_back({state, {}, 0});
    depth_ = std::max<std::uint64_t>(depth_, run_.size() - 1);
    auto& successors = run_.back().successors;
    // Also those in which time passes once more: a state may have been reached in another way, too.
    return search.expand(state, kAllPasses, observer,
                         [&](std::uint32_t* next, const Unfolded& from, Parents::Origin origin) {
                           successors.emplace_back(search.store().fold(next, from), origin);
                         });
  }

  std::vector<Frame> run_;
  std::vector<bool> on_run_;  ///< by state
  std::uint64_t depth_ = 0, tickets_ = 0;
};

}  // namespace lockstep::checker
