// Differences between what a trace says and what a server did, without a server.
#include "live/compare.hpp"

#include <catch2/catch.hpp>

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
  // Small numbers are answers.
  CHECK(differs(true, Reply::number(1), Reply::number(0)));
}

}  // namespace
}  // namespace lockstep::tests
