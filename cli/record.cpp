// `lockstep record`: is the model my code? What a real client sends beside what protocol.lua sends.
#include "live/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "live/wire_check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

namespace {

constexpr std::int64_t kSecond = 1000;                 // in ms
constexpr std::int64_t kLongestLease_ms = 86'400'000;  // that is tried
constexpr std::size_t kMostLeases = 12;
constexpr std::size_t kMostPossible = 3;  // requests that are shown

struct Fitted {
  live::WireLikeness likeness;
  std::int64_t lease_ms = 0;
};

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
    return Fitted{live::compare_with_program(log, model, complete), model.processes[0].lease_ms};
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

std::string request_text(const sim::Request& request, const sim::Program& program) {
  return sim::printed(sim::argument_texts(request, program, {}));
}

std::string place_of(const live::Awaited& awaited) {
  return awaited.line > 0 ? fmt::format("protocol.lua:{}", awaited.line) : "protocol.lua";
}

void print_difference(const live::WireDifference& difference, const sim::Program& program, Io& io) {
  const auto line = [&](const std::string& place, const sim::Request& request) {
    io.out << fmt::format("  {:<22}{}\n", place, request_text(request, program));
  };
  for (const auto& before : difference.before)
    line(fmt::format("line {}", before.line), before.request);
  if (difference.sent)
    line(fmt::format("line {}, yours", difference.sent->line), difference.sent->request);
  else
    io.out << fmt::format("  {:<22}nothing more\n", "yours");
  for (std::size_t i = 0; i < std::min(kMostPossible, difference.possible.size()); ++i)
    line(place_of(difference.possible[i]), difference.possible[i].request);
  if (difference.possible.empty()) io.out << fmt::format("  {:<22}nothing more\n", "protocol.lua");
  io.out << '\n';
}

void print_nothing_alike(const live::WireLikeness& likeness, const sim::Program& program, Io& io) {
  io.out << coloured("NOTHING ALIKE", Colour::yellow, io.colours)
         << "  no request is one that protocol.lua begins with:\n";
  for (std::size_t i = 0; i < std::min(kMostPossible, likeness.begins.size()); ++i)
    io.out << fmt::format("  {:<22}{}\n", place_of(likeness.begins[i]),
                          request_text(likeness.begins[i].request, program));
  io.out << '\n';
}

/// The sleep that was kept to worst, if one was not.
void print_off_times(const std::vector<live::OffTime>& off_times, Io& io) {
  const auto off = [](const live::OffTime& each) {
    return each.waited_ms > each.sleep_ms ? each.waited_ms - each.sleep_ms
                                          : each.sleep_ms - each.waited_ms;
  };
  const auto worst = std::ranges::max_element(off_times, {}, off);
  if (worst == off_times.end()) return;
  io.out << fmt::format("times     protocol.lua sleeps {} ms where your client waited {} ms\n",
                        worst->sleep_ms, worst->waited_ms);
}

/// Of which keys the other requests are.
void print_others(const live::WireLikeness& likeness, Io& io) {
  constexpr std::size_t kMostShown = 5;
  std::vector<std::string> shown;
  std::set<std::string> seen;
  for (const auto& request : likeness.other_requests) {
    const bool names_key = request.size() > 1 && request[1].find('\n') == std::string::npos;
    const auto text =
        sim::worded_value(request[0]) + (names_key ? ' ' + sim::worded_value(request[1]) : "");
    if (seen.insert(text).second) shown.push_back(text);
  }
  if (shown.empty()) return;
  const auto more = shown.size() - std::min(shown.size(), kMostShown);
  shown.resize(shown.size() - more);
  io.out << fmt::format("others    {}{}: not compared\n", fmt::join(shown, ", "),
                        more > 0 ? fmt::format(", and {} more", more) : "");
}

std::string verdict_of(const live::WireLikeness& likeness) {
  return likeness.difference ? "differs" : likeness.alike == 0 ? "nothing alike" : "alike";
}

void print(const Fitted& fitted, const std::vector<live::WireRequest>& log,
           const RecordArguments& arguments, const sim::Program& program, Io& io) {
  const auto& likeness = fitted.likeness;
  if (likeness.difference)
    io.out << coloured("DIFFERS", Colour::red, io.colours)
           << fmt::format("  after {} that protocol.lua sends, too\n",
                          plural(likeness.alike, "request"));
  else if (likeness.alike == 0)
    print_nothing_alike(likeness, program, io);
  else
    io.out << coloured("ALIKE", Colour::green, io.colours)
           << fmt::format("  protocol.lua sends what your client sent: {}\n",
                          plural(likeness.alike, "request"));
  if (likeness.difference) print_difference(*likeness.difference, program, io);
  std::set<std::string> connections;
  for (const auto& real : log) connections.insert(real.connection);
  io.out << fmt::format(
      "log       {} in {:.1f} s, {}; {} of the library itself, {} of other keys\n",
      plural(log.size(), "request"),
      static_cast<double>(log.back().time_us - log.front().time_us) / 1e6,
      plural(connections.size(), "connection"), likeness.greetings, likeness.others);
  const auto& calls = likeness.calls;
  io.out << fmt::format(
      "clients   {}, as protocol.lua understands them: {} acquired, {} refused, "
      "{} released{}\n",
      likeness.clients, calls.acquired, calls.refused, calls.released,
      calls.failed > 0 ? fmt::format(", {} failed", calls.failed) : "");
  io.out << fmt::format("lease     {} ms{}\n", fitted.lease_ms,
                        arguments.lease_ms ? "" : ": what fits the log best");
  print_others(likeness, io);
  print_off_times(likeness.off_times, io);
  if (!likeness.unsent.empty())
    io.out << fmt::format("unsent    {}: nobody has sent it\n", fmt::join(likeness.unsent, ", "));
}

nlohmann::ordered_json json_of(const live::WireDifference& difference,
                               const sim::Program& program) {
  nlohmann::ordered_json json;
  json["line"] = nullptr;
  json["sent"] = nullptr;
  if (difference.sent) {
    json["line"] = difference.sent->line;
    json["sent"] = request_text(difference.sent->request, program);
  }
  json["possible"] = nlohmann::ordered_json::array();
  for (const auto& each : difference.possible)
    json["possible"].push_back(
        {{"request", request_text(each.request, program)}, {"line", each.line}});
  return json;
}

std::string report_of(const Fitted& fitted, const sim::Program& program) {
  const auto& likeness = fitted.likeness;
  nlohmann::ordered_json json;
  json["verdict"] = verdict_of(likeness);
  json["alike"] = likeness.alike;
  json["of_the_library"] = likeness.greetings;
  json["of_other_keys"] = likeness.others;
  json["clients"] = likeness.clients;
  json["acquired"] = likeness.calls.acquired;
  json["refused"] = likeness.calls.refused;
  json["released"] = likeness.calls.released;
  json["failed"] = likeness.calls.failed;
  json["lease_ms"] = fitted.lease_ms;
  json["unsent"] = likeness.unsent;
  json["difference"] = nullptr;
  if (likeness.difference) json["difference"] = json_of(*likeness.difference, program);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
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
    io.out << report_of(result, *model.program);
  else
    print(result, log, arguments, *model.program, io);
  if (result.likeness.difference) return kViolated;
  return result.likeness.alike == 0 ? kInconclusive : kAsExpected;
}

}  // namespace lockstep::cli
