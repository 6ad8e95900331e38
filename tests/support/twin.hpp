// The simulated server and a redis-server of the test's own, side by side (conform/twin.hpp), for
// checks that read: CHECK(twin.run(...) == "").
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/twin.hpp"
#include "live/server.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::test {

struct RedisServer {
  explicit RedisServer(std::vector<std::string> options = {})
      : server(sim::Persistence::none, std::move(options)) {}
  live::Server server;
};

class Twin : private RedisServer, public conform::Twin {
 public:
  /// `options` are given to redis-server. Like the simulated one it looks into what it restores.
  explicit Twin(std::vector<std::string> options = {"--sanitize-dump-payload", "yes"})
      : RedisServer(std::move(options)), conform::Twin(server.address()) {}

  /// Empty if they agree, else what each said.
  std::string run(std::size_t connection, const sim::Request& request) {
    return told(conform::Twin::run({connection, request}));
  }
  std::string run(const sim::Request& request) { return run(0, request); }
  std::string compare_contents() { return told(conform::Twin::compare_contents()); }

  /// Empty if `steps` have the same effects on both, else the fewest of them that differ.
  std::string compare(const std::vector<conform::Step>& steps) {
    return conform::Twin::run(steps) ? examine(steps) : "";
  }
  /// The same of steps that have differed.
  std::string examine(const std::vector<conform::Step>& steps) {
    const conform::Run again = [this](const auto& some) { return conform::Twin::run(some); };
    const auto finding = examined(steps, again, again);
    return finding ? conform::shown(*finding) : "";
  }

 private:
  static std::string told(const std::optional<conform::Difference>& difference) {
    return difference ? conform::shown(*difference) : "";
  }
};

}  // namespace lockstep::test
