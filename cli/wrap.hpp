// Text for a terminal: Markdown's paragraphs in lines of its width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lockstep::cli {

/// Fills paragraphs and list items into lines of at most so many columns; a Chinese character takes
/// two of them, and a line may end behind it. What is laid out stays as it is: code, tables.
std::string wrapped(const std::string& markdown, std::size_t columns);

/// Each line that is longer than so many columns as several: what follows begins where the text of
/// the line begins, which is at `begin`, or behind the last gap of two blanks or more that leaves
/// it a third of them. Colours take no columns. 0 columns: as it is.
std::string hung(const std::string& text, std::size_t columns,
                 std::optional<std::size_t> begin = std::nullopt);

}  // namespace lockstep::cli
