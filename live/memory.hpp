// The memory of a real server of our own, as a trace has it: full, or short of what one key takes.
#pragma once

#include <optional>
#include <string>

#include "live/connection.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// From now on it has reached its maxmemory, and may evict nothing.
void fill_memory(Connection& server);
/// It has room again.
void free_memory(Connection& server);

/// It evicts what it may by this policy: the only such key. Why it does not do so, if there are
/// more: which one goes would be the server's own choice.
std::optional<std::string> evict(Connection& server, sim::MaxmemoryPolicy policy);

}  // namespace lockstep::live
