// The sentences of a schedule: each form is understood, and a misspelt one is answered with a near
// one.
#include "scenarios/schedule.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

using Catch::Matchers::Contains;
using Kind = ScheduleStep::Kind;

ScheduleStep parse(const std::string& text) {
  return parse_schedule_step(text, 3, "x.json: $.steps[0]");
}
std::string refused(const std::string& text) {
  return tests::bad_input([&] { parse(text); });
}

}  // namespace

TEST_CASE("every form of sentence is understood as what it stands for") {
  std::set<std::pair<Kind, std::optional<sim::Action::Kind>>> meanings;
  for (const auto& sentence : sentences()) {
    INFO(sentence.form);
    auto text = sentence.form;
    const auto fill = [&](const std::string& placeholder, const std::string& value) {
      if (const auto at = text.find(placeholder); at != std::string::npos)
        text.replace(at, placeholder.size(), value);
    };
    fill("<client>", "B");
    fill("<number>", "17");
    fill("<node>", "redis");
    fill("<redis>", "redis-2");
    fill("<words>", "SET lock");
    const auto step = parse(text);
    CHECK(step.kind == sentence.kind);
    CHECK(step.action == sentence.action);
    CHECK(step.text == text);
    if (sentence.form.find("<client>") != std::string::npos) CHECK(step.client == 1);
    if (sentence.form.find("<number>") != std::string::npos) CHECK(step.amount == 17);
    if (sentence.form.find("<words>") != std::string::npos) CHECK(step.words == "SET lock");
    meanings.insert({step.kind, step.action});
  }
  CHECK(meanings.size() == sentences().size());
}

TEST_CASE("what a sentence names is understood") {
  const auto step = parse("resource executes C's WRITE");
  CHECK(step.client == 2);
  CHECK(step.node == "resource");
  CHECK(step.words == "WRITE");
  CHECK(parse("redis's clock jumps by -20000 ms").amount == -20000);
  CHECK(parse("time passes until lock:{a} expires").words == "lock:{a}");
  CHECK(parse("redis-3 executes A's SET").node == "redis-3");
  CHECK(parse("redis-2's clock jumps by 5 ms").node == "redis-2");
  CHECK(parse("redis crashes").node == "redis");
  for (const auto* const none : {"redis-0 crashes", "redis-8 crashes", "redis-x crashes",
                                 "redis- crashes", "resource crashes", "redis-1's crashes"})
    CHECK_THAT(refused(none), Contains("no such step"));
}

TEST_CASE("a misspelt sentence is answered with a near one, or with where to look") {
  CHECK_THAT(refused("A puases"),
             Contains("x.json: $.steps[0]: no such step: `A puases`; did you mean `A pauses`?"));
  CHECK_THAT(refused("B aquires"), Contains("did you mean `B acquires`?"));
  CHECK_THAT(refused("redis excutes B's DEL"), Contains("did you mean `redis executes B's DEL`?"));
  CHECK_THAT(refused("300 ms passes"), Contains("did you mean `300 ms pass`?"));
  CHECK_THAT(refused("the moon rises over everything"), Contains("`lockstep list steps`"));
  CHECK_THAT(refused("D pauses"),
             Contains("no such step: `D pauses`") && Contains("clients here: A to C"));
  CHECK_THAT(refused("A sends"), Contains("no such step"));
  CHECK_THAT(refused(""), Contains("no such step"));
}

TEST_CASE("a number that no run could have is answered with what is possible") {
  CHECK_THAT(refused("0 ms pass"),
             Contains("found `0 ms pass`, expected a whole number from 1 to 2592000000"));
  CHECK_THAT(refused("-9223372036854775808 ms pass"), Contains("expected a whole number from 1"));
  CHECK_THAT(refused("redis's clock jumps by -9223372036854775808 ms"),
             Contains("expected a whole number from -2592000000 to 2592000000"));
  CHECK_THAT(refused("A's clock jumps by 2592000001 ms"), Contains("expected a whole number"));
  CHECK_THAT(refused("A's clock jumps by 0 ms"), Contains("a jump of 0 ms is none"));
  CHECK_THAT(refused("redis loses power and -1 writes"), Contains("from 0 to 255"));
}

TEST_CASE("the fault budget counts what the sentences need") {
  std::vector<ScheduleStep> steps;
  for (const auto* text :
       {"A pauses", "A resumes", "A pauses", "B's request is held back", "B's reply is held back",
        "B's message is let go", "C's connection breaks", "C crashes", "redis crashes",
        "redis loses power and 0 writes", "redis restarts", "A's clock jumps by 5 ms",
        "redis's clock jumps by 5 ms", "redis's clock jumps by -5 ms"})
    steps.push_back(parse(text));
  const auto budget = budget_of(steps);
  const auto of = [&](sim::Fault fault) { return int{budget.at(static_cast<std::size_t>(fault))}; };
  CHECK(of(sim::Fault::pause) == 2);
  CHECK(of(sim::Fault::delay) == 2);
  CHECK(of(sim::Fault::lose) == 1);
  CHECK(of(sim::Fault::crash) == 1);
  CHECK(of(sim::Fault::jump) == 3);
  CHECK(of(sim::Fault::node_crash) == 1);
  CHECK(of(sim::Fault::power_loss) == 1);
  CHECK(jumps_of(steps) == std::vector<std::int64_t>{5, -5});
}

}  // namespace lockstep::scenarios
