// The names of enumerators, as flags, scenarios and printouts spell them.
#include "sim/base/check.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::sim {

const char* name(Action::Kind kind) {
  switch (kind) {
    case Action::Kind::begin:
      return "begin";
    case Action::Kind::run:
      return "run";
    case Action::Kind::execute:
      return "execute";
    case Action::Kind::deliver:
      return "deliver";
    case Action::Kind::timer:
      return "timer";
    case Action::Kind::pass:
      return "pass";
    case Action::Kind::pause:
      return "pause";
    case Action::Kind::resume:
      return "resume";
    case Action::Kind::delay:
      return "delay";
    case Action::Kind::release:
      return "release";
    case Action::Kind::lose:
      return "lose";
    case Action::Kind::crash:
      return "crash";
    case Action::Kind::jump_process:
      return "jump-process";
    case Action::Kind::jump_node:
      return "jump-node";
    case Action::Kind::node_crash:
      return "node-crash";
    case Action::Kind::power_loss:
      return "power-loss";
    case Action::Kind::node_restart:
      return "node-restart";
    case Action::Kind::save:
      return "save";
  }
  fail("an action kind", __FILE__, __LINE__);
}

const char* name(Fault fault) {
  switch (fault) {
    case Fault::pause:
      return "pause";
    case Fault::delay:
      return "delay";
    case Fault::lose:
      return "lose";
    case Fault::crash:
      return "crash";
    case Fault::jump:
      return "jump";
    case Fault::node_crash:
      return "node-crash";
    case Fault::power_loss:
      return "power-loss";
  }
  fail("a fault", __FILE__, __LINE__);
}

const char* name(Persistence persistence) {
  switch (persistence) {
    case Persistence::none:
      return "none";
    case Persistence::rdb:
      return "rdb";
    case Persistence::aof_everysec:
      return "aof-everysec";
    case Persistence::aof_always:
      return "aof-always";
  }
  fail("a persistence", __FILE__, __LINE__);
}

const char* name(Resource resource) {
  switch (resource) {
    case Resource::plain:
      return "plain";
    case Resource::fenced:
      return "fenced";
    case Resource::fenced_writes:
      return "fenced-writes";
  }
  fail("a resource", __FILE__, __LINE__);
}

const char* name(Property property) {
  switch (property) {
    case Property::mutual_exclusion:
      return "mutual-exclusion";
    case Property::no_lost_update:
      return "no-lost-update";
    case Property::foreign_release:
      return "foreign-release";
    case Property::foreign_extend:
      return "foreign-extend";
    case Property::honest_result:
      return "honest-result";
    case Property::reentrancy:
      return "reentrancy";
    case Property::deadlock:
      return "deadlock";
    case Property::leak:
      return "leak";
  }
  fail("a property", __FILE__, __LINE__);
}

const char* name(Witness witness) {
  switch (witness) {
    case Witness::acquired:
      return "acquired";
    case Witness::refused:
      return "refused";
    case Witness::released:
      return "released";
    case Witness::lost:
      return "lost";
    case Witness::expired_while_held:
      return "expired-while-held";
  }
  fail("a witness", __FILE__, __LINE__);
}

}  // namespace lockstep::sim
