// What can be searched: states of a few numbers, the steps out of them, and what the steps show.
// What any of it means is none of the search's business, which is why it is tested on puzzles.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "checker/search/state_store.hpp"

namespace lockstep::checker {

/// How many of the steps in which time passes are asked for.
constexpr std::size_t kNoPass = 0, kNextPass = 1,
                      kAllPasses = std::numeric_limits<std::size_t>::max();

/// A sink that expects every step and does nothing.
template <class S>
struct AnyStep {
  void operator()(std::uint32_t*, const typename S::Step&, const typename S::Facts&) const {}
};

/// A system of states and steps.
/// - `width()`: how many numbers a state has, 1 to Unfolded::kMaxWidth.
/// - `initial(state)` writes the state in which every run begins.
/// - `expand(state, passes, sink)` calls sink(next, step, facts) for every step, always in the
///   same order. `state` and `next` have room for Unfolded::kRoom numbers; the sink may write what
///   follows the state's own. Returns what the state shows by itself once all its steps are known.
/// - `passes_time(step)`: several such steps in a row are also one, so that from a state that was
///   reached by one they need not be asked for; of a state's only the `passes` shortest are told.
/// - `label(state, step)`: the step's name, which means the same in another search.
/// - `adequate()`: false once something was met that had to be known beforehand; what was found
///   until then is worth nothing.
/// - `obstacle()`: why no state is ever met again, as it is printed; "" if nothing is known.
/// Facts merge by `|=`; if they `ends()`, a run ends with the step (or in the state) that showed
/// them, and is not followed any further.
template <class S>
concept System = std::copyable<typename S::Step> && std::default_initializable<typename S::Facts> &&
    requires(S& system, std::uint32_t* state, const std::uint32_t* from,
             const typename S::Step& step, typename S::Facts& merged,
             const typename S::Facts& facts) {
  { system.width() } -> std::convertible_to<unsigned>;
  system.initial(state);
  { system.expand(from, kAllPasses, AnyStep<S>{}) } -> std::convertible_to<typename S::Facts>;
  { system.passes_time(step) } -> std::convertible_to<bool>;
  system.label(from, step);
  { system.adequate() } -> std::convertible_to<bool>;
  { system.obstacle() } -> std::convertible_to<std::string>;
  merged |= facts;
  { facts.ends() } -> std::convertible_to<bool>;
};

/// The names of a system's steps.
template <class S>
using LabelOf = decltype(std::declval<S&>().label(std::declval<const std::uint32_t*>(),
                                                  std::declval<const typename S::Step&>()));

}  // namespace lockstep::checker
