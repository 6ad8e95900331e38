// Runs as Markdown, Mermaid and pages: approved printouts, that every step is there, and that
// nothing in a protocol breaks out of its place.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/escaped.hpp"
#include "cli/picture.hpp"
#include "cli/render_svg.hpp"
#include "cli/shiviz.hpp"
#include "cli/telling.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/judge.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

using Catch::Contains;
using Catch::EndsWith;
using Catch::Matches;
using Catch::StartsWith;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A page without its looks: style, script and drawings.
std::string without_look(std::string page) {
  for (const auto* const element : {"style", "script", "svg"})
    for (auto from = page.find(fmt::format("<{}", element)); from != page.npos;
         from = page.find(fmt::format("<{}", element), from + 1)) {
      const auto end = fmt::format("</{}>", element);
      page.replace(from, page.find(end, from) + end.size() - from, fmt::format("<{}/>", element));
    }
  return page;
}

scenarios::Judgement judged(const std::string& protocol, sim::Fault fault) {
  const std::string folder = LOCKSTEP_SOURCE_DIR "/protocols/" + protocol;
  auto scenario = scenarios::default_scenario(protocol, folder);
  scenario.faults.at(static_cast<std::size_t>(fault)) = 1;
  return scenarios::judge(scenario);
}

/// A protocol that is called, asks and says what no page expects.
std::string hostile_protocol() {
  const auto folder = scratch() / "hostile";
  write(folder / "protocol.lua", R"lua(-- What nobody is called.
local Lock = protocol {
  title = "</script><img src=x onerror=alert(1)> | `a` ```\n### b @all #1 $$x$$ %%{init}%%",
  source = "--><svg onload=alert(1)> ]]> &lt; \" '",
}
local take = "return redis.call('set', KEYS[1], ARGV[1]) -- </pre></script><img src=y>"
function Lock:acquire()
  log("a; b # c : d\nend | ``` <img src=z> \1")
  redis("GET", "x|y\n```;#<img src=q>%%")
  return redis("EVAL", take, 1, self.key, "v</text><img src=p>\n;end") == OK
end
function Lock:release() return redis("DEL", self.key) == 1 end
return Lock
)lua");
  return folder.string();
}

}  // namespace

TEST_CASE("a run in Markdown, in Mermaid and as a page", "[approved]") {
  check_approved(
      "formats_mermaid",
      transcript({"check", "set-token-lua", "--fault", "pause=1", "--format", "mermaid"}) + "\n" +
          transcript({"replay", "setnx-crash", "--format", "mermaid"}));
  check_approved("formats_markdown",
                 transcript({"check", "setnx", "--fault", "crash=1", "--format", "markdown"}) +
                     "\n" + transcript({"replay", "setnx-crash", "--format", "markdown"}));
  check_approved("formats_html",
                 without_look(transcript({"check", "set-token-lua", "--format", "html"})) + "\n" +
                     without_look(transcript({"replay", "setnx-crash", "--format", "html"})));
}

TEST_CASE("a comparison as a comment", "[approved]") {
  check_approved("formats_diff", transcript({"diff", "set-token-lua", "set-ex-nx", "--property",
                                             "foreign-release", "--format", "markdown"}));
}

TEST_CASE("a format that is not there is refused in one line", "[approved]") {
  std::string text;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"check", "setnx", "--format", "htm"},
           {"check", "setnx", "--format", "yaml"},
           {"check", "setnx", "--json", "--format", "html"},
           {"check", "setnx", "--out", "x.html"},
           {"check", "setnx", "--format", "html", "--out", "/nowhere/x.html"},
           {"diff", "setnx", "setnx-expire", "--format", "html"},
           {"matrix", "setnx", "--format", "mermaid"},
           {"replay", "setnx-crash", "--live", "--format", "html"},
           {"replay", "setnx-crash", "-i", "--format", "markdown"}})
    text += (text.empty() ? "" : "\n") + transcript(words);
  check_approved("formats_refused", text);
}

