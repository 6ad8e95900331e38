// See the header.
#include "cli/telling.hpp"

#include <fmt/format.h>

#include "cli/mermaid.hpp"
#include "cli/output_file.hpp"
#include "cli/render_html.hpp"
#include "cli/render_markdown.hpp"
#include "cli/shiviz.hpp"
#include "cli/words.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"

namespace lockstep::cli {

Telling telling_of(const scenarios::Judgement& judgement, const CheckNotes& notes) {
  return {headline_of(judgement),
          judgement.scenario.why,
          subject_of(judgement, notes),
          account_of(judgement, notes, false),
          notes.avoidable,
          judgement.no_return,
          judgement.model,
          judgement.trace};
}

Marks marks_of(const Telling& telling) {
  Marks marks;
  if (!telling.trace) return marks;
  const auto& trace = *telling.trace;
  if (trace.violated) marks.violated = spoken(*trace.violated);
  marks.overlap = trace.violated == sim::Property::mutual_exclusion;
  if (telling.no_return) marks.avoidable_until = telling.no_return->step;
  if (trace.loop) marks.loop_from = trace.loop->from;
  return marks;
}

std::string rendered(const Telling& telling, Format format) {
  switch (format) {
    case Format::markdown:
      return kMarkdownHead + as_markdown(telling);
    case Format::mermaid:
      return telling.trace ? as_mermaid(telling.model, *telling.trace) : as_mermaid_note(telling);
    case Format::html:
      return as_html(telling);
    case Format::shiviz:
      return telling.trace ? as_shiviz(telling.model, *telling.trace) : as_shiviz_note(telling);
    case Format::text:
    case Format::json:
      break;
  }
  sim::fail("a format that is printed elsewhere", __FILE__, __LINE__);
}

void expect_out(const std::string& out_file, Format format) {
  if (out_file.empty()) return;
  if (format == Format::text || format == Format::json)
    throw sim::BadInput(
        fmt::format("--out {}: goes with --format markdown, mermaid, html or shiviz", out_file));
  expect_output("--out", out_file);
}

void put_out(const std::string& text, const std::string& out_file, Io& io) {
  if (out_file.empty()) {
    io.out << text;
    return;
  }
  sim::write_file(out_file, text);
  io.out << out_file << ": written\n";
}

}  // namespace lockstep::cli
