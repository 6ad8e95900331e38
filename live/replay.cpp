// Carries out a plan; see the header.
#include "live/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "live/aftermath.hpp"
#include "live/compare.hpp"
#include "live/keyspace_check.hpp"
#include "live/memory.hpp"
#include "live/replayed_process.hpp"
#include "live/wording.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/time.hpp"
#include "sim/model/lease_keys.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Action;
using Outcome = Confirmation::Outcome;
using Did = Client::Did;

/// Every name of a key in a plan, and those that the protocol declares.
std::set<std::string> names_of_keys(const Plan& plan) {
  std::set<std::string> names = sim::lease_keys(plan.model);
  for (const auto& step : plan.steps)
    for (const auto& server : step.keys)
      for (const auto& [name, key] : server) names.insert(name);
  return names;
}

/// Those of the keys that the clients and the servers name, where slots migrate.
std::set<unsigned> slots_of(const Plan& plan) {
  std::set<unsigned> slots;
  for (const auto& name : names_of_keys(plan)) slots.insert(sim::hash_slot(name));
  for (const auto& request : requests_of(plan))
    for (const auto& name : sim::key_names_of(request)) slots.insert(sim::hash_slot(name));
  return slots;
}

class Replay {
 public:
  Replay(const Plan& plan, const std::vector<RunningServer>& servers)
      : plan_(plan),
        stage_(plan.model, servers, names_of_keys(plan), slots_of(plan), has_waits(plan)),
        keyspaces_(stage_, plan.ends_are_over) {
    start_together();
    for (std::size_t p = 0; p < plan.model.processes.size(); ++p)
      processes_.push_back(std::make_unique<ReplayedProcess>(static_cast<std::uint8_t>(p), stage_));
  }

  Confirmation run() {
    Confirmation result;
    const RealServer server = nodes_.server();
    result.server = server.shown;
    result.began_ms = stage_.epoch_ms;
    try {
      for (const auto& step : plan_.steps) {
        ++result.step;
        do_step(step);
      }
      look_at_aftermath(plan_, stage_, processes_, result);
    } catch (const Stopped& stopped) {
      result.outcome = stopped.outcome;
      result.detail = stopped.outcome == Outcome::impossible
                          ? fmt::format("step {}: {}", result.step, stopped.detail)
                          : stopped.detail;
    } catch (const ConnectionBroken& error) {
      result.outcome = Outcome::differs;
      result.detail = error.what();
    }
    if (result.outcome == Outcome::differs) excuse_another(server, result);
    result.seconds = static_cast<double>(pace_.real_ms()) / 1000;
    nodes_.clean_up();
    return result;
  }

 private:
  /// What a server of another version does otherwise says nothing of the run.
  void excuse_another(const RealServer& server, Confirmation& result) const {
    const sim::ServerVersion told = plan_.model.server;
    if (server.imitated.value_or(told) == told) return;
    result.outcome = Outcome::impossible;
    result.detail = fmt::format("step {}: the run is one of {}, and {} does something else ({})",
                                result.step, name(told), server.shown, result.detail);
  }

  /// The clients' clocks show the trace's times. If a server has to agree, they show real times
  /// instead, which begin at a whole second, so that seconds round as in the trace.
  void start_together() {
    stage_.epoch_ms = sim::kEpoch.ms;
    pace_ = Pace(Pace::Clock::now());
    if (looks_at_time(plan_)) {
      constexpr std::int64_t second_ms = 1000;
      stage_.epoch_ms = (unix_ms() / second_ms + 1) * second_ms;
      pace_ = Pace(Pace::Clock::now() + std::chrono::milliseconds(stage_.epoch_ms - unix_ms()));
      pace_.wait_until(0);
    }
    naming_ = Naming(stage_.epoch_ms);
    if (!stage_.migration) return;
    for (std::uint8_t node = 0; node < nodes_.count(); ++node) {
      const Address& real = nodes_.address(node);
      naming_.call(fmt::format("{}:{}", real.host, real.port),
                   worded_node(plan_.model, node) + ":6379");
    }
  }

  ReplayedProcess& process_of(const Action& action) { return *processes_.at(action.process); }

  // ---- a step -----------------------------------------------------------------------------------

