// The tables of what is simulated: complete by construction, wide enough, and with the names that
// the command line, scenarios and traces have had ever since.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

using namespace lockstep;

namespace lockstep::tests_of_tables {

enum class Two : std::uint8_t { first, second };
using Row = sim::NameRow<Two>;

constexpr auto kWhole = std::to_array<Row>({{Two::first, "first"}, {Two::second, "second"}});
constexpr auto kShort = std::to_array<Row>({{Two::first, "first"}});
constexpr auto kTwice = std::to_array<Row>({{Two::first, "first"}, {Two::first, "first"}});
constexpr auto kTurned = std::to_array<Row>({{Two::second, "second"}, {Two::first, "first"}});
static_assert(sim::is_complete(kWhole));
static_assert(!sim::is_complete(kShort), "a value without a row does not compile");
static_assert(!sim::is_complete(kTwice));
static_assert(!sim::is_complete(kTurned));

/// As many bits as there are things: the ninth one widens the set.
static_assert(sizeof(sim::SetOf<8>) == 1);
static_assert(sizeof(sim::SetOf<9>) == 2);
static_assert(sizeof(sim::SetOf<17>) == 4);
static_assert(sim::only<sim::SetOf<9>>(8) == 256);

}  // namespace lockstep::tests_of_tables

namespace {

template <class Table>
std::set<std::string> names(const Table& table) {
  std::set<std::string> all;
  for (const auto& row : table) {
    const std::string name = row.name;
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos);
    CHECK(all.insert(name).second);
  }
  return all;
}

}  // namespace

TEST_CASE("names are spelt with hyphens, are unique and do not change") {
  const auto has = [](const std::set<std::string>& all, const std::set<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  CHECK(has(names(sim::kFaultTable),
            {"pause", "delay", "lose", "crash", "jump", "node-crash", "power-loss"}));
  CHECK(has(names(sim::kPropertyTable),
            {"mutual-exclusion", "no-lost-update", "foreign-release", "foreign-extend",
             "honest-result", "reentrancy", "deadlock", "leak"}));
  CHECK(has(names(sim::kWitnessTable),
            {"acquired", "refused", "released", "lost", "expired-while-held"}));
  CHECK(has(names(sim::kActionTable),
            {"begin",        "run",          "execute",     "deliver",    "timer",        "pass",
             "pause",        "resume",       "delay",       "release",    "lose",         "crash",
             "jump-process", "jump-node",    "node-crash",  "power-loss", "node-restart", "save",
             "lose-late",    "pause-within", "crash-within"}));
  CHECK(std::string(name(sim::Persistence::aof_everysec)) == "aof-everysec");
  CHECK(std::string(name(sim::Resource::fenced_writes)) == "fenced-writes");
  CHECK(std::string(checker::name(checker::Verdict::inconclusive)) == "inconclusive");
}

TEST_CASE("every value has a bit of its own") {
  std::uint32_t faults = 0, properties = 0, witnesses = 0;
  for (const auto fault : sim::kFaults) faults += only(fault);
  for (const auto property : sim::kProperties) properties += only(property);
  for (const auto witness : sim::kWitnesses) witnesses += only(witness);
  CHECK(faults == (1U << sim::kFaults.size()) - 1);
  CHECK(properties == (1U << sim::kProperties.size()) - 1);
  CHECK(witnesses == (1U << sim::kWitnesses.size()) - 1);
}

TEST_CASE("an action that need not happen is a fault or free, and every fault has an action") {
  std::set<sim::Fault> caused;
  for (const auto& row : sim::kActionTable) {
    INFO(row.name);
    CHECK_FALSE((row.fault && row.free));
    if (row.fault) caused.insert(*row.fault);
    CHECK((row.live == sim::OnRealServer::never) == (row.why_never_live != nullptr));
    // A link has two ends.
    const bool of_link = row.fields == sim::kOfLink;
    CHECK((row.fields.process && row.fields.node) == of_link);
  }
  CHECK(caused.size() == sim::kFaults.size());
  CHECK(sim::is_optional(sim::Action::Kind::save));
  CHECK_FALSE(sim::is_optional(sim::Action::Kind::pass));
  CHECK_FALSE(sim::is_fault(sim::Action::Kind::begin));
}
