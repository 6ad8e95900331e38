// Reads and applies .mistakes files; see the header.
#include "tests/support/mistakes.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace lockstep::test {

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Each with its newline; the last may have none.
Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size(); at += lines.back().size()) {
    const auto newline = text.find('\n', at);
    lines.push_back(text.substr(at, newline == std::string::npos ? newline : newline - at + 1));
  }
  return lines;
}

std::string without_newline(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

[[noreturn]] void fail(const std::string& protocol, std::size_t line, const std::string& what) {
  throw std::runtime_error(protocol + ".mistakes:" + std::to_string(line) + ": " + what);
}

/// Lines of a file, and those that come in their place.
struct Hunk {
  std::size_t from = 0;  ///< the line where they should be, 0-based
  Lines before, after;
};

/// Reads one mistake's diff from top to bottom and carries it out in a folder.
class Patch {
 public:
  Patch(const Mistake& mistake, fs::path folder) : mistake_(mistake), folder_(std::move(folder)) {}

  void apply() {
    while (at_ < mistake_.diff.size()) {
      if (!line().starts_with("--- ")) fail("expected `--- FILE`, `+++ FILE`");
      const fs::path file = folder_ / without_newline(line().substr(4));
      if (!fs::exists(file)) fail("the protocol has no such file");
      at_ += 2;
      change(file);
    }
  }

 private:
  const std::string& line() const { return mistake_.diff[at_]; }

  [[noreturn]] void fail(const std::string& what) const {
    test::fail(mistake_.protocol, mistake_.line + at_, mistake_.name + ": " + what);
  }

  void change(const fs::path& file) {
    auto lines = lines_of(read(file));
    std::ptrdiff_t shift = 0;  // by what the hunks above have added
    while (at_ < mistake_.diff.size() && line().starts_with("@@ -")) {
      const auto start = at_;
      const auto hunk = read_hunk();
      const auto place = find(lines, hunk, shift);
      if (place > lines.size()) {
        at_ = start;
        fail("does not apply: " + file.filename().string() + " has no such lines");
      }
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(place);
      const auto gap = lines.erase(first, first + std::ssize(hunk.before));
      lines.insert(gap, hunk.after.begin(), hunk.after.end());
      shift += std::ssize(hunk.after) - std::ssize(hunk.before);
    }
    if (lines.empty()) {
      fs::remove(file);
      return;
    }
    std::ofstream out(file, std::ios::binary);
    for (const auto& each : lines) out << each;
  }

  /// `@@ -from,count +from,count @@` and the lines below it.
  Hunk read_hunk() {
    Hunk hunk;
    const auto from = std::stoul(line().substr(4));
    hunk.from = from == 0 ? 0 : from - 1;
    Lines* last = nullptr;  // a line of both, or of the old one: what "\ No newline" speaks of
    for (++at_; at_ < mistake_.diff.size() && !line().starts_with("@@ -") && !next_file(); ++at_) {
      const char kind = line()[0];
      const auto text = kind == '\n' ? line() : line().substr(1);  // editors strip a lone blank
      if (kind == '\\') {
        for (auto* side : {&hunk.before, &hunk.after})
          if (side == last || last == nullptr) side->back() = without_newline(side->back());
        continue;
      }
      if (kind != '+' && kind != '-' && kind != ' ' && kind != '\n') fail("not a line of a diff");
      if (kind != '+') hunk.before.push_back(text);
      if (kind != '-') hunk.after.push_back(text);
      last = kind == '+' ? &hunk.after : kind == '-' ? &hunk.before : nullptr;
    }
    return hunk;
  }

  /// Two lines that no change of a comment looks like: `--- FILE` and `+++ FILE` with the same
  /// name.
  bool next_file() const {
    return at_ + 1 < mistake_.diff.size() && line().starts_with("--- ") &&
           mistake_.diff[at_ + 1] == "+++ " + line().substr(4);
  }

  /// The place of the hunk's old lines nearest to where they should be; past the end if nowhere.
  static std::size_t find(const Lines& lines, const Hunk& hunk, std::ptrdiff_t shift) {
    const auto wanted = static_cast<std::ptrdiff_t>(hunk.from) + shift;
    const auto last = std::ssize(lines) - std::ssize(hunk.before);
    auto best = std::ssize(lines) + 1;
    for (std::ptrdiff_t at = 0; at <= last; ++at)
      if (std::equal(hunk.before.begin(), hunk.before.end(), lines.begin() + at) &&
          (best > last || std::abs(at - wanted) < std::abs(best - wanted)))
        best = at;
    return static_cast<std::size_t>(best);
  }

  const Mistake& mistake_;
  fs::path folder_;
  std::size_t at_ = 0;  ///< in the diff
};

}  // namespace

std::vector<Mistake> read_mistakes(const std::string& protocol, const std::string& text) {
  const std::string seen_by = "seen by: ";
  const auto lines = lines_of(text);
  std::vector<Mistake> all;
  std::set<std::string> names;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("== ")) {
      if (!all.empty()) all.back().diff.push_back(lines[i]);
      continue;
    }
    const auto colon = lines[i].find(": ");
    if (colon == std::string::npos) fail(protocol, i + 1, "expected `== NAME: WHAT`");
    if (i + 1 == lines.size() || !lines[i + 1].starts_with(seen_by))
      fail(protocol, i + 2, "expected `seen by: FLAGS`");
    Mistake mistake{protocol,
                    lines[i].substr(3, colon - 3),
                    without_newline(lines[i].substr(colon + 2)),
                    without_newline(lines[i + 1].substr(seen_by.size())),
                    {},
                    i + 3};
    if (!names.insert(mistake.name).second)
      fail(protocol, i + 1, mistake.name + " is there already");
    all.push_back(std::move(mistake));
    ++i;
  }
  for (auto& mistake : all) {
    while (!mistake.diff.empty() && mistake.diff.back() == "\n") mistake.diff.pop_back();
    if (mistake.diff.empty()) fail(protocol, mistake.line, mistake.name + " changes nothing");
  }
  return all;
}

std::vector<Mistake> mistakes_of(const std::string& protocol) {
  const fs::path folder = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/data/mistakes";
  return read_mistakes(protocol, read(folder / (protocol + ".mistakes")));
}

std::vector<Mistake> all_mistakes() {
  std::set<std::string> protocols;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LOCKSTEP_SOURCE_DIR) / "tests/data/mistakes"))
    protocols.insert(entry.path().stem().string());
  std::vector<Mistake> all;
  for (const auto& protocol : protocols) {
    auto some = mistakes_of(protocol);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

fs::path apply(const Mistake& mistake, const fs::path& folder, const fs::path& protocols) {
  const auto into = folder / mistake.protocol / mistake.name;
  fs::create_directories(into.parent_path());
  fs::copy(protocols / mistake.protocol, into, fs::copy_options::recursive);
  Patch(mistake, into).apply();
  return into;
}

}  // namespace lockstep::test
