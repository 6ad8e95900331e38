// The libraries of scripts (bit, struct, cmsgpack, cjson) with random arguments, on the fake node
// and on a real redis-server.
#include <catch2/catch.hpp>

#include "conform/library_calls.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::conform::Dice;
using lockstep::conform::showing;
using lockstep::test::Twin;
using Call = std::string (*)(Dice&);

/// Random calls of `make` go to both, many to a script; each that differs is reported alone.
void compare(std::uint64_t seed, int scripts, Call make) {
  constexpr int kCallsPerScript = 25;
  constexpr int kScriptsPerServer = 150;  // the fake keeps every compiled script
  std::unique_ptr<Twin> twin;
  Dice dice(seed);
  int differences = 0;
  int refused = 0;
  for (int i = 0; i < scripts && differences < 5; ++i) {
    if (i % kScriptsPerServer == 0) twin = std::make_unique<Twin>();
    std::vector<std::string> calls;
    for (int j = 0; j < kCallsPerScript; ++j) calls.push_back(make(dice));
    if (twin->run({"EVAL", showing(calls), "0"}).empty()) continue;
    for (const std::string& call : calls) {
      const std::string differs = twin->run({"EVAL", showing({call}), "0"});
      if (differs.find("the order of") != differs.npos) {
        ++refused;
        continue;
      }
      CHECK(differs == "");
      if (!differs.empty()) ++differences;
    }
  }
  CHECK(differences == 0);
  CHECK(refused <= scripts / 4);  // one call in a hundred: tables whose order only Redis has
}

TEST_CASE("the libraries of scripts give what they give on redis-server") {
  SECTION("bit") { compare(1, 300, lockstep::conform::bit_call); }
  SECTION("struct") { compare(2, 600, lockstep::conform::struct_call); }
  SECTION("cmsgpack") { compare(3, 600, lockstep::conform::cmsgpack_call); }
  SECTION("cjson") { compare(4, 700, lockstep::conform::cjson_call); }
}

}  // namespace
