// A fake Redis node to send commands to: a keyspace, a script VM and a clock that stands still.
#pragma once

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/support/line_text.hpp"

namespace lockstep::test {

struct FakeNode {
  sim::Keyspace keyspace;
  sim::ScriptVm vm;
  sim::WallTime now = sim::kEpoch;
  sim::Execution last{};  ///< what surrounded the last command, and what that said

  sim::Reply run(sim::Maker sender, const sim::Request& request) {
    last = sim::Execution{};
    last.now = now;
    last.sender = sender;
    last.scripts = &vm;
    return sim::execute(keyspace, request, last);
  }
  sim::Reply run(sim::Maker sender, const char* line) { return run(sender, split(line)); }
};

}  // namespace lockstep::test
