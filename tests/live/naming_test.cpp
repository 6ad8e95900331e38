// Real tokens and times under the names that a trace gives them.
#include "live/naming.hpp"

#include <catch2/catch.hpp>

#include "sim/base/time.hpp"
#include "sim/base/token.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::tests {
namespace {

TEST_CASE("Tokens get the trace's names, wherever they stand") {
  live::Naming naming(sim::kEpoch.ms);
  const auto a1 = naming.fresh_token(0), a2 = naming.fresh_token(0), b1 = naming.fresh_token(1);
  CHECK(a1 != a2);
  CHECK(a1.size() == sim::token_text({0, 1}).size());  // a program may ask for #token
  CHECK(naming.named(a2) == sim::token_text({0, 2}));
  CHECK(naming.named("x:" + a1 + ":" + b1) ==
        "x:" + sim::token_text({0, 1}) + ":" + sim::token_text({1, 1}));
  const auto reply = naming.named(sim::Reply::array({sim::Reply::bulk(b1), sim::Reply::number(3)}));
  CHECK(reply.items[0].text == sim::token_text({1, 1}));
  CHECK(reply.items[1].integer == 3);
}

TEST_CASE("So do they in what a program does: sends, is given, logs, fails with") {
  live::Naming naming(sim::kEpoch.ms);
  const auto real = naming.fresh_token(0), told = sim::token_text({0, 1});
  sim::Effect effect;
  effect.request = {"SET", "lock", real};
  effect.fencing = real;
  effect.text = "failed with " + real;
  const auto named = naming.named(effect);
  CHECK(named.request == sim::Request{"SET", "lock", told});
  CHECK(named.fencing == told);
  CHECK(named.text == "failed with " + told);
}

TEST_CASE("Unix times of the run are moved to the trace's epoch, other numbers stay") {
  constexpr std::int64_t epoch_ms = 1'800'000'000'000;
  const live::Naming naming(epoch_ms);
  CHECK(naming.named("1800000010000") == std::to_string(sim::kEpoch.ms + 10'000));
  CHECK(naming.named("1800000010") == std::to_string(sim::kEpoch.ms / 1000 + 10));
  CHECK(naming.named("v:1800000000001;") == "v:" + std::to_string(sim::kEpoch.ms + 1) + ";");
  CHECK(naming.named(sim::Reply::number(1'800'000'000'007)).integer == sim::kEpoch.ms + 7);
  const auto keys = naming.named(sim::VisibleKeys{
      {"lock", {sim::VisibleSortedSet{{"A", 1'800'000'000'007.0}, {"B", 7.5}}, std::nullopt}}});
  CHECK(keys.at("lock").value == sim::VisibleValue{sim::VisibleSortedSet{
                                     {"A", static_cast<double>(sim::kEpoch.ms + 7)}, {"B", 7.5}}});
  for (const char* other : {"10000", "1500000000000", "18000000000000", "abc", ""})
    CHECK(naming.named(other) == other);
}

}  // namespace
}  // namespace lockstep::tests
