// See the header. All that comes from a protocol or a scenario goes through html().
#include "cli/render_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/beliefs.hpp"
#include "cli/escaped.hpp"
#include "cli/page_look.hpp"
#include "cli/picture.hpp"
#include "cli/words.hpp"
#include "sim/base/token.hpp"
#include "sim/client/program.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/properties.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

namespace {

/// `text` as text, also between the quotes of an attribute.
std::string html(const std::string& text) { return xml_escaped(text); }

std::string described(const std::vector<Row>& rows) {
  std::string text = "<dl>\n";
  for (const auto& [label, words] : rows)
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html(label), html(words));
  return text + "</dl>\n";
}

std::string opening(const Telling& telling) {
  std::string text = fmt::format("<header>\n<h1><span class=\"verdict {}\">{}</span>{}</h1>\n",
                                 class_of_verdict(telling.headline.verdict),
                                 html(telling.headline.verdict), html(telling.headline.text));
  if (telling.trace && telling.trace->violated)
    text += "<p class=\"what\">" + html(telling.trace->violation) + "</p>\n";
  if (telling.trace && telling.trace->violated)
    text += fmt::format("<p>This is violated when {}.</p>\n",
                        html(sim::row(*telling.trace->violated).violated_when));
  if (telling.avoidable && telling.no_return && telling.no_return->step > 0)
    text += "<p class=\"avoidable\">This order of events was <strong>avoidable</strong> " +
            html(*telling.avoidable) + " (which is luck, and mends nothing)</p>\n";
  else if (telling.avoidable)
    text +=
        "<p class=\"avoidable\"><strong>Avoidable</strong> " + html(*telling.avoidable) + "</p>\n";
  if (!telling.why.empty()) text += "<p>" + html(telling.why) + "</p>\n";
  return text + described(telling.subject) + "</header>\n";
}

// ---- what is shown of a step --------------------------------------------------------------------

std::string table_of_beliefs(const Picture::Row& row) {
  std::string text = "<table><tr><th>client</th><th>believes</th><th>is true</th></tr>\n";
  for (const auto& belief : row.beliefs)
    text += fmt::format(
        "<tr{}><td><span class=\"who p{}\">{}</span></td><td>{}</td><td>{}</td></tr>\n",
        belief.inside && !belief.leased ? " class=\"wrong\"" : "", belief.process,
        html(sim::process_name(belief.process)), html(believed(belief)), truth_of(belief));
  return text + "</table>\n";
}

std::string table_of_keys(const std::vector<sim::VisibleKeys>& servers) {
  std::string rows;
  for (std::size_t server = 0; server < servers.size(); ++server)
    for (const auto& [name, key] : servers[server])
      rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          html(sim::server_name(static_cast<std::uint8_t>(server), servers.size())),
                          html(sim::worded_value(name)), html(sim::worded(key.value)),
                          html(sim::worded_expiry(key.left_ms)));
  if (rows.empty()) return "<p>No keys are stored.</p>\n";
  return "<table class=\"keys\"><tr><th>server</th><th>key</th><th>value</th><th>lifetime</th>"
         "</tr>\n" +
         rows + "</table>\n";
}

class Page {
 public:
  explicit Page(const Telling& telling)
      : telling_(telling), picture_(picture_of(telling.model, *telling.trace)) {}

  std::string run() const {
    const auto svg = as_svg(picture_, marks_of(telling_));
    std::string text =
        "<main>\n<section class=\"diagram\" tabindex=\"0\" aria-label=\"The run\">\n" + svg.head +
        svg.body + "</section>\n<section class=\"steps\">\n" +
        "<nav aria-label=\"Steps\"><button name=\"first\">first</button>"
        "<button name=\"back\">◀ back</button><button name=\"next\">next ▶</button>"
        "<button name=\"last\">last</button><output></output>"
        "<span class=\"keys-help\">or the arrow keys, j and k, Home and End</span>"
        "</nav>\n<ol>\n";
    for (std::size_t row = 0; row < picture_.rows.size(); ++row) text += step(row);
    return text + "</ol>\n</section>\n</main>\n" + legend();
  }

