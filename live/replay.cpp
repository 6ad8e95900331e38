// Carries out a plan; see the header.
#include "live/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "live/aftermath.hpp"
#include "live/compare.hpp"
#include "live/replayed_process.hpp"
#include "live/wording.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/time.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Action;
using Outcome = Confirmation::Outcome;
using Did = Client::Did;

constexpr std::int64_t kLeastLeftMs = 10;  // of a key's lifetime when a request is sent
constexpr std::int64_t kLatestMs = 500;    // how long a key may outlive what the trace says
constexpr std::int64_t kBetweenLooksMs = 2;
constexpr std::int64_t kWhileDownMs = 5;  // nobody can be asked whether a key has expired

/// Every name of a key in a plan, and those that the protocol declares.
std::set<std::string> names_of_keys(const Plan& plan) {
  std::set<std::string> names;
  for (const auto& step : plan.steps)
    for (const auto& server : step.keys)
      for (const auto& [name, key] : server) names.insert(name);
  for (const auto& setup : plan.model.processes)
    for (const auto& lock : setup.lock_keys)
      for (const auto& key : plan.model.program->lease_keys(lock)) names.insert(key);
  return names;
}

class Replay {
 public:
  Replay(const Plan& plan, const std::vector<RunningServer>& servers)
      : plan_(plan), stage_(plan.model, servers, names_of_keys(plan)), expected_(servers.size()) {
    start_together();
    for (std::size_t p = 0; p < plan.model.processes.size(); ++p)
      processes_.push_back(std::make_unique<ReplayedProcess>(static_cast<std::uint8_t>(p), stage_));
  }

  Confirmation run() {
    Confirmation result;
    result.server = nodes_.version();
    try {
      for (const auto& step : plan_.steps) {
        ++result.step;
        do_step(step);
        expected_ = step.keys;
      }
      look_at_aftermath(plan_, stage_, processes_, result);
    } catch (const Stopped& stopped) {
      result.outcome = stopped.outcome;
      result.detail = stopped.detail;
    } catch (const ConnectionBroken& error) {
      result.outcome = Outcome::differs;
      result.detail = error.what();
    }
    result.seconds = static_cast<double>(pace_.real_ms()) / 1000;
    nodes_.clean_up();
    return result;
  }

 private:
  /// The clients' clocks show the trace's times. If a server has to agree, they show real times
  /// instead, which begin at a whole second, so that seconds round as in the trace.
  void start_together() {
    stage_.epoch_ms = sim::kEpoch.ms;
    if (looks_at_time(plan_)) {
      constexpr std::int64_t second_ms = 1000;
      stage_.epoch_ms = (unix_ms() / second_ms + 1) * second_ms;
      pace_ = Pace(Pace::Clock::now() + std::chrono::milliseconds(stage_.epoch_ms - unix_ms()));
      pace_.wait_until(0);
    }
    naming_ = Naming(stage_.epoch_ms);
  }

  ReplayedProcess& process_of(const Action& action) { return *processes_.at(action.process); }

  // ---- a step -----------------------------------------------------------------------------------

  void do_step(const PlanStep& step) {
    stage_.choices_left = step.action.choices;
    auto did = do_action(step);
    for (auto& effect : did.effects) effect = naming_.named(effect);
    if (const auto difference = effects_difference(plan_.model, step.action.process, step.effects,
                                                   did.effects, pace_.tolerance_ms()))
      throw Stopped{Outcome::differs, *difference};
    pace_.note_lag();
    // A step of a client is compared by what the client does, any other by the keys.
    if (!sim::is_step(sim::step_of(step.action))) compare_keys(step);
  }

  Did do_action(const PlanStep& step) {
    const auto& action = step.action;
    if (row(action.kind).fields.cut) return do_within(action);
    if (sim::is_step(action.kind)) return do_own(action);
    switch (action.kind) {
      case Action::Kind::execute:
        execute(step);
        break;
      case Action::Kind::pass:
        pass(step);
        break;
      default:
        disturb(action);
        break;
    }
    return {};
  }

  /// A client's program goes on as far as the trace says; if it only pauses there, it is not fed.
  Did do_within(const Action& action) {
    process_of(action).cut_next(action.cut, action.kind == Action::Kind::preempt);
    auto did = do_own(action);
    if (action.kind == Action::Kind::crash_within) process_of(action).crash();
    return did;
  }

  Did do_own(const Action& action) {
    switch (sim::step_of(action)) {
      case Action::Kind::begin:
        return process_of(action).begin(action.task);
      case Action::Kind::run:
        return process_of(action).run(action.task);
      case Action::Kind::timer:
        return process_of(action).fire_timer(action.task);
      case Action::Kind::deliver:
        return process_of(action).deliver(action.connection);
      default:
        sim::fail("a step of a client", __FILE__, __LINE__);
    }
  }

