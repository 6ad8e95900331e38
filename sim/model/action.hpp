// Names of actions: what a schedule is made of. A name means the same in every reading of the world
// (docs/semantics.md).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::sim {

struct Action {
  enum class Kind : std::uint8_t {
    begin,  ///< process, task: a main task begins its next round (free; a crashed process restarts
            ///< with it)
    run,    ///< process, task: a runnable task runs
    execute,  ///< process, connection: the node (or the resource) executes the connection's next
              ///< request
    deliver,  ///< process, connection: its next reply, or connection error, arrives
    timer,    ///< process, task: the task's due timer fires (sleep, work, request timeout)
    pass,     ///< amount_ms: time passes
    pause,    ///< process
    resume,   ///< process (free)
    delay,    ///< process, connection: its next message is held back
    release,  ///< process, connection (free)
    lose,     ///< process, connection: the connection breaks
    crash,    ///< process
    jump_process,  ///< process, amount_ms
    jump_node,     ///< node, amount_ms
    node_crash,    ///< node
    power_loss,    ///< node, image: which restorable image it will come back with (0 = nothing is
                   ///< lost)
    node_restart,  ///< node (free)
    save           ///< node: an RDB save completes (free)
  };
  Kind kind = Kind::begin;
  std::uint8_t process = 0;
  std::uint8_t task = 0;
  std::uint8_t connection = 0;
  std::uint8_t node = 0;
  std::uint8_t image = 0;
  std::int64_t amount_ms = 0;
  std::vector<std::uint8_t> choices;  ///< what choose(n) gave during this step, in order

  friend auto operator<=>(const Action&, const Action&) = default;
};

const char* name(Action::Kind);

/// Whether an action of this kind is a fault, taken from its budget.
constexpr bool is_fault(Action::Kind kind) {
  using Kind = Action::Kind;
  return kind == Kind::pause || kind == Kind::delay || kind == Kind::lose || kind == Kind::crash ||
         kind == Kind::jump_process || kind == Kind::jump_node || kind == Kind::node_crash ||
         kind == Kind::power_loss;
}

/// Whether an action of this kind need not ever happen: a fault or a free action.
constexpr bool is_optional(Action::Kind kind) {
  using Kind = Action::Kind;
  return is_fault(kind) || kind == Kind::begin || kind == Kind::resume || kind == Kind::release ||
         kind == Kind::node_restart || kind == Kind::save;
}

using Schedule = std::vector<Action>;

}  // namespace lockstep::sim
