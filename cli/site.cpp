// `lockstep report`: scenarios as a folder of static pages.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/keep_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/render_html.hpp"
#include "cli/render_site.hpp"
#include "cli/suite.hpp"
#include "cli/telling.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"

namespace lockstep::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRuns = "runs";  ///< the folder of the pages of runs

fs::path index_of(const fs::path& folder) { return folder / "index.html"; }

/// Before any work: an empty folder, or one that this command has made, or none yet.
void expect_folder(const fs::path& folder) {
  const auto refuse = [&](const char* why) {
    throw sim::BadInput(fmt::format("report {}: {}", folder.string(), why));
  };
  if (!sim::is_folder(folder)) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) refuse("is no folder");
    return expect_output("report", (folder / "").parent_path().string());
  }
  if (fs::is_empty(folder)) return;
  if (!sim::is_file(index_of(folder)) || !is_ours(sim::file_text(index_of(folder))))
    refuse("is not empty, and holds no report; name another folder");
}

/// What an earlier report has there.
void remove_pages(const fs::path& runs) {
  if (!sim::is_folder(runs)) return;
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(runs))
    if (entry.is_regular_file() && entry.path().extension() == ".html" &&
        is_ours(sim::file_text(entry.path())))
      pages.push_back(entry.path());
  for (const fs::path& page : pages) fs::remove(page);
}

struct Made {
  SiteEntry entry;
  std::string page;
};

/// Links between pages are relative: the folder may be anywhere.
std::string link_to_index(const std::string& link) {
  std::string up;
  for (const char c : link) up += c == '/' ? "../" : "";
  return up + "index.html";
}

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
  entry.link = std::string(kRuns) + "/" + fs::path(one.name).generic_string() + ".html";
  entry.code = cli::exit_code(judgement);
  if (judgement.difference) entry.differs = claim_in_words(*judgement.scenario.expect);
  made.page = as_html(telling, link_to_index(entry.link));
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
  const fs::path folder = arguments.folder;
  expect_folder(folder);
  scenarios::Scenario any;  // a wrong flag is no scenario's fault
  apply(arguments.suite.bounds, any);
  const auto jobs = jobs_of(arguments.suite.jobs);
  const auto suite = suite_of(arguments.suite, catalog);

  const Interruptible interruptible;
  fs::create_directories(folder / kRuns);
  remove_pages(folder / kRuns);
  std::vector<SiteEntry> entries;
  auto code = kAsExpected;
  in_order(
      suite.size(), jobs,
      [&](std::size_t i) { return made(suite[i], arguments.suite.bounds, catalog); },
      [&](std::size_t, const Made& one) {
        if (!one.entry.link.empty()) {
          const fs::path page = folder / one.entry.link;
          fs::create_directories(page.parent_path());
          sim::write_file(page.string(), one.page);
        }
        code = worse(code, one.entry.code);
        entries.push_back(one.entry);
        count_progress(io, entries.size(), suite.size());
      });
  end_progress(io);
  sim::write_file(index_of(folder).string(), site_index(entries));
  io.out << fmt::format("{}: written, {}\n", index_of(folder).string(),
                        plural(entries.size(), "scenario"));
  return code;
}

}  // namespace lockstep::cli
