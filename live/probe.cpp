// A fresh client, alone; see the header.
#include "live/probe.hpp"

#include <algorithm>
#include <thread>

#include "live/observer.hpp"
#include "live/participant.hpp"
#include "sim/model/fresh_clients.hpp"

namespace lockstep::live {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kBetweenCallsMs = 5;
constexpr int kRounds = 1'000'000;  // "again and again"
constexpr std::int64_t kForGoodMs = 1'000'000'000;
constexpr std::int64_t kReserveMs = 200;

/// How long until no key will expire any more, and then some.
milliseconds patience(const Probe& probe) {
  std::int64_t left_ms = 0;
  Observer::Names leases;
  for (const auto& lock : probe.model.processes.front().lock_keys)
    for (const auto& key : probe.model.program->lease_keys(lock)) leases.insert(key);
  for (const auto& address : probe.addresses)
    for (const auto& [name, key] : Observer(address, leases).keys())
      left_ms = std::max(left_ms, key.left_ms.value_or(0));
  const std::int64_t least_ms =
      probe.model.processes.front().lease_ms + probe.model.request_timeout_ms;
  return milliseconds(left_ms + std::max(probe.patience_ms, least_ms) + kReserveMs);
}

using Moment = std::chrono::steady_clock::time_point;

/// Whether this client, which does nothing but lock, acquires what it wants in time.
bool acquires(const Probe& probe, const sim::ProcessSetup& fresh, Moment until) {
  using Step = sim::WorkStep;
  auto model = probe.model;
  model.processes.push_back(fresh);
  model.resource = sim::Resource::plain;
  Part part;
  part.process = static_cast<std::uint8_t>(probe.model.processes.size());
  part.setup = fresh;
  part.setup.workload.insert(part.setup.workload.begin(),
                             Step{Step::Kind::sleep, 0, kBetweenCallsMs});
  // One permit is enough, and kept; else the next client may want the lock in another mode.
  const bool gives_back = probe.model.program->permits() == 1;
  if (gives_back)
    part.setup.workload.push_back(Step{Step::Kind::unlock, fresh.workload.front().lock, 0});
  part.setup.workload.push_back(Step{Step::Kind::sleep, 0, kForGoodMs});
  part.setup.rounds = kRounds;
  part.request_timeout_ms = probe.model.request_timeout_ms;
  part.addresses = probe.addresses;
  part.clock_offset_ms = probe.clock_offset_ms;

  const sim::Program program(probe.model.program->folder());
  Referee referee(model);
  Participant participant(program, part, referee, nullptr);
  std::thread thread([&] { participant.run(); });
  const auto await = [&](const auto& is_over, Moment latest) {
    while (!is_over() && !referee.stopped() && std::chrono::steady_clock::now() < latest)
      std::this_thread::sleep_for(milliseconds(kBetweenCallsMs));
  };
  await([&] { return referee.figures().acquired > 0; }, until);
  if (gives_back && referee.figures().acquired > 0)
    await([&] { return referee.figures().released > 0; },
          std::chrono::steady_clock::now() + milliseconds(kReserveMs));
  referee.stop();
  thread.join();
  referee.rethrow();
  return referee.figures().acquired > 0;
}

/// Whether clients like this one get all permits, one after the other: as long as the first of them
/// has its own.
bool all_acquire(const Probe& probe, const sim::ProcessSetup& fresh) {
  auto until = std::chrono::steady_clock::now() + patience(probe);
  for (int taken = 0; taken < probe.model.program->permits(); ++taken) {
    if (!acquires(probe, fresh, until)) return false;
    if (taken == 0) until = std::chrono::steady_clock::now() + milliseconds(fresh.lease_ms);
  }
  return true;
}

}  // namespace

bool fresh_client_acquires(const Probe& probe) {
  return std::ranges::all_of(
      sim::fresh_clients(probe.model.processes),
      [&](const sim::ProcessSetup& fresh) { return all_acquire(probe, fresh); });
}

}  // namespace lockstep::live
