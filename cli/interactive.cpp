// The interactive walk; see the header.
#include "cli/interactive.hpp"

#include <fmt/format.h>

#include <charconv>

#include "checker/trace/trace.hpp"
#include "cli/line_reader.hpp"
#include "cli/render_trace.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

constexpr const char* kHelp =
    "  next      take the next step of the recorded run (n, or an empty line)\n"
    "  back      undo the last step (b)\n"
    "  else      what is possible here (e); `*` is the recorded step\n"
    "  take N    take possibility N of that list instead (t N)\n"
    "  help      this (h)\n"
    "  quit      leave (q)\n";

class Session {
 public:
  Session(const Recorded& run, Io& io) : run_(run), io_(io), walk_(run.model) {}

  void run() {
    say_where();
    LineReader reader(io_, [](const std::string& before, const std::string&) {
      return before.empty() ? verbs() : std::vector<std::string>{};
    });
    while (const auto line = reader.ask("(next, back, else, take N, help, quit) > ")) {
      if (*line == "quit" || *line == "q") return;
      answer(*line);
    }
  }

 private:
  static std::vector<std::string> verbs() {
    return {"next", "back", "else", "take", "help", "quit"};
  }

  void answer(const std::string& line) {
    const auto verb = line.substr(0, line.find(' '));
    if (verb.empty() || verb == "next" || verb == "n") return next();
    if (verb == "back" || verb == "b") return back();
    if (verb == "else" || verb == "e") return show_else();
    if (verb == "take" || verb == "t")
      return take(line.substr(std::min(line.size(), verb.size() + 1)));
    if (verb == "help" || verb == "h")
      io_.out << kHelp;
    else
      io_.out << fmt::format("no answer `{}`{}\n", verb, scenarios::suggestion(verb, verbs()));
  }

  std::size_t position() const { return walk_.trace().steps.size(); }
  bool over() const { return walk_.trace().violated.has_value(); }
  /// Every step so far is the recorded run's.
  bool on_record() const { return !left_at_ && position() < run_.schedule.size(); }

  void next() {
    if (over())
      io_.out << "the run ends here: a property is violated\n";
    else if (on_record())
      go(run_.schedule[position()]);
    else if (left_at_)
      io_.out << "you have left the recorded run; `else` and `take N`, or `back`\n";
    else
      io_.out << (run_.schedule.empty() ? "there is no recorded run; `else` and `take N`\n"
                                        : "the recorded run ends here\n");
  }

  void go(const sim::Action& action) {
    if (!left_at_ && !(on_record() && run_.schedule[position()] == action)) left_at_ = position();
    walk_.take(action, run_.place);
    print_step(io_.out, walk_.trace().steps.back(), position(), {io_.colours});
    const bool ended = !left_at_ && position() == run_.schedule.size();
    if (ended && run_.endless) walk_.end_endless(run_.violated.value(), run_.loop);
    print_violation(io_.out, walk_.trace(), io_.colours);
    if (ended) io_.out << "the recorded run ends here\n";
  }

  void back() {
    if (position() == 0) {
      io_.out << "this is the start\n";
      return;
    }
    walk_.back();
    if (left_at_ && position() <= *left_at_) left_at_.reset();
    say_where();
  }

  void say_where() {
    if (position() == 0)
      io_.out << fmt::format("at the start of {}: {} recorded steps\n", run_.place,
                             run_.schedule.size());
    else
      print_step(io_.out, walk_.trace().steps.back(), position(), {io_.colours});
  }

  void show_else() {
    const auto options = walk_.enabled();
    if (options.empty()) io_.out << "nothing is possible here\n";
    for (std::size_t i = 0; i < options.size(); ++i) {
      const bool recorded = on_record() && run_.schedule[position()] == options[i].action;
      const auto& [data, told] = options[i].step;
      io_.out << fmt::format("{:4} {} {:7} ms {}  {:<9}{}\n", i + 1, recorded ? '*' : ' ',
                             data.time_ms, told.environment ? '!' : ' ', told.actor, told.sentence);
    }
  }

  void take(const std::string& word) {
    const auto options = walk_.enabled();
    std::size_t number = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = parsed.ec == std::errc{} && parsed.ptr == word.data() + word.size();
    if (over())
      io_.out << "the run ends here: a property is violated\n";
    else if (!whole || number < 1 || number > options.size())
      io_.out << fmt::format("take: found `{}`, expected 1 to {} (see `else`)\n", word,
                             options.size());
    else
      go(options[number - 1].action);
  }

  const Recorded& run_;
  Io& io_;
  checker::Walk walk_;
  std::optional<std::size_t> left_at_;  ///< number of steps taken when the recorded run was left
};

}  // namespace

void walk_interactively(const Recorded& run, Io& io) { Session(run, io).run(); }

}  // namespace lockstep::cli
