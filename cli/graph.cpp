// `lockstep graph`: every state and every step, to be looked at.
#include <fmt/format.h>

#include <memory>

#include "checker/trace/state_graph.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/render_graph.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/client/program.hpp"

namespace lockstep::cli {

int graph(const GraphArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  auto scenario = catalog.scenario(arguments.target);
  apply(arguments.model, scenario);
  const bool picture = arguments.out_file.ends_with(".svg");
  if (!arguments.out_file.empty() && !picture && !arguments.out_file.ends_with(".dot"))
    throw sim::BadInput(
        fmt::format("--out {}: expected a name that ends in .dot or .svg", arguments.out_file));
  expect_output("--out", arguments.out_file);
  const BoundedMemory bounded(scenario.bounds.max_bytes);
  const sim::Model model =
      model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  const auto found = checker::state_graph(model, arguments.most);
  const std::string text = picture ? as_svg(found) : as_dot(found);
  if (arguments.out_file.empty()) {
    io.out << text;
  } else {
    sim::write_file(arguments.out_file, text);
    io.out << fmt::format("{}: {}, {}\n", arguments.out_file, plural(found.states.size(), "state"),
                          plural(found.steps.size(), "step"));
  }
  if (!found.complete())
    io.err << fmt::format(
        "lockstep: the first {} states, not all of them: --max-states shows more\n",
        found.states.size());
  return kAsExpected;
}

}  // namespace lockstep::cli