TEST_CASE("--json is short for --format json, and --markdown for --format markdown") {
  CHECK(run({"replay", "setnx-crash", "--json"}).out ==
        run({"replay", "setnx-crash", "--format", "json"}).out);
  const std::vector<std::string> matrix{"matrix", "setnx",        "--property",
                                        "leak",   "--max-states", "50"};
  auto shortly = matrix, in_full = matrix;
  shortly.emplace_back("--markdown");
  in_full.insert(in_full.end(), {"--format", "markdown"});
  CHECK(run(shortly).out == run(in_full).out);
}

TEST_CASE("a page is written to a file, and never over one that is not lockstep's") {
  const auto file = (scratch() / "run.html").string();
  for (int turn = 0; turn < 2; ++turn)
    CHECK_THAT(run({"replay", "setnx-crash", "--format", "html", "--out", file}).out,
               Contains("run.html: written"));
  CHECK_THAT(read(file), StartsWith("<!DOCTYPE html>") && Contains("</html>\n"));
  for (const auto* const format : {"markdown", "mermaid", "shiviz"})
    for (int turn = 0; turn < 2; ++turn)
      CHECK(
          run({"replay", "setnx-crash", "--format", format, "--out", (scratch() / format).string()})
              .code == 0);
  write(scratch() / "foreign.html", "<html></html>");
  CHECK(run({"replay", "setnx-crash", "--format", "html", "--out",
             (scratch() / "foreign.html").string()})
            .code == 3);
}

TEST_CASE("every step of a run is in each of its forms") {
  const scenarios::Catalog catalog(LOCKSTEP_SOURCE_DIR);
  for (const auto* const scenario :
       {"set-token-lua-pause-told", "redlock-pause", "replicated-failover", "philosophers",
        "hash-lock-renewal-lose", "px-waiting-barging", "set-token-lua-cut",
        "fencing-pause-told"}) {
    INFO(scenario);
    const auto judgement = scenarios::judge(catalog.scenario(scenario));
    const auto telling = cli::telling_of(judgement, {});
    const auto steps = judgement.trace->steps.size();
    const auto page = rendered(telling, cli::Format::html);
    const auto mermaid = rendered(telling, cli::Format::mermaid);
    const auto markdown = rendered(telling, cli::Format::markdown);
    CHECK(steps > 0);
    CHECK(times(page, "data-step=\"") == steps);
    for (std::size_t step = 1; step <= steps; ++step) {
      CHECK_THAT(page, Contains(fmt::format("<li id=\"s{}\"", step)));
      CHECK_THAT(mermaid, Contains(fmt::format(": {}. ", step)));
      CHECK_THAT(markdown, Contains(fmt::format("\n| {} | ", step)));
    }
  }
}

TEST_CASE("a log for ShiViz counts each host's own events, and knows what it has heard of") {
  using Clock = std::map<std::string, int>;
  const auto log = run({"replay", "redlock-pause", "--format", "shiviz"}).out;
  std::istringstream lines(log);
  std::string first, empty, event, clocked;
  std::getline(lines, first);
  std::getline(lines, empty);
  CHECK(first == cli::kShivizEvent);
  CHECK(empty.empty());
  std::map<std::string, Clock> now;
  std::string last;
  while (std::getline(lines, event) && std::getline(lines, clocked)) {
    INFO(event << '\n' << clocked);
    CHECK_THAT(event, Matches("[0-9]+ ms: .*"));
    const auto host = clocked.substr(0, clocked.find(' '));
    const auto clock = nlohmann::json::parse(clocked.substr(host.size() + 1)).get<Clock>();
    CHECK(clock.at(host) == now[host][host] + 1);
    for (const auto& [other, events] : clock) {
      CHECK(events >= now[host][other]);  // nothing is forgotten
      if (other != host) CHECK(events <= now[other][other]);
    }
    now[host] = clock;
    last = event;
  }
  CHECK_THAT(last, Contains("; VIOLATED "));
  // Whoever got a majority has heard of two nodes' events at least.
  CHECK(now.at("A").size() >= 4);
  CHECK(now.at("redis-1").contains("A"));
}

