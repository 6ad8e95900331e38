// A run that a test tells the judge of keys by hand: what two clients did, and what a server
// showed.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "live/ownership.hpp"
#include "live/referee.hpp"
#include "sim/client/program.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/model.hpp"

namespace lockstep::test {

using live::kNoKey;
using sim::Property;
using sim::Reply;
using Kind = sim::Effect::Kind;

constexpr std::int64_t kNow = 1'800'000'000'000, kLives = kNow + 1000;  // Unix ms
constexpr std::uint8_t kClientA = 0, kClientB = 1;
constexpr sim::TaskId kMainTask = 0, kSpawned = 1;
inline const sim::Request kSet{"SET", "lock", "v", "PX", "1000"}, kDel{"DEL", "lock"},
    kLook{"EXISTS", "lock"};
inline const std::set<Property> kNothing;

/// A run of A and B on one lock. The server's order is the order of `replied`, unless it is stated.
class SharedRun {
 public:
  SharedRun() = default;
  explicit SharedRun(const sim::Model& model) : model_(model) {}

  live::Ticket sends(std::uint8_t process, sim::TaskId task = kMainTask) {
    if (task == kMainTask) does(process, Kind::send);
    return ownership_.sent(process, task);
  }
  /// The key as the request left it: `after`. What it was before is known from the one before.
  void replied(std::uint8_t process, const live::Ticket& ticket, const sim::Request& request,
               std::int64_t after, const Reply& reply, sim::TaskId task = kMainTask,
               bool in_time = true) {
    live::Executed executed{++order_, {kNow}, {kNow}, {key_}, {after}, reply};
    key_ = after;
    ownership_.heard(process, task, ticket, request, executed, in_time);
  }
  void sets(std::uint8_t process, sim::TaskId task = kMainTask) {
    replied(process, sends(process, task), kSet, kLives, Reply::ok(), task);
  }
  void deletes(std::uint8_t process, sim::TaskId task = kMainTask) {
    replied(process, sends(process, task), kDel, kNoKey, Reply::number(key_ == kNoKey ? 0 : 1),
            task);
  }
  void looks(std::uint8_t process) {
    replied(process, sends(process), kLook, key_, Reply::number(key_ == kNoKey ? 0 : 1));
  }
  void does(std::uint8_t process, Kind kind, bool ok = false, sim::TaskId task = kMainTask) {
    sim::Effect effect;
    effect.kind = kind;
    effect.task = task;
    effect.ok = ok;
    does(process, effect);
  }
  void does(std::uint8_t process, sim::Effect effect) {
    effect.request = kLook;
    ownership_.did(process, effect);
  }
  void acquires(std::uint8_t process) {
    sets(process);
    does(process, Kind::acquired);
  }

  std::set<Property> violated() const {
    CHECK(ownership_.lost_because().empty());
    std::set<Property> properties;
    for (const auto& violation : referee_.violations()) properties.insert(violation.property);
    return properties;
  }
  /// The sentence of the first violation.
  std::string told() const { return referee_.violations().at(0).text; }
  /// Something of a client is worth a line.
  void notes(std::uint8_t process, const std::string& line) { referee_.heard(process, line); }
  /// What is shown of the run with the first violation.
  std::vector<std::string> shown() const {
    const live::LiveViolation first = referee_.violations().at(0);
    std::vector<std::string> lines;
    for (const auto& line : first.history) lines.push_back(line.sentence);
    return lines;
  }
  live::Ownership& ownership() { return ownership_; }

 private:
  const sim::Model model_ = test::model({"set-token-lua"});
  live::Referee referee_{model_};
  live::Ownership ownership_{model_, referee_};
  std::int64_t order_ = 0, key_ = kNoKey;
};

}  // namespace lockstep::test
