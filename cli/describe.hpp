// What a check came to in words: a headline, what was simulated, what the search covered. The same
// for a terminal, a page and a comment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/render_trace.hpp"
#include "scenarios/judge.hpp"

namespace lockstep::cli {

/// What is said besides the judgement itself.
struct CheckNotes {
  std::string target;      ///< as it was named on the command line
  std::string trace_file;  ///< where the counterexample was written; may be empty
  bool scripts = false;    ///< the run is told with the lines that each step runs
  bool overridden =
      false;  ///< flags changed what the scenario says: its expectation was not judged
  std::optional<std::string> avoidable;  ///< the point of no return in words, if it was computed
};

struct Headline {
  std::string verdict;  ///< "VIOLATED"
  Colour colour = Colour::plain;
  std::string text;  ///< "mutual exclusion, after 9 steps, the fewest possible"
};

/// The verdict in its colour, if there are colours, and the text.
std::string as_text(const Headline& headline, bool colours);

/// "faults" and "at most 1 pause". Without a label it goes on with the row above.
struct Row {
  std::string label, text;
};

Headline headline_of(const scenarios::Judgement& judgement);
/// Of a run that was told, whoever found it.
Headline headline_of(const sim::Model& model, const checker::Trace& trace);
/// What was simulated.
std::vector<Row> subject_of(const scenarios::Judgement& judgement, const CheckNotes& notes);
/// What each client believes where a property is violated, and what is true of that.
void add_beliefs(std::vector<Row>& rows, const sim::Model& model, const checker::Trace& trace);
/// What was covered, how to see it again, what was expected.
std::vector<Row> account_of(const scenarios::Judgement& judgement, const CheckNotes& notes,
                            bool colours);

/// "violated, mutual-exclusion, 9 steps".
std::string claim_in_words(const scenarios::Expectation& claim);

/// "at most 1 pause, 1 clock jump", or "none".
std::string faults_in_words(const sim::Budget& budget);

}  // namespace lockstep::cli
