// Matrices, and the runs behind what is violated; see the header.
#include "cli/site_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/judge_matrix.hpp"
#include "cli/keep_trace.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/render_html.hpp"
#include "cli/render_matrix.hpp"
#include "cli/render_site.hpp"
#include "cli/telling.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/model/properties.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Finding;
using scenarios::Matrix;
using scenarios::Standing;

std::string as_file_name(std::string text) {
  for (char& c : text)
    if (std::string(" ,=/><").find(c) != std::string::npos) c = '-';
  return text.substr(std::min(text.find_first_not_of(".-"), text.size()));
}

/// "runs/set-token-lua/pause-mutual-exclusion.html"; of ./locks/mine "runs/locks-mine/...": two
/// folders may have one name.
std::string link_of(const Matrix& matrix, const Finding& finding) {
  return SiteFolder::link_to(
      as_file_name(matrix.world.protocol) + "/" +
      as_file_name(finding.condition + "-" + sim::row(finding.property).name));
}

SiteCell cell_of(const Matrix& matrix, const Finding& finding) {
  SiteCell cell{in_words(finding)};
  if (finding.standing == Standing::violated) {
    cell.verdict = "VIOLATED";
    cell.link = link_of(matrix, finding);
  } else if (finding.standing == Standing::holds || finding.standing == Standing::cannot_happen) {
    cell.verdict = "HOLDS";
  }
  return cell;
}

SiteMatrix sheet_of(const Matrix& matrix) {
  SiteMatrix sheet{matrix.world.protocol, sim::Program(matrix.world.folder).title(), {}, {}};
  for (const auto property : matrix.world.properties)
    sheet.properties.emplace_back(spoken(property));
  for (const auto& condition : scenarios::conditions()) {
    std::vector<SiteCell> cells;
    for (const auto property : matrix.world.properties) {
      const auto found = std::ranges::find_if(matrix.findings, [&](const Finding& finding) {
        return finding.condition == condition.name && finding.property == property;
      });
      if (found != matrix.findings.end() && found->standing != Standing::not_reentrant)
        cells.push_back(cell_of(matrix, *found));
    }
    if (!cells.empty()) sheet.rows.emplace_back(condition.name, std::move(cells));
  }
  return sheet;
}

/// The run behind a violated verdict.
std::string page_of(const Matrix& matrix, const Finding& finding, const checker::Progress& watch) {
  auto judgement = counterexample(finding, matrix.world, watch);
  CheckNotes notes;
  notes.target = matrix.world.protocol;
  if (judgement.trace) find_no_return(judgement, notes, watch);
  return as_html(telling_of(judgement, notes), SiteFolder::link_back(link_of(matrix, finding)));
}

}  // namespace

int report_matrices(const ReportArguments& arguments, const SiteFolder& folder,
                    const scenarios::Catalog& catalog, Io& io) {
  const auto& [folder_name, suite, protocols] = arguments;
  if (!suite.targets.empty() || !suite.filter.empty())
    throw sim::BadInput("report: scenarios, or --matrix: not both");
  const Interruptible interruptible;
  const auto watch = until_over(suite.bounds);
  std::vector<scenarios::Scenario> worlds;
  for (const auto& protocol : protocols)
    worlds.push_back(matrix_world(protocol, catalog.protocol_folder(protocol), {}, suite.bounds,
                                  kStatesOfMatrix));
  const auto matrices = judge_matrices(worlds, chosen_conditions(false), suite.jobs, io, watch);
  std::vector<std::pair<const Matrix*, const Finding*>> violated;
  for (const auto& matrix : matrices)
    for (const auto& finding : matrix.findings)
      if (finding.standing == Standing::violated) violated.emplace_back(&matrix, &finding);

  folder.begin();
  in_order(
      violated.size(), jobs_of(suite.jobs),
      [&](std::size_t i) { return page_of(*violated[i].first, *violated[i].second, watch); },
      [&](std::size_t i, const std::string& page) {
        folder.put(link_of(*violated[i].first, *violated[i].second), page);
        count_progress(io, i + 1, violated.size());
      });
  end_progress(io);
  std::vector<SiteMatrix> sheets;
  for (const auto& matrix : matrices) sheets.push_back(sheet_of(matrix));
  folder.put_index(site_index(sheets));
  io.out << fmt::format("{}: written, {}\n", folder.index().string(),
                        plural(violated.size(), "run"));
  return exit_code(matrices);
}

}  // namespace lockstep::cli
