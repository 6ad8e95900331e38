// Sequences of commands on the fake node and on a real redis-server: the first difference, and the
// shortest sequence that shows one.
#pragma once

#include <string>
#include <vector>

#include "tests/support/twin.hpp"

namespace lockstep::test {

/// What differs when `requests` run on empty servers; empty if nothing does.
inline std::string difference(Twin& twin, const std::vector<sim::Request>& requests) {
  twin.flush();
  for (const sim::Request& request : requests) {
    if (auto differs = twin.run(request); !differs.empty()) return differs;
  }
  return twin.compare_contents();
}

/// Leaves out request after request as long as a difference remains.
inline std::vector<sim::Request> shortened(Twin& twin, std::vector<sim::Request> requests) {
  for (std::size_t i = requests.size(); i-- > 0;) {
    auto without = requests;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (!difference(twin, without).empty()) requests = std::move(without);
  }
  return requests;
}

/// Empty if `requests` have the same effects on both, else the shortest sequence that differs.
/// Twice: the two clocks are a millisecond apart now and then, which GT and LT can show.
inline std::string reported_difference(Twin& twin, const std::vector<sim::Request>& requests) {
  const std::string first = difference(twin, requests);
  if (first.empty() || difference(twin, requests).empty()) return "";
  const auto shortest = shortened(twin, requests);
  std::string text = difference(twin, shortest);
  if (text.empty()) text = first + " (now and then)";
  for (const sim::Request& request : shortest) text.append("\n    ").append(show(request));
  return text;
}

}  // namespace lockstep::test
