// CLIENT TRACKING as a listener's program sends and hears it, on a connection that speaks RESP2:
// there what is touched comes on a channel, for a connection that is told to redirect to itself.
#pragma once

#include <string_view>

#include "sim/redis/request.hpp"

namespace lockstep::sim {
struct Reply;
}

namespace lockstep::live {

class Connection;

/// Sends what a listener begins with: a subscription, or CLIENT TRACKING. Throws ConnectionBroken.
void begin_to_listen(Connection& connection, const sim::Request& request);

/// What the program hears of a message to a listener: of touched keys ["invalidate", [key, ...]]
/// and OK of what came before, as RESP3 has them; all else as it is.
sim::Reply heard(sim::Reply message);

}  // namespace lockstep::live
