// `lockstep report`: scenarios as a folder of static pages.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/keep_trace.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/render_html.hpp"
#include "cli/render_site.hpp"
#include "cli/site_folder.hpp"
#include "cli/site_matrix.hpp"
#include "cli/suite.hpp"
#include "cli/telling.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

struct Made {
  SiteEntry entry;
  std::string page;
};

void judge_into(const Case& one, const BoundFlags& bounds, const scenarios::Catalog& catalog,
                Made& made) {
  SiteEntry& entry = made.entry;
  auto scenario = catalog.read(one.file);
  apply(bounds, scenario);
  entry.title = scenario.title;
  entry.protocol = scenario.protocol;
  const auto watch = until_interrupted(scenario.bounds);
  auto judgement = scenarios::judge(scenario, watch);
  CheckNotes notes;
  notes.target = one.file.string();
  find_no_return(judgement, notes, watch);
  const Telling telling = telling_of(judgement, notes);
  entry.verdict = telling.headline.verdict;
  entry.text = telling.headline.text;
  entry.link = SiteFolder::link_to(one.name);
  entry.code = cli::exit_code(judgement);
  if (judgement.difference) entry.differs = claim_in_words(*judgement.scenario.expect);
  made.page = as_html(telling, SiteFolder::link_back(entry.link));
}

Made made(const Case& one, const BoundFlags& bounds, const scenarios::Catalog& catalog) {
  Made made;
  made.entry.name = one.name;
  made.entry.verdict = "NOT RUN";
  made.entry.text = "interrupted";
  made.entry.code = kInconclusive;
  if (interrupted()) return made;
  try {
    judge_into(one, bounds, catalog, made);
  } catch (const sim::BadInput& error) {
    made.entry.verdict = "BROKEN";
    made.entry.text = error.what();
    made.entry.code = kBadInput;
  }
  return made;
}

}  // namespace

int report(const ReportArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const SiteFolder folder(arguments.folder);
  if (!arguments.protocols.empty()) return report_matrices(arguments, folder, catalog, io);
  scenarios::Scenario any;  // a wrong flag is no scenario's fault
  apply(arguments.suite.bounds, any);
  const auto jobs = jobs_of(arguments.suite.jobs);
  const auto suite = suite_of(arguments.suite, catalog);

  const Interruptible interruptible;
  folder.begin();
  std::vector<SiteEntry> entries;
  auto code = kAsExpected;
  in_order(
      suite.size(), jobs,
      [&](std::size_t i) { return made(suite[i], arguments.suite.bounds, catalog); },
      [&](std::size_t, const Made& one) {
        if (!one.entry.link.empty()) folder.put(one.entry.link, one.page);
        code = worse(code, one.entry.code);
        entries.push_back(one.entry);
        count_progress(io, entries.size(), suite.size());
      });
  end_progress(io);
  folder.put_index(site_index(entries));
  io.out << fmt::format("{}: written, {}\n", folder.index().string(),
                        plural(entries.size(), "scenario"));
  return code;
}

}  // namespace lockstep::cli
