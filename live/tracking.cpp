// See the header.
#include "live/tracking.hpp"

#include <string>
#include <utility>
#include <vector>

#include "live/connection.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

bool tracks(const sim::Request& request) {
  return request.size() > 2 && sim::is_name(request[0], "client") &&
         sim::is_name(request[1], "tracking");
}

}  // namespace

void begin_to_listen(Connection& connection, const sim::Request& request) {
  if (!tracks(request)) return connection.send(request);
  sim::Request redirected = request;
  const auto self = std::to_string(connection.execute({"CLIENT", "ID"}).integer);
  redirected.insert(redirected.begin() + 3, {"REDIRECT", self});
  const auto reply = connection.execute(redirected);
  if (reply.is_error()) throw ConnectionBroken(reply.text);
  connection.send({"SUBSCRIBE", sim::kTrackingChannel});
}

sim::Reply heard(sim::Reply message) {
  const bool of_channel = message.kind == sim::Reply::Kind::array && message.items.size() == 3 &&
                          message.items[1].text == sim::kTrackingChannel;
  if (!of_channel) return message;
  if (message.items[0].text == "subscribe") return sim::Reply::ok();
  return sim::Reply::array({sim::Reply::bulk("invalidate"), std::move(message.items[2])});
}

}  // namespace lockstep::live
