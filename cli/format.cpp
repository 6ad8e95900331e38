// See the header.
#include "cli/format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/names.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

Format named_format(const std::string& command, const std::string& word,
                    const std::vector<Format>& has) {
  const auto names = scenarios::names_of(has);
  for (const auto& [format, known] : kFormatTable) {
    if (word != known) continue;
    if (std::ranges::find(has, format) != has.end()) return format;
    throw sim::BadInput(fmt::format("--format: {} has no `{}`; possible here: {}", command, word,
                                    fmt::join(names, ", ")));
  }
  throw sim::BadInput(
      fmt::format("--format: unknown `{}`{}", word, scenarios::suggestion(word, names)));
}

}  // namespace

Format format_of(const std::string& command, const FormatFlags& flags,
                 const std::vector<Format>& has) {
  struct Asked {
    Format format;
    std::string flag;
  };
  std::vector<Asked> asked;
  if (flags.json) asked.push_back({Format::json, "--json"});
  if (flags.markdown) asked.push_back({Format::markdown, "--markdown"});
  if (!flags.format.empty())
    asked.push_back({named_format(command, flags.format, has), "--format " + flags.format});
  for (const auto& each : asked)
    if (each.format != asked.front().format)
      throw sim::BadInput(
          fmt::format("{}: {} or {}, not both", command, asked.front().flag, each.flag));
  return asked.empty() ? Format::text : asked.front().format;
}

}  // namespace lockstep::cli
