// The settings of a server, as CONFIG knows them.
#pragma once

#include <span>
#include <string_view>

namespace lockstep::sim {

struct ServerSetting {
  std::string_view name;  ///< in lower case
  std::string_view value;
};

/// All that Redis 7.0.15 has, ascending, with the values that it starts with (CONFIG GET *), but
/// for the address, the folder and the saves of a real one. None but notify-keyspace-events
/// can be changed: the simulated server would have to follow.
std::span<const ServerSetting> settings();

}  // namespace lockstep::sim
