// Traces for people; see the header.
#include "cli/render_trace.hpp"

#include <fmt/format.h>

namespace lockstep::cli {

std::string coloured(const std::string& text, Colour colour, bool colours) {
  if (!colours || colour == Colour::plain) return text;
  const char* code = colour == Colour::red      ? "31"
                     : colour == Colour::green  ? "32"
                     : colour == Colour::yellow ? "33"
                                                : "2";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void print_step(std::ostream& out, const checker::TraceStep& step, std::size_t number,
                TraceLook look) {
  const auto line =
      fmt::format("{:4} {:6} ms {}  {:<9}{}", number, step.data.time_ms,
                  step.prose.environment ? '!' : ' ', step.prose.actor, step.prose.sentence);
  const auto colour = step.prose.environment ? Colour::yellow : Colour::plain;
  out << coloured(line, colour, look.colours) << '\n';
  const auto print_below = [&](const std::string& text) {
    out << coloured(fmt::format("{:29}{}", "", text), Colour::dim, look.colours) << '\n';
  };
  for (const auto& change : step.prose.changes) print_below(change);
  if (!look.scripts) return;
  for (const auto& ran : step.data.ran)
    print_below(fmt::format("{}:{}: {}", ran.file, ran.number, ran.text));
}

void print_violation(std::ostream& out, const checker::Trace& trace, bool colours) {
  if (trace.violated)
    out << coloured(fmt::format("{:14}{}", "", trace.violation), Colour::red, colours) << '\n';
}

void print_trace(std::ostream& out, const checker::Trace& trace, TraceLook look) {
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.loop && trace.loop->from == i) out << fmt::format("{:14}from here on:\n", "");
    print_step(out, trace.steps[i], i + 1, look);
  }
  print_violation(out, trace, look.colours);
}

}  // namespace lockstep::cli
