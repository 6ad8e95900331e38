// See the header. Lengths are in px; time runs downwards. Looks are the page's style sheet's.
#include "cli/render_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cli/escaped.hpp"
#include "cli/words.hpp"

namespace lockstep::cli {

namespace {

using Bar = Picture::Bar;
using Arrow = Picture::Arrow;
using Lane = Picture::Lane;

constexpr double kAxis = 126;       ///< width of the column with numbers and times
constexpr double kCaption = 124;    ///< left of the first lane
constexpr double kClient = 200;     ///< from a client's lane to the next lane
constexpr double kNode = 200;       ///< from a server's lane to the next, with room for its keys
constexpr double kManyNodes = 160;  ///< the same where there are more than three
constexpr double kRow = 42;
constexpr double kHead = 52;
constexpr double kTop = 6, kTail = 112;
constexpr double kSection = 16, kLease = 11, kLeaseGap = 15;
constexpr double kSmallest = .75;  ///< of its width, before it is scrolled
constexpr double kLetter = 6.7;    ///< width of one of the requests, and about that of a caption
constexpr double kSmall = 6.1;

struct Point {
  double x = 0, y = 0;
};

class SvgDrawing {
 public:
  SvgDrawing(const Picture& picture, const Marks& marks) : picture_(picture), marks_(marks) {
    place_lanes();
    place_rows();
  }

  Svg drawn() {
    return {opened("head", kHead) + heads() + "</svg>\n", opened("body", height_) + body()};
  }

 private:
  // ---- where things are ------------------------------------------------------------------------

  void place_lanes() {
    const auto nodes = std::ranges::count(picture_.lanes, Lane::Kind::node, &Lane::kind);
    node_gap_ = nodes > 3 ? kManyNodes : kNode;
    double x = kAxis + kCaption;
    for (const Lane& lane : picture_.lanes) {
      xs_.push_back(x);
      x += lane.kind == Lane::Kind::client ? kClient : node_gap_;
    }
    const bool ends_with_node = picture_.lanes.back().kind == Lane::Kind::node;
    width_ = xs_.back() + (ends_with_node ? node_gap_ : kClient / 2);
  }

  /// A step has its row; time that passes has more of it, the more it is, but not as much more.
  void place_rows() {
    double y = kTop;
    for (const auto& row : picture_.rows) {
      y += kRow;
      if (row.passed_ms > 0) y += 16 * std::log10(1 + static_cast<double>(row.passed_ms));
      ys_.push_back(y);
    }
    height_ = y + kTail;
  }

  double above(std::size_t row) const { return row == 0 ? kTop : ys_[row - 1]; }

  double y_of(const Picture::Moment& moment) const {
    const double y = ys_[moment.row];
    const auto passed = picture_.rows[moment.row].passed_ms;
    if (moment.before_ms == 0 || passed == 0) return y;
    return y - (y - above(moment.row)) * static_cast<double>(moment.before_ms) /
                   static_cast<double>(passed);
  }

  std::int64_t time_of(const Picture::Moment& moment) const {
    return picture_.rows[moment.row].time_ms - moment.before_ms;
  }

  double end_of(const Bar& bar) const { return bar.to ? y_of(*bar.to) : height_ - 44; }

  // ---- pieces ----------------------------------------------------------------------------------

  /// A narrow window makes it smaller, as long as its letters can be read; then it is scrolled.
  std::string opened(const char* part, double height) const {
    return fmt::format(
        "<svg class=\"{0}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
        "width=\"{1:.0f}\" height=\"{2:.0f}\" style=\"min-width: {4:.0f}px\" role=\"img\" "
        "aria-label=\"{3}\">\n",
        part, width_, height,
        part == std::string("head") ? "Who takes part" : "The run, from top to bottom",
        width_ * kSmallest);
  }

  static std::string text(Point at, const std::string& classes, const std::string& words,
                          const std::string& more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", at.x, at.y,
                       classes, more, xml_escaped(words));
  }

