// Runs as GitHub's Markdown: headline, what was simulated, a picture, and every step as text.
#pragma once

#include <string>
#include <vector>

#include "cli/telling.hpp"

namespace lockstep::cli {

/// What a file of Markdown begins with that is ours.
inline constexpr const char* kMarkdownHead = "<!-- lockstep -->\n";

std::string as_markdown(const Headline& headline);
/// As a list.
std::string as_markdown(const std::vector<Row>& rows);
/// The whole run, without kMarkdownHead.
std::string as_markdown(const Telling& telling);

}  // namespace lockstep::cli
