// Judgements for people; see the header.
#include "cli/render_check.hpp"

#include <fmt/format.h>

#include "cli/render_trace.hpp"

namespace lockstep::cli {

void print_rows(std::ostream& out, const std::vector<Row>& rows) {
  for (const auto& [label, text] : rows) out << fmt::format("{:<10}{}\n", label, text);
}

void print_check(std::ostream& out, const scenarios::Judgement& judgement, const CheckNotes& notes,
                 bool colours) {
  out << as_text(headline_of(judgement), colours) << '\n';
  print_rows(out, subject_of(judgement, notes));
  if (judgement.trace) {
    out << '\n';
    print_trace(out, *judgement.trace, {colours, notes.scripts});
    out << '\n';
  }
  print_rows(out, account_of(judgement, notes, colours));
}

}  // namespace lockstep::cli
