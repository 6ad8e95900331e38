// `lockstep matrix`: protocols by fault, or one protocol's conditions by property.
#include <algorithm>

#include "cli/commands.hpp"
#include "cli/judge_matrix.hpp"
#include "cli/progress.hpp"
#include "cli/render_matrix.hpp"
#include "scenarios/matrix_file.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Matrix;

void print(std::ostream& out, const std::vector<Matrix>& matrices, const MatrixArguments& arguments,
           TableLook look) {
  if (matrices.size() == 1) return print_matrix(out, matrices.front(), look);
  const auto& properties = matrices.front().world.properties;
  print_overview(out, matrices, properties, look);
  if (properties.size() > 1) {
    // What each lock is better at than the one before, which the first violation hides above.
    out << '\n';
    print_breaks(out, matrices, look);
  }
  if (!arguments.model.properties.empty()) return;
  // What a resource that checks fencing tokens is spared.
  out << '\n';
  print_overview(out, matrices, {sim::Property::no_lost_update}, look);
}

}  // namespace

int matrix(const MatrixArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto format = format_of("matrix", arguments.output, kFormatsOfTable);
  const auto protocols = arguments.protocols.empty() ? catalog.ladder() : arguments.protocols;
  if (protocols.empty())
    throw sim::BadInput("matrix: name the protocols; there is no shipped ladder here");
  const Interruptible interruptible;
  const auto watch = until_over(arguments.bounds);
  std::vector<scenarios::Scenario> worlds;
  for (const auto& protocol : protocols)
    worlds.push_back(matrix_world(protocol, catalog.protocol_folder(protocol), arguments.model,
                                  arguments.bounds, kStatesOfMatrix));
  const auto matrices =
      judge_matrices(worlds, chosen_conditions(protocols.size() > 1), arguments.jobs, io, watch);
  if (format == Format::json)
    io.out << scenarios::matrix_report(matrices);
  else
    print(io.out, matrices, arguments, {format == Format::markdown, io.columns});
  return exit_code(matrices);
}

}  // namespace lockstep::cli
