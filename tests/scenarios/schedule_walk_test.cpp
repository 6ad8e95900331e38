// Schedules that are carried out: a sentence finds the request and the key that it names, whatever
// is in them and however a trace shows it.
#include <catch2/catch.hpp>

#include "checker/trace/trace.hpp"
#include "scenarios/schedule.hpp"
#include "sim/model/wording.hpp"
#include "tests/scenarios/bad_input.hpp"
#include "tests/support/model.hpp"

namespace lockstep::scenarios {

namespace {

using Catch::Matchers::Contains;
using Kind = ScheduleStep::Kind;

/// Two clients that hold `key` for longer than its lease.
sim::Model model_of_key(const std::string& key) {
  auto model = test::model({"set-token-lua", 2, 1, 3000, 10'000});
  for (auto& setup : model.processes) setup.lock_keys = {key};
  model.properties.clear();
  return model;
}

checker::Trace walked(const sim::Model& model, const std::vector<std::string>& texts) {
  std::vector<ScheduleStep> steps;
  for (const auto& text : texts) steps.push_back(parse_schedule_step(text, 2, "x.json"));
  return walk_schedule(model, steps, "x.json").trace();
}

std::string with(std::string form, const std::string& placeholder, const std::string& value) {
  if (const auto at = form.find(placeholder); at != std::string::npos)
    form.replace(at, placeholder.size(), value);
  return form;
}

/// Every form that names words, about a key as somebody writes it. In the order of the table: A
/// sends, redis executes, and later the key expires.
std::vector<std::string> sentences_about(const std::string& key) {
  std::vector<std::string> texts;
  for (const auto& sentence : sentences()) {
    if (sentence.form.find("<words>") == std::string::npos) continue;
    if (sentence.kind == Kind::action) continue;  // evicts: then it does not expire
    const auto words = sentence.kind == Kind::expires ? key : "SET " + key;
    const auto text = with(with(sentence.form, "<client>", "A"), "<node>", "redis");
    texts.push_back(with(text, "<words>", words));
  }
  return texts;
}

const std::vector<std::string> kKeys{
    "lock",         "my lock",       "two  blanks",   "it's",
    R"("quoted")",  R"(a "b" c)",    R"(back\slash)", R"(\ and ")",
    "tab\there",    "line\nbreak",   "\x01\x7f ctl",  "Schlo\xc3\x9f",
    "\xff\xfe raw", " blanks ahead", "behind ",       "",
    "a -> b",       "x expires"};

}  // namespace

TEST_CASE("a sentence names a key as the trace shows it, whatever is in the key") {
  for (const auto& key : kKeys) {
    const auto shown = sim::worded_value(key);
    INFO(shown);
    const auto trace = walked(model_of_key(key), sentences_about(shown));
    REQUIRE(trace.steps.size() >= 3);
    CHECK(trace.steps.back().data.taken == std::vector<std::string>{key});
    CHECK(trace.steps.back().prose.changes == std::vector<std::string>{shown + " has expired"});
  }
}

TEST_CASE("a sentence names a key as it is, if it neither begins nor ends with a blank") {
  for (const auto& key : kKeys) {
    if (key.empty() || key.front() == ' ' || key.back() == ' ') continue;
    INFO(sim::worded_value(key));
    const auto trace = walked(model_of_key(key), sentences_about(key));
    CHECK(trace.steps.back().data.taken == std::vector<std::string>{key});
  }
}

TEST_CASE("a request is named by its first arguments, scripts by their files, and in full") {
  const auto model = model_of_key("my lock");
  const auto ends_with = [&](const std::string& sentence) {
    return walked(model, {"A acquires", sentence}).steps.back().prose.sentence;
  };
  for (const auto* sentence :
       {"A sends EVAL", "A sends EVAL release.lua", "A sends EVAL release.lua 1",
        R"(A sends EVAL release.lua 1 "my lock")", R"(A sends  EVAL  release.lua 1   my lock A.1)"})
    CHECK_THAT(ends_with(sentence), Contains(R"(sends EVAL release.lua 1 "my lock" A.1)"));
  CHECK_THAT(ends_with("redis executes A's EVAL release.lua 1 my lock A.1"),
             Contains(R"(EVAL release.lua 1 "my lock" A.1 -> )"));
  CHECK_THAT(ends_with("A sends WRITE"), Contains("sends WRITE to the resource"));
  CHECK_THAT(ends_with("A sends WRITE to the resource"), Contains("sends WRITE to the resource"));
  CHECK(ends_with("resource executes A's READ") == "A's READ -> OK");
}

TEST_CASE("a sentence about another request or key, or half an argument, is about nothing") {
  const auto refused = [](const std::string& sentence) {
    return tests::bad_input([&] { walked(model_of_key("my lock"), {sentence}); });
  };
  for (const auto* sentence :
       {"A sends SET my", "A sends SE", "A sends SET my lockA.1", "A sends SET your lock",
        "redis executes A's SET my lock B.1", "resource executes A's SET my lock"})
    CHECK_THAT(refused(sentence), Contains("the client has nothing left to do"));
  CHECK_THAT(refused("time passes until my lock expires"), Contains("time cannot pass here"));
  const auto other = tests::bad_input([&] {
    walked(model_of_key("my lock"), {"A acquires", "time passes until my expires"});
  });
  CHECK_THAT(other, Contains("$.steps[1]"));
}

TEST_CASE("who finishes has begun, and comes to the end of the round") {
  const auto model = test::with_fault(test::with_fault(model_of_key("lock"), sim::Fault::pause),
                                      sim::Fault::delay);
  const auto refused = [&](const std::vector<std::string>& sentences) {
    return tests::bad_input([&] { walked(model, sentences); });
  };
  CHECK_THAT(refused({"A finishes"}), Contains("no round of the client is under way"));
  CHECK_THAT(refused({"A acquires", "B finishes"}), Contains("$.steps[1]"));
  CHECK_THAT(refused({"A acquires", "A pauses", "A finishes"}), Contains("it is paused"));
  CHECK_THAT(refused({"A sends SET lock", "A's request is held back", "A finishes"}),
             Contains("held back"));
  const auto trace = walked(model, {"A acquires", "A finishes", "A finishes"});
  CHECK_THAT(trace.steps.back().prose.sentence, Contains("is told"));  // its lease had ended
}

TEST_CASE("an event that the client makes impossible is not waited for") {
  const auto refused = [](const std::vector<std::string>& sentences) {
    return tests::bad_input([&] { walked(model_of_key("lock"), sentences); });
  };
  CHECK_THAT(refused({"A acquires", "B acquires"}),
             Contains("$.steps[1]") && Contains("the client is refused: "));
  CHECK_THAT(refused({"A is refused"}),
             Contains("$.steps[0]") && Contains("the client acquires: "));
  CHECK_THAT(refused({"A acquires", "A is refused"}), Contains("$.steps[1]"));
  CHECK_THAT(refused({"A releases", "A acquires"}), Contains("$.steps[1]"));
  const auto trace = walked(model_of_key("lock"), {"A acquires", "B is refused", "A releases"});
  CHECK(trace.steps.back().data.effects.back().kind == sim::Effect::Kind::released);
}

TEST_CASE("the key that is evicted is named") {
  auto model = test::with_fault(model_of_key("lock"), sim::Fault::evict);
  const auto trace = walked(model, {"A acquires", "redis evicts lock"});
  CHECK(trace.steps.back().data.action.kind == sim::Action::Kind::evict);
  CHECK(trace.steps.back().data.taken == std::vector<std::string>{"lock"});
  CHECK_THAT(tests::bad_input([&] {
               walked(model, {"A acquires", "redis evicts look"});
             }),
             Contains("$.steps[1]"));
}

TEST_CASE("a clock jumps by as much as the sentence says, whatever else is possible") {
  auto model = test::with_fault(model_of_key("lock"), sim::Fault::jump, 2);
  model.jumps_ms = {5, -5};
  const auto trace =
      walked(model, {"A acquires", "redis's clock jumps by -5 ms", "redis's clock jumps by 5 ms"});
  CHECK((trace.steps.end() - 2)->data.action.amount_ms == -5);
  CHECK(trace.steps.back().data.action.amount_ms == 5);
}

TEST_CASE("of several nodes a sentence names the one that it is about") {
  auto model = test::model({"redlock", 2, 1, 3000, 10'000});
  for (auto& setup : model.processes) setup.nodes = 3;
  model = test::with_fault(model, sim::Fault::node_crash);
  model.properties.clear();
  const auto trace = walked(model, {"A sends SET lock to redis-2", "redis-2 executes A's SET lock",
                                    "redis-2 crashes", "redis-2 restarts"});
  const auto& last = trace.steps.back().data.action;
  CHECK(last.kind == sim::Action::Kind::node_restart);
  CHECK(last.node == 1);
  const auto refused = [&](const std::vector<std::string>& sentences) {
    return tests::bad_input([&] { walked(model, sentences); });
  };
  CHECK_THAT(refused({"redis crashes"}), Contains("which node? there are redis-1 to redis-3"));
  CHECK_THAT(refused({"redis-4 crashes"}), Contains("there are 3 nodes"));
  CHECK_THAT(refused({"A sends SET lock", "redis-2 restarts"}), Contains("$.steps[1]"));
}

}  // namespace lockstep::scenarios
