// The frontier of a breadth-first search: level by level, so that what is found first lies at the
// end of a shortest run. The visited set, in order of discovery, is the queue itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/search/search.hpp"

namespace lockstep::checker {

/// Asks its observer also: bool level(), after each whole level; false ends the search. One run.
class Levels {
 public:
  template <class Search, class Observer>
  End explore(Search& search, std::uint32_t start, bool is_new, Observer& observer) {
    LOCKSTEP_CHECK(is_new && start == 0);
    const Parents& parents = search.parents();
    for (std::uint32_t next = 0; next < search.states();) {
      const std::uint32_t end = search.states();
      starts_.push_back(end);
      for (; next < end; ++next) {
        if (!search.may_go_on(next, depth())) return End::stopped;
        const bool go_on = search.expand(next, !parents.reached_by_time(next), observer,
                                         [&](StateStore::Root root, Parents::Origin origin) {
                                           search.store().prefetch(root);
                                           if (pending_ == roots_.size()) flush(search);
                                           roots_[pending_] = root;
                                           origins_[pending_++] = origin;
                                         });
        if (!go_on) return End::found;
      }
      flush(search);
      if (!observer.level()) return End::found;
    }
    return End::complete;
  }

  /// Steps to the deepest level of which a state was expanded.
  std::uint64_t depth() const { return starts_.size() < 2 ? 0 : starts_.size() - 2; }
  /// The first state of each level that was begun, and the first state after the last.
  const std::vector<std::uint32_t>& starts() const { return starts_; }

 private:
  template <class Search>
  void flush(Search& search) {
    search.store().insert({roots_.data(), pending_},
                          [&](std::size_t i) { search.parents().push_back(origins_[i]); });
    pending_ = 0;
  }

  std::vector<std::uint32_t> starts_{0};
  // Successors on their way into the visited set, and where those come from that are new.
  std::array<StateStore::Root, StateStore::kBatch> roots_;
  std::array<Parents::Origin, StateStore::kBatch> origins_;
  std::size_t pending_ = 0;
};

}  // namespace lockstep::checker
