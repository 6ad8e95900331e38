// Text for a terminal: Markdown's paragraphs in lines of its width.
#pragma once

#include <cstddef>
#include <string>

namespace lockstep::cli {

/// Fills paragraphs and list items into lines of at most so many columns; a Chinese character takes
/// two of them, and a line may end behind it. What is laid out stays as it is: code, tables.
std::string wrapped(const std::string& markdown, std::size_t columns);

}  // namespace lockstep::cli
