// Breadth-first search over any transition system: the one search loop. A system has a width, an
// initial state and an expand(); what a state means is none of its business, which is why it is
// tested on puzzles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/search/state_store.hpp"
#include "sim/base/check.hpp"
#include "sim/model/result.hpp"
#include "sim/world/world.hpp"

namespace lockstep::checker {

/// A step that violates something: from which state, and which step.
struct Offence {
  std::uint32_t parent = 0;
  sim::Candidate candidate;
  sim::PropertySet violated = 0;
};

/// System: unsigned width(); void initial(uint32_t*); expand(const uint32_t*, bool with_pass,
/// sink(uint32_t* next, const sim::Candidate&, const sim::Facts&)); `next` has room for kRoom ids.
template <class System>
class Search {
 public:
  enum class End : std::uint8_t { complete, offended, stuck, bound, stopped };
  static constexpr unsigned kRoom = Unfolded::kRoom;

  Search(System& system, sim::PropertySet judged, const Bounds& bounds)
      : system_(system), judged_(judged), bounds_(bounds), store_(system.width()) {}

  /// Explores level by level. Ends after the first level that holds an offence, at a bound
  /// (`bound()` says which), or when `watch` returns false; it is called every few thousand states.
  template <class Watch>
  End run(Watch watch) {
    std::array<std::uint32_t, kRoom> state{};
    system_.initial(state.data());
    store_.insert(store_.fold(state.data()));
    parents_.push_back(0);
    levels_ = {0};
    for (std::uint32_t next = 0; next < store_.size();) {
      const std::uint32_t end = store_.size();
      levels_.push_back(end);
      for (; next < end; ++next) {
        if ((next & 0xFFF) == 0 && !watch()) return End::stopped;
        if (reached_bound(next)) return End::bound;
        expand(next);
        if (stuck_) return End::stuck;
      }
      flush();
      if (!offences_.empty()) return End::offended;
      if (bounds_.max_depth != 0 && levels_.size() - 1 >= bounds_.max_depth &&
          next < store_.size()) {
        bound_ = "the bound of " + std::to_string(bounds_.max_depth) + " steps";
        return End::bound;
      }
    }
    return End::complete;
  }

  std::uint32_t states() const { return store_.size(); }
  std::uint64_t transitions() const { return transitions_; }
  /// Steps to the deepest level reached.
  std::uint64_t depth() const { return levels_.size() - 2; }
  std::size_t bytes() const { return store_.bytes() + parents_.bytes(); }
  const std::string& bound() const { return bound_; }
  const std::vector<Offence>& offences() const { return offences_; }
  /// End::stuck: the state in which somebody waits for ever (System::stuck, if it has one).
  std::uint32_t stuck() const { return stuck_.value(); }
  sim::WitnessSet witnessed() const { return witnessed_; }
  sim::ProcessSet acquired_by() const { return acquired_by_; }
  StateStore& store() { return store_; }
  /// First state of each level.
  const std::vector<std::uint32_t>& levels() const { return levels_; }

  /// The states from the initial one to `state`, both included.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const {
    std::vector<std::uint32_t> path{state};
    while (path.back() != 0) path.push_back(parents_[path.back()] & kIndex);
    return {path.rbegin(), path.rend()};
  }

 private:
  static constexpr std::uint32_t kByPass = 0x80000000, kIndex = 0x7FFFFFFF;
  void expand(std::uint32_t index) {
    Unfolded from;
    store_.load(index, from);
    const bool by_pass = (parents_[index] & kByPass) != 0;
    bool leads_on = false;
    system_.expand(
        from.values.data(), !by_pass,
        [&](std::uint32_t* next, const sim::Candidate& candidate, const sim::Facts& facts) {
          ++transitions_;
          leads_on = leads_on || !sim::is_fault(candidate.kind);
          witnessed_ |= facts.witnessed;
          acquired_by_ |= facts.acquired_by;
          if ((facts.violated & judged_) != 0) {
            offences_.push_back(
                {index, candidate, static_cast<sim::PropertySet>(facts.violated & judged_)});
            return;
          }
          const StateStore::Root root = store_.fold(next, from);
          store_.prefetch(root);
          const bool pass = candidate.kind == sim::Action::Kind::pass;
          if (pending_ == roots_.size()) flush();
          roots_[pending_] = root;
          origins_[pending_++] = index | (pass ? kByPass : 0);
        });
    if constexpr (requires { system_.stuck(from.values.data()); }) {
      if (!leads_on && (judged_ & sim::bit(sim::Property::deadlock)) != 0 &&
          system_.stuck(from.values.data()))
        stuck_ = index;
    }
  }

  void flush() {
    store_.insert({roots_.data(), pending_},
                  [this](std::size_t i) { parents_.push_back(origins_[i]); });
    pending_ = 0;
  }

  bool reached_bound(std::uint32_t next) {
    if (bounds_.max_states != 0 && store_.size() >= bounds_.max_states) {
      bound_ = "the bound of " + std::to_string(bounds_.max_states) + " states";
    } else if (store_.size() >= kIndex - 1'000'000) {
      bound_ = "the checker's own limit of two billion states";
    } else if ((next & 0xFFF) == 0 && bounds_.max_bytes != 0 && bytes() >= bounds_.max_bytes) {
      bound_ = "the bound of " + std::to_string(bounds_.max_bytes >> 20) + " MiB";
    }
    return !bound_.empty();
  }

  System& system_;
  const sim::PropertySet judged_;
  const Bounds bounds_;
  StateStore store_;
  HugeList<std::uint32_t> parents_;  ///< by state; the top bit: reached by passing time
  std::vector<std::uint32_t> levels_;
  // Successors on their way into the store, and what to keep in parents_ of those that are new.
  std::array<StateStore::Root, StateStore::kBatch> roots_;
  std::array<std::uint32_t, StateStore::kBatch> origins_;
  std::size_t pending_ = 0;
  std::vector<Offence> offences_;
  std::uint64_t transitions_ = 0;
  sim::WitnessSet witnessed_ = 0;
  sim::ProcessSet acquired_by_ = 0;
  std::optional<std::uint32_t> stuck_;
  std::string bound_;
};

}  // namespace lockstep::checker
