// What a real client sends beside a program, for people and as JSON; see the header.
#include "cli/render_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "scenarios/json_reader.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

namespace {

constexpr std::size_t kMostPossible = 3;  // requests that are shown

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
  const auto worst = std::ranges::max_element(off_times, {}, &live::OffTime::off_ms);
  if (worst == off_times.end()) return;
  io.out << fmt::format("times     protocol.lua sleeps {} ms where your client waited {} ms\n",
                        worst->sleep_ms, worst->waited_ms);
}

/// Of which keys the other requests are.
void print_others(const live::WireLikeness& likeness, Io& io) {
  constexpr std::size_t kMostOthers = 5;
  std::vector<std::string> shown;
  std::set<std::string> seen;
  for (const auto& request : likeness.other_requests) {
    const bool names_key = request.size() > 1 && request[1].find('\n') == std::string::npos;
    const auto text =
        sim::worded_value(request[0]) + (names_key ? ' ' + sim::worded_value(request[1]) : "");
    if (seen.insert(text).second) shown.push_back(text);
  }
  if (shown.empty()) return;
  const auto more = shown.size() - std::min(shown.size(), kMostOthers);
  shown.resize(shown.size() - more);
  io.out << fmt::format("others    {}{}: not compared\n", fmt::join(shown, ", "),
                        more > 0 ? fmt::format(", and {} more", more) : "");
}

std::string verdict_of(const live::WireLikeness& likeness) {
  return likeness.difference ? "differs" : likeness.alike == 0 ? "nothing alike" : "alike";
}

scenarios::Json json_of(const live::WireDifference& difference, const sim::Program& program) {
  scenarios::Json json;
  json["line"] = nullptr;
  json["sent"] = nullptr;
  if (difference.sent) {
    json["line"] = difference.sent->line;
    json["sent"] = request_text(difference.sent->request, program);
  }
  json["possible"] = scenarios::Json::array();
  for (const auto& each : difference.possible)
    json["possible"].push_back(
        {{"request", request_text(each.request, program)}, {"line", each.line}});
  return json;
}

}  // namespace

void print_likeness(Io& io, const Fitted& fitted, const std::vector<live::WireRequest>& log,
                    const sim::Program& program) {
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
                        fitted.guessed ? ": what fits the log best" : "");
  print_others(likeness, io);
  print_off_times(likeness.off_times, io);
  if (!likeness.unsent.empty())
    io.out << fmt::format("unsent    {}: nobody has sent it\n", fmt::join(likeness.unsent, ", "));
}

std::string likeness_report(const Fitted& fitted, const sim::Program& program) {
  const auto& likeness = fitted.likeness;
  scenarios::Json json;
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
  return json.dump(2, ' ', false, scenarios::Json::error_handler_t::replace) + '\n';
}

}  // namespace lockstep::cli
