// See the header.
#include "sim/base/bounds.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace lockstep::checker {

namespace {

constexpr const char* kTimeIsUp = "the time limit was reached";

/// The first figure at which a search ends.
std::uint64_t end_of(std::uint64_t bound, bool exceeded) {
  if (bound == 0) return std::numeric_limits<std::uint64_t>::max();
  return bound + (exceeded ? 1 : 0);
}

}  // namespace

std::string memory_is_full(std::uint64_t max_bytes) {
  return fmt::format("the bound of {} MiB was reached", max_bytes >> 20);
}

Progress within(double seconds, Progress progress) {
  if (seconds <= 0) return progress;
  using Clock = std::chrono::steady_clock;
  return [=, start = Clock::now()](const Statistics& figures) -> std::string {
    if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) return kTimeIsUp;
    return progress ? progress(figures) : "";
  };
}

Watch::Watch(const Bounds& bounds, Progress progress, Met met)
    : bounds_(bounds),
      progress_(std::move(progress)),
      exceeded_(met == Met::exceeded),
      end_states_(end_of(bounds.max_states, exceeded_)),
      end_bytes_(end_of(bounds.max_bytes, exceeded_)),
      // To expand a state at the bound is already to exceed it.
      end_depth_(end_of(bounds.max_depth, false)) {}

double Watch::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Watch::may_go_on(const Statistics& figures) {
  if (!why_.empty()) return false;
  asked_ = Clock::now();
  figures_ = figures;
  figures_.seconds = seconds();
  why_ = met_bound(figures_);
  if (why_.empty() && progress_) why_ = progress_(figures_);
  if (!why_.empty()) end_states_ = 0;
  return why_.empty();
}

const Statistics& Watch::out_of_memory() {
  end_states_ = 0;
  if (why_.empty())
    why_ = bounds_.max_bytes > 0 ? memory_is_full(bounds_.max_bytes) : "there is no more memory";
  figures_.seconds = seconds();
  return figures_;
}

std::string Watch::met_bound(const Statistics& figures) const {
  if (figures.states >= end_states_)
    return exceeded_ ? fmt::format("more than {} states", bounds_.max_states)
                     : fmt::format("the bound of {} states was reached", bounds_.max_states);
  if (figures.visited_bytes >= end_bytes_)
    return exceeded_ ? fmt::format("more than {} bytes of visited states", bounds_.max_bytes)
                     : memory_is_full(bounds_.max_bytes);
  if (figures.depth >= end_depth_)
    return exceeded_ ? fmt::format("runs of more than {} steps", bounds_.max_depth)
                     : fmt::format("the bound of {} steps was reached", bounds_.max_depth);
  if (bounds_.max_seconds > 0 && figures.seconds >= bounds_.max_seconds) return kTimeIsUp;
  return "";
}

}  // namespace lockstep::checker
