// See the header. A step is a line or more: requests when they are executed, replies when they are
// heard, all else as notes.
#include "cli/mermaid.hpp"

#include <fmt/format.h>

#include <set>

#include "cli/escaped.hpp"
#include "cli/picture.hpp"
#include "cli/words.hpp"
#include "sim/base/token.hpp"

namespace lockstep::cli {

namespace {

using Arrow = Picture::Arrow;
using Lane = Picture::Lane;

/// The participant of a lane: a client's tasks are one.
std::string participant(const Lane& lane) {
  if (lane.kind == Lane::Kind::client) return sim::process_name(lane.number);
  return lane.kind == Lane::Kind::resource ? "R" : fmt::format("N{}", lane.number + 1);
}

class Sequence {
 public:
  Sequence(const sim::Model& model, const checker::Trace& trace)
      : trace_(trace), picture_(picture_of(model, trace)) {}

  std::string told() {
    text_ = "sequenceDiagram\n  %% lockstep\n";
    std::string last;
    for (const Lane& lane : picture_.lanes)
      if (const auto name = participant(lane); name != last) {
        last = name;
        text_ += fmt::format("  participant {} as {}\n", name, mermaid_escaped(lane.name));
      }
    for (row_ = 0; row_ < picture_.rows.size(); ++row_) step();
    violation();
    return text_;
  }

 private:
  /// Behind a number, so that no word at its beginning means anything to Mermaid.
  std::string numbered(const std::string& words) const {
    return fmt::format("{}. {}", row_ + 1, mermaid_escaped(words));
  }

  void note(const std::string& over, const std::string& words) {
    text_ += fmt::format("  Note over {}: {}\n", over, words);
  }

  std::string everybody() const {
    const auto first = participant(picture_.lanes.front());
    const auto last = participant(picture_.lanes.back());
    return first == last ? first : first + "," + last;
  }

  std::string at(std::size_t lane) const { return participant(picture_.lanes[lane]); }

  void step() {
    const auto& row = picture_.rows[row_];
    const auto& told = trace_.steps[row_];
    if (trace_.loop && trace_.loop->from == row_) note(everybody(), "from here on again and again");
    bool shown = false;
    for (const Arrow& arrow : picture_.arrows) {
      if (arrow.seen != row_ || arrow.end == Arrow::End::under_way) continue;
      shown = shown || arrow.end == Arrow::End::arrives;
      const bool lost = arrow.end == Arrow::End::lost;
      text_ += fmt::format("  {}{}{}{}: {}\n", at(arrow.from), arrow.reply ? "--" : "-",
                           lost ? "x" : ">>", at(arrow.to), numbered(arrow.text));
    }
    // A reply says what its client hears, not what follows from it.
    const bool more = !row.lane || !shown || (!row.caption.empty() && row.passed_ms == 0);
    if (!row.lane)
      note(everybody(),
           numbered(fmt::format("{} ms pass, it is {} ms", row.passed_ms, row.time_ms)));
    else if (more)
      note(at(*row.lane),
           numbered((row.fault ? "FAULT: " : "") +
                    (shown && !row.caption.empty() ? row.caption : told.prose.sentence)));
    changes(row);
    sections();
  }

  void changes(const Picture::Row& row) {
    for (std::size_t server = 0; server < picture_.lanes.size(); ++server) {
      std::string words;
      for (const auto& change : row.changes)
        if (picture_.lane_of_node(change.server) == server)
          words +=
              (words.empty() ? "" : "<br/>") +
              mermaid_escaped(change.key + (change.expiry.empty() ? "" : ", ") + change.expiry);
      if (!words.empty()) note(at(server), words);
    }
  }

  /// Who is in a critical section of any lock.
  void sections() {
    for (const auto& belief : picture_.rows[row_].beliefs) {
      const bool was = active_.contains(belief.process);
      if (belief.inside == was) continue;
      text_ += fmt::format("  {} {}\n", was ? "deactivate" : "activate",
                           sim::process_name(belief.process));
      if (was)
        active_.erase(belief.process);
      else
        active_.insert(belief.process);
    }
  }

  void violation() {
    if (!trace_.violated) return;
    text_ += "  rect rgb(255, 225, 225)\n  ";
    note(everybody(),
         mermaid_escaped("VIOLATED " + spoken(*trace_.violated) + ": " + trace_.violation));
    text_ += "  end\n";
  }

  const checker::Trace& trace_;
  Picture picture_;
  std::string text_;
  std::size_t row_ = 0;
  std::set<std::uint8_t> active_;
};

}  // namespace

std::string as_mermaid(const sim::Model& model, const checker::Trace& trace) {
  return Sequence(model, trace).told();
}

std::string as_mermaid_note(const Telling& telling) {
  return fmt::format(
      "sequenceDiagram\n  %% lockstep\n  participant L as lockstep\n  Note over L: {}\n",
      mermaid_escaped(telling.headline.verdict + " " + telling.headline.text));
}

}  // namespace lockstep::cli
