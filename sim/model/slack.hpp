// How close the runs of a check came to the end of a lease.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lockstep::sim {

/// The least that was left of a lease when a critical section ended (docs/semantics.md, section 5).
struct Slack {
  static constexpr std::int64_t kEnded = -1;  ///< the lease was over before its critical section
  std::optional<std::int64_t> least_ms;       ///< or kEnded; nothing if no lease ever expires
  bool exact = false;                         ///< else a run that was not tried may come closer

  void note(std::int64_t left_ms) { least_ms = std::min(least_ms.value_or(left_ms), left_ms); }
};

}  // namespace lockstep::sim