TEST_CASE("where there is no run a log for ShiViz says what came out") {
  const auto ran = run({"check", "set-token-lua", "--format", "shiviz"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith(std::string(cli::kShivizEvent) + "\n\n0 ms: HOLDS "));
  CHECK_THAT(ran.out, EndsWith("\nlockstep {\"lockstep\":1}\n"));
}

TEST_CASE("nothing in a protocol breaks out of its place") {
  const auto in = [](const char* format) {
    return run({"check", hostile_protocol(), "--clients", "2", "--format", format}).out;
  };
  const auto page = in("html");
  CHECK(times(page, "<script>") == 1);
  CHECK(times(page, "</script>") == 1);
  CHECK(times(page, "<img") == 0);
  CHECK(times(page, "<svg") == 2);
  CHECK(times(page, "</pre>") == times(page, "<pre>"));
  CHECK_THAT(page, Contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
  CHECK_THAT(page, Contains("-- &lt;/pre&gt;&lt;/script&gt;"));

  static const std::regex line(
      "  (%% lockstep|participant \\w+ as [\\w-]+|(de)?activate \\w|rect rgb.*|end|  Note over .*|"
      "Note over [\\w,]+: .*|\\w+-?-(>>|x)\\w+: \\d+\\. .*)");
  static const std::regex outside("(#\\d+;|<br/>|rgb\\([0-9, ]+\\))");
  std::istringstream lines(in("mermaid"));
  std::string each;
  std::getline(lines, each);
  CHECK(each == "sequenceDiagram");
  while (std::getline(lines, each)) {
    INFO(each);
    CHECK(std::regex_match(each, line));
    const auto rest = std::regex_replace(each, outside, "");
    CHECK((each == "  %% lockstep" || rest.find_first_of("#;%<\"`$\\{}") == rest.npos));
  }

  const auto markdown = in("markdown");
  CHECK(times(markdown, "\n```") == 2);
  for (std::size_t at = markdown.find("<img"); at != markdown.npos;
       at = markdown.find("<img", at + 1))
    CHECK(markdown[at - 1] == '\\');
  CHECK_THAT(markdown, Contains("@<!-- -->all #<!-- -->1"));
}

TEST_CASE("text is escaped for Markdown and Mermaid") {
  CHECK(cli::markdown_escaped("a|b <c> `d` *e*\n[f](g) \\ @h") ==
        "a\\|b \\<c\\> \\`d\\` \\*e\\* \\[f\\](g) \\\\ @<!-- -->h");
  CHECK(cli::markdown_escaped("\xFF\x01") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(cli::mermaid_escaped("a;b#c:d\n\"e\" <f> %%{g} $$") ==
        "a#59;b#35;c:d #34;e#34; #60;f#62; #37;#37;#123;g#125; #36;#36;");
  CHECK(cli::shortened("na\xC3\xAFve", 4) == "na\xC3\xAF\xE2\x80\xA6");
  CHECK(cli::shortened("na\xC3\xAFve", 5) == "na\xC3\xAFve");
}

TEST_CASE("a picture has leases, critical sections and messages where they belong") {
  using Bar = cli::Picture::Bar;
  using Arrow = cli::Picture::Arrow;
  const auto judgement = judged("set-token-lua", sim::Fault::pause);
  const auto picture = cli::picture_of(judgement.model, *judgement.trace);
  REQUIRE(picture.lanes.size() == 4);
  CHECK(picture.lanes[0].name == "A");
  CHECK(picture.lanes[2].name == "redis");
  const auto bars = [&](Bar::Kind kind) {
    std::vector<Bar> all;
    std::ranges::copy_if(picture.bars, std::back_inserter(all),
                         [&](const Bar& bar) { return bar.kind == kind; });
    return all;
  };
  // A's lease ends 1 ms before the end of the time that passes, and from then on A is without one.
  const auto leases = bars(Bar::Kind::lease), bare = bars(Bar::Kind::bare);
  REQUIRE(leases.size() == 2);
  REQUIRE(bare.size() == 1);
  for (const auto& moment : {leases[0].to.value(), bare[0].from}) {
    CHECK(moment.row == 5);
    CHECK(moment.before_ms == 1);
  }
  CHECK(leases[0].timed_out);
  CHECK(leases[0].owner == std::optional<std::uint8_t>(0));
  CHECK(leases[1].owner == std::optional<std::uint8_t>(1));
  CHECK(!leases[1].to);
  CHECK(bars(Bar::Kind::section).size() == 2);
  CHECK(bars(Bar::Kind::paused).size() == 2 - 1);
  const auto& last = picture.rows.back();
  REQUIRE(last.beliefs.size() == 2);
  CHECK((last.beliefs[0].inside && !last.beliefs[0].leased));
  CHECK((last.beliefs[1].inside && last.beliefs[1].leased));
  // SET and OK of each, A's READ, whose answer nobody hears, and B's, which is on its way.
  CHECK(std::ranges::count(picture.arrows, Arrow::End::arrives, &Arrow::end) == 5);
  CHECK(std::ranges::count(picture.arrows, Arrow::End::under_way, &Arrow::end) == 2);
}

TEST_CASE("where a deadlock could not be judged, none is said to come first", "[many-models]") {
  const auto folder = scratch() / "seen";
  // It comes about as A releases, but who is refused there leaves a time with each try.
  write(folder / "protocol.lua", R"lua(
local Lock = protocol { title = "never deletes", source = "a test", permanent = { "{key}" } }
function Lock:acquire()
  return retry(function()
    if redis("SETNX", self.key, "x") == 1 then return true end
    redis("SET", self.key .. ":seen", millis(now()))
    return false
  end, 3)
end
function Lock:release() return true end
return Lock
)lua");
  auto scenario = scenarios::default_scenario("seen", folder.string());
  scenario.clients.resize(1);
  scenario.roles[0].rounds = 2;
  scenario.properties = {sim::Property::deadlock};
  const auto judgement = scenarios::judge(scenario);
  CHECK_THAT(cli::headline_of(judgement).text,
             Contains("deadlock") && EndsWith("the fewest of what could be judged"));
}

TEST_CASE("a message comes from the node that its listener listens to") {
  const auto folder = scratch() / "two-nodes";
  write(folder / "protocol.lua", R"lua(
local Lock = protocol { title = "tells two nodes", source = "a test", nodes = 2 }
function Lock:acquire()
  local told = semaphore(0)
  for node = 1, 2 do listen("told", function() told:release() end, { node = node }) end
  call_all { { node = 1, "PUBLISH", "told", "x" }, { node = 2, "PUBLISH", "told", "x" } }
  for _ = 1, 2 do told:acquire() end
  return true
end
function Lock:release() return true end
return Lock
)lua");
  write(folder / "told.json", R"json({"title": "t", "source": "t", "why": "t", "protocol": ".",
    "kind": "schedule", "roles": {"one": {"workload": ["lock"]}}, "clients": ["one"],
    "steps": ["redis-1 executes A's PUBLISH", "redis-2 executes A's PUBLISH", "A acquires"],
    "expect": {"verdict": "holds"}})json");
  const auto picture = run({"check", (folder / "told.json").string(), "--format", "mermaid"}).out;
  CHECK_THAT(picture, Contains("N1-->>A: 10. message") && Contains("N2-->>A: 11. message"));
}

TEST_CASE("a picture shows what is lost, who is down, and the text of a script") {
  using Bar = cli::Picture::Bar;
  const auto crash = judged("setnx", sim::Fault::crash);
  const auto dead = cli::picture_of(crash.model, *crash.trace);
  CHECK(std::ranges::count(dead.bars, Bar::Kind::dead, &Bar::kind) == 1);
  CHECK(dead.rows.back().fatal);
  const auto page = run({"replay", "hash-lock-renewal-lose", "--format", "html"}).out;
  CHECK_THAT(page, Contains(">lost</text>") && Contains("task 1"));
  CHECK_THAT(page,
             Contains("<summary>the script; marked: what ran</summary>") && Contains("redis.call"));
}

}  // namespace lockstep::tests
