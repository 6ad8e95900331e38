// One step of a naive world, and the names of what takes part in it.
#pragma once

#include <string>

#include "checker/naive/world.hpp"

namespace lockstep::checker {

/// One action between two worlds.
struct Event {
  const naive::Rules& rules;
  const naive::World& before;
  const sim::Action& action;
  const naive::World& after;
  const naive::Facts& facts;
};

/// "30000 ms".
std::string ms(std::int64_t amount);
/// "redis", "redis 2", "resource".
std::string node_name(const Event& event, std::uint8_t node);
/// "the lock", or "the lock KEY" where the model has several.
std::string lock_name(const Event& event, std::uint8_t process, std::uint8_t lock);
/// A request to that node, as a person would write it.
std::string worded_to(const Event& event, const sim::Request& request, std::uint8_t node);
/// The connection that the action is about.
const naive::Connection& connection_of(const Event& event);
/// The message that an `execute` executes.
const naive::Message& executed(const Event& event);

}  // namespace lockstep::checker
