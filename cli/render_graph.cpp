// See the header.
#include "cli/render_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/escaped.hpp"

namespace lockstep::cli {

namespace {

using checker::StateGraph;

/// Between double quotes.
std::string quoted(const std::string& text) {
  std::string quoted;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted;
}

std::vector<std::string> shown(const StateGraph::State& state) {
  std::vector<std::string> lines = state.lines;
  if (state.violated)
    lines.insert(lines.begin(), std::string("VIOLATED: ") + name(*state.violated));
  if (state.open) lines.emplace_back("...");
  return lines;
}

}  // namespace

std::string as_dot(const StateGraph& graph) {
  std::string text =
      "digraph lockstep {\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
      "  edge [fontname=\"Helvetica\", fontsize=9];\n";
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    std::string label;
    for (const std::string& line : shown(graph.states[s])) label += quoted(line) + "\\l";
    text += fmt::format("  s{} [label=\"{}\"{}];\n", s, label,
                        graph.states[s].violated ? ", color=red, penwidth=2" : "");
  }
  for (const StateGraph::Step& step : graph.steps)
    text += fmt::format("  s{} -> s{} [label=\"{}\"{}];\n", step.from, step.to, quoted(step.text),
                        step.fault ? ", style=dashed" : "");
  return text + "}\n";
}

namespace {

constexpr int kWidth = 230, kGapX = 30, kGapY = 60, kLine = 14, kMargin = 20;

/// What fits into a box, which shows all of it where one points.
std::string fitting(const std::string& text) {
  constexpr std::size_t kLetters = 36;
  return text.size() <= kLetters ? text : text.substr(0, kLetters - 3) + "...";
}

struct Box {
  int x = 0, y = 0, height = 0;
};

/// The states of one depth in a row, in the order in which they were found.
std::vector<Box> laid_out(const StateGraph& graph) {
  std::vector<Box> boxes;
  int y = kMargin, row_height = 0, column = 0;
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    if (s > 0 && graph.states[s].depth != graph.states[s - 1].depth) {
      y += row_height + kGapY;
      row_height = column = 0;
    }
    const int height = static_cast<int>(shown(graph.states[s]).size()) * kLine + 8;
    boxes.push_back({kMargin + column++ * (kWidth + kGapX), y, height});
    row_height = std::max(row_height, height);
  }
  return boxes;
}

std::string drawn(const StateGraph::State& state, const Box& box) {
  std::string text =
      fmt::format("<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
                  state.violated ? "violated" : "state", box.x, box.y, kWidth, box.height);
  int y = box.y + kLine;
  std::string all;
  for (const std::string& line : shown(state)) {
    text +=
        fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", box.x + 6, y, xml_escaped(fitting(line)));
    all += (all.empty() ? "" : "\n") + line;
    y += kLine;
  }
  return text + "<title>" + xml_escaped(all) + "</title></g>\n";
}

/// From the lower edge of the one to the upper edge of the other; back to an earlier row in a bow.
std::string drawn(const StateGraph::Step& step, const Box& from, const Box& to) {
  const int x = from.x + kWidth / 2, y = from.y + from.height, end_x = to.x + kWidth / 2;
  const bool down = to.y > from.y;
  const int end_y = down ? to.y : to.y + to.height;
  const int bow = down ? 0 : kWidth / 2 + kGapX / 2;
  return fmt::format(
      "<path class=\"{}\" d=\"M{} {} C{} {} {} {} {} {}\" marker-end=\"url(#tip)\"><title>{}"
      "</title></path>\n",
      step.fault ? "fault" : "step", x, y, x + bow, y + kGapY / 2, end_x + bow,
      down ? end_y - kGapY / 2 : end_y + kGapY / 2, end_x, end_y, xml_escaped(step.text));
}

}  // namespace

std::string as_svg(const StateGraph& graph) {
  const std::vector<Box> boxes = laid_out(graph);
  int width = 0, height = 0;
  for (const Box& box : boxes) {
    width = std::max(width, box.x + kWidth + kMargin + kGapX);
    height = std::max(height, box.y + box.height + kMargin + kGapY / 2);
  }
  std::string text = fmt::format(
      "<svg id=\"lockstep\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\">\n",
      width, height);
  text +=
      "<style>text{font:11px sans-serif;fill:#222}rect{fill:#fff;stroke:#555}"
      ".violated rect{fill:#fde8e0;stroke:#c03000;stroke-width:2}"
      "path{fill:none;stroke:#777}.fault{stroke:#b05000;stroke-dasharray:5 3}"
      "path:hover{stroke:#0060c0;stroke-width:3}marker path{fill:#777}</style>\n"
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" style=\"stroke:none\"/>\n";
  for (const StateGraph::Step& step : graph.steps)
    text += drawn(step, boxes[step.from], boxes[step.to]);
  for (std::size_t s = 0; s < boxes.size(); ++s) text += drawn(graph.states[s], boxes[s]);
  return text + "</svg>\n";
}

}  // namespace lockstep::cli
