// See the header.
#include "cli/render_markdown.hpp"

#include <fmt/format.h>

#include "cli/escaped.hpp"
#include "cli/mermaid.hpp"

namespace lockstep::cli {

namespace {

std::string steps_of(const checker::Trace& trace) {
  std::string text = "| # | ms | who | what happens |\n|---:|---:|---|---|\n";
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const auto& [data, prose] = trace.steps[i];
    std::string what = markdown_escaped(prose.sentence);
    if (prose.environment) what = "**fault:** " + what;
    if (trace.loop && trace.loop->from == i) what = "*from here on again and again:* " + what;
    for (const auto& change : prose.changes) what += "<br>*" + markdown_escaped(change) + "*";
    text += fmt::format("| {} | {} | {} | {} |\n", i + 1, data.time_ms,
                        markdown_escaped(prose.actor), what);
  }
  return text;
}

}  // namespace

std::string as_markdown(const Headline& headline) {
  return fmt::format("### {}: {}\n\n", headline.verdict, markdown_escaped(headline.text));
}

std::string as_markdown(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& [label, words] : rows)
    text += label.empty() ? "  " + markdown_escaped(words) + "\n"
                          : fmt::format("- **{}**: {}\n", label, markdown_escaped(words));
  return text;
}

std::string as_markdown(const Telling& telling) {
  std::string text = as_markdown(telling.headline);
  if (telling.trace && telling.trace->violated)
    text += "> " + markdown_escaped(telling.trace->violation) + "\n\n";
  text += as_markdown(telling.subject);
  if (telling.trace)
    text += "\n```mermaid\n" + as_mermaid(telling.model, *telling.trace) + "```\n\n" +
            steps_of(*telling.trace);
  if (!telling.account.empty()) text += "\n" + as_markdown(telling.account);
  return text;
}

}  // namespace lockstep::cli
