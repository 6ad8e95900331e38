// A run and what is said of it, whatever it is rendered as; and the commands' way to print it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/no_return.hpp"
#include "cli/describe.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/render_svg.hpp"

namespace lockstep::cli {

struct Telling {
  Headline headline;
  std::string why;  ///< the reasoning of a scenario; may be empty
  std::vector<Row> subject, account;
  std::optional<std::string> avoidable;  ///< the point of no return, in words
  std::optional<checker::NoReturn> no_return;
  const sim::Model& model;
  const std::optional<checker::Trace>& trace;
};

/// What a check came to. It keeps references to `judgement`.
Telling telling_of(const scenarios::Judgement& judgement, const CheckNotes& notes);

/// What is marked in its picture.
Marks marks_of(const Telling& telling);

/// Markdown, Mermaid or HTML, whole.
std::string rendered(const Telling& telling, Format format);

/// Before any work: throws BadInput where --out does not fit the format, or its file cannot be
/// written.
void expect_out(const std::string& out_file, Format format);
/// Prints the text, or writes --out's file.
void put_out(const std::string& text, const std::string& out_file, Io& io);

}  // namespace lockstep::cli
