// Differences between what a trace says and what a server did, without a server.
#include "live/compare.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::tests {
namespace {

using sim::Reply;

constexpr std::int64_t kToleranceMs = 20;

bool differs(bool looked_at_clock, const Reply& expected, const Reply& found) {
  const live::Answered answered{
      sim::kResource, {"READ", ""}, expected, looked_at_clock};  // worded without a program
  return live::reply_difference(sim::Model{}, answered, found, kToleranceMs).has_value();
}

TEST_CASE("A reply may be late by the tolerance only if its command looked at a lifetime") {
  const auto left = Reply::array({Reply::bulk("lock"), Reply::number(990)});
  const auto less = Reply::array({Reply::bulk("lock"), Reply::number(975)});
  const auto far_less = Reply::array({Reply::bulk("lock"), Reply::number(960)});
  CHECK_FALSE(differs(true, left, less));
  CHECK(differs(true, left, far_less));
  CHECK(differs(false, left, less));
  CHECK_FALSE(differs(false, left, left));
  CHECK(differs(true, Reply::bulk("1"), Reply::status("1")));
  // Small numbers are answers.
  CHECK(differs(true, Reply::number(1), Reply::number(0)));
}

TEST_CASE("A time may be late by the tolerance wherever it stands") {
  const std::int64_t now_ms = sim::kEpoch.ms + 5000;
  const auto text = [](std::int64_t ms) { return "A " + std::to_string(ms) + ";"; };
  CHECK_FALSE(differs(false, Reply::bulk(text(now_ms)), Reply::bulk(text(now_ms + kToleranceMs))));
  CHECK(differs(false, Reply::bulk(text(now_ms)), Reply::bulk(text(now_ms + 2 * kToleranceMs))));
  CHECK(differs(false, Reply::bulk(text(now_ms)), Reply::bulk("B" + text(now_ms).substr(1))));
  CHECK_FALSE(differs(false, Reply::number(now_ms), Reply::number(now_ms + 3)));
  const auto time = [](std::int64_t ms) {
    return Reply::array(
        {Reply::bulk(std::to_string(ms / 1000)), Reply::bulk(std::to_string(ms % 1000 * 1000))});
  };
  CHECK_FALSE(differs(false, time(now_ms - 1), time(now_ms + 7)));
  CHECK(differs(false, time(now_ms), time(now_ms + 100)));

  const auto keys = [](std::int64_t score) {
    return sim::VisibleKeys{
        {"lock", {sim::VisibleSortedSet{{"A", static_cast<double>(score)}}, std::nullopt}}};
  };
  CHECK_FALSE(live::keys_difference(keys(now_ms), keys(now_ms + 9), kToleranceMs).has_value());
  CHECK(live::keys_difference(keys(now_ms), keys(now_ms + 90), kToleranceMs).has_value());
}

TEST_CASE("A reply or a key differs by any part of it, wherever that stands") {
  for (const auto& [expected, found] : std::vector<std::pair<std::string, std::string>>{
           {"A.1", "A.2"}, {"A.1", "A.1;"}, {"A.1;", "A.1"}, {"", "A"}, {"A", ""}}) {
    INFO(expected << " and " << found);
    CHECK(differs(true, Reply::bulk(expected), Reply::bulk(found)));
    CHECK(differs(true, Reply::array({Reply::bulk(expected)}), Reply::array({Reply::bulk(found)})));
    const auto other = [](const sim::VisibleValue& one, const sim::VisibleValue& two) {
      return live::keys_difference({{"lock", {one, {}}}}, {{"lock", {two, {}}}}, kToleranceMs)
          .has_value();
    };
    CHECK(other(expected, found));
    CHECK(other(sim::VisibleList{"x", expected}, sim::VisibleList{"x", found}));
    CHECK(other(sim::VisibleSet{expected}, sim::VisibleSet{found}));
    CHECK(other(sim::VisibleHash{{"field", expected}}, sim::VisibleHash{{"field", found}}));
    CHECK(other(sim::VisibleHash{{expected, "1"}}, sim::VisibleHash{{found, "1"}}));
    CHECK(other(sim::VisibleSortedSet{{expected, 1.0}}, sim::VisibleSortedSet{{found, 1.0}}));
    CHECK(other(sim::VisibleSortedSet{{"m", 1.0}}, sim::VisibleSortedSet{{"m", 2.0}}));
    CHECK_FALSE(other(sim::VisibleHash{{"field", found}}, sim::VisibleHash{{"field", found}}));
  }
}

}  // namespace
}  // namespace lockstep::tests
