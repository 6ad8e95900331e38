// Tells a violation for a person: what the run has led to, with its names and times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checker/trace/event.hpp"

namespace lockstep::checker {

/// What a violation's sentence needs to know of the steps before it.
struct Story {
  /// How the lease of a process ended, by (process, lease key): "A's lease ended at 30000 ms".
  std::map<std::pair<std::uint8_t, std::string>, std::string> ends;
  /// Who has run since it went in: it may have found out, or have called lost().
  std::set<std::uint8_t> ran_since;
  std::map<std::uint8_t, std::int64_t> in_section_since_ms;         ///< by process
  std::optional<std::pair<std::uint8_t, std::int64_t>> last_write;  ///< accepted: by whom, when
};

/// Keeps the story up to date.
void tell_on(Story& story, const Event& event);

/// The violated property in words, with the names and times of this run. `story` includes the
/// event.
std::string tell_violation(const Story& story, const Event& event,
                           const naive::Violation& violation);

}  // namespace lockstep::checker
