// See the header.
#include "cli/beliefs.hpp"

#include <fmt/format.h>

#include "sim/base/token.hpp"

namespace lockstep::cli {

std::string believed(const Picture::Belief& belief) {
  using Life = Picture::Belief::Life;
  if (belief.life == Life::crashed)
    return fmt::format("nothing: it has crashed at {} ms", belief.since_ms);
  std::string holds = belief.inside ? "that it holds the lock" : "that it does not hold it";
  if (belief.life == Life::paused)
    return fmt::format("{}; it stands still since {} ms and hears of nothing", holds,
                       belief.since_ms);
  return holds;
}

const char* truth_of(const Picture::Belief& belief) {
  const bool up = belief.life != Picture::Belief::Life::crashed;
  if (belief.inside && !belief.leased) return "✖ it has no lease";
  if (belief.inside)
    return belief.named ? "✔ it has the lease" : "a key is there that does not say whose it is";
  if (!belief.leased) return "✔ it has no lease";
  return up ? "its lease is there: it has not heard of it yet, or gives it back"
            : "✖ its lease is left behind";
}

std::string beliefs_at_end(const Picture& picture) {
  std::string text;
  if (picture.rows.empty()) return text;
  for (const Picture::Belief& belief : picture.rows.back().beliefs) {
    if (!belief.inside && !belief.leased) continue;
    text += fmt::format("{}{}: {} ({})", text.empty() ? "" : "; ",
                        sim::process_name(belief.process), believed(belief), truth_of(belief));
  }
  return text;
}

}  // namespace lockstep::cli
