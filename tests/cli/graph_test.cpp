// `lockstep graph`: every state and every step.
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

#include "sim/base/files.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

using Catch::Contains;
using Catch::StartsWith;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a graph has all states of a small model, and what violates something in red") {
  // One client, which may die: SETNX leaves a key without expiry.
  const auto ran = run({"graph", "setnx", "--clients", "1", "--fault", "crash=1"});
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, StartsWith("digraph lockstep {"));
  CHECK(count(ran.out, "VIOLATED: deadlock") == count(ran.out, "color=red"));
  CHECK(count(ran.out, "VIOLATED: deadlock") > 0);
  CHECK_THAT(ran.out,
             Contains("A crashes\", style=dashed") && Contains("lock = 1, without expiry"));
  const auto whole = run({"graph", "setnx", "--clients", "1"});
  // begin, SETNX, its answer, READ, its answer, 3000 ms, WRITE sent, executed, its answer with DEL
  // sent, executed, its answer: a chain.
  CHECK(count(whole.out, " -> s") == 11);
  CHECK(count(whole.out, "[label=") == 11 + 12);
  CHECK(count(whole.out, "A inside") == 6);
}

TEST_CASE("a graph is written as a picture, and never over a file that is not lockstep's") {
  const auto file = (scratch() / "graph.svg").string();
  for (int times = 0; times < 2; ++times) {
    const auto ran = run({"graph", "setnx", "--clients", "1", "--out", file});
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, Contains("graph.svg: 12 states, 11 steps"));
  }
  const std::string picture = sim::file_text(file);
  CHECK_THAT(picture, StartsWith("<svg id=\"lockstep\""));
  CHECK(count(picture, "<g class=\"state\">") == 12);
  CHECK(count(picture, "<path class=\"step\"") == 11);
  CHECK(count(picture, "<title>") == count(picture, "</title>"));
  const auto foreign = (scratch() / "foreign.svg").string();
  write(foreign, "<svg/>");
  CHECK(run({"graph", "setnx", "--out", foreign}).code == 3);
  CHECK(run({"graph", "setnx", "--out", (scratch() / "graph.png").string()}).code == 3);
}

TEST_CASE("what is left out of a graph is said") {
  const auto ran = run({"graph", "exists-set", "--max-states", "20"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.err, Contains("the first 20 states, not all of them"));
  CHECK(count(ran.out, "...\\l") > 0);
  CHECK(run({"graph", "exists-set", "--max-states", "0"}).code == 3);
}

}  // namespace lockstep::tests
