// A command whose time is up, or that is interrupted: wherever that is noticed, nothing holds that
// was not seen to the end, and what was found before stays found. A counter stands for the clock.
#include <catch2/catch.hpp>
#include <string>

#include "checker/no_return.hpp"
#include "checker/slack.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Result;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

constexpr unsigned kNever = 1'000'000;

/// Says that it is over once it has been asked so many times.
class Countdown {
 public:
  explicit Countdown(unsigned many = kNever) : many_(many) {}
  checker::Progress progress() {
    return [this](const checker::Statistics&) { return ++asked_ > many_ ? "interrupted" : ""; };
  }
  unsigned asked() const { return asked_; }

 private:
  const unsigned many_;
  unsigned asked_ = 0;
};

Result searched(const sim::Model& model, bool naively, Countdown countdown) {
  return naively ? checker::explore_naively(model, {}, countdown.progress(),
                                            checker::naive::Memory::boundary)
                 : checker::explore(model, {}, countdown.progress());
}

unsigned questions_of(const sim::Model& model) {
  Countdown countdown;
  checker::explore(model, {}, countdown.progress());
  return countdown.asked();
}

/// A client may crash, and only deadlock is asked for: that takes probes.
sim::Model crashing(const InlineLock& lock) {
  sim::Model model = test::with_fault(lock.model, Fault::crash);
  model.properties = {Property::deadlock};
  return model;
}

const std::string kOnce = "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK";
const std::string kRetried =
    "return retry(function() "
    "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK end, 20)";
const std::string kDel = "return redis('DEL', self.key) == 1";

}  // namespace

TEST_CASE("nothing holds that was cut off, be it by a probe's last question", "[cut-off]") {
  // Retried: the finished graph is looked at, too.
  const InlineLock lock({GENERATE_COPY(kOnce, kRetried), kDel});
  const sim::Model model = crashing(lock);
  sim::Model without_probes = model;
  without_probes.properties = {Property::mutual_exclusion};
  const unsigned questions = questions_of(model);
  CHECK(questions > questions_of(without_probes) + 2);  // small: a search by itself hardly asks
  for (unsigned heard = 0; heard <= questions; ++heard) {
    INFO(heard << " of " << questions);
    const Result result = searched(model, false, Countdown(heard));
    CHECK(result.verdict == (heard < questions ? Verdict::inconclusive : Verdict::holds));
    CHECK(result.why_inconclusive == (heard < questions ? "interrupted" : ""));
  }
}

TEST_CASE("the naive explorer's probes hear it, too", "[cut-off][many-models]") {
  const InlineLock lock({kOnce, kDel});
  const sim::Model model = crashing(lock);
  Countdown all;
  const Result full = checker::explore_naively(model, {}, all.progress());
  REQUIRE(full.verdict == Verdict::holds);
  REQUIRE(all.asked() > full.statistics.states);  // once for every state, and in probes
  for (unsigned heard = all.asked() - 20; heard <= all.asked(); ++heard) {
    Countdown some(heard);
    const Result result = checker::explore_naively(model, {}, some.progress());
    const bool cut = heard < all.asked();
    CHECK(result.verdict == (cut ? Verdict::inconclusive : Verdict::holds));
    CHECK(result.why_inconclusive == (cut ? "interrupted" : ""));
  }
}

TEST_CASE("what a probe was cut off from is no deadlock, what it found stays one", "[cut-off]") {
  const InlineLock lock({"return redis('SETNX', self.key, 'x') == 1", kDel});
  const sim::Model model = crashing(lock);
  const Result full = checker::explore(model, {});
  REQUIRE(full.verdict == Verdict::violated);
  const unsigned questions = questions_of(model);
  for (const bool naively : {false, true}) {
    for (unsigned heard = 0; heard <= questions; ++heard) {
      INFO(heard << " of " << questions << (naively ? ", naively" : ""));
      const Result result = searched(model, naively, Countdown(heard));
      REQUIRE(result.verdict != Verdict::holds);
      if (result.verdict == Verdict::violated)
        CHECK(result.schedule.size() == full.schedule.size());
      else
        CHECK(result.why_inconclusive == "interrupted");
    }
  }
}

TEST_CASE("a violation in a level that was not finished is one", "[cut-off][many-models]") {
  const InlineLock lock({kOnce, kDel});
  sim::Model model = test::with_fault(lock.model, Fault::pause);
  model.properties = {Property::mutual_exclusion};
  const Result full = checker::explore(model, {});
  REQUIRE(full.verdict == Verdict::violated);
  unsigned unfinished = 0;
  for (std::uint64_t most = 1; most < full.statistics.states; ++most) {
    checker::Bounds bounds;
    bounds.max_states = most;
    const Result result = checker::explore(model, bounds);
    REQUIRE(result.verdict != Verdict::holds);
    if (result.verdict == Verdict::inconclusive) continue;
    if (result.statistics.transitions < full.statistics.transitions) ++unfinished;
    CHECK(result.schedule.size() == full.schedule.size());
    CHECK(checker::tell(model, result.schedule).violated == Property::mutual_exclusion);
  }
  CHECK(unfinished > 0);
}

TEST_CASE("a point of no return is left out rather than guessed", "[cut-off]") {
  const InlineLock lock({"return redis('SETNX', self.key, 'x') == 1", kDel});
  const sim::Model model = crashing(lock);
  const auto schedule = checker::explore(model, {}).schedule;
  Countdown all;
  const auto full = checker::point_of_no_return(model, schedule, all.progress());
  REQUIRE(full.has_value());
  REQUIRE(all.asked() > 1);
  for (unsigned heard = 0; heard < all.asked(); ++heard) {
    Countdown some(heard);
    const auto point = checker::point_of_no_return(model, schedule, some.progress());
    if (!point) continue;
    CHECK(point->step == full->step);
    CHECK(point->way_out == full->way_out);
  }
}

TEST_CASE("slack that there was no time to settle is told as at most so much", "[cut-off]") {
  const InlineLock lock({kOnce, kDel});
  sim::Model model = lock.model;
  model.properties = {Property::deadlock};
  Result result = checker::explore(model, {});
  REQUIRE(result.verdict == Verdict::holds);
  REQUIRE_FALSE(result.slack.exact);
  checker::settle_slack(model, result, {}, Countdown(0).progress());
  CHECK(result.verdict == Verdict::holds);
  CHECK_FALSE(result.slack.exact);
}

TEST_CASE("a client's own loop that looks at its clock again and again is cut off within a step",
          "[cut-off]") {
  const std::string own_loop =
      "self.token = unique() local began = monotonic() while monotonic() - began < 2000 do "
      "if redis('SET', self.key, self.token, 'NX') == OK then return true end "
      "sleep(20) end return false";
  const InlineLock lock({own_loop, test::kCompareAndDelete});
  sim::Model model = lock.model;
  model.processes[0].workload[1].ms = 3000;
  model.properties = {Property::mutual_exclusion};
  const Result result = searched(model, false, Countdown(40));
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive == "interrupted");
  CHECK(result.statistics.states < 200);
}
