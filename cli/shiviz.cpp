// See the header.
#include "cli/shiviz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "cli/picture.hpp"
#include "sim/base/token.hpp"

namespace lockstep::cli {

namespace {

/// How many events of each host have happened before, as far as is known there.
using VectorClock = std::map<std::string, std::uint32_t>;

void learn(VectorClock& clock, const VectorClock& told) {
  for (const auto& [host, events] : told) clock[host] = std::max(clock[host], events);
}

/// A client with all its tasks is one host: they share what they know.
std::string host_of(const Picture::Lane& lane) {
  if (lane.kind == Picture::Lane::Kind::client) return sim::process_name(lane.number);
  return lane.name;
}

/// Hosts' names need no quoting in JSON.
std::string two_lines(const std::string& event, const std::string& host, const VectorClock& clock) {
  std::string counts;
  for (const auto& [each, events] : clock)
    counts += fmt::format("{}\"{}\":{}", counts.empty() ? "" : ",", each, events);
  return fmt::format("{}\n{} {{{}}}\n", event, host, counts);
}

std::string log_of(const std::string& events) {
  return kShivizEvent + std::string("\n\n") + events;
}

}  // namespace

std::string as_shiviz_note(const Telling& telling) {
  const Headline& headline = telling.headline;
  return log_of(two_lines(fmt::format("0 ms: {} {}", headline.verdict, headline.text), "lockstep",
                          {{"lockstep", 1}}));
}

std::string as_shiviz(const sim::Model& model, const checker::Trace& trace) {
  const Picture picture = picture_of(model, trace);
  std::string text;
  std::map<std::string, VectorClock> now;               // of each host
  std::vector<VectorClock> after(picture.rows.size());  // of who acts, after each row
  for (std::size_t i = 0; i < picture.rows.size(); ++i) {
    const Picture::Row& row = picture.rows[i];
    if (!row.lane) continue;
    const std::string host = host_of(picture.lanes[*row.lane]);
    VectorClock& clock = now[host];
    for (const Picture::Arrow& arrow : picture.arrows)
      if (arrow.end == Picture::Arrow::End::arrives && arrow.seen == i)
        learn(clock, after[arrow.sent]);
    ++clock[host];
    after[i] = clock;
    const checker::StepProse& told = trace.steps[i].prose;
    std::string event =
        fmt::format("{} ms: {}{}", row.time_ms, told.environment ? "FAULT " : "", told.sentence);
    for (const std::string& change : told.changes) event += "; " + change;
    if (trace.violated && i + 1 == picture.rows.size()) event += "; VIOLATED " + trace.violation;
    text += two_lines(event, host, clock);
  }
  return log_of(text);
}

}  // namespace lockstep::cli
