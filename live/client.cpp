// Drives a client program with observations; see the header.
#include "live/client.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/client/observation.hpp"

namespace lockstep::live {

namespace {

constexpr int kMostContinuations = 1000;  // a loop of retry() or every() that never waits

}  // namespace

Client::Client(const sim::Program& program, const sim::ProcessSetup& setup,
               const std::vector<int>& rounds_done, Answer answer)
    : program_(program),
      setup_(setup),
      answer_(std::move(answer)),
      snapshot_(program.initial(setup, rounds_done)),
      waits_(program.run(setup, snapshot_, {}).tasks) {}

const sim::Wait* Client::wait_of(sim::TaskId task) const {
  const auto wait = std::find_if(waits_.begin(), waits_.end(),
                                 [task](const sim::Wait& w) { return w.task == task; });
  return wait == waits_.end() ? nullptr : &*wait;
}

Client::Did Client::feed(sim::Observation observation, const Clocks& now) {
  Did did;
  auto cut = observation.cut;  // what is still to come of it
  const bool by_access = observation.by_access;
  for (int i = 0; i < kMostContinuations; ++i) {
    path_.push_back(std::move(observation));
    const auto step = run_program(now);
    did.effects.insert(did.effects.end(), step.effects.begin(), step.effects.end());
    for (const auto& wait : step.tasks)
      if (wait.fresh) did.fresh.push_back(wait);
    settle(step, now);
    if (!step.again) return did;
    observation = sim::Observation{};
    observation.kind = sim::Observation::Kind::run;
    observation.task = *step.again;
    if (cut > 0) cut = static_cast<std::uint16_t>(cut - step.cuts);
    observation.cut = cut;
    observation.by_access = by_access;
  }
  throw sim::BadInput(program_.folder().string() +
                      "/protocol.lua: a loop of retry() or every() went round " +
                      std::to_string(kMostContinuations) + " times without waiting for anything");
}

sim::Step Client::run_program(const Clocks& now) {
  while (true) {
    auto step = program_.run(setup_, snapshot_, path_);
    if (!step.query) return step;
    path_.back().answers.push_back(answered(*step.query, now));
  }
}

/// An instant that was read in the step under way is not kept yet: it is now.
std::string Client::answered(const sim::Query& query, const Clocks& now) const {
  const auto wall = [&](std::uint16_t id, bool otherwise) {
    return id < instants_.size() ? instants_[id].wall : otherwise;
  };
  const auto reading_ms = [&](std::uint16_t id, bool of_wall) {
    if (id < instants_.size()) return instants_[id].reading_ms;
    return of_wall ? now.wall_ms : now.monotonic_ms();
  };
  switch (query.kind) {
    case sim::Query::Kind::difference: {
      const bool first = wall(query.first, wall(query.second, false));
      const bool second = wall(query.second, first);
      return std::to_string(reading_ms(query.first, first) - reading_ms(query.second, second));
    }
    case sim::Query::Kind::absolute:
      return std::to_string(reading_ms(query.first, wall(query.first, true)));
    default:
      return answer_(query);
  }
}

/// Keeps the instants and the waits; at a boundary everything else is in the snapshot.
void Client::settle(const sim::Step& step, const Clocks& now) {
  for (const auto& effect : step.effects)
    if (effect.kind == sim::Effect::Kind::instant)
      instants_.push_back({effect.wall, effect.wall ? now.wall_ms : now.monotonic_ms()});
  waits_ = step.tasks;
  if (!step.boundary) return;
  snapshot_ = *step.boundary;
  path_.clear();
  std::vector<Instant> kept;
  for (const auto id : step.instants) kept.push_back(instants_.at(id));
  instants_ = std::move(kept);
}

}  // namespace lockstep::live
