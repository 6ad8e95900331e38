// The visited set, against a set of the standard library.
#include "checker/search/state_store.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using lockstep::checker::StateStore;

TEST_CASE("the visited set is exact: against std::set, every state read back", "[many-models]") {
  std::mt19937 random(7);  // NOLINT: a fixed seed is the point
  StateStore store(5);
  std::set<std::array<std::uint32_t, 5>> reference;
  std::vector<std::array<std::uint32_t, 5>> in_order;
  for (int i = 0; i < 300'000; ++i) {
    std::array<std::uint32_t, 5> state;
    for (auto& id : state) id = static_cast<std::uint32_t>(random() % 14);
    const bool is_new = reference.insert(state).second;
    const auto [index, added] = store.insert(store.fold(state.data()));
    REQUIRE(added == is_new);
    if (added) {
      REQUIRE(index == in_order.size());
      in_order.push_back(state);
    }
  }
  REQUIRE(store.size() == reference.size());
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    std::array<std::uint32_t, 5> state;
    store.load(i, state.data());
    REQUIRE(state == in_order[i]);
    REQUIRE(store.find(store.fold(state.data())) == i);
  }
}