 private:
  std::string step(std::size_t row) const {
    const auto& [data, prose] = telling_.trace->steps[row];
    const auto& of = picture_.rows[row];
    std::string text = fmt::format(
        "<li id=\"s{0}\"{1}>\n<p class=\"when\">step {0}, at {2} ms</p>\n<p class=\"told\">{3}{4}"
        "</p>\n",
        row + 1, of.fault ? " class=\"fault\"" : "",
        grouped(static_cast<std::uint64_t>(data.time_ms)), actor(prose.actor, of),
        html(prose.sentence));
    if (!prose.changes.empty()) {
      text += "<ul>\n";
      for (const auto& change : prose.changes)
        text += "<li class=\"change\">" + html(change) + "</li>\n";
      text += "</ul>\n";
    }
    text += marks(row) + "<div class=\"scroll\">" + table_of_beliefs(of) +
            table_of_keys(data.keys) + "</div>\n";
    return text + (of.script.empty() ? sending_lines(data) : script(of.script, data)) + "</li>\n";
  }

  /// Where in protocol.lua the step sends what it sends.
  static std::string sending_lines(const checker::StepData& data) {
    std::string text;
    for (const auto& line : data.ran)
      text += fmt::format("<p class=\"source\">{}:{} <code>{}</code></p>\n", html(line.file),
                          line.number, html(line.text));
    return text;
  }

  /// The script, with the lines that ran marked.
  static std::string script(const std::string& source, const checker::StepData& data) {
    std::string text =
        "<details open=\"open\"><summary>the script; marked: what ran</summary><pre>";
    std::istringstream in(source);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const bool ran = std::ranges::any_of(
          data.ran, [&](const checker::SourceLine& each) { return each.number == number; });
      text += (ran ? "<mark>" + html(line) + "</mark>" : html(line)) + "\n";
    }
    return text + "</pre></details>\n";
  }

  std::string actor(const std::string& name, const Picture::Row& row) const {
    if (name.empty()) return "";
    const bool client = row.lane && picture_.lanes[*row.lane].kind == Picture::Lane::Kind::client;
    return fmt::format("<span class=\"who{}\">{}</span> ",
                       client ? fmt::format(" p{}", picture_.lanes[*row.lane].number) : "",
                       html(name));
  }

  /// What is to be said of a step besides what it does.
  std::string marks(std::size_t row) const {
    const auto& trace = *telling_.trace;
    std::string text;
    if (telling_.avoidable && telling_.no_return && telling_.no_return->step == row + 1)
      text += "<p class=\"avoidable\"><strong>The last chance:</strong> this order was avoidable " +
              html(*telling_.avoidable) + "</p>\n";
    if (trace.loop && row >= trace.loop->from) text += "<p>This step comes again and again.</p>\n";
    if (trace.violated && row + 1 == trace.steps.size())
      text += "<p class=\"what\">✖ " + html(spoken(*trace.violated)) + ": " +
              html(trace.violation) + "</p>\n";
    return text;
  }

  static std::string legend() {
    return "<h2>How to read it</h2>\n<ul class=\"legend\">\n"
           "<li>time runs downwards; long stretches are shown shorter than they are</li>\n"
           "<li>a filled bar on a client's line: its critical section; hatched, with a dashed "
           "edge: without a lease</li>\n"
           "<li>a pale bar beside a server's line: a lease key, in the colour of whose it is, "
           "until it is over</li>\n"
           "<li>a wide grey bar: paused, crashed or down; a cross: crashed, or lost on the "
           "way</li>\n"
           "<li>a dashed green line: after it no order of events avoids what is violated</li>\n"
           "<li>a task of a client (a watchdog, a listener) has a line of its own</li>\n"
           "<li>a solid arrow: a request; a dashed one: a reply; dotted: still on its way</li>\n"
           "<li>⚡ a fault</li>\n</ul>\n";
  }

  const Telling& telling_;
  Picture picture_;
};

}  // namespace

std::string html_head(const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"en\" data-by=\"lockstep\">\n<head>\n<meta "
         "charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<title>" +
         html(title) + "</title>\n<style>" + kPageStyle + "</style>\n</head>\n<body>\n";
}

const char* class_of_verdict(const std::string& verdict) {
  return verdict == "VIOLATED" ? "violated" : verdict == "HOLDS" ? "holds" : "open";
}

std::string as_html(const Telling& telling, const std::string& index) {
  const auto title =
      fmt::format("{} {}: {}", telling.headline.verdict,
                  telling.model.program->folder().filename().string(), telling.headline.text);
  std::string text = html_head(title);
  if (!index.empty()) text += "<p><a href=\"" + html(index) + "\">all scenarios</a></p>\n";
  text += opening(telling);
  if (telling.trace) text += Page(telling).run();
  if (!telling.account.empty()) text += "<footer>\n" + described(telling.account) + "</footer>\n";
  if (telling.trace) text += std::string("<script>") + kPageScript + "</script>\n";
  return text + "</body>\n</html>\n";
}

}  // namespace lockstep::cli
