// A run that a test puts together step by step, as a plan of a live replay.
#pragma once

#include <cstdint>
#include <utility>

#include "checker/trace/trace.hpp"
#include "live/plan.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "tests/live/plans.hpp"

namespace lockstep::test {

class HandMadeRun {
 public:
  explicit HandMadeRun(sim::Model model) : model_(std::move(model)), walk_(model_) {}

  void server(sim::Action::Kind kind, std::uint8_t node) { take(kind, 0, node, 0); }
  void client(sim::Action::Kind kind, std::uint8_t process = 0, std::uint8_t connection = 0) {
    take(kind, process, 0, 0, connection);
  }
  void learns(std::uint8_t process, std::uint8_t node) {
    take(sim::Action::Kind::learn, process, node, 0);
  }
  /// A key of a node, by its place among the names, goes to the other one.
  void moves(std::uint8_t node, std::uint8_t key = 0) {
    sim::Action action;
    action.kind = sim::Action::Kind::move_key;
    action.node = node;
    action.key = key;
    walk_.take(action);
  }
  void passes(std::int64_t ms) { take(sim::Action::Kind::pass, 0, 0, ms); }
  /// A request is executed, and its reply heard.
  void answered(std::uint8_t process = 0) {
    client(sim::Action::Kind::execute, process);
    client(sim::Action::Kind::deliver, process);
  }

  live::Plan plan() const { return plan_of(model_, walk_.trace()); }

 private:
  void take(sim::Action::Kind kind, std::uint8_t process, std::uint8_t node, std::int64_t ms,
            std::uint8_t connection = 0) {
    sim::Action action;
    action.kind = kind;
    action.process = process;
    action.node = node;
    action.amount_ms = ms;
    action.connection = connection;
    walk_.take(action);
  }

  sim::Model model_;
  checker::Walk walk_;
};

}  // namespace lockstep::test