  void do_step(const PlanStep& step) {
    stage_.choices_left = step.action.choices;
    stage_.departures_left.assign(step.departures.begin(), step.departures.end());
    auto did = do_action(step);
    for (auto& effect : did.effects) effect = naming_.named(effect);
    if (const auto difference = effects_difference(plan_.model, step.action.process, step.effects,
                                                   did.effects, pace_.tolerance_ms()))
      throw Stopped{Outcome::differs, *difference};
    pace_.note_lag();
    // A step of a client is compared by what the client does, any other by the keys.
    if (sim::is_step(sim::step_of(step.action))) return;
    if (step.serves)
      keyspaces_.forget();
    else
      keyspaces_.compare(step);
  }

  Did do_action(const PlanStep& step) {
    const auto& action = step.action;
    if (row(action.kind).fields.cut) return do_within(step);
    if (sim::is_step(action.kind)) return do_own(step);
    switch (action.kind) {
      case Action::Kind::execute:
        execute(step);
        break;
      case Action::Kind::pass:
        keyspaces_.pass(step);
        break;
      default:
        disturb(step);
        break;
    }
    return {};
  }

  /// A client's program goes on as far as the trace says; if it only pauses there, it is not fed.
  Did do_within(const PlanStep& step) {
    const auto& action = step.action;
    process_of(action).cut_next(action.cut, action.kind == Action::Kind::preempt);
    auto did = do_own(step);
    if (action.kind == Action::Kind::crash_within) process_of(action).crash();
    return did;
  }

  Did do_own(const PlanStep& step) {
    const auto& action = step.action;
    switch (sim::step_of(action)) {
      case Action::Kind::begin:
        return process_of(action).begin(action.task);
      case Action::Kind::run:
        return process_of(action).run(action.task);
      case Action::Kind::timer:
        return process_of(action).fire_timer(action.task);
      case Action::Kind::deliver:
        return process_of(action).deliver(step.connection);
      default:
        sim::fail("a step of a client", __FILE__, __LINE__);
    }
  }

  /// Until the server knows who listens: it hears of a connection that is closed a little later.
  void await_listeners(std::uint8_t server) {
    if (!listens_) return;
    std::ptrdiff_t listeners = 0;
    for (const auto& process : processes_) listeners += process->listeners_at(server);
    comes_true([&] {  // or the server's own answers differ
      const auto clients = nodes_.connection(server).execute({"CLIENT", "LIST", "TYPE", "pubsub"});
      return std::ranges::count(clients.text, '\n') == listeners;
    });
  }

  void execute(const PlanStep& step) {
    auto& process = process_of(step.action);
    const bool of_resource = step.connection.node == sim::kResource;
    const auto server = process.server_of(step.connection);
    if (!of_resource) {
      keyspaces_.expect_time_left(server);
      if (stage_.replication.may_have_missed(server))
        throw Stopped{Outcome::impossible, "a real master may have missed by now who has left it"};
      if (has_waits_) stage_.replication.await_acknowledged(server);
      await_listeners(server);
    }
    if (step.closes) return process.close(step.connection);
    if (!step.reply) return process.begin_to_wait(step.connection);
    const auto done = process.execute(step.connection);
    pace_.note_lag();  // the server may have taken its time
    const bool told =
        plan_.violated == sim::Property::no_lost_update && &step == &plan_.steps.back();
    if (told && !done.lost_update) throw Stopped{Outcome::differs, "no update is lost"};
    const auto difference = reply_difference(
        plan_.model, {done.node, done.request, *step.reply.value(), step.looked_at_clock},
        naming_.named(*done.reply), pace_.tolerance_ms());
    if (!difference) return;
    // Our own servers say what the trace has made of them.
    const bool theirs = !of_resource && !nodes_.is_own(server);
    if (theirs) expect_served(nodes_.address(server), *done.reply);
    throw Stopped{Outcome::differs, *difference};
  }

