// The audit: the same model checked again by the naive explorer, time in unit steps, and by the
// main explorer with the same coarse tick. All three must come to the same verdict and the same
// shortest length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::checker {

struct Audit {
  enum class Outcome : std::uint8_t {
    agree,
    disagree,
    inconclusive,
    left_out  ///< nobody asked for it, and it is not small enough to be free
  };
  Outcome outcome = Outcome::inconclusive;
  bool asked_for = true;
  std::vector<std::int64_t> durations_ms;  ///< from which the tick follows, ascending
  std::int64_t tick_ms = 1;
  Result naive;        ///< explore_naively with this tick
  Result coarse;       ///< explore with this tick
  std::string detail;  ///< what disagrees, which bound was reached, or why it was left out
};

/// The unit step for durations: their greatest common divisor, halved if it is even, so that "just
/// after" a deadline is not yet the next one. `durations_ms` must not be empty.
std::int64_t audit_tick_ms(const std::vector<std::int64_t>& durations_ms);

/// Audits `full`, which is what explore() found for `model`.
Audit audit(const sim::Model& model, const Result& full, const Bounds& bounds,
            const Progress& progress = {});

/// The audit that nobody has asked for: of what is so small that nobody will notice, at most 2,000
/// states and two seconds. Given up, and left out, if it turns out not to be.
Audit audit_if_small(const sim::Model& model, const Result& full, const Bounds& bounds,
                     const Progress& progress = {});

}  // namespace lockstep::checker
