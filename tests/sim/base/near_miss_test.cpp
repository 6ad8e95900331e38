// What counts as near: one insertion, deletion, replacement or swap for every three letters.
#include "sim/base/near_miss.hpp"

#include <catch2/catch.hpp>

namespace lockstep::sim {

TEST_CASE("an insertion, a deletion, a replacement and a swap are one edit each") {
  for (const char* word : {"pause", "puase", "pauze", "paus", "pauuse"})
    CHECK(near_miss(word, {"pause"}) == "pause");
  CHECK_FALSE(near_miss("crash", {"pause"}).has_value());
  CHECK_FALSE(near_miss("pauzze", {"laurel"}).has_value());
}

TEST_CASE("a near miss is the nearest candidate, and nothing that is far") {
  const std::vector<std::string> faults{"pause", "delay", "node-crash", "crash"};
  CHECK(near_miss("puase", faults) == "pause");
  CHECK(near_miss("crush", faults) == "crash");
  CHECK(near_miss("node_crash", faults) == "node-crash");
  CHECK_FALSE(near_miss("earthquake", faults).has_value());
  CHECK_FALSE(near_miss("pause", {}).has_value());
}

}  // namespace lockstep::sim
