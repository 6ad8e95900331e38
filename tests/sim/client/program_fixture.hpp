// Runs a client program by hand, without any world: observations in, steps out.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/base/token.hpp"
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim::program_test {

/// A protocol folder that lives as long as the object.
class Folder {
 public:
  explicit Folder(const std::string& protocol,
                  const std::map<std::string, std::string>& scripts = {}) {
    folder_.write("protocol.lua", protocol);
    for (const auto& [name, body] : scripts) folder_.write(name, body);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// A protocol whose acquire() and release() have the given bodies.
inline std::string lock_with(const std::string& acquire, const std::string& release = "return true",
                             const std::string& top = "") {
  return "local Lock = protocol { title = 'test' }\n" + top + "\nfunction Lock:acquire()\n" +
         acquire + "\nend\nfunction Lock:release()\n" + release + "\nend\nreturn Lock\n";
}

inline WorkStep lock(std::uint8_t n = 0) { return {WorkStep::Kind::lock, n, 0}; }
inline WorkStep unlock(std::uint8_t n = 0) { return {WorkStep::Kind::unlock, n, 0}; }
inline WorkStep work(std::int64_t ms) { return {WorkStep::Kind::work, 0, ms}; }
inline WorkStep rest(std::int64_t ms) { return {WorkStep::Kind::sleep, 0, ms}; }

inline ProcessSetup setup_of(std::vector<WorkStep> workload, int rounds = 1, int threads = 1) {
  ProcessSetup setup;
  setup.lock_keys = {"lock"};
  setup.workload = std::move(workload);
  setup.rounds = rounds;
  setup.threads = threads;
  setup.lease_ms = 10000;
  return setup;
}

inline Observation begin(TaskId task = 0) { return {Observation::Kind::begin, task, 0, {}, {}}; }
inline Observation run(TaskId task = 0) { return {Observation::Kind::run, task, 0, {}, {}}; }
inline Observation timer(TaskId task = 0) { return {Observation::Kind::timer, task, 0, {}, {}}; }
inline Observation timeout(TaskId task = 0) {
  return {Observation::Kind::timeout, task, 0, {}, {}};
}
inline Observation broken(TaskId task = 0, std::uint8_t node = 0) {
  return {Observation::Kind::broken, task, node, {}, {}};
}
inline Observation reply(Reply value, TaskId task = 0, std::uint8_t node = 0) {
  return {Observation::Kind::reply, task, node, std::move(value), {}};
}
/// The resource accepts a READ or WRITE.
inline Observation accepted(TaskId task = 0) { return reply(Reply::ok(), task, kResource); }

/// One process. It is re-based at every boundary if `rebase`, as a world would do it; else it
/// replays its whole life.
class Client {
 public:
  Client(const std::filesystem::path& folder, ProcessSetup setup, bool rebase = true,
         ProgramLimits limits = {})
      : program_(std::make_unique<Program>(folder, limits)),
        setup_(std::move(setup)),
        rebase_(rebase) {
    const std::vector<int> none(static_cast<std::size_t>(setup_.threads), 0);
    snapshot_ = program_->initial(setup_, none);
  }

  /// Feeds one observation, answering queries: tokens are counted up, choices and numbers come from
  /// `answers`.
  const Step& feed(Observation observation) {
    path_.push_back(std::move(observation));
    while (true) {
      step_ = program_->run(setup_, snapshot_, path_);
      if (!step_.query) break;
      queries.push_back(*step_.query);
      path_.back().answers.push_back(answer(*step_.query));
    }
    if (step_.boundary) {
      boundary_ = *step_.boundary;
      if (rebase_) {
        snapshot_ = boundary_;
        path_.clear();
      }
    }
    if (step_.again) {
      const Step first = step_;
      const TaskId task = *step_.again;
      feed(run(task));
      step_.effects.insert(step_.effects.begin(), first.effects.begin(), first.effects.end());
    }
    if (leaves_at_once()) {
      const Step first = step_;
      feed(run(first.effects.back().task));
      step_.effects.insert(step_.effects.begin(), first.effects.begin(), first.effects.end());
    }
    return step_;
  }

  /// What the snapshot alone says.
  Step resting() { return program_->run(setup_, snapshot_, {}); }

  const Step& step() const { return step_; }
  /// Bytes of the last boundary.
  const std::string& boundary() const { return boundary_; }
  const Program& program() const { return *program_; }
  const ProcessSetup& setup() const { return setup_; }
  const std::string& snapshot() const { return snapshot_; }

  std::vector<Query> queries;
  std::vector<std::string>
      answers;  ///< to choices, differences, absolutes, first come first served

 private:
  /// Whether a critical section without work has begun: a step of its own ends it.
  bool leaves_at_once() const {
    if (step_.effects.empty() || step_.effects.back().kind != Effect::Kind::acquired) return false;
    const TaskId task = step_.effects.back().task;
    return std::ranges::any_of(step_.tasks, [&](const Wait& wait) {
      return wait.task == task && wait.kind == Wait::Kind::runnable;
    });
  }

  std::string answer(const Query& query) {
    if (query.kind == Query::Kind::token) return token_text({0, ++tokens_});
    REQUIRE_FALSE(answers.empty());
    const std::string next = answers.front();
    answers.erase(answers.begin());
    return next;
  }

  std::unique_ptr<Program> program_;
  ProcessSetup setup_;
  bool rebase_;
  std::string snapshot_, boundary_;
  std::vector<Observation> path_;
  Step step_;
  std::uint8_t tokens_ = 0;
};

/// Effects as short text, "; " between them: "send 0 SET lock 1", "acquired 0", "failed 0 text".
inline std::string told(const Step& step) {
  static const std::map<Effect::Kind, std::string> kNames{{Effect::Kind::send, "send"},
                                                          {Effect::Kind::gave_up, "gave up"},
                                                          {Effect::Kind::instant, "instant"},
                                                          {Effect::Kind::acquired, "acquired"},
                                                          {Effect::Kind::reentered, "reentered"},
                                                          {Effect::Kind::refused, "refused"},
                                                          {Effect::Kind::left, "left"},
                                                          {Effect::Kind::releasing, "releasing"},
                                                          {Effect::Kind::released, "released"},
                                                          {Effect::Kind::failed, "failed"},
                                                          {Effect::Kind::lost, "lost"},
                                                          {Effect::Kind::exited, "exited"},
                                                          {Effect::Kind::log, "log"}};
  std::string text;
  for (const Effect& effect : step.effects) {
    if (!text.empty()) text += "; ";
    text += kNames.at(effect.kind);
    if (effect.kind == Effect::Kind::send) {
      text.append(" ").append(effect.node == kResource ? "resource" : std::to_string(effect.node));
      for (const std::string& argument : effect.request)
        text.append(" ").append(without_brackets(argument));
    } else if (effect.kind == Effect::Kind::instant) {
      text += effect.wall ? " wall" : " monotonic";
    } else if (effect.kind == Effect::Kind::log) {
      text.append(" ").append(effect.text);
    } else {
      text.append(" ").append(std::to_string(effect.lock));
      if (effect.kind == Effect::Kind::released || effect.kind == Effect::Kind::left)
        text += effect.ok ? " ok" : " no";
      if (effect.depth > 0) text += " depth " + std::to_string(effect.depth);
      if (!effect.fencing.empty()) text.append(" fence ").append(effect.fencing);
      if (!effect.text.empty()) text.append(" ").append(effect.text);
    }
  }
  return text;
}

/// Waits as short text: "0 replies 50 fresh, 1 sleep 100".
inline std::string waits(const Step& step) {
  static const std::map<Wait::Kind, std::string> kNames{
      {Wait::Kind::idle, "idle"},         {Wait::Kind::done, "done"},
      {Wait::Kind::runnable, "runnable"}, {Wait::Kind::blocked, "blocked"},
      {Wait::Kind::replies, "replies"},   {Wait::Kind::sleep, "sleep"},
      {Wait::Kind::work, "work"},         {Wait::Kind::interrupted, "interrupted"}};
  std::string text;
  for (const Wait& wait : step.tasks) {
    if (!text.empty()) text += ", ";
    text += std::to_string(wait.task) + " " + kNames.at(wait.kind);
    if (wait.ms != 0) text.append(" ").append(std::to_string(wait.ms));
    if (wait.fresh) text += " fresh";
  }
  return text;
}

/// What BadInput says when `protocol` is loaded, and begun, answering OK for ever; "" if nothing.
inline std::string complaint(const std::string& protocol, ProgramLimits limits = {}) {
  const Folder folder(protocol);
  try {
    Client client(folder.path(), setup_of({lock(), work(5), unlock()}, 1), true, limits);
    client.feed(begin());
    for (int count = 0; count < 2100 && client.step().tasks[0].kind != Wait::Kind::done; ++count) {
      const Wait wait = client.step().tasks[0];
      if (wait.kind == Wait::Kind::replies)
        client.feed(reply(Reply::ok(), 0,
                          client.step().effects.empty() ? 0 : client.step().effects.back().node));
      if (wait.kind == Wait::Kind::sleep || wait.kind == Wait::Kind::work) client.feed(timer());
    }
  } catch (const BadInput& bad) {
    std::string text = bad.what();
    REQUIRE(text.starts_with(folder.path().string()));
    return text.substr(folder.path().string().size() + 1);
  }
  return "";
}

}  // namespace lockstep::sim::program_test
