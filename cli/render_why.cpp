// See render_why.hpp.
#include "cli/render_why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/render_matrix.hpp"
#include "cli/render_trace.hpp"
#include "cli/report.hpp"
#include "cli/words.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Json;
using scenarios::Mechanism;

std::string place_of(const Mechanism& mechanism) {
  return mechanism.file.empty() ? "" : fmt::format("{}:{}", mechanism.file, mechanism.line);
}

std::string what_is_gone(const Mechanism& mechanism) {
  return fmt::format("{}: {}", mechanism.what, mechanism.without);
}

/// "deadlock, after 5 steps, under crash; leak, after 5".
std::string what_breaks(const std::vector<scenarios::Finding>& broken) {
  const auto& first = broken.front();
  const auto under =
      first.condition == "no fault" ? "without any fault" : "under " + first.condition;
  if (first.standing != scenarios::Standing::violated)
    return fmt::format("never put to the test any more {}: {}", under, first.detail);
  auto words =
      fmt::format("{}, after {}, {}", spoken(first.property), plural(first.steps, "step"), under);
  for (std::size_t i = 1; i < broken.size(); ++i)
    if (broken[i].standing == scenarios::Standing::violated)
      words += fmt::format("; {}, after {}", spoken(broken[i].property), broken[i].steps);
  return words;
}

}  // namespace

std::vector<Taken> in_order_of_need(std::vector<Taken> all) {
  std::ranges::stable_sort(all, std::greater{}, [](const Taken& each) {
    return !each.broken.empty() ? 3 : !each.refused.empty() ? 2 : each.needed_alone ? 0 : 1;
  });
  return all;
}

std::string in_one_line(const Taken& taken) {
  const auto place = place_of(taken.mechanism);
  return (place.empty() ? "" : place + "  ") + what_is_gone(taken.mechanism);
}

void print_why(std::ostream& out, const std::string& title, const std::vector<Taken>& rows,
               bool colours) {
  out << "protocol  " << title << "\n\n"
      << "One thing is taken away at a time; what breaks first, and under which condition:\n\n";
  std::size_t width = 0, needed_alone = 0;
  for (const auto& row : rows) width = std::max(width, place_of(row.mechanism).size());
  for (std::size_t i = 0; i < rows.size() && !rows[i].broken.empty(); ++i) {
    out << fmt::format("{:4}  {:<{}}  {}\n", i + 1, place_of(rows[i].mechanism), width,
                       what_is_gone(rows[i].mechanism));
    out << fmt::format("{:{}}", "", width + 8)
        << coloured(what_breaks(rows[i].broken), Colour::red, colours) << '\n';
  }
  const auto others = [&](const char* headline, const auto& chosen) {
    bool first = true;
    for (const auto& row : rows) {
      if (!chosen(row)) continue;
      if (std::exchange(first, false)) out << '\n' << headline << '\n';
      out << fmt::format("      {:<{}}  {}{}\n", place_of(row.mechanism), width,
                         what_is_gone(row.mechanism),
                         row.refused.empty() ? "" : "; " + row.refused);
    }
  };
  others("Not judged without it:", [](const Taken& row) { return !row.refused.empty(); });
  others("Nothing that was tried gets worse without:", [](const Taken& row) {
    return row.broken.empty() && !row.needed_alone && row.refused.empty();
  });
  for (const auto& row : rows) needed_alone += row.needed_alone ? 1 : 0;
  if (needed_alone > 0)
    out << fmt::format(
        "\n{} without which not even a lone client gets its lock and gives it back\n",
        plural(needed_alone, "change"));
}

std::string why_report(const std::string& protocol, const std::vector<Taken>& rows) {
  Json json{{"protocol", protocol}, {"mechanisms", Json::array()}};
  for (const auto& row : rows) {
    Json each{{"file", row.mechanism.file},
              {"line", row.mechanism.line},
              {"what", row.mechanism.what},
              {"without", row.mechanism.without},
              {"needed_alone", row.needed_alone}};
    if (!row.refused.empty()) each["not_judged"] = row.refused;
    for (const auto& broken : row.broken)
      each["breaks"].push_back({{"condition", broken.condition},
                                {"property", name(broken.property)},
                                {"verdict", name(broken.standing)},
                                {"steps", broken.steps}});
    json["mechanisms"].push_back(each);
  }
  return text_of(json);
}

}  // namespace lockstep::cli
