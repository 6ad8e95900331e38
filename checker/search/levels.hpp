// The frontier of a breadth-first search: level by level, so that what is found first lies at the
// end of a shortest run. The visited set, in order of discovery, is the queue itself.
#pragma once

#include <algorithm>
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
        const bool go_on =
            search.expand(next, parents.reached_by_time(next) ? kNoPass : kAllPasses, observer,
                          [&](const std::uint32_t* successor, const Unfolded& from,
                              Parents::Origin origin) { take(search, successor, from, origin); });
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
  /// Takes up a successor, and goes on with those that were taken up some time ago.
  template <class Search>
  void take(Search& search, const std::uint32_t* successor, const Unfolded& from,
            Parents::Origin origin) {
    StateStore& store = search.store();
    if (taken_ >= kOnTheWay) end_fold(search, taken_ - kOnTheWay);
    if (taken_ >= kHalfWay) store.go_on_folding(folding_[(taken_ - kHalfWay) % kOnTheWay]);
    store.begin_fold(successor, from, folding_[taken_ % kOnTheWay]);
    origins_folding_[taken_++ % kOnTheWay] = origin;
  }

  template <class Search>
  void end_fold(Search& search, std::size_t which) {
    const StateStore::Root root = search.store().end_fold(folding_[which % kOnTheWay]);
    std::uint64_t& recent = recent_[root.hash >> (64 - kRecentBits)];
    if (recent == root.pair) return;
    recent = root.pair;
    if (pending_ == roots_.size()) insert(search);
    roots_[pending_] = root;
    search.store().prefetch(root);
    origins_[pending_++] = origins_folding_[which % kOnTheWay];
  }

  /// Folds and inserts all that was taken up.
  template <class Search>
  void flush(Search& search) {
    for (std::size_t i = taken_ - std::min(taken_, kHalfWay); i < taken_; ++i)
      search.store().go_on_folding(folding_[i % kOnTheWay]);
    for (std::size_t i = taken_ - std::min(taken_, kOnTheWay); i < taken_; ++i) end_fold(search, i);
    taken_ = 0;
    insert(search);
  }

  template <class Search>
  void insert(Search& search) {
    search.store().insert({roots_.data(), pending_},
                          [&](std::size_t i) { search.parents().push_back(origins_[i]); });
    pending_ = 0;
  }

  static constexpr std::size_t kOnTheWay = 16, kHalfWay = kOnTheWay / 2;

  std::vector<std::uint32_t> starts_{0};
  // Successors that are being folded, the last ones of all that were taken up.
  std::array<Folding, kOnTheWay> folding_;
  std::array<Parents::Origin, kOnTheWay> origins_folding_;
  std::size_t taken_ = 0;
  // States that were met lately. Most of those that are met again are, and need not be looked up.
  static constexpr unsigned kRecentBits = 14;
  std::vector<std::uint64_t> recent_ =
      std::vector(std::size_t{1} << kRecentBits, StateStore::kNoPair);
  // Successors on their way into the visited set, and where those come from that are new.
  std::array<StateStore::Root, StateStore::kBatch> roots_;
  std::array<Parents::Origin, StateStore::kBatch> origins_;
  std::size_t pending_ = 0;
};

}  // namespace lockstep::checker
