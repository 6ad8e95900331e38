// See the header.
#include "cli/render_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "cli/escaped.hpp"
#include "cli/render_html.hpp"
#include "cli/words.hpp"

namespace lockstep::cli {

namespace {

std::string row_of(const SiteEntry& entry) {
  const std::string name = xml_escaped(entry.name);
  const std::string shown =
      entry.link.empty() ? name
                         : fmt::format("<a href=\"{}\">{}</a>", xml_escaped(entry.link), name);
  std::string came = xml_escaped(entry.text);
  if (!entry.differs.empty())
    came += "<p class=\"what\">expected: " + xml_escaped(entry.differs) + "</p>";
  return fmt::format(
      "<tr><td>{}</td><td><strong class=\"verdict "
      "{}\">{}</strong></td><td>{}</td><td>{}</td></tr>\n",
      shown, class_of_verdict(entry.verdict), xml_escaped(entry.verdict), came,
      xml_escaped(entry.title));
}

template <class Wanted>
std::string table_of(const std::vector<SiteEntry>& entries, const Wanted& is_wanted) {
  std::string rows;
  for (const SiteEntry& entry : entries)
    if (is_wanted(entry)) rows += row_of(entry);
  return "<div class=\"scroll even\"><table><tr><th>scenario</th><th>verdict</th><th>what came</th>"
         "<th>what it is about</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string shown(const SiteCell& cell) {
  const std::string text = fmt::format("<span class=\"verdict {}\">{}</span>",
                                       class_of_verdict(cell.verdict), xml_escaped(cell.text));
  return cell.link.empty() ? text
                           : fmt::format("<a href=\"{}\">{}</a>", xml_escaped(cell.link), text);
}

/// Links to what stands below, and how much that is.
std::string contents(const std::vector<std::pair<std::string, std::string>>& names) {
  std::string text = "<ul class=\"toc\">\n";
  for (const auto& [name, more] : names)
    text += fmt::format("<li><a href=\"#{0}\">{0}</a> {1}</li>\n", xml_escaped(name), more);
  return text + "</ul>\n";
}

}  // namespace

std::string site_index(const std::vector<SiteMatrix>& matrices) {
  const auto title = fmt::format("{} under every fault", plural(matrices.size(), "protocol"));
  std::string text = html_head(title) + "<header><h1>" + title + "</h1></header>\n";
  std::vector<std::pair<std::string, std::string>> names;
  for (const SiteMatrix& matrix : matrices) names.emplace_back(matrix.protocol, "");
  text += contents(names);
  for (const SiteMatrix& matrix : matrices) {
    text += fmt::format("<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>\n<div class=\"scroll\"><table>\n<tr>",
                        xml_escaped(matrix.protocol), xml_escaped(matrix.title));
    text += "<th>fault</th>";
    for (const std::string& property : matrix.properties)
      text += "<th>" + xml_escaped(property) + "</th>";
    text += "</tr>\n";
    for (const auto& [condition, cells] : matrix.rows) {
      text += "<tr><td>" + xml_escaped(condition) + "</td>";
      for (const SiteCell& cell : cells) text += "<td>" + shown(cell) + "</td>";
      text += "</tr>\n";
    }
    text += "</table></div>\n";
  }
  return text + "</body>\n</html>\n";
}

std::string site_index(const std::vector<SiteEntry>& entries) {
  const auto fails = [](const SiteEntry& entry) { return entry.code != kAsExpected; };
  const auto failed = std::ranges::count_if(entries, fails);
  const auto title = fmt::format("{}: {} as expected, {} not", plural(entries.size(), "scenario"),
                                 entries.size() - static_cast<std::size_t>(failed), failed);
  std::string text = html_head(title) + "<header><h1>" + title + "</h1></header>\n";
  if (failed > 0) text += "<h2>Not as expected</h2>\n" + table_of(entries, fails);
  std::map<std::string, std::size_t> protocols;
  for (const SiteEntry& entry : entries) protocols[entry.protocol] += 1;
  protocols.erase("");  // of what is broken it is not known
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [protocol, scenarios] : protocols)
    names.emplace_back(protocol, std::to_string(scenarios));
  text += contents(names);
  for (const auto& [protocol, scenarios] : protocols)
    text += fmt::format("<h2 id=\"{0}\">{0}</h2>\n", xml_escaped(protocol)) +
            table_of(entries,
                     [&name = protocol](const SiteEntry& entry) { return entry.protocol == name; });
  return text + "</body>\n</html>\n";
}

}  // namespace lockstep::cli
