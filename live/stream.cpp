// Reads INFO replication; see the header.
#include "live/stream.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "live/real_server.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr auto kLongestAwaited = std::chrono::seconds(10);
constexpr auto kBetweenPositions = std::chrono::microseconds(200);

}  // namespace

const std::vector<std::string>& options_for_replicas() {
  static const std::vector<std::string> options{"--repl-diskless-sync",
                                                "no",
                                                "--repl-diskless-sync-delay",
                                                "0",
                                                "--repl-ping-replica-period",
                                                "3600",
                                                "--repl-timeout",
                                                "7200",
                                                "--hz",
                                                "500"};
  return options;
}

StreamPosition position_of(Connection& server) {
  const std::string info = server.execute({"INFO", "replication"}).text;
  const auto number = [&](const char* field) {
    return std::atoll(info_field(info, field).c_str());
  };
  return {number("master_repl_offset"), number("slave_read_repl_offset"),
          number("slave_repl_offset"), info_field(info, "master_link_status") == "up"};
}

void await_done(const std::function<bool()>& done, const std::string& late) {
  const auto latest = std::chrono::steady_clock::now() + kLongestAwaited;
  while (!done()) {
    if (std::chrono::steady_clock::now() > latest) throw sim::BadInput(late + " within 10 s");
    std::this_thread::sleep_for(kBetweenPositions);
  }
}

void await_replica(const std::function<bool()>& done, const char* what) {
  await_done(done, std::string("the replica has not ") + what);
}

void await_copy(Connection& master, Connection& replica) {
  const auto sent = position_of(master).sent;
  await_replica(
      [&] {
        const auto position = position_of(replica);
        return position.linked && position.processed >= sent;
      },
      "caught up");
}

}  // namespace lockstep::live