  void disturb(const PlanStep& step) {
    const auto& action = step.action;
    if (row(action.kind).fields.node && !row(action.kind).fields.process) return disturb(action);
    switch (action.kind) {
      case Action::Kind::pause:  // a process that pauses is not fed
      case Action::Kind::resume:
      case Action::Kind::delay:  // a message that is held back is not executed, or not taken
      case Action::Kind::release:
      case Action::Kind::cut:  // nor is any, where a link is cut
      case Action::Kind::cut_requests:
      case Action::Kind::cut_replies:
      case Action::Kind::heal:
      case Action::Kind::heal_late:
        break;
      case Action::Kind::lose:
        process_of(action).lose(step.connection);
        break;
      case Action::Kind::close:
        process_of(action).close_behind(step.connection);
        break;
      case Action::Kind::lose_late:
        process_of(action).lose_late(step.connection);
        break;
      case Action::Kind::crash_begin:
        process_of(action).use_up_round(action.task);
        [[fallthrough]];
      case Action::Kind::crash:
        process_of(action).crash();
        break;
      case Action::Kind::jump_process:
        process_of(action).jump(action.amount_ms);
        break;
      case Action::Kind::learn:
        process_of(action).learn(action.node);
        break;
      default:
        sim::fail("an action that can be done live", __FILE__, __LINE__);
    }
  }

  /// Of a server.
  void disturb(const Action& action) {
    auto& replication = stage_.replication;
    if (sim::is_migration(action.kind)) return migrate(action);
    if (is_of_memory(action.kind)) return change_memory(action);
    switch (action.kind) {
      case Action::Kind::node_crash:
        nodes_.crash(action.node);
        replication.crashed(action.node);
        for (auto& process : processes_) process->server_died(action.node);
        break;
      case Action::Kind::node_restart:
        nodes_.restart(action.node);
        replication.restarted(action.node);
        break;
      case Action::Kind::save:
        nodes_.save(action.node);
        break;
      case Action::Kind::flush:
        nodes_.flush(action.node);
        break;
      case Action::Kind::notice:
        nodes_.meet_all_keys(action.node);
        break;
      case Action::Kind::lag:
        replication.lag(action.node);
        break;
      case Action::Kind::catch_up:
        replication.catch_up(action.node);
        break;
      case Action::Kind::failover:
        replication.fail_over(action.node);
        break;
      case Action::Kind::follow:
        replication.follow(action.node);
        free_memory(nodes_.connection(action.node));  // as a replica it looks at no limit
        break;
      case Action::Kind::miss:
        replication.miss(action.node);
        break;
      default:
        sim::fail("an action that can be done live", __FILE__, __LINE__);
    }
  }

  static bool is_of_memory(Action::Kind kind) {
    return kind == Action::Kind::oom || kind == Action::Kind::relief || kind == Action::Kind::evict;
  }

  void change_memory(const Action& action) {
    auto& server = nodes_.connection(action.node);
    if (action.kind == Action::Kind::oom) return fill_memory(server);
    if (action.kind == Action::Kind::relief) return free_memory(server);
    if (const auto why = evict(server, plan_.model.maxmemory_policy))
      throw Stopped{Outcome::impossible, *why};
  }

  void migrate(const Action& action) {
    switch (action.kind) {
      case Action::Kind::migrate:
        return stage_.migration->begin(action.node);
      case Action::Kind::move_key:
        return move_key(action);
      case Action::Kind::hand_over:
        return stage_.migration->hand_over(action.node);
      default:
        sim::fail("an action of a migration", __FILE__, __LINE__);
    }
  }

  /// The trace names it by its place among its names of the keys.
  void move_key(const Action& action) {
    std::map<std::string, std::string> real_names;
    for (const auto& [name, key] : nodes_.keys(action.node)) real_names[naming_.named(name)] = name;
    if (action.key >= real_names.size())
      throw Stopped{Outcome::too_slow, "the key that is to move expired too early"};
    const auto real = std::next(real_names.begin(), action.key);
    const auto said = stage_.migration->move_key(action.node, real->second);
    if (said != "OK") throw Stopped{Outcome::differs, "MIGRATE: " + said};
  }

  const Plan& plan_;
  const bool has_waits_ = has_waits(plan_);
  const bool listens_ = has_listeners(plan_);
  Stage stage_;
  Nodes& nodes_ = stage_.nodes;
  Pace& pace_ = stage_.pace;
  Naming& naming_ = stage_.naming;
  KeyspaceCheck keyspaces_;
  std::vector<std::unique_ptr<ReplayedProcess>> processes_;
};

}  // namespace

Confirmation replay(const Plan& plan, const std::vector<RunningServer>& servers) {
  return Replay(plan, servers).run();
}

}  // namespace lockstep::live
