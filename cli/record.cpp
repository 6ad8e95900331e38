// `lockstep record`: is the model my code? What a real client sends beside what protocol.lua sends.
#include "live/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/render_record.hpp"
#include "live/wire_check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::cli {

namespace {

constexpr std::int64_t kSecond = 1000;                 // in ms
constexpr std::int64_t kLongestLease_ms = 86'400'000;  // that is tried
constexpr std::size_t kMostLeases = 12;

/// Numbers of the log that may be a lifetime, in ms or in s, the first ones first.
std::vector<std::int64_t> leases_in(const std::vector<live::WireRequest>& log) {
  std::vector<std::int64_t> leases;
  const auto add = [&](std::int64_t ms) {
    if (ms > 0 && ms <= kLongestLease_ms && leases.size() < kMostLeases &&
        std::ranges::find(leases, ms) == leases.end())
      leases.push_back(ms);
  };
  for (const auto& real : log)
    for (std::size_t i = 1; i < real.request.size(); ++i) {
      const auto& text = real.request[i];
      if (text.empty() || text.size() > 8 ||
          !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
        continue;
      add(std::stoll(text));
      add(std::stoll(text) * kSecond);
    }
  return leases;
}

sim::Model model_of(const RecordArguments& arguments, const scenarios::Catalog& catalog,
                    std::optional<std::int64_t> lease_ms) {
  auto scenario = catalog.scenario(arguments.target);
  ModelFlags flags;
  flags.lease_ms = lease_ms;
  flags.server = arguments.server;
  apply(flags, scenario);
  auto program = std::make_shared<const sim::Program>(scenario.folder);
  program->note_lines(true);
  auto model = scenarios::model_of(scenario, std::move(program));
  if (const auto servers = sim::servers_of(model); servers.count() > 1)
    throw sim::BadInput(fmt::format("record: {} has {} servers, and a log is one server's",
                                    arguments.target, servers.count()));
  return model;
}

/// With the lease that was asked for; if none was, with the one that fits best.
Fitted fitted(const std::vector<live::WireRequest>& log, const RecordArguments& arguments,
              const scenarios::Catalog& catalog) {
  const bool complete = arguments.monitor_file.empty();
  const auto with = [&](std::optional<std::int64_t> lease_ms) {
    const auto model = model_of(arguments, catalog, lease_ms);
    return Fitted{live::compare_with_program(log, model, complete), model.processes[0].lease_ms,
                  !arguments.lease_ms};
  };
  auto best = with(arguments.lease_ms);
  if (arguments.lease_ms) return best;
  for (const auto lease_ms : leases_in(log)) {
    if (best.likeness.alike > 0 && !best.likeness.difference) break;
    try {
      auto other = with(lease_ms);
      if (other.likeness.alike > best.likeness.alike) best = std::move(other);
    } catch (const sim::BadInput&) {
      // no lease that the protocol can have (not whole seconds)
    }
  }
  return best;
}

/// What the command or the file holds.
std::string log_of(const RecordArguments& arguments, Io& io) {
  if (!arguments.monitor_file.empty()) return sim::file_text(arguments.monitor_file);
  const Interruptible interruptible;  // Ctrl-C ends the command, and we look at what there is
  auto recording = live::record(arguments.command, arguments.json);
  const auto& name = arguments.command[0];
  const auto ended = recording.status == 0
                         ? std::string()
                         : fmt::format("ended with exit code {}", recording.status);
  if (recording.log.empty())
    throw sim::BadInput(fmt::format(
        "{}: {}sent nothing to the server in REDIS_URL (REDIS_HOST, REDIS_PORT); {{url}}, {{host}} "
        "and {{port}} in its words stand for it, too",
        name, ended.empty() ? "" : ended + " and "));
  if (!ended.empty())
    io.err << fmt::format("lockstep: {} {}; what it sent is compared\n", name, ended);
  return std::move(recording.log);
}

}  // namespace

int record(const RecordArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const bool no_command = arguments.command.empty() || arguments.command[0].empty();
  if (arguments.monitor_file.empty() == no_command)
    throw sim::BadInput(
        "record: give --monitor FILE, or a command after --: lockstep record my-lock -- ./app");
  if (!arguments.monitor_file.empty() && !arguments.keep_file.empty())
    throw sim::BadInput("--keep: the log of --monitor is kept already");
  const auto model = model_of(arguments, catalog, arguments.lease_ms);  // before anything runs
  if (!arguments.keep_file.empty()) expect_output("--keep", arguments.keep_file);
  const auto text = log_of(arguments, io);
  if (!arguments.keep_file.empty()) sim::write_file(arguments.keep_file, text);
  const auto log = live::read_wire_log(
      text, arguments.monitor_file.empty() ? arguments.command[0] : arguments.monitor_file);
  const auto result = fitted(log, arguments, catalog);
  if (arguments.json)
    io.out << likeness_report(result, *model.program);
  else
    print_likeness(io, result, log, *model.program);
  if (result.likeness.difference) return kViolated;
  return result.likeness.alike == 0 ? kInconclusive : kAsExpected;
}

}  // namespace lockstep::cli
