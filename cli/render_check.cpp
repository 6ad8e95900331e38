// Judgements for people; see the header.
#include "cli/render_check.hpp"

#include <fmt/format.h>

#include <sstream>

#include "cli/render_trace.hpp"
#include "cli/wrap.hpp"

namespace lockstep::cli {

void print_rows(std::ostream& out, const std::vector<Row>& rows, std::size_t columns) {
  constexpr std::size_t kLabel = 10;
  for (const auto& [label, text] : rows)
    out << hung(fmt::format("{:<{}}{}\n", label, kLabel, text), columns, kLabel);
}

void print_check(const scenarios::Judgement& judgement, const CheckNotes& notes, Io& io) {
  std::ostringstream out;
  out << as_text(headline_of(judgement), io.colours) << '\n';
  print_rows(out, subject_of(judgement, notes), io.columns);
  if (judgement.trace) {
    out << '\n';
    print_trace(out, *judgement.trace, {io.colours, notes.scripts});
    out << '\n';
  }
  print_rows(out, account_of(judgement, notes, io.colours), io.columns);
  io.out << hung(out.str(), io.columns);
}

void print_replay(const scenarios::Judgement& run, const CheckNotes& notes, Io& io) {
  std::ostringstream out;
  out << as_text(headline_of(run.model, *run.trace), io.colours) << '\n';
  print_rows(out, subject_of(run, notes), io.columns);
  if (!run.scenario.why.empty()) print_rows(out, {{"why", run.scenario.why}}, io.columns);
  out << '\n';
  print_trace(out, *run.trace, {io.colours, notes.scripts});
  std::vector<Row> rows;
  add_beliefs(rows, run.model, *run.trace);
  if (!rows.empty()) out << '\n';
  print_rows(out, rows, io.columns);
  io.out << hung(out.str(), io.columns);
}

}  // namespace lockstep::cli
