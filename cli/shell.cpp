// `lockstep shell`: a prompt on the fake server, as redis-cli; time and connections are moved by
// hand.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/commands.hpp"
#include "cli/eval_report.hpp"
#include "cli/line_reader.hpp"
#include "cli/script_file.hpp"
#include "cli/script_trace.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/table.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::cli {

namespace {

constexpr const char* kWelcome =
    "A Redis 7.0 of its own, empty; its clock stands still until you move it. Commands as in "
    "redis-cli;\n"
    ".help shows what else there is, .quit or the end of the input leaves.\n";

constexpr const char* kEndless =
    "(the script has reached its limit on instructions and counts as endless: for 5s the server is "
    "deaf,\nthen it says BUSY; .session opens another connection, .advance 5s lets the time pass, "
    "SCRIPT KILL or FUNCTION KILL ends it)\n";

/// A whole number from `text`, or BadInput.
std::int64_t number_in(std::string_view text, const char* expected) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw sim::BadInput(fmt::format("found `{}`, expected {}", text, expected));
  return number;
}

/// "5s", "250ms", "-2m", "1h"; a bare number is in milliseconds.
sim::Duration duration_in(const std::string& text) {
  constexpr const char* kExpected = "a duration such as 250ms, 5s, 2m or 1h";
  constexpr std::int64_t kMost = 1'000'000'000'000;
  struct Unit {
    std::string_view name;
    std::int64_t ms;
  };
  constexpr std::array kUnits{Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                              Unit{"h", 3'600'000}, Unit{"", 1}};
  const auto digits = std::min(text.find_first_not_of("+-0123456789"), text.size());
  const auto unit = std::ranges::find(kUnits, std::string_view(text).substr(digits), &Unit::name);
  const auto amount = number_in(std::string_view(text).substr(0, digits), kExpected);
  if (unit == kUnits.end() || amount > kMost || amount < -kMost)
    throw sim::BadInput(fmt::format("found `{}`, expected {}", text, kExpected));
  return {amount * unit->ms};
}

class Shell {
 public:
  Shell(const ShellArguments& arguments, Io& io)
      : server_(server_mode(arguments.server, arguments.draw_seed),
                arguments.clock_ms ? sim::WallTime{*arguments.clock_ms} : sim::kEpoch),
        current_(server_.open()),
        sessions_{current_},
        json_(arguments.json),
        io_(io) {
    for (const auto& file : arguments.load)
      run_commands(server_, current_, file, whole_file(file, io.in));
  }

  void run() {
    if (io_.prompts) io_.out << kWelcome;
    LineReader reader(
        io_, [&](const std::string& before, const std::string&) { return possible(before); },
        ".lockstep_history");
    while (!done_) {
      const auto line = reader.ask(prompt());
      if (!line) break;
      try {
        handle(*line);
      } catch (const sim::BadInput& bad) {
        io_.out << "lockstep: " << bad.what() << '\n';
      }
    }
    if (io_.prompts && !done_) io_.out << '\n';
  }

 private:
  using Words = std::vector<std::string>;
  struct Helper {
    std::string name;
    std::string parameters;
    std::string text;
    void (Shell::*run)(const Words&);
  };
  static const std::vector<Helper>& helpers() {
    static const std::vector<Helper> all{
        {".help", "", "this list", &Shell::help},
        {".keys", "", "every key of the database with its value and its remaining lifetime",
         &Shell::keys},
        {".clock", "[MS]", "show the server's clock, or set it (Unix time in milliseconds)",
         &Shell::clock},
        {".advance", "DURATION", "let time pass: 250ms, 5s, 2m, 1h", &Shell::advance},
        {".session", "[N]", "open another connection, or go to connection N", &Shell::session},
        {".sessions", "", "the connections", &Shell::list_sessions},
        {".close", "N", "close connection N", &Shell::close},
        {".eval", "FILE [KEY ... , ARGUMENT ...]", "run a script from a file", &Shell::eval_file},
        {".step", "FILE [KEY ... , ARGUMENT ...]",
         "run it line by line: what each line calls and changes", &Shell::step_file},
        {".quit", "", "leave", &Shell::quit},
    };
    return all;
  }