  void execute(const PlanStep& step) {
    auto& process = process_of(step.action);
    const auto node = process.node_of(step.action.connection);
    if (node != sim::kResource) expect_time_left(node);
    const auto done = process.execute(step.action.connection);
    const bool told =
        plan_.violated == sim::Property::no_lost_update && &step == &plan_.steps.back();
    if (told && !done.lost_update) throw Stopped{Outcome::differs, "no update is lost"};
    const auto difference = reply_difference(
        plan_.model, {done.node, done.request, *step.reply.value(), step.looked_at_clock},
        naming_.named(*done.reply), pace_.tolerance_ms());
    if (difference) throw Stopped{Outcome::differs, *difference};
  }

  void disturb(const Action& action) {
    switch (action.kind) {
      case Action::Kind::pause:  // a process that pauses is not fed
      case Action::Kind::resume:
      case Action::Kind::delay:  // a message that is held back is not executed, or not taken
      case Action::Kind::release:
        break;
      case Action::Kind::lose:
        process_of(action).lose(action.connection);
        break;
      case Action::Kind::lose_late:
        process_of(action).lose_late(action.connection);
        break;
      case Action::Kind::crash:
        process_of(action).crash();
        break;
      case Action::Kind::jump_process:
        process_of(action).jump(action.amount_ms);
        break;
      case Action::Kind::node_crash:
        nodes_.crash(action.node);
        for (auto& process : processes_) process->node_died(action.node);
        break;
      case Action::Kind::node_restart:
        nodes_.restart(action.node);
        break;
      case Action::Kind::save:
        nodes_.save(action.node);
        break;
      case Action::Kind::flush:
        nodes_.flush(action.node);
        break;
      default:
        sim::fail("an action that can be done live", __FILE__, __LINE__);
    }
  }

  // ---- keys and time ----------------------------------------------------------------------------

  sim::VisibleKeys keys(std::uint8_t node) { return naming_.named(nodes_.keys(node)); }

  /// Calls `look` with the number of each node that is up.
  template <typename Look>
  void for_each_up(Look look) {
    for (std::uint8_t node = 0; node < nodes_.count(); ++node)
      if (nodes_.is_up(node)) look(node);
  }

  /// The keys that the trace has on a node must not be about to expire.
  void expect_time_left(std::uint8_t node) {
    const auto found = keys(node);
    for (const auto& [name, key] : expected_.at(node)) {
      if (!key.left_ms) continue;
      const auto real = found.find(name);
      if (real == found.end() || real->second.left_ms.value_or(kLeastLeftMs) < kLeastLeftMs)
        throw Stopped{Outcome::too_slow, fmt::format("the key {} expired too early", name)};
    }
  }

  void pass(const PlanStep& step) {
    const auto amount_ms = step.action.amount_ms;
    const auto now_ms = pace_.real_ms();
    auto until_ms = now_ms + amount_ms + (nodes_.all_up() ? 0 : kWhileDownMs);
    auto gone_by_ms = until_ms;
    for_each_up([&](std::uint8_t node) {
      for (const auto& [name, key] : keys(node)) {
        if (!key.left_ms) continue;
        if (step.keys.at(node).contains(name))
          until_ms = std::min(until_ms, now_ms + *key.left_ms - kMarginMs);
        else
          gone_by_ms = std::max(gone_by_ms, now_ms + *key.left_ms + kLatestMs);
      }
    });
    pace_.wait_until(until_ms);
    pace_.advance(amount_ms);
    while (pace_.real_ms() < gone_by_ms && outlived(step))
      pace_.wait_until(pace_.real_ms() + kBetweenLooksMs);
  }

  /// Whether some key is still there that expires and that the trace does not have any more.
  bool outlived(const PlanStep& step) {
    bool outlived = false;
    for_each_up([&](std::uint8_t node) {
      for (const auto& [name, key] : keys(node))
        outlived = outlived || (key.left_ms && !step.keys.at(node).contains(name));
    });
    return outlived;
  }

  void compare_keys(const PlanStep& step) {
    for_each_up([&](std::uint8_t node) {
      const auto found = keys(node);
      pace_.note_lag();
      const auto difference = keys_difference(step.keys.at(node), found, pace_.tolerance_ms());
      if (!difference) return;
      const auto where = nodes_.count() == 1 ? "" : worded_node(plan_.model, node) + ": ";
      throw Stopped{difference->early ? Outcome::too_slow : Outcome::differs,
                    where + difference->text};
    });
  }

  const Plan& plan_;
  Stage stage_;
  Nodes& nodes_ = stage_.nodes;
  Pace& pace_ = stage_.pace;
  Naming& naming_ = stage_.naming;
  std::vector<std::unique_ptr<ReplayedProcess>> processes_;
  std::vector<sim::VisibleKeys> expected_;  ///< of each node, after the step before
};

}  // namespace

Confirmation replay(const Plan& plan, const std::vector<RunningServer>& servers) {
  return Replay(plan, servers).run();
}

}  // namespace lockstep::live
