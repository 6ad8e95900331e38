// Traces for people; see the header.
#include "cli/render_trace.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/token.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

std::string coloured(const std::string& text, Colour colour, bool colours) {
  if (!colours || colour == Colour::plain) return text;
  return fmt::format("\033[{}m{}\033[0m", static_cast<int>(colour), text);
}

Colour colour_of_client(std::uint8_t process) {
  constexpr std::array kColours{Colour::cyan, Colour::magenta, Colour::blue};
  return kColours[process % kColours.size()];
}

namespace {

/// Who acts is a client, or one of its tasks, or a server, or time.
Colour colour_of_actor(const checker::TraceStep& step) {
  const std::uint8_t process = step.data.action.process;
  const std::string name = sim::process_name(process);
  const std::string& actor = step.prose.actor;
  const bool is_client = actor == name || actor.starts_with(name + ' ');
  return is_client ? colour_of_client(process) : Colour::plain;
}

}  // namespace

void print_step(std::ostream& out, const checker::TraceStep& step, std::size_t number,
                TraceLook look) {
  const auto before = fmt::format("{:4} {:6} ms {}  ", number, step.data.time_ms,
                                  step.prose.environment ? '!' : ' ');
  const auto actor = fmt::format("{:<9}", step.prose.actor);
  if (step.prose.environment)
    out << coloured(before + actor + step.prose.sentence, Colour::yellow, look.colours) << '\n';
  else
    out << before << coloured(actor, colour_of_actor(step), look.colours) << step.prose.sentence
        << '\n';
  const auto print_below = [&](const std::string& text, Colour colour) {
    out << fmt::format("{:29}{}", "", coloured(text, colour, look.colours)) << '\n';
  };
  for (const auto& change : step.prose.changes) print_below(change, Colour::bold);
  if (!look.scripts) return;
  for (const auto& ran : step.data.ran)
    print_below(fmt::format("{}:{}: {}", ran.file, ran.number, ran.text), Colour::dim);
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
