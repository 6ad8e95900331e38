// Feeds a client program and keeps its timers; see the header.
#include "live/host.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using Heard = sim::Observation::Kind;
using Waits = sim::Wait::Kind;

sim::Observation observed(Heard kind, sim::TaskId task) {
  sim::Observation observation;
  observation.kind = kind;
  observation.task = task;
  return observation;
}

bool can_be_timed(const sim::Wait* wait) {
  return wait &&
         (wait->kind == Waits::sleep || wait->kind == Waits::work || wait->kind == Waits::replies);
}

}  // namespace

Host::Host(const sim::Program& program, sim::ProcessSetup setup, std::int64_t request_timeout_ms,
           Surroundings& surroundings)
    : program_(program),
      setup_(std::move(setup)),
      request_timeout_ms_(request_timeout_ms),
      surroundings_(surroundings),
      rounds_begun_(static_cast<std::size_t>(setup_.threads)) {
  incarnate();
}

void Host::incarnate() {
  client_ = std::make_unique<Client>(
      program_, setup_, rounds_begun_,
      [this](const sim::Query& query) { return surroundings_.answer(query); });
}

Client::Did Host::begin(sim::TaskId task) {
  if (crashed()) incarnate();
  use_up_round(task);
  return feed(observed(Heard::begin, task));
}

Client::Did Host::run(sim::TaskId task) { return feed(observed(Heard::run, task)); }

Client::Did Host::hear(sim::TaskId task, std::uint8_t node, std::optional<sim::SharedReply> reply) {
  auto observation = observed(reply ? Heard::reply : Heard::broken, task);
  observation.node = node;
  if (reply) observation.reply = std::move(*reply);
  return feed(std::move(observation));
}

Client::Did Host::fire_timer(sim::TaskId task) {
  const auto* wait = wait_of(task);
  LOCKSTEP_CHECK(wait != nullptr);
  timers_.erase(task);
  if (wait->kind != Waits::replies) return feed(observed(Heard::timer, task));
  surroundings_.abandon(task, wait->subscribes ? Sent::subscription : Sent::requests);
  return feed(observed(Heard::timeout, task));
}

void Host::crash() {
  client_.reset();
  timers_.clear();
  basis_.clear();
}

const std::vector<sim::Wait>& Host::waits() const {
  static const std::vector<sim::Wait> none;
  return client_ ? client_->waits() : none;
}

const sim::Wait* Host::wait_of(sim::TaskId task) const {
  return client_ ? client_->wait_of(task) : nullptr;
}

std::optional<sim::TaskId> Host::due() const {
  const auto now = surroundings_.clocks().steady;
  for (const auto& [task, time] : timers_)
    if (time <= now) return task;
  return std::nullopt;
}

Client::Did Host::feed(sim::Observation observation) {
  LOCKSTEP_CHECK(!crashed());
  const auto before = client_->waits();
  observation.cut = std::exchange(cut_, std::uint16_t{0});
  observation.by_access = std::exchange(by_access_, false);
  auto did = client_->feed(std::move(observation), surroundings_.clocks());
  for (const auto& effect : did.effects) {
    surroundings_.did(effect);
    if (effect.kind == sim::Effect::Kind::send) leave(effect);
    if (effect.kind == sim::Effect::Kind::gave_up)
      surroundings_.abandon(effect.task, Sent::requests);
  }
  abandon_the_gone(before);
  keep_timers(did, surroundings_.clocks().steady);
  if (std::ranges::any_of(did.effects, sim::ends_process)) surroundings_.exited();
  return did;
}

void Host::leave(const sim::Effect& effect) {
  if (effect.node != sim::kResource) return surroundings_.send(effect);
  Resource::Basis basis;
  if (effect.request[0] == "WRITE") std::swap(basis, basis_[effect.task]);
  surroundings_.send_to_resource(effect.task, effect.request, basis);
}

void Host::abandon_the_gone(const std::vector<sim::Wait>& before) {
  for (const auto& wait : before)
    if (!wait_of(wait.task)) surroundings_.abandon(wait.task, Sent::all);
}

/// The resource always answers: what waits for it needs no timeout.
void Host::keep_timers(const Client::Did& did, Clocks::Steady now) {
  const auto at_resource = [&](sim::TaskId task) {
    return std::any_of(did.effects.begin(), did.effects.end(), [&](const sim::Effect& effect) {
      return effect.kind == sim::Effect::Kind::send && effect.task == task &&
             effect.node == sim::kResource;
    });
  };
  for (const auto& wait : did.fresh) {
    timers_.erase(wait.task);
    if (!can_be_timed(&wait)) continue;
    auto ms = wait.ms;
    if (wait.kind == Waits::replies) {
      if (ms == 0 && !at_resource(wait.task)) ms = request_timeout_ms_;
      if (ms == 0) continue;
    }
    timers_[wait.task] = now + std::chrono::milliseconds(ms);
  }
  std::erase_if(timers_, [&](const auto& timer) { return !can_be_timed(wait_of(timer.first)); });
}

}  // namespace lockstep::live
