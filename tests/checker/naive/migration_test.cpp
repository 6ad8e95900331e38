// Slots that migrate, in runs that can be worked out by hand: section 8 of docs/semantics.md.
#include <catch2/catch.hpp>
#include <string>

#include "checker/naive/rules.hpp"
#include "sim/base/error.hpp"
#include "tests/support/by_hand.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using sim::Fault;
using sim::Slots;
using tests::allow;
using tests::ByHand;
using tests::inline_model;
using tests::kOwn;
using tests::kSecondMs;
using tests::of_node;
using tests::of_process;
using tests::small_model;

namespace {

using Kind = sim::Action::Kind;

sim::Model migrating(sim::Model model) {
  model.cluster = true;
  allow(model, Fault::migrate);
  return model;
}

/// SET NX PX by two clients, one second of work.
sim::Model set_px_migrating() { return migrating(small_model(kOwn + "set-px", 2, kSecondMs)); }

const auto kBegins = of_node(Kind::migrate, 0), kMoves = of_node(Kind::move_key, 0),
           kHandsOver = of_node(Kind::hand_over, 0);

}  // namespace

TEST_CASE("a key goes with what is left of its lifetime, by another node's clock") {
  sim::Model model = set_px_migrating();
  model.node_clocks_ms = {3 * kSecondMs, -kSecondMs};
  ByHand run(model);
  run.acquires(0);
  const std::int64_t left_ms = run.left_ms(0);
  CHECK_FALSE(run.may(kMoves));
  run.does(kBegins);
  CHECK(run.world.nodes[0].slots == Slots::migrating);
  CHECK(run.world.nodes[1].slots == Slots::importing);
  CHECK_FALSE(run.may(kBegins));
  CHECK_FALSE(run.may(kHandsOver));
  run.does(kMoves);
  CHECK_FALSE(run.has_lock(0));
  CHECK(run.left_ms(1) == left_ms);
  run.does(kHandsOver);
  CHECK(run.world.nodes[0].slots == Slots::elsewhere);
  CHECK(run.world.nodes[1].slots == Slots::own);
}

TEST_CASE("who is told where the slots are goes on there, and knows it if it is for good") {
  ByHand run(set_px_migrating());
  run.does(kBegins);
  run.begins(0);
  CHECK(run.asks(0).starts_with("ASK "));
  CHECK(run.hears(0).effects.empty());  // the program hears nothing of it
  CHECK(run.server_of(0) == 1);
  CHECK(run.world.processes[0].knows[0] == 0);
  run.does(kHandsOver);
  CHECK(run.asks(0) == "OK");
  run.hears(0);
  run.begins(1);
  CHECK(run.server_of(1) == 0);
  CHECK(run.asks(1).starts_with("MOVED "));
  run.hears(1);
  CHECK(run.server_of(1) == 1);
  CHECK(run.world.processes[1].knows[0] == 1);
  CHECK(run.asks(1) == "nil");
}

TEST_CASE("in a transaction a client sees the error, and EXEC does not run") {
  ByHand run(
      migrating(inline_model("redis('MULTI') local ok, e = pcall(redis, 'SET', self.key, 'x') "
                             "local done, why = pcall(redis, 'EXEC') "
                             "return not ok and e.code == 'MOVED' and why.code == 'EXECABORT'",
                             "", 1)));
  run.does(kBegins);
  run.does(kHandsOver);
  run.begins(0);
  CHECK(run.asks(0) == "OK");
  run.hears(0);
  CHECK(run.asks(0).starts_with("MOVED "));
  run.hears(0);
  CHECK(run.server_of(0) == 0);  // where its transaction is
  CHECK(run.world.processes[0].knows[0] == 1);
  CHECK(run.asks(0).starts_with("EXECABORT "));
  const checker::naive::Facts heard = run.hears(0);
  CHECK(heard.witnesses.contains(sim::Witness::acquired));
}

TEST_CASE("what libraries deal with otherwise is refused by name") {
  const auto asked = [](const std::string& what) {
    ByHand run(migrating(inline_model(what, "", 1)));
    run.begins(0);
  };
  CHECK_THROWS_WITH(asked("redis('WATCH', self.key)"), Catch::Contains("'watch'"));
  CHECK_THROWS_WITH(asked("redis('WAIT', 1, 1)"), Catch::Contains("'wait'"));
  CHECK_THROWS_WITH(asked("redis('DBSIZE')"), Catch::Contains("'dbsize'"));
  CHECK_NOTHROW(asked("redis('PING')"));
}
