// Whatever differs from a trace is found: each part of a reply, of a key and of an effect, changed
// by itself.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "live/compare.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using sim::Effect;
using sim::Reply;
using sim::VisibleKey;
using sim::VisibleValue;

constexpr std::int64_t kWithinMs = 20;

bool same_reply(const Reply& expected, const Reply& found) {
  const live::Answered answered{sim::kResource, {"READ", ""}, expected, true};
  return !live::reply_difference(sim::Model{}, answered, found, kWithinMs);
}

bool same_key(const VisibleKey& expected, const VisibleKey& found) {
  return !live::keys_difference({{"lock", expected}}, {{"lock", found}}, kWithinMs);
}

TEST_CASE("No two replies are the same") {
  const std::vector<Reply> replies{
      Reply::null(),
      Reply::ok(),
      Reply::status("OKAY"),
      Reply::bulk(""),
      Reply::bulk("OK"),
      Reply::bulk("OK."),
      Reply::bulk("KO"),
      Reply::number(0),
      Reply::number(1),
      Reply::number(-1),
      Reply::number(500),
      Reply::number(600),
      Reply::error("ERR no such key"),
      Reply::error("ERR no such kez"),
      Reply::error("READONLY You can't write against a read only replica."),
      Reply::array({}),
      Reply::array({Reply::null()}),
      Reply::array({Reply::bulk("a")}),
      Reply::array({Reply::bulk("a"), Reply::bulk("b")}),
      Reply::array({Reply::bulk("b"), Reply::bulk("a")}),
      Reply::array({Reply::bulk("a"), Reply::error("ERR b")}),
      Reply::array({Reply::bulk("a"), Reply::array({Reply::bulk("b")})}),
      Reply::array({Reply::bulk("a"), Reply::array({Reply::bulk("c")})})};
  for (std::size_t i = 0; i < replies.size(); ++i)
    for (std::size_t j = 0; j < replies.size(); ++j) {
      CAPTURE(i, j);
      CHECK(same_reply(replies[i], replies[j]) == (i == j));
    }
}

TEST_CASE("No two values of a key are the same") {
  const std::vector<VisibleValue> values{"",
                                         "a",
                                         "ab",
                                         "b",
                                         sim::VisibleList{"a"},
                                         sim::VisibleList{"a", "b"},
                                         sim::VisibleList{"b", "a"},
                                         sim::VisibleSet{"a"},
                                         sim::VisibleSet{"a", "b"},
                                         sim::VisibleHash{{"a", "b"}},
                                         sim::VisibleHash{{"a", "c"}},
                                         sim::VisibleHash{{"b", "b"}},
                                         sim::VisibleHash{{"a", "b"}, {"c", "d"}},
                                         sim::VisibleSortedSet{{"a", 1}},
                                         sim::VisibleSortedSet{{"a", 2}},
                                         sim::VisibleSortedSet{{"b", 1}},
                                         sim::VisibleSortedSet{{"a", 1}, {"b", 2}}};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values.size(); ++j) {
      CAPTURE(i, j);
      CHECK(same_key({values[i], std::nullopt}, {values[j], std::nullopt}) == (i == j));
    }
}

TEST_CASE("A lifetime is the same within the tolerance, to both sides") {
  const auto key = [](std::optional<std::int64_t> left_ms) { return VisibleKey{"a", left_ms}; };
  for (const int sign : {-1, 1}) {
    CHECK(same_key(key(1000), key(1000 + sign * kWithinMs)));
    CHECK_FALSE(same_key(key(1000), key(1000 + sign * (kWithinMs + 1))));
    CHECK_FALSE(same_key(key(1000), key(1000 + sign * 900)));
  }
  CHECK_FALSE(same_key(key(1000), key({})));
  CHECK_FALSE(same_key(key({}), key(1000)));
}

TEST_CASE("No part of an effect may differ") {
  const std::vector<std::function<void(Effect&)>> changes{
      [](Effect& e) { e.kind = Effect::Kind::released; },
      [](Effect& e) { e.task = 1; },
      [](Effect& e) { e.node = 1; },
      [](Effect& e) { e.request[1] = "other"; },
      [](Effect& e) { e.request.push_back("NX"); },
      [](Effect& e) { e.request.pop_back(); },
      [](Effect& e) { e.wall = true; },
      [](Effect& e) { e.lock = 1; },
      [](Effect& e) { e.depth = 1; },
      [](Effect& e) { e.ok = true; },
      [](Effect& e) { e.silent = true; },
      [](Effect& e) { e.in_release = true; },
      [](Effect& e) { e.leaves_open = true; },
      [](Effect& e) { e.fencing = "8"; },
      [](Effect& e) { e.text = "b"; }};
  auto model = test::model({"set-token-lua"});
  model.processes[0].lock_keys = {"lock", "other"};
  model.processes[0].nodes = 2;
  Effect effect;
  effect.request = {"SET", "lock", "a"};
  effect.fencing = "7";
  effect.text = "a";
  const auto differ = [&](const std::vector<Effect>& expected, const std::vector<Effect>& found) {
    return live::effects_difference(model, 0, expected, found, kWithinMs).has_value();
  };
  CHECK_FALSE(differ({effect}, {effect}));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    Effect changed = effect;
    changes[i](changed);
    CHECK(differ({effect}, {changed}));
    CHECK(differ({effect, effect}, {effect, changed}));
  }
  CHECK(differ({effect}, {}));
  CHECK(differ({}, {effect}));
}

}  // namespace
}  // namespace lockstep::tests
