// What one EVAL costs: the compare-and-delete script straight in the keyspace (no memo, a compiled
// chunk), and on a real redis-server over a unix socket, one at a time and pipelined.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"

namespace {

using lockstep::sim::Request;

constexpr int kRuns = 15;
constexpr int kCallsOfFake = 100'000;
constexpr int kCallsOfReal = 10'000;

/// As protocols/set-token-lua sends it; the token is not the holder's, so that every call does the
/// same.
const char* const kRelease =
    "if redis.call(\"get\",KEYS[1]) == ARGV[1] then\n    return redis.call(\"del\",KEYS[1])\nelse\n"
    "    return 0\nend";
const Request kEval{"EVAL", kRelease, "1", "lock", "7c9e6679-7425-40de-944b-e07fc1f90ae7"};
/// Keeps the lock there for the variant that deletes.
const Request kSet{"SET", "lock", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "PX", "30000"};

/// Microseconds for one call: the quickest of several runs of `calls` calls each. What else the
/// machine does only adds.
double microseconds(int calls, const std::function<void(int)>& run) {
  std::vector<double> results;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run(calls);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    results.push_back(took.count() / calls);
  }
  return std::ranges::min(results);
}

struct Fake {
  lockstep::sim::Keyspace keyspace;
  lockstep::sim::ScriptVm vm;
  lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm};

  std::int64_t run(const Request& request) {
    return lockstep::sim::execute(keyspace, request, execution).integer;
  }
};

double fake_misses() {
  Fake fake;
  fake.run({"SET", "lock", "another"});
  return microseconds(kCallsOfFake, [&](int calls) {
    for (int i = 0; i < calls; ++i) fake.run(kEval);
  });
}

/// EVAL that deletes, and the SET before it; both together.
double fake_deletes() {
  Fake fake;
  return microseconds(kCallsOfFake, [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      fake.run(kSet);
      fake.run(kEval);
    }
  });
}

double real_one_by_one(lockstep::live::Connection& redis) {
  return microseconds(kCallsOfReal, [&](int calls) {
    for (int i = 0; i < calls; ++i) redis.execute(kEval);
  });
}

double real_pipelined(lockstep::live::Connection& redis) {
  constexpr int kBatch = 100;
  const std::vector<Request> batch(kBatch, kEval);
  return microseconds(kCallsOfReal, [&](int calls) {
    for (int i = 0; i < calls; i += kBatch) redis.execute_all(batch);
  });
}

}  // namespace

int main() {
  const double miss = fake_misses();
  const double pair = fake_deletes();
  const lockstep::live::Server server(lockstep::sim::Persistence::none);
  lockstep::live::Connection redis(server.address());
  redis.execute({"SET", "lock", "another"});
  const double one = real_one_by_one(redis);
  const double piped = real_pipelined(redis);
  fmt::print(
      "One EVAL of the compare-and-delete script, in microseconds (the quickest of {} runs)\n\n",
      kRuns);
  fmt::print("lockstep, the token differs                    {:8.2f}\n", miss);
  fmt::print("lockstep, SET and an EVAL that deletes         {:8.2f}\n", pair);
  fmt::print("redis-server, unix socket, pipelined by 100    {:8.2f}   {:.0f} times\n", piped,
             piped / miss);
  fmt::print("redis-server, unix socket, one after another   {:8.2f}   {:.0f} times\n", one,
             one / miss);
}
