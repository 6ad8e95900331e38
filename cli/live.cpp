// `lockstep live`: the clients on real servers, one for each node, and what became of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "checker/explorer.hpp"
#include "cli/commands.hpp"
#include "cli/live_report.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "live/connection.hpp"
#include "live/nodes.hpp"
#include "live/real_server.hpp"
#include "live/run.hpp"
#include "live/server.hpp"
#include "scenarios/names.hpp"
#include "sim/base/error.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::cli {

namespace {

/// A live run of a protocol alone does short rounds until its time is up.
constexpr std::size_t kClients = 4;
constexpr int kRounds = 1'000'000'000;
constexpr std::int64_t kWorkMs = 5;

scenarios::Scenario scenario_of(const LiveArguments& arguments, const scenarios::Catalog& catalog) {
  auto scenario = catalog.scenario(arguments.target);
  if (!scenario.expect) {
    scenario.clients.assign(kClients, 0);
    for (auto& role : scenario.roles) {
      role.rounds = kRounds;
      for (auto& step : role.workload)
        if (step.kind == sim::WorkStep::Kind::work) step.ms = kWorkMs;
    }
  }
  apply(arguments.model, scenario);
  return scenario;
}

unsigned nodes_of(const sim::Model& model) { return sim::servers_of(model).nodes; }

/// A server for each node; they stop with `own`.
std::vector<live::Address> started(const sim::Model& model,
                                   std::vector<std::unique_ptr<live::Server>>& own) {
  std::vector<live::Address> addresses;
  while (own.size() < nodes_of(model)) {
    own.push_back(std::make_unique<live::Server>(model.persistence,
                                                 live::options_for_events(model.keyspace_events)));
    addresses.push_back(own.back()->address());
  }
  return addresses;
}

/// The servers that the person has named.
std::vector<live::Address> named(const std::vector<std::string>& texts, const sim::Model& model) {
  if (texts.size() != nodes_of(model))
    throw sim::BadInput(
        fmt::format("--redis: given {} for {}: give it once for each, or not at all",
                    plural(texts.size(), "time"), plural(nodes_of(model), "node")));
  std::vector<live::Address> addresses;
  for (const auto& text : texts) addresses.push_back(live::parse_address(text));
  return addresses;
}

std::string milliseconds(const std::vector<std::int64_t>& sorted_us, std::size_t percent) {
  if (sorted_us.empty()) return "-";
  const auto place = (sorted_us.size() - 1) * percent / 100;
  return fmt::format("{:.1f} ms", static_cast<double>(sorted_us[place]) / 1000);
}

std::set<sim::Property> judged(const live::LiveResult& result, const sim::Model& model) {
  auto properties = model.properties;
  for (const auto property : result.not_judged) properties.erase(property);
  return properties;
}

LiveSummary summary_of(const live::LiveResult& result, const sim::Model& model) {
  const auto& figures = result.figures;
  LiveSummary summary;
  summary.outcome = !result.violations.empty()      ? "violated"
                    : figures.acquired == 0         ? "vacuous"
                    : judged(result, model).empty() ? "not-judged"
                                                    : "nothing-violated";
  summary.figures = {{"requests", figures.requests}, {"acquired", figures.acquired},
                     {"refused", figures.refused},   {"failed", figures.failed},
                     {"released", figures.released}, {"lost", figures.lost}};
  auto waits = figures.waits_us;
  std::sort(waits.begin(), waits.end());
  for (const std::size_t percent : {std::size_t{50}, std::size_t{99}})
    if (!waits.empty())
      summary.figures.emplace_back(fmt::format("wait_p{}_us", percent),
                                   waits[(waits.size() - 1) * percent / 100]);
  for (const auto& violation : result.violations) {
    LiveFinding finding{violation.property, violation.text, {}};
    for (const auto& line : violation.history)
      finding.history.push_back({line.time_us, line.actor, line.sentence});
    summary.violations.push_back(std::move(finding));
  }
  summary.judged = judged(result, model);
  summary.not_judged = result.not_judged;
  summary.not_judged_because = result.not_judged_because;
  summary.cut_short = result.cut_short;
  summary.server = result.server;
  summary.seconds = result.seconds;
  return summary;
}

void print_live_violation(std::ostream& out, const live::LiveViolation& violation, bool colours) {
  out << coloured("VIOLATED", Colour::red, colours) << "  " << spoken(violation.property) << '\n';
  for (const auto& line : violation.history)
    out << fmt::format("{:11.3f} ms    {:<9}{}\n", static_cast<double>(line.time_us) / 1000,
                       line.actor, line.sentence);
  out << coloured(fmt::format("{:18}{}.", "", violation.text), Colour::red, colours) << "\n\n";
}

void print(const live::LiveResult& result, const sim::Model& model, Io& io) {
  for (const auto& violation : result.violations)
    print_live_violation(io.out, violation, io.colours);
  const auto& figures = result.figures;
  if (result.violations.empty() && figures.acquired == 0)
    io.out << coloured("VACUOUS", Colour::yellow, io.colours) << "  nobody acquired the lock\n";
  else if (result.violations.empty() && judged(result, model).empty())
    io.out << coloured("NOT JUDGED", Colour::yellow, io.colours)
           << "  nothing that was asked for could be followed\n";
  else if (result.violations.empty())
    io.out << coloured("NOTHING VIOLATED", Colour::green, io.colours)
           << "  in this run, which proves nothing about others\n";
  const auto nodes = nodes_of(model);
  io.out << fmt::format("server    {}{}, {} for {:.1f} s\n",
                        nodes > 1 ? fmt::format("{} of ", nodes) : "", result.server,
                        plural(model.processes.size(), "client"), result.seconds);
  io.out << fmt::format(
      "calls     {} requests; {} acquired, {} refused, {} failed, {} released{}\n",
      figures.requests, figures.acquired, figures.refused, figures.failed, figures.released,
      figures.lost > 0 ? fmt::format(", {} given up as lost", figures.lost) : "");
  auto waits = figures.waits_us;
  std::sort(waits.begin(), waits.end());
  io.out << fmt::format("waits     half of the acquired within {}, 99 % within {}\n",
                        milliseconds(waits, 50), milliseconds(waits, 99));
  io.out << fmt::format("judged    {}{}\n",
                        fmt::join(scenarios::names_of(judged(result, model)), ", "),
                        result.cut_short ? "; leak and deadlock not: some client or task had to be "
                                           "stopped"
                                         : "");
  if (!result.not_judged.empty())
    io.out << fmt::format("not       {}, or not to the end: {}\n",
                          fmt::join(scenarios::names_of(result.not_judged), ", "),
                          result.not_judged_because);
}

}  // namespace

