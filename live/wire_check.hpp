// Is the model my code? What real clients have sent is compared with what a protocol's client
// program sends when it hears the same replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/wire_client.hpp"
#include "live/wire_log.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// The first request that the program does not send, or that was not sent.
struct WireDifference {
  /// Nothing: the program sends something more at once, and no request follows.
  std::optional<WireRequest> sent;
  std::vector<Awaited> possible;    ///< what the program could send there
  std::vector<WireRequest> before;  ///< what its client had sent last, of what is alike
};

struct WireLikeness {
  std::size_t alike = 0;      ///< requests that the program sends, too
  std::size_t greetings = 0;  ///< that set a connection up, load a script or watch over a server
  std::vector<sim::Request> other_requests;  ///< the first ones of these
  std::size_t others = 0;                    ///< that have nothing to do with the lock
  std::size_t clients = 0;
  WireClient::Calls calls;
  std::vector<OffTime> off_times;
  std::optional<WireDifference> difference;
  std::vector<Awaited> begins;      ///< what the program begins with, if nothing is alike
  std::vector<std::string> unsent;  ///< scripts of the protocol that nobody has sent
};

/// Compares `log` with clients of the kinds of the model's, as many as there are. The
/// replies are those of a simulated server that was empty before; `complete`: nothing was sent
/// after the log. Throws BadInput if the model has more than one node, or replicas.
WireLikeness compare_with_program(const std::vector<WireRequest>& log, const sim::Model& model,
                                  bool complete);

}  // namespace lockstep::live
