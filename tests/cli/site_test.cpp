// `lockstep report`: a folder of pages, and what it leaves alone.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "tests/cli/command_line.hpp"

namespace fs = std::filesystem;
using Catch::Contains;
using namespace lockstep::tests;

namespace {

/// Where no other test writes.
fs::path fresh(const char* name) {
  const fs::path folder = scratch() / "site" / name;
  fs::remove_all(folder);
  fs::create_directories(folder.parent_path());
  return folder;
}

}  // namespace

TEST_CASE("a report has a page for each scenario, and one that leads to them", "[site]") {
  const fs::path site = fresh("two");
  const Ran ran = run({"report", site.string(), "exists-set-race", "setnx-no-fault"});
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("index.html: written, 2 scenarios"));
  const std::string index = read(site / "index.html");
  CHECK_THAT(index, Contains("2 scenarios: 2 as expected, 0 not") &&
                        Contains("<a href=\"runs/exists-set-race.html\">exists-set-race</a>") &&
                        Contains("mutual exclusion, after 10 steps") &&
                        Contains("<strong class=\"verdict holds\">HOLDS</strong>"));
  const std::string page = read(site / "runs/exists-set-race.html");
  CHECK_THAT(page, Contains("<a href=\"../index.html\">all scenarios</a>") && Contains("<svg"));
  CHECK_THAT(read(site / "runs/setnx-no-fault.html"), Contains("HOLDS"));

  // Made anew, without what it had.
  write(site / "runs/mine.html", "mine");
  CHECK(run({"report", site.string(), "setnx-no-fault"}).code == 0);
  CHECK(!fs::exists(site / "runs/exists-set-race.html"));
  CHECK(read(site / "runs/mine.html") == "mine");
  CHECK_THAT(read(site / "index.html"), Contains("1 scenario: 1 as expected, 0 not"));
}

TEST_CASE("what is not as expected stands first in a report", "[site]") {
  const fs::path site = fresh("failing"), suite = fresh("suite");
  write(suite / "a/broken.json", "{}");
  write(suite / "wrong.json",
        R"({"kind": "search", "title": "<b>", "why": "mine", "protocol": "setnx", "source": "mine",
            "expect": {"verdict": "violated", "property": "mutual-exclusion", "steps": 3}})");
  const Ran ran = run({"report", site.string(), suite.string()});
  CHECK(ran.code == 3);
  const std::string index = read(site / "index.html");
  CHECK_THAT(index, Contains("2 scenarios: 0 as expected, 2 not") && Contains("BROKEN") &&
                        Contains("Not as expected") && Contains("expected: violated") &&
                        Contains("&lt;b&gt;") && !Contains("<b>"));
  CHECK(fs::exists(site / "runs/wrong.html"));
  CHECK(!fs::exists(site / "runs/a/broken.html"));
}

TEST_CASE("a report leaves alone what is not its own", "[site]") {
  const fs::path full = fresh("full");
  write(full / "notes.txt", "mine");
  const Ran ran = run({"report", full.string(), "setnx-no-fault"});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, Contains("is not empty, and holds no report"));
  CHECK(!fs::exists(full / "index.html"));
  CHECK_THAT(run({"report", (full / "notes.txt").string()}).err, Contains("is no folder"));
  CHECK_THAT(run({"report", (full / "no/where").string()}).err, Contains("there is no folder"));
}

TEST_CASE("a matrix is a table whose violated verdicts lead to their runs", "[site]") {
  const fs::path site = fresh("matrix");
  const Ran ran = run({"report", site.string(), "--matrix", "exists-set", "--max-states", "2000"});
  INFO(ran.err);
  CHECK_THAT(ran.out, Contains("index.html: written, ") && Contains(" runs"));
  const std::string index = read(site / "index.html");
  const std::string link = "runs/exists-set/no-fault-mutual-exclusion.html";
  CHECK_THAT(index, Contains("<h2 id=\"exists-set\">") && Contains("<th>mutual exclusion</th>") &&
                        Contains("<a href=\"" + link +
                                 "\"><span class=\"verdict violated\">violated, 10 steps</span>"));
  CHECK_THAT(read(site / link), Contains("href=\"../../index.html\"") && Contains("<svg"));

  const Ran both = run({"report", site.string(), "exists-set-race", "--matrix", "exists-set"});
  CHECK(both.code == 3);
  CHECK_THAT(both.err, Contains("not both"));
  CHECK_THAT(run({"report", site.string(), "--matrix", "exist-set"}).err, Contains("did you mean"));
}

TEST_CASE("two protocols in folders of one name have pages of their own", "[site]") {
  const fs::path site = fresh("namesakes"), folders = fresh("of-one-name");
  for (const char* where : {"a", "b"}) {
    fs::create_directories(folders / where);
    fs::copy(std::string("protocols/") + (where[0] == 'a' ? "exists-set" : "setnx"),
             folders / where / "lock");
  }
  const Ran ran = run({"report", site.string(), "--matrix", (folders / "a/lock").string(),
                       "--matrix", (folders / "b/lock").string(), "--max-states", "500"});
  INFO(ran.err);
  std::set<std::string> pages;
  for (const auto& entry : fs::directory_iterator(site / "runs"))
    pages.insert(entry.path().filename().string());
  CHECK(pages.size() == 2);
}