int live(const LiveArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  if (arguments.model.server)
    throw sim::BadInput("--server: a real server is of the version that it is");
  if (arguments.model.cluster)
    throw sim::BadInput("--cluster: a real server is in a cluster, or it is not");
  if (arguments.model.draw_seed)
    throw sim::BadInput("--draw-seed: a real server draws what it likes");
  const auto scenario = scenario_of(arguments, catalog);
  const auto model =
      scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  if (scenario.replicas > 0)
    throw sim::BadInput("replicas (--replicas): the servers of a live run have none");
  if (model.program->shared_connection())
    throw sim::BadInput(
        "protocol: shared_connection: a live client gives each of its tasks a connection of its "
        "own");
  if (sim::clocks_drift(model))
    throw sim::BadInput(
        "drifts_ppm, node_drifts_ppm (--drift-ppm, --node-drift-ppm): a real clock cannot be made "
        "to drift");
  std::vector<std::unique_ptr<live::Server>> own;
  const auto addresses =
      arguments.redis.empty() ? started(model, own) : named(arguments.redis, model);
  for (const auto& address : addresses) {
    live::expect_usable(address);
    live::expect_server(address, model.server);
    live::expect_keyspace_events(address, model.keyspace_events);
  }
  const bool patient = model.properties.contains(sim::Property::deadlock);
  const auto result =
      live::run(model, addresses, arguments.seconds, patient ? checker::patience_ms(model) : 0);
  if (arguments.json)
    io.out << live_report(summary_of(result, model));
  else
    print(result, model, io);
  if (!result.violations.empty()) return kViolated;
  const bool empty = result.figures.acquired == 0 || judged(result, model).empty();
  return empty ? kInconclusive : kAsExpected;
}

}  // namespace lockstep::cli
