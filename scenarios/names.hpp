// The names that scenarios, flags and printouts share, as lists: for reading them back, and for
// near misses.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::scenarios {

inline constexpr std::array kPersistences{sim::Persistence::none, sim::Persistence::rdb,
                                          sim::Persistence::aof_everysec,
                                          sim::Persistence::aof_always};
inline constexpr std::array kResources{sim::Resource::plain, sim::Resource::fenced,
                                       sim::Resource::fenced_writes};
inline constexpr std::array kActions{
    sim::Action::Kind::begin,        sim::Action::Kind::run,          sim::Action::Kind::execute,
    sim::Action::Kind::deliver,      sim::Action::Kind::timer,        sim::Action::Kind::pass,
    sim::Action::Kind::pause,        sim::Action::Kind::resume,       sim::Action::Kind::delay,
    sim::Action::Kind::release,      sim::Action::Kind::lose,         sim::Action::Kind::crash,
    sim::Action::Kind::jump_process, sim::Action::Kind::jump_node,    sim::Action::Kind::node_crash,
    sim::Action::Kind::power_loss,   sim::Action::Kind::node_restart, sim::Action::Kind::save};

/// The names of `values`, in their order.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(name(value));
  return names;
}

}  // namespace lockstep::scenarios
