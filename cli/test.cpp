// `lockstep test`: scenarios against what they expect, a line each.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/escaped.hpp"
#include "cli/junit.hpp"
#include "cli/output_file.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/render_trace.hpp"
#include "cli/sarif.hpp"
#include "cli/suite.hpp"
#include "cli/words.hpp"
#include "sim/base/files.hpp"

namespace lockstep::cli {

namespace {

using Status = Tested::Status;

/// How a line begins, and what the summary calls it.
struct Manner {
  Status status;
  const char* mark;
  Colour colour;
  const char* summary;
};

constexpr std::array kManners{
    Manner{Status::as_expected, "ok", Colour::green, "as expected"},
    Manner{Status::different, "FAILED", Colour::red, "not as expected"},
    Manner{Status::unaudited, "ok?", Colour::yellow, "as expected but not audited to the end"},
    Manner{Status::broken, "BROKEN", Colour::red, "broken"},
    Manner{Status::failure, "BUG", Colour::red, "ended in a bug of lockstep"},
    Manner{Status::not_run, "not run", Colour::yellow, "not run to the end"}};

const Manner& manner(Status status) {
  return *std::find_if(kManners.begin(), kManners.end(),
                       [&](const Manner& one) { return one.status == status; });
}

void print_tested(std::ostream& out, const Tested& tested, std::size_t width, const Io& io) {
  const auto& how = manner(tested.status);
  out << coloured(fmt::format("{:<7}", how.mark), how.colour, io.colours)
      << fmt::format(" {:<{}}  {}", tested.name, width, tested.text)
      << (io.timings ? fmt::format(", {:.2f} s", tested.seconds) : "") << '\n';
}

/// A workflow command: GitHub shows it at the file (its documentation, "Workflow commands").
void print_annotation(std::ostream& out, const Tested& tested) {
  const bool fails = tested.status == Status::different || tested.status == Status::broken ||
                     tested.status == Status::failure;
  if (!fails) return;
  out << fmt::format("::error file={},title={}::{}\n", workflow_property(tested.file),
                     workflow_property("lockstep: " + tested.name), workflow_escaped(tested.text));
}

/// "43 scenarios: 41 as expected, 2 broken".
std::string summary(const std::vector<Tested>& all) {
  std::vector<std::string> parts;
  for (const auto& how : kManners) {
    const auto number = std::count_if(all.begin(), all.end(),
                                      [&](const Tested& one) { return one.status == how.status; });
    if (number > 0 || how.status == Status::as_expected)
      parts.push_back(fmt::format("{} {}", number, how.summary));
  }
  return plural(all.size(), "scenario") + ": " + fmt::format("{}", fmt::join(parts, ", "));
}

/// What a person types next, of the first few.
void print_how_to_see(std::ostream& out, const std::vector<Tested>& all) {
  constexpr int kMost = 3;
  int shown = 0;
  for (const Tested& one : all)
    if (one.status == Status::different && shown++ < kMost)
      out << fmt::format("{} {}\n", shown == 1 ? "see it with" : "           ", how_to_see(one));
}

}  // namespace

int test(const TestArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  expect_output("--junit", arguments.junit_file);
  expect_output("--sarif", arguments.sarif_file);
  scenarios::Scenario any;  // a wrong flag is no scenario's fault
  apply(arguments.bounds, any);
  const auto jobs = jobs_of(arguments.jobs);
  const auto suite = suite_of(arguments, catalog);
  std::size_t width = 0;
  for (const auto& one : suite) width = std::max(width, one.name.size());

  const Interruptible interruptible;
  std::vector<Tested> all;
  auto code = kAsExpected;
  in_order(
      suite.size(), jobs, [&](std::size_t i) { return tested(suite[i], arguments, catalog); },
      [&](std::size_t, const Tested& one) {
        end_progress(io);
        if (!arguments.json) print_tested(io.out, one, width, io);
        if (!arguments.json && io.annotates) print_annotation(io.out, one);
        code = worse(code, exit_code(one));
        all.push_back(one);
        count_progress(io, all.size(), suite.size());
      });
  end_progress(io);
  if (arguments.json)
    io.out << test_report(all, code);
  else
    io.out << '\n' << summary(all) << '\n';
  if (!arguments.json) print_how_to_see(io.out, all);
  if (!arguments.junit_file.empty()) sim::write_file(arguments.junit_file, junit(all));
  if (!arguments.sarif_file.empty()) sim::write_file(arguments.sarif_file, sarif(all));
  return code;
}

}  // namespace lockstep::cli
