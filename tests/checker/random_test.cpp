// Engine and naive explorer on random locks: the same verdict, the same shortest length, the same
// witnesses. The seeds of every run are few; for more of them:
//   LOCKSTEP_SEEDS=1-2000 build/.../test_checker "[more-random]"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "cli/parallel.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "tests/checker/random_lock.hpp"

namespace {

using namespace lockstep;

/// What an explorer comes to, in words; nothing if it reached its bound.
std::optional<std::string> told(const checker::Result& result) {
  if (result.verdict == checker::Verdict::inconclusive) return std::nullopt;
  if (result.endless) return "violated for ever";  // which world is the first, readings may differ
  if (result.verdict == checker::Verdict::violated)
    return "violated after " + std::to_string(result.schedule.size()) + " steps";
  std::string text = "holds, unmet:";
  for (const sim::Witness witness : result.unmet) text += std::string(" ") + sim::name(witness);
  return text;
}

struct Comparison {
  std::string protocol;
  std::optional<std::string> engine, naive;
};

Comparison compare(std::uint32_t seed, std::uint64_t max_states) {
  auto lock = test::random_lock(seed);
  Comparison comparison{lock.protocol, {}, {}};
  const test::TemporaryProtocol place("random-" + std::to_string(seed), lock.protocol);
  lock.model.program = std::make_shared<sim::Program>(place.folder());
  checker::Bounds bounds;
  bounds.max_states = max_states;
  try {
    comparison.engine = told(checker::explore(lock.model, bounds));
    if (comparison.engine)
      comparison.naive =
          told(checker::explore_naively(lock.model, bounds, {}, checker::naive::Memory::boundary));
  } catch (const sim::BadInput&) {  // a loop that no explorer can follow to its end
  }
  return comparison;
}

/// The number of seeds on which both came to a verdict.
int check_seeds(std::uint32_t first, std::uint32_t last, std::uint64_t max_states) {
  int compared = 0;
  cli::in_order(
      last - first + 1, cli::jobs_of(0),
      [&](std::size_t i) { return compare(first + static_cast<std::uint32_t>(i), max_states); },
      [&](std::size_t i, const Comparison& comparison) {
        if (!comparison.engine || !comparison.naive) return;
        ++compared;
        INFO("seed " << first + i << "\n" << comparison.protocol);
        CHECK(*comparison.engine == *comparison.naive);
      });
  return compared;
}

}  // namespace

TEST_CASE("engine and naive explorer agree on random locks", "[random][many-models]") {
  CHECK(check_seeds(1, 300, 1500) > 150);
}

TEST_CASE("engine and naive explorer agree on more random locks", "[.more-random]") {
  const char* const asked = std::getenv("LOCKSTEP_SEEDS");
  const std::string range = asked ? asked : "1-1000";
  const auto dash = range.find('-');
  REQUIRE(dash != std::string::npos);
  const auto first = static_cast<std::uint32_t>(std::stoul(range));
  const auto last = static_cast<std::uint32_t>(std::stoul(range.substr(dash + 1)));
  WARN(check_seeds(first, last, 10'000) << " compared");
}
