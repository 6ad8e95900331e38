// Runs of naive worlds that are taken by hand, action by action.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/naive_models.hpp"

namespace lockstep::tests {

using checker::naive::Facts;
using Kind = sim::Action::Kind;

/// A lock by the bodies of its acquire() and release().
inline sim::Model inline_model(const std::string& acquire, const std::string& release, int clients,
                               const std::string& also = "") {
  struct Written {
    sim::TemporaryFolder folder;
    std::optional<sim::Program> program;
  };
  const auto written = std::make_shared<Written>();
  written->folder.write("protocol.lua", "local L = protocol { title = 't', source = 's'" + also +
                                            " }\nfunction L:acquire()\n" + acquire +
                                            "\nend\nfunction L:release()\n" + release +
                                            "\nend\nreturn L\n");
  sim::Model model = small_model(kOwn + "set-px", clients, kSecondMs);
  written->program.emplace(written->folder.path());
  model.program = std::shared_ptr<sim::Program>(written, &*written->program);
  return model;
}

inline sim::Action of_node(Kind kind, std::uint8_t n) {
  sim::Action action;
  action.kind = kind;
  action.node = n;
  return action;
}
inline sim::Action of_process(Kind kind, std::uint8_t p, std::uint8_t n = 0) {
  sim::Action action = of_node(kind, n);
  action.process = p;
  return action;
}

/// One run, action by action; each has to be enabled.
class ByHand {
 public:
  explicit ByHand(const sim::Model& model) : ByHand(model, {}) {}
  /// Of a model in which some request is a WAIT.
  static ByHand with_waits(const sim::Model& model) {
    checker::naive::Thresholds known;
    known.replica_waits = true;
    return {model, known};
  }

  bool may(const sim::Action& action) {
    const std::vector<sim::Action> enabled = rules_.enabled(world);
    return std::find(enabled.begin(), enabled.end(), action) != enabled.end();
  }
  Facts does(const sim::Action& action) {
    INFO(row(action.kind).name << " of process " << int{action.process} << ", node "
                               << int{action.node});
    sim::Action open = action;
    open.choices.clear();
    REQUIRE(may(open));
    return rules_.apply(world, action);
  }
  Facts passes(std::int64_t ms) {
    REQUIRE(rules_.furthest_pass(world) >= ms);
    sim::Action action;
    action.kind = Kind::pass;
    action.amount_ms = ms;
    return rules_.apply(world, action);
  }
  Facts begins(std::uint8_t p) { return does(of_process(Kind::begin, p)); }
  /// Its request is executed; what is answered.
  std::string asks(std::uint8_t p) {
    const sim::SharedReply told = does(of_process(Kind::execute, p)).reply.value();
    const sim::Reply& reply = *told;
    if (reply.kind == sim::Reply::Kind::integer) return std::to_string(reply.integer);
    return reply.kind == sim::Reply::Kind::null ? "nil" : reply.text;
  }
  /// Its request is a WAIT that the node does not answer as yet.
  void is_blocked(std::uint8_t p) {
    CHECK_FALSE(does(of_process(Kind::execute, p)).reply);
    CHECK_FALSE(may(of_process(Kind::execute, p)));
  }
  std::int64_t furthest_ms() { return rules_.furthest_pass(world); }
  /// Which server the process's only connection goes to.
  int server_of(std::size_t p) const {
    REQUIRE(world.processes[p].connections.size() == 1);
    return world.processes[p].connections[0].node;
  }
  Facts hears(std::uint8_t p) { return does(of_process(Kind::deliver, p)); }
  /// It leaves the critical section that it has just begun.
  Facts leaves(std::uint8_t p) { return does(of_process(Kind::run, p)); }
  /// Begins, and hears what it has asked for first.
  Facts acquires(std::uint8_t p) {
    begins(p);
    asks(p);
    return hears(p);
  }

  bool has_lock(std::size_t n) const { return world.nodes[n].keyspace.keys.contains("lock"); }
  std::int64_t left_ms(std::size_t n) const {
    const auto& node = world.nodes[n];
    return checker::naive::lifetime_left(world, node, node.keyspace.keys.at("lock")).ms;
  }
  std::string identity() const { return checker::naive::identity(world); }

 private:
  ByHand(const sim::Model& model, const checker::naive::Thresholds& known)
      : rules_(model, checker::naive::Memory::history, known), world(rules_.initial()) {}
  checker::naive::Rules rules_;

 public:
  checker::naive::World world;
};

}  // namespace lockstep::tests
