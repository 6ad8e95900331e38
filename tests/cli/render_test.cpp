// The columns of a trace, numbers in words, the progress line, and Ctrl-C.
#include <catch2/catch.hpp>
#include <csignal>
#include <sstream>

#include "cli/progress.hpp"
#include "cli/render_check.hpp"
#include "cli/render_grid.hpp"
#include "cli/render_matrix.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "cli/wrap.hpp"

namespace lockstep::cli {

namespace {

checker::TraceStep step(std::int64_t time_ms, bool environment, const std::string& actor,
                        const std::string& sentence, const std::vector<std::string>& changes = {}) {
  checker::TraceStep made;
  made.data.time_ms = time_ms;
  made.prose = {environment, actor, sentence, changes};
  return made;
}

}  // namespace

TEST_CASE(
    "a trace stands in fixed columns: step, time, mark, actor, sentence; below it what changed") {
  checker::Trace trace;
  trace.steps = {step(0, false, "A", "starts"), step(0, true, "A", "pauses"),
                 step(30'001, false, "", "time passes", {"lock has expired"}),
                 step(30'001, false, "resource", "A's READ -> OK")};
  trace.violated = sim::Property::leak;
  trace.violation = "it stays.";
  std::ostringstream out;
  print_trace(out, trace, {});
  CHECK(out.str() ==
        "   1      0 ms    A        starts\n"
        "   2      0 ms !  A        pauses\n"
        "   3  30001 ms             time passes\n"
        "                             lock has expired\n"
        "   4  30001 ms    resource A's READ -> OK\n"
        "              it stays.\n");
}

TEST_CASE("clients have colours of their own, and what changes in Redis is bold") {
  checker::Trace trace;
  trace.steps = {step(0, false, "B (renewal task)", "starts"), step(0, true, "A", "pauses"),
                 step(1, false, "redis", "DEL lock -> 1", {"lock is gone"})};
  trace.steps[0].data.action.process = 1;
  std::ostringstream out;
  print_trace(out, trace, {.colours = true});
  CHECK(out.str() ==
        "   1      0 ms    \033[35mB (renewal task)\033[0mstarts\n"
        "\033[33m   2      0 ms !  A        pauses\033[0m\n"
        "   3      1 ms    redis    DEL lock -> 1\n"
        "                             \033[1mlock is gone\033[0m\n");
  CHECK(colour_of_client(0) != colour_of_client(1));
}

TEST_CASE("a line that is too long goes on below its text") {
  const std::string step = "   1      0 ms    A        hears OK and holds the lock";
  CHECK(hung(step + "\n", 54) == step + "\n");
  CHECK(hung(step + "\n", 53) ==
        "   1      0 ms    A        hears OK and holds the\n" + std::string(27, ' ') + "lock\n");
  CHECK(hung(step, 20) == step);  // nobody can read that anyhow
  CHECK(hung(step, 0) == step);
  const std::string coloured = "          \033[31mred is no column of a terminal\033[0m";
  CHECK(hung(coloured, 40) == coloured);
  CHECK(hung("world     a lease of 10000 ms, without any faults", 40) ==
        "world     a lease of 10000 ms, without\n          any faults");
}

TEST_CASE("numbers and faults in words") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1'234'567) == "1,234,567");
  CHECK(plural(1, "step") == "1 step");
  CHECK(plural(2000, "step") == "2,000 steps");
  sim::Budget budget{};
  CHECK(faults_in_words(budget) == "none");
  budget.at(static_cast<std::size_t>(sim::Fault::pause)) = 1;
  budget.at(static_cast<std::size_t>(sim::Fault::crash)) = 2;
  CHECK(faults_in_words(budget) == "at most 1 pause, 2 client crashes");
}

TEST_CASE("a row of a matrix tells the states of its largest search") {
  scenarios::Finding found;
  found.condition = "no fault";
  found.property = sim::Property::mutual_exclusion;
  found.states = 1234;
  scenarios::Matrix matrix;
  matrix.world.properties = {sim::Property::mutual_exclusion, sim::Property::leak};
  matrix.findings = {found, found};
  matrix.findings[1].property = sim::Property::leak;
  matrix.findings[1].states = 56;
  std::ostringstream out;
  print_matrix(out, matrix, {true});
  CHECK_THAT(out.str(), Catch::Contains("| no fault | holds | holds | 1,234 |"));
}

TEST_CASE("what breaks a lock is counted for each property") {
  const auto found = [](const char* condition, sim::Property property,
                        scenarios::Standing standing) {
    scenarios::Finding finding;
    finding.condition = condition;
    finding.property = property;
    finding.standing = standing;
    return finding;
  };
  using scenarios::Standing;
  using sim::Property;
  scenarios::Matrix matrix;
  matrix.world.protocol = "mine";
  matrix.world.properties = {Property::mutual_exclusion, Property::no_lost_update, Property::leak};
  matrix.findings = {found("one", Property::mutual_exclusion, Standing::violated),
                     found("one", Property::no_lost_update, Standing::holds),
                     found("one", Property::leak, Standing::holds),
                     found("two", Property::mutual_exclusion, Standing::violated),
                     found("two", Property::no_lost_update, Standing::inconclusive),
                     found("two", Property::leak, Standing::cannot_happen)};
  scenarios::Matrix other = matrix;
  other.world.protocol = "other";
  other.findings[0].standing = Standing::vacuous;
  other.findings[1].standing = Standing::vacuous;
  other.findings[4].standing = Standing::holds;
  std::ostringstream out;
  print_breaks(out, {matrix, other}, {true});
  CHECK_THAT(out.str(), Catch::Contains("| mine | 2 | ? | - |"));
  CHECK_THAT(out.str(), Catch::Contains("| other | 1? | ? | - |"));
}

TEST_CASE("a table that is wider than the terminal is folded") {
  const Grid grid{
      "corner", {"one", "two", "three"}, {"a", "b"}, {{"1", "2", "3"}, {"4", "5", "6"}}};
  std::ostringstream wide, narrow;
  print_text(wide, grid);
  CHECK(wide.str() ==
        "corner  one  two  three\n"
        "a         1    2      3\n"
        "b         4    5      6\n");
  print_text(narrow, grid, 20);  // with the third column it has 23
  CHECK(narrow.str() ==
        "corner  one  two\n"
        "a         1    2\n"
        "b         4    5\n"
        "\n"
        "corner  three\n"
        "a           3\n"
        "b           6\n");
}

TEST_CASE("the progress line says which limit is near") {
  checker::Statistics figures;
  figures.states = 5000;
  figures.seconds = 2;
  figures.depth = 9;
  figures.visited_bytes = 3u << 20;
  checker::Bounds bounds;
  CHECK(progress_line(figures, bounds, 2) == "5,000 states, 2,500 a second, depth 9, 3 MB");
  bounds.max_states = 10'000;
  bounds.max_seconds = 100;
  CHECK(progress_line(figures, bounds, 2) ==
        "5,000 states, 2,500 a second, depth 9, 3 MB; 50 % of max-states");
  // The search is the second one of its command: the limit is nearer than its own figures say.
  CHECK(progress_line(figures, bounds, 60) ==
        "5,000 states, 2,500 a second, depth 9, 3 MB; 60 % of max-seconds");
  bounds.max_bytes = 4u << 20;
  CHECK(progress_line(figures, bounds, 2) ==
        "5,000 states, 2,500 a second, depth 9, 3 MB; 75 % of max-memory");
}

TEST_CASE("Ctrl-C, SIGTERM and SIGHUP end a search, and show nothing in a pipe") {
  std::istringstream in;
  std::ostringstream out, err;
  const Io io{in, out, err};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Interruptible interruptible;
    const auto callback = progress(io, {});
    CHECK(callback({}).empty());
    std::raise(signal);
    CHECK(callback({}) == "interrupted");
  }
  CHECK(err.str().empty());
}

TEST_CASE("the memory that is bounded is the process's") {
  const checker::Progress before = [](const checker::Statistics&) { return std::string("asked"); };
  CHECK(within_memory(1 << 20, before)({}) == "the bound of 1 MiB was reached");
  CHECK(within_memory(std::uint64_t{1} << 50U, before)({}) == "asked");
  CHECK(within_memory(0, before)({}) == "asked");
}

TEST_CASE("a signal that is ignored stays so (nohup)") {
  std::signal(SIGHUP, SIG_IGN);
  {
    const Interruptible interruptible;
    std::raise(SIGHUP);
    CHECK_FALSE(interrupted());
  }
  CHECK(std::signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

}  // namespace lockstep::cli
