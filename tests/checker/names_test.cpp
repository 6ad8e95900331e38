// Names are part of the command line, of scenarios and of traces: they are pinned, and no two are
// the same.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

using namespace lockstep;

TEST_CASE("names are spelt with hyphens and are unique") {
  CHECK(std::string(sim::name(sim::Fault::node_crash)) == "node-crash");
  CHECK(std::string(sim::name(sim::Property::mutual_exclusion)) == "mutual-exclusion");
  CHECK(std::string(sim::name(sim::Persistence::aof_everysec)) == "aof-everysec");
  CHECK(std::string(sim::name(sim::Resource::fenced_writes)) == "fenced-writes");
  CHECK(std::string(sim::name(sim::Witness::expired_while_held)) == "expired-while-held");
  CHECK(std::string(sim::name(sim::Action::Kind::jump_process)) == "jump-process");
  CHECK(std::string(checker::name(checker::Verdict::inconclusive)) == "inconclusive");

  std::set<std::string> actions;
  for (int kind = 0; kind <= static_cast<int>(sim::Action::Kind::save); ++kind) {
    actions.insert(sim::name(static_cast<sim::Action::Kind>(kind)));
  }
  CHECK(actions.size() == 18);
}