  std::string prompt() const {
    const auto& session = server_.session(current_);
    return fmt::format("lockstep{}{}{}> ", sessions_.size() > 1 ? fmt::format(" {}", current_) : "",
                       session.database != 0 ? fmt::format("[{}]", session.database) : "",
                       session.in_transaction ? "(TX)" : "");
  }

  /// Words that may come next: commands, then subcommands and keys.
  Words possible(const std::string& before) const {
    const Words words = sim::split_line(before);
    Words all;
    if (words.empty()) {
      for (const auto& helper : helpers()) all.push_back(helper.name);
      for (const sim::Command* command : sim::all_commands())
        if (command->run != nullptr || command->has(sim::kContainer))
          all.emplace_back(command->name);
      return all;
    }
    const sim::Command* const command = sim::find_command(words[0]);
    if (command != nullptr && command->has(sim::kContainer) && words.size() == 1)
      for (const sim::Command& each : sim::subcommands_of(*command))
        if (each.run != nullptr) all.emplace_back(each.name.substr(words[0].size() + 1));
    const auto* database = server_.keyspace().database(server_.session(current_).database);
    if (all.empty() && database)
      for (const auto& [key, entry] : *database) all.push_back(sim::line_of({key}));
    return all;
  }

  void handle(const std::string& line) {
    const auto words = sim::split_line(line);
    if (words.empty() || words[0].starts_with('#')) return;
    if (words[0] == "quit" || words[0] == "exit") {
      quit(words);
    } else if (words[0].starts_with('.')) {
      help_with(words);
    } else {
      submit(words);
    }
  }

  void help_with(const Words& words) {
    const auto helper = std::ranges::find(helpers(), words[0], &Helper::name);
    if (helper == helpers().end()) {
      std::vector<std::string> names;
      for (const auto& each : helpers()) names.push_back(each.name);
      throw sim::BadInput(
          fmt::format("no command `{}`{}", words[0], scenarios::suggestion(words[0], names)));
    }
    (this->*helper->run)({words.begin() + 1, words.end()});
  }

  // ---- requests and what comes back ----

  void submit(const sim::Request& request) {
    const bool was_busy = server_.busy().has_value();
    const auto deliveries = server_.submit(current_, request);
    print(deliveries, was_busy);
    hint(request, deliveries);
    forget_closed();
  }

  /// What a request has brought.
  void print(const std::vector<sim::Delivery>& deliveries, bool was_busy) {
    print(deliveries);
    const bool answered =
        std::ranges::any_of(deliveries, [&](const auto& d) { return d.to == current_; });
    if (answered || !server_.is_open(current_) || json_) return;
    io_.out << "(no reply yet)\n";
    if (server_.busy() && !was_busy) io_.out << kEndless;
  }

  void print(const std::vector<sim::Delivery>& deliveries) {
    for (const auto& [to, reply] : deliveries) {
      if (json_)
        io_.out << reply_line(to, *reply) << '\n';
      else
        io_.out << (to == current_ ? "" : fmt::format("[to connection {}]\n", to))
                << sim::shown(*reply) << '\n';
    }
  }

  /// `advance 5s` without its dot is a command that no Redis knows.
  void hint(const sim::Request& request, const std::vector<sim::Delivery>& deliveries) {
    const bool known =
        std::ranges::find(helpers(), "." + request[0], &Helper::name) != helpers().end();
    const bool refused =
        !deliveries.empty() && deliveries.back().reply->text.starts_with("ERR unknown command");
    if (known && refused && !json_) io_.out << "(did you mean `." << request[0] << "`?)\n";
  }

  // ---- helpers ----

  void help(const Words&) {
    for (const auto& helper : helpers())
      io_.out << fmt::format("{:42} {}\n", helper.name + " " + helper.parameters, helper.text);
    io_.out << "Anything else is a command of Redis.\n";
  }

