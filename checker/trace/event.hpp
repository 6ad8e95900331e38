// One step of a naive world, and the names of what takes part in it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checker/naive/rules.hpp"
#include "sim/model/wording.hpp"

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
/// A request to that node, as a person would write it.
std::vector<sim::ArgumentText> words_to(const Event& event, const sim::Request& request,
                                        std::uint8_t node);
std::string worded_to(const Event& event, const sim::Request& request, std::uint8_t node);
/// The connection that the action is about.
const naive::Connection& connection_of(const Event& event);
/// The message that an `execute` executes.
const naive::Message& executed(const Event& event);
/// A key of a node after the action.
sim::VisibleKey visible(const Event& event, const naive::Node& node, const sim::Entry& entry);
/// The expired key that a node notices, or overlooks; and whether it is late with that.
const std::pair<const std::pair<std::uint8_t, std::string>, bool>& unnoticed(const Event& event);
/// A key that is gone after the action has expired: the action moves a node's clock.
bool by_time(const Event& event);

/// Everything that can follow; of time only the points of `pass` that are deadlines, and how far it
/// can pass at all.
std::vector<naive::Successor> successors_at_deadlines(naive::Rules& rules,
                                                      const naive::World& world);

}  // namespace lockstep::checker
