// The forms that an output can have, and which one the flags ask for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/table.hpp"

namespace lockstep::cli {

enum class Format : std::uint8_t { text, json, markdown, mermaid, html, shiviz };
inline constexpr auto kFormatTable = std::to_array<sim::NameRow<Format>>({
    {Format::text, "text"},
    {Format::json, "json"},
    {Format::markdown, "markdown"},
    {Format::mermaid, "mermaid"},
    {Format::html, "html"},
    {Format::shiviz, "shiviz"},
});
static_assert(sim::is_complete(kFormatTable));
constexpr const auto& table_of(Format) { return kFormatTable; }
constexpr const char* name(Format format) { return sim::row(format).name; }

/// Of a run, and of a comparison or a table.
inline const std::vector<Format> kFormatsOfRun{Format::text,    Format::json, Format::markdown,
                                               Format::mermaid, Format::html, Format::shiviz};
inline const std::vector<Format> kFormatsOfTable{Format::text, Format::json, Format::markdown};

struct FormatFlags {
  std::string format;     ///< --format; empty: not given
  bool json = false;      ///< --json
  bool markdown = false;  ///< --markdown
};

/// What the flags of `command` ask for, of the formats that it has. Throws BadInput for an unknown
/// name, for one that the command does not have, and for two at once.
Format format_of(const std::string& command, const FormatFlags& flags,
                 const std::vector<Format>& has);

}  // namespace lockstep::cli