  void keys(const Words&) {
    const auto* database = server_.keyspace().database(server_.session(current_).database);
    const auto all = database ? key_changes({}, *database, server_.now()) : Words{};
    for (const auto& key : all) io_.out << key << '\n';
    if (all.empty()) io_.out << "(no keys)\n";
  }

  void clock(const Words& words) {
    if (!words.empty()) pass({number_in(words[0], "Unix time in milliseconds") - server_.now().ms});
    io_.out << server_.now().ms << " ms\n";
  }

  void advance(const Words& words) {
    if (words.size() != 1) throw sim::BadInput(".advance: expected a duration such as 5s");
    pass(duration_in(words[0]));
  }

  void pass(sim::Duration by) {
    const auto before = server_.keyspace().keys;
    const auto deliveries = server_.advance(by);
    if (!json_) {
      for (const auto& [key, entry] : before)
        if (!server_.keyspace().find(key, server_.now()))
          io_.out << sim::line_of({key}) << " has expired\n";
    }
    print(deliveries);
  }

  void session(const Words& words) {
    const auto wanted =
        words.empty() ? server_.open() : number_in(words[0], "a connection's number");
    if (!server_.is_open(wanted))
      throw sim::BadInput(fmt::format("no connection {}: .sessions lists them", wanted));
    if (words.empty()) sessions_.push_back(wanted);
    current_ = wanted;
    if (!io_.prompts) io_.out << fmt::format("connection {}\n", current_);
  }

  void list_sessions(const Words&) {
    for (const auto id : sessions_) {
      const auto& session = server_.session(id);
      io_.out << fmt::format("{} connection {}, database {}{}\n", id == current_ ? '*' : ' ', id,
                             session.database, session.in_transaction ? ", in MULTI" : "");
    }
  }

  void close(const Words& words) {
    if (words.size() != 1) throw sim::BadInput(".close: expected a connection's number");
    const auto id = number_in(words[0], "a connection's number");
    if (!server_.is_open(id))
      throw sim::BadInput(fmt::format("no connection {}: .sessions lists them", id));
    server_.close(id);
    forget_closed();
  }

  /// There is always one to type into.
  void forget_closed() {
    std::erase_if(sessions_, [&](sim::SessionId id) { return !server_.is_open(id); });
    if (server_.is_open(current_)) return;
    if (sessions_.empty()) sessions_.push_back(server_.open());
    current_ = sessions_.back();
    io_.out << fmt::format("connection {}\n", current_);
  }

  void eval_file(const Words& words) { run_file(words, false); }
  void step_file(const Words& words) { run_file(words, true); }

  void run_file(const Words& words, bool step) {
    if (words.empty()) throw sim::BadInput("expected a script's file");
    const auto script = whole_file(words[0], io_.in);
    expect_compiles(server_, current_, words[0], script);
    const auto request = eval_request(script, {words.begin() + 1, words.end()});
    std::optional<ScriptTracer> tracer;
    bool stop = io_.prompts;
    if (step) tracer.emplace(server_, script, [&](const ScriptEvent& event) { tell(event, stop); });
    const bool was_busy = server_.busy().has_value();
    const auto deliveries = server_.submit(current_, request);
    if (tracer) tracer->finish();
    print(deliveries, was_busy);
  }

  /// At a terminal the script waits at every line for Enter; "c" lets it run on.
  void tell(const ScriptEvent& event, bool& stop) {
    auto text = told(event);
    if (!stop || event.kind != ScriptEvent::Kind::line) {
      io_.out << text;
      return;
    }
    text.back() = ' ';
    io_.out << text << "   [Enter: next line, c: to the end] " << std::flush;
    std::string answer;
    stop = std::getline(io_.in, answer) && answer != "c";
  }

  void quit(const Words&) { done_ = true; }

  sim::Server server_;
  sim::SessionId current_;
  std::vector<sim::SessionId> sessions_;
  bool json_;
  Io& io_;
  bool done_ = false;
};

}  // namespace

int shell(const ShellArguments& arguments, Io& io) {
  Shell(arguments, io).run();
  return kAsExpected;
}

}  // namespace lockstep::cli