  static std::string line(Point from, Point to, const std::string& classes) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", from.x,
        from.y, to.x, to.y, classes);
  }

  static std::string box(Point at, double width, double height, const std::string& classes,
                         const std::string& title = "") {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\">{}"
        "</rect>\n",
        at.x, at.y, width, std::max(height, 2.0), classes,
        title.empty() ? "" : "<title>" + xml_escaped(title) + "</title>");
  }

  static std::string cross(Point at, double size) {
    return line({at.x - size, at.y - size}, {at.x + size, at.y + size}, "cross") +
           line({at.x - size, at.y + size}, {at.x + size, at.y - size}, "cross");
  }

  static std::string colour(const std::optional<std::uint8_t>& process) {
    return process ? fmt::format("p{}", *process) : "nobody";
  }

  std::string colour_of(std::size_t lane) const {
    const Lane& of = picture_.lanes[lane];
    return of.kind == Lane::Kind::client ? colour(of.number) : "server";
  }

  // ---- parts -----------------------------------------------------------------------------------

  std::string heads() const {
    std::string all;
    for (std::size_t lane = 0; lane < xs_.size(); ++lane) {
      const Lane& of = picture_.lanes[lane];
      const std::string below =
          of.kind == Lane::Kind::client && of.below.empty() ? "client" : of.below;
      const double wide = std::max(64.0, 10.0 * static_cast<double>(of.name.size()) + 20);
      all += box({xs_[lane] - wide / 2, 4}, wide, 27, "name " + colour_of(lane));
      all += text({xs_[lane], 23}, "name", of.name);
      all += text({xs_[lane], 45}, "below", shortened(below, 28));
    }
    return all;
  }

  std::string body() const {
    std::string all =
        "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" "
        "class=\"hatch\"/></pattern></defs>\n";
    for (std::size_t row = 0; row < ys_.size(); ++row) all += row_of(row);
    all += overlap();
    for (const double x : xs_) all += line({x, 0}, {x, height_}, "lane");
    for (const Bar& bar : picture_.bars) all += drawn(bar);
    for (const Arrow& arrow : picture_.arrows) all += drawn(arrow);
    for (std::size_t row = 0; row < ys_.size(); ++row) all += event(row);
    for (const Bar& bar : picture_.bars) all += named(bar);
    return all + point_of_no_return() + loop() + violation() + "</svg>\n";
  }

  /// The stripe of a step, which is what one points at; its number, and its time if it is another.
  std::string row_of(std::size_t row) const {
    const auto& of = picture_.rows[row];
    const double top = above(row) + kRow / 2, bottom = ys_[row] + kRow / 2;
    std::string all = fmt::format("<g class=\"row{}\" data-step=\"{}\" data-x=\"{:.0f}\">",
                                  of.fault ? " fault" : "", row + 1, of.lane ? xs_[*of.lane] : 0);
    all += box({0, row == 0 ? 0 : top}, width_, bottom - (row == 0 ? 0 : top), "stripe");
    if (of.passed_ms > 0) {
      const double from = above(row) + 13, to = ys_[row] - 13;
      all += box({kAxis, from}, width_ - kAxis, to - from, "passing");
      all += line({kAxis - 6, from}, {kAxis - 6, to}, "passes");
      all += text({kAxis - 14, (from + to) / 2 + 4}, "passes",
                  grouped(static_cast<std::uint64_t>(of.passed_ms)) + " ms pass");
    }
    all += text({40, ys_[row] + 4}, "number", std::to_string(row + 1));
    if (row == 0 || of.time_ms != picture_.rows[row - 1].time_ms)
      all += text({kAxis - 8, ys_[row] + 4}, "time",
                  grouped(static_cast<std::uint64_t>(of.time_ms)) + " ms");
    return all + "</g>\n";
  }

  std::string drawn(const Bar& bar) const {
    const double x = xs_[bar.lane], from = y_of(bar.from), to = end_of(bar);
    const std::string open = bar.to ? "" : " open";
    switch (bar.kind) {
      case Bar::Kind::lease:
        return lease(bar, x, from, to);
      case Bar::Kind::section:
      case Bar::Kind::bare:
        return section(bar, x, from, to);
      case Bar::Kind::paused:
        return box({x - 15, from}, 30, to - from, "paused" + open, bar.text);
      case Bar::Kind::dead:
        return box({x - 11, from}, 22, to - from, "dead" + open, bar.text);
      case Bar::Kind::cut:
      case Bar::Kind::hindered:
        return box({x - 19, from}, 6, to - from, "cut" + open, bar.text);
    }
    return "";
  }

  /// Words along a bar, where it is long enough.
  static std::string upright(Point middle, const std::string& classes, const std::string& words,
                             double room) {
    if (static_cast<double>(words.size()) * kSmall > room) return "";
    return text(middle, classes, words,
                fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", middle.x, middle.y));
  }

  std::string lease(const Bar& bar, double x, double from, double to) const {
    const double left = x + 9 + static_cast<double>(bar.slot) * kLeaseGap;
    std::string all = box({left, from}, kLease, to - from,
                          "lease " + colour(bar.owner) + (bar.to ? "" : " open"), bar.text);
    if (bar.timed_out) {
      all += line({left - 4, to}, {left + kLease + 4, to}, "expiry " + colour(bar.owner));
      all +=
          text({left + kLease + 8, to - 3}, "change strong",
               fmt::format("over at {} ms", grouped(static_cast<std::uint64_t>(time_of(*bar.to)))));
    }
    return all;
  }

  static std::string section(const Bar& bar, double x, double from, double to) {
    const bool bare = bar.kind == Bar::Kind::bare;
    return box({x - kSection / 2, from}, kSection, to - from,
               std::string(bare ? "bare " : "section ") + colour(bar.owner) +
                   (bar.to ? "" : " open"),
               bar.text + ": critical section" + (bare ? ", without a lease" : "")) +
           (bare ? box({x - kSection / 2, from}, kSection, to - from, "hatched") : "");
  }

  /// What a bar is, along it.
  std::string named(const Bar& bar) const {
    const double x = xs_[bar.lane], from = y_of(bar.from), to = end_of(bar);
    const double middle = (from + to) / 2, room = to - from;
    switch (bar.kind) {
      case Bar::Kind::section:
        return upright({x + 4, middle}, "inside", "critical section", room);
      case Bar::Kind::bare:
        return upright({x + 4, middle}, "inside bare", "WITHOUT A LEASE", room);
      case Bar::Kind::paused:
      case Bar::Kind::dead:
        return upright({x + 26, middle}, "plight", bar.text, room);
      case Bar::Kind::cut:
      case Bar::Kind::hindered:
        return upright({x - 25, middle}, "plight", bar.text, room);
      case Bar::Kind::lease:
        break;
    }
    return "";
  }

  /// How far from its lane's line an arrow ends.
  double margin(std::size_t lane) const {
    return picture_.lanes[lane].kind == Lane::Kind::client ? kSection / 2 + 1 : 4;
  }

  std::string drawn(const Arrow& arrow) const {
    const double way = xs_[arrow.to] > xs_[arrow.from] ? 1 : -1;
    Point from{xs_[arrow.from] + way * margin(arrow.from), ys_[arrow.sent]};
    Point to{xs_[arrow.to] - way * margin(arrow.to), ys_[arrow.seen]};
    if (arrow.end == Arrow::End::under_way) return under_way(arrow, from, way);
    const bool at_once = arrow.seen - arrow.sent <= 1 && picture_.rows[arrow.seen].passed_ms == 0;
    if (at_once) from.y = std::max(from.y, to.y - 17);
    if (arrow.end == Arrow::End::lost) to.x = from.x + (to.x - from.x) * 0.62;
    std::string all =
        line(from, to, "arrow " + colour(arrow.process) + (arrow.reply ? " reply" : ""));
    if (arrow.end == Arrow::End::arrives) all += tip(to, from, arrow.process);
    if (arrow.end == Arrow::End::lost)
      all += cross(to, 6) +
             text({to.x + way * 10, to.y + 4}, way > 0 ? "lost start" : "lost end", "lost");
    return all + label(arrow, from, to);
  }

  /// A beginning of one: where it will be when is not known.
  static std::string under_way(const Arrow& arrow, Point from, double way) {
    const Point end{from.x + way * 46, from.y + 22};
    return line(from, end, "arrow under-way " + colour(arrow.process)) +
           text({end.x + way * 5, end.y + 5}, way > 0 ? "message dim start" : "message dim end",
                shortened(arrow.text, 20) + " \xE2\x80\xA6");
  }

  static std::string tip(Point at, Point from, std::uint8_t process) {
    const double angle = std::atan2(at.y - from.y, at.x - from.x);
    const auto corner = [&](double turn) {
      return Point{at.x - 10 * std::cos(angle + turn), at.y - 10 * std::sin(angle + turn)};
    };
    const Point one = corner(0.42), two = corner(-0.42);
    return fmt::format(
        "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" class=\"tip p{}\"/>\n", at.x,
        at.y, one.x, one.y, two.x, two.y, process);
  }

  /// Along a line that is nearly level; of a steep one beside its end.
  std::string label(const Arrow& arrow, Point from, Point to) const {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    double angle = std::atan2(to.y - from.y, to.x - from.x) * 180 / std::numbers::pi;
    if (angle > 90) angle -= 180;
    if (std::abs(angle) < 14) {
      const auto fits = static_cast<std::size_t>((length - 18) / kLetter);
      const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2 - 5};
      return text(
          middle, "message", shortened(arrow.text, fits),
          fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", angle, middle.x, middle.y));
    }
    const bool to_the_right = to.x > from.x;
    const auto fits =
        static_cast<std::size_t>(std::max(14.0, (std::abs(to.x - from.x) - 30) / kLetter));
    const double aside = arrow.end == Arrow::End::arrives ? 12 : 10;
    return text({to.x + (to_the_right ? -aside : aside), to.y - 7},
                to_the_right ? "message end" : "message start", shortened(arrow.text, fits));
  }

  /// What the actor of a step does by itself, and what it changes.
  std::string event(std::size_t row) const {
    const auto& of = picture_.rows[row];
    std::string all;
    if (of.lane) {
      const Point at{xs_[*of.lane], ys_[row]};
      all += of.fatal
                 ? cross(at, 10)
                 : fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"dot {}\"/>\n",
                               at.x, at.y, of.fault ? "fault" : colour_of(*of.lane));
      if (!of.caption.empty())
        all += text({at.x - (of.fault ? 22 : 15), at.y + 4}, of.fault ? "caption fault" : "caption",
                    (of.fault ? "\xE2\x9A\xA1 " : "") + shortened(of.caption, 34));
    }
    return of.passed_ms > 0 ? all : all + changes(row);
  }

  /// Beside the server's bars.
  std::string changes(std::size_t row) const {
    std::string all;
    std::vector<int> lines(picture_.lanes.size());
    for (const auto& change : picture_.rows[row].changes) {
      const auto lane = picture_.lane_of_node(change.server);
      if (!lane || lines[*lane] > 1) continue;
      const double left = 14 + slots(*lane) * kLeaseGap;
      const auto fits = static_cast<std::size_t>((node_gap_ - left - 10) / kSmall);
      for (const auto& words : {change.key, change.expiry})
        if (!words.empty())
          all += text({xs_[*lane] + left, ys_[row] + 4 + 13 * lines[*lane]++},
                      words == change.key ? "change" : "change dim", shortened(words, fits));
    }
    return all;
  }

  double slots(std::size_t lane) const {
    std::size_t most = 0;
    for (const Bar& bar : picture_.bars)
      if (bar.lane == lane && bar.kind == Bar::Kind::lease) most = std::max(most, bar.slot + 1);
    return static_cast<double>(most);
  }

  // ---- marks -----------------------------------------------------------------------------------

  /// Behind all critical sections that are open when mutual exclusion is violated.
  std::string overlap() const {
    if (!marks_.overlap) return "";
    double left = width_, right = 0;
    for (const Bar& bar : picture_.bars)
      if (!bar.to && (bar.kind == Bar::Kind::section || bar.kind == Bar::Kind::bare)) {
        left = std::min(left, xs_[bar.lane] - 20);
        right = std::max(right, xs_[bar.lane] + 20);
      }
    if (right <= left) return "";
    const double top = ys_.back() - 8;
    return box({left, top}, right - left, height_ - top - 40, "overlap") +
           text({(left + right) / 2, ys_.back() + 54}, "overlap", "both are inside");
  }

  std::string point_of_no_return() const {
    if (marks_.avoidable_until == 0 || marks_.avoidable_until > ys_.size()) return "";
    const double y = above(marks_.avoidable_until - 1) + kRow / 2;
    return line({0, y}, {width_, y}, "no-return") +
           text({kAxis + 2, y - 5}, "no-return", "\xE2\x96\xB2 avoidable") +
           text({kAxis + 2, y + 13}, "no-return", "\xE2\x96\xBC too late");
  }

  std::string loop() const {
    if (!marks_.loop_from) return "";
    const double top = ys_[*marks_.loop_from], bottom = ys_.back();
    const double middle = (top + bottom) / 2;
    return fmt::format(
               "<path class=\"loop\" d=\"M16 {0:.1f} H6 V{1:.1f} H16\"/><polygon class=\"loop\" "
               "points=\"20,{1:.1f} 12,{2:.1f} 12,{3:.1f}\"/>\n",
               bottom, top, top - 5, top + 5) +
           upright({3, middle}, "loop", "again and again", bottom - top + 40);
  }

  std::string violation() const {
    if (marks_.violated.empty()) return "";
    const double y = height_ - 34;
    return box({kAxis, y}, width_ - kAxis - 6, 26, "violation") +
           text({(kAxis + width_) / 2, y + 18}, "violation",
                "\xE2\x9C\x96 violated: " + marks_.violated);
  }

  const Picture& picture_;
  const Marks& marks_;
  std::vector<double> xs_, ys_;
  double node_gap_ = kNode, width_ = 0, height_ = 0;
};

}  // namespace

Svg as_svg(const Picture& picture, const Marks& marks) {
  return SvgDrawing(picture, marks).drawn();
}

std::string shortened(const std::string& text, std::size_t most) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  std::size_t letters = 0, cut = text.size();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins(text[at])) continue;
    if (++letters == most) cut = at;
    if (letters > most) return text.substr(0, cut) + "\xE2\x80\xA6";
  }
  return text;
}

}  // namespace lockstep::cli
