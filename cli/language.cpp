// See the header.
#include "cli/language.hpp"

#include <fmt/format.h>

#include "scenarios/names.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

Language language_of(const std::string& given) {
  const auto languages = sim::values_of(kLanguageTable);
  for (const auto language : languages)
    if (given == name(language)) return language;
  throw sim::BadInput(fmt::format("--language: unknown `{}`; possible here: {}", given,
                                  fmt::join(scenarios::names_of(languages), ", ")));
}

}  // namespace lockstep::cli
