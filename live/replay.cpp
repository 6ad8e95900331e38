// Carries out a plan; see the header.
#include "live/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "live/client.hpp"
#include "live/compare.hpp"
#include "live/naming.hpp"
#include "live/network.hpp"
#include "live/observer.hpp"
#include "live/pace.hpp"
#include "live/probe.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/time.hpp"

namespace lockstep::live {

namespace {

using sim::Action;
using Outcome = Confirmation::Outcome;
using Did = Client::Did;

constexpr std::int64_t kLeastLeftMs = 10;  // of a key's lifetime when a request is sent
constexpr std::int64_t kLatestMs = 500;    // how long a key may outlive what the trace says
constexpr std::int64_t kBetweenLooksMs = 2;
constexpr std::int64_t kLeasesOn = 3;     // how many leases later an endless task is looked for
constexpr std::int64_t kWhileDownMs = 5;  // nobody can be asked whether a key has expired

/// The end of a replay before its last step.
struct Stopped {
  Outcome outcome;
  std::string detail;
};

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// One client process and its host.
struct Host {
  explicit Host(const Address& address) : network(address) {}

  std::unique_ptr<Client> client;  ///< none: crashed
  Network network;
  std::vector<int> rounds_begun;  ///< by main task
  std::int64_t offset_ms = 0;     ///< of its wall clock
  std::map<sim::TaskId, Resource::Basis> basis;
  std::map<sim::TaskId, std::int64_t> timers;  ///< when they are due, in the trace's time
};

/// Every name of a key in a plan, and those that the protocol declares.
std::set<std::string> names_of_keys(const Plan& plan) {
  std::set<std::string> names;
  for (const auto& step : plan.steps)
    for (const auto& [name, key] : step.keys) names.insert(name);
  for (const auto& setup : plan.model.processes)
    for (const auto& lock : setup.lock_keys)
      for (const auto& key : plan.model.program->lease_keys(lock)) names.insert(key);
  return names;
}

class Replay {
 public:
  Replay(const Plan& plan, const Address& address, Server* own)
      : plan_(plan),
        address_(address),
        own_(own),
        names_(names_of_keys(plan)),
        observer_(std::make_unique<Observer>(address, looked_at())),
        resource_(plan.model.resource) {
    if (const auto name = observer_->existing(names_); !name.empty())
      throw sim::BadInput(
          fmt::format("{}: the key {} exists already: name a server or a database on which nobody "
                      "uses it",
                      address.shown(), name));
    start_together();
    for (std::size_t p = 0; p < plan.model.processes.size(); ++p) {
      auto& host = hosts_.emplace_back(address);
      host.rounds_begun.resize(static_cast<std::size_t>(plan.model.processes[p].threads));
      incarnate(p);
    }
  }

  Confirmation run() {
    Confirmation result;
    result.server = observer_->version();
    try {
      for (const auto& step : plan_.steps) {
        ++result.step;
        do_step(step);
        expected_keys_ = &step.keys;
      }
      look_at_end(result);
    } catch (const Stopped& stopped) {
      result.outcome = stopped.outcome;
      result.detail = stopped.detail;
    } catch (const ConnectionBroken& error) {
      result.outcome = Outcome::differs;
      result.detail = error.what();
    }
    result.seconds = static_cast<double>(pace_.real_ms()) / 1000;
    if (!own_) clean_up();
    return result;
  }

 private:
  void clean_up() {
    try {
      observer_->remove(names_);
    } catch (const ConnectionBroken&) {
      // the outcome says so already
    }
  }

  /// All keys of our own server; on another one only the plan's.
  std::optional<Observer::Names> looked_at() const {
    return own_ ? std::nullopt : std::optional(names_);
  }

  /// The clients' clocks show the trace's times. If the server has to agree, they show real times
  /// instead, which begin at a whole second, so that seconds round as in the trace.
  void start_together() {
    epoch_ms_ = sim::kEpoch.ms;
    if (asks_time_of_day(plan_)) {
      constexpr std::int64_t second_ms = 1000;
      epoch_ms_ = (unix_ms() / second_ms + 1) * second_ms;
      pace_ = Pace(Pace::Clock::now() + std::chrono::milliseconds(epoch_ms_ - unix_ms()));
      pace_.wait_until(0);
    }
    naming_ = Naming(epoch_ms_);
  }

  void incarnate(std::size_t p) {
    auto& host = hosts_[p];
    const auto process = static_cast<std::uint8_t>(p);
    host.basis.clear();
    host.client = std::make_unique<Client>(
        *plan_.model.program, plan_.model.processes[p], host.rounds_begun,
        [this, process](const sim::Query& query) { return answer(process, query); });
  }

  std::string answer(std::uint8_t process, const sim::Query& query) {
    if (query.kind == sim::Query::Kind::token) return naming_.fresh_token(process);
    if (choices_left_.empty())
      throw Stopped{Outcome::differs, "the client asks choose() more often than in the trace"};
    const int choice = choices_left_.front();
    choices_left_.erase(choices_left_.begin());
    return std::to_string(choice);
  }

  Host& host_of(const Action& action) { return hosts_.at(action.process); }

  void do_step(const PlanStep& step) {
    const auto& action = step.action;
    choices_left_ = action.choices;
    Did did;
    switch (action.kind) {
      case Action::Kind::begin:
        did = begin(action);
        break;
      case Action::Kind::run:
        did = feed(action, observed(sim::Observation::Kind::run, action.task));
        break;
      case Action::Kind::timer:
        did = fire_timer(action);
        break;
      case Action::Kind::execute:
        execute(step);
        break;
      case Action::Kind::deliver:
        did = deliver(action);
        break;
      case Action::Kind::pass:
        pass(step);
        break;
      default:
        disturb(action);
        break;
    }
    for (auto& effect : did.effects) effect = naming_.named(effect);
    if (const auto difference = effects_difference(step.effects, did.effects))
      throw Stopped{Outcome::differs, *difference};
    pace_.note_lag();
    const bool of_client = action.kind == Action::Kind::begin || action.kind == Action::Kind::run ||
                           action.kind == Action::Kind::timer ||
                           action.kind == Action::Kind::deliver;
    if (node_up_ && !of_client) compare_keys(step);
  }

  // ---- what the clients do ----------------------------------------------------------------------

  static sim::Observation observed(sim::Observation::Kind kind, sim::TaskId task) {
    sim::Observation observation;
    observation.kind = kind;
    observation.task = task;
    return observation;
  }

  Did feed(const Action& action, sim::Observation observation) {
    auto& host = host_of(action);
    if (!host.client) throw Stopped{Outcome::differs, "the client has crashed"};
    const Clocks now{epoch_ms_ + pace_.trace_ms() + host.offset_ms, pace_.trace_ms()};
    auto did = host.client->feed(std::move(observation), now);
    for (const auto& effect : did.effects)
      if (effect.kind == sim::Effect::Kind::send) send(host, effect);
    std::set<sim::TaskId> gone;
    for (const auto& channel : host.network.channels())
      if (channel.open && !host.client->wait_of(channel.task)) gone.insert(channel.task);
    for (const auto task : gone) host.network.abandon(task);
    keep_timers(host, did.fresh);
    return did;
  }

  void keep_timers(Host& host, const std::vector<sim::Wait>& fresh) const {
    using Kind = sim::Wait::Kind;
    for (const auto& wait : fresh) {
      host.timers.erase(wait.task);
      const bool timed = wait.kind == Kind::sleep || wait.kind == Kind::work ||
                         (wait.kind == Kind::replies && wait.ms > 0);
      if (timed) host.timers[wait.task] = pace_.trace_ms() + wait.ms;
    }
    std::erase_if(host.timers, [&](const auto& timer) {
      const auto* wait = host.client->wait_of(timer.first);
      return !wait ||
             (wait->kind != Kind::sleep && wait->kind != Kind::work && wait->kind != Kind::replies);
    });
  }

  void send(Host& host, const sim::Effect& effect) {
    Message message;
    message.request = effect.request;
    if (effect.node == sim::kResource) {
      if (effect.request[0] == "WRITE") std::swap(message.basis, host.basis[effect.task]);
    } else if (!node_up_) {
      message.state = Message::State::broken;
    }
    host.network.send(effect.task, effect.node, std::move(message));
  }

  Did begin(const Action& action) {
    auto& host = host_of(action);
    if (!host.client) incarnate(action.process);
    host.rounds_begun.at(action.task) += 1;
    return feed(action, observed(sim::Observation::Kind::begin, action.task));
  }

  Did fire_timer(const Action& action) {
    auto& host = host_of(action);
    const auto* wait = host.client ? host.client->wait_of(action.task) : nullptr;
    if (!wait) throw Stopped{Outcome::differs, "the client has no such task"};
    host.timers.erase(action.task);
    if (wait->kind != sim::Wait::Kind::replies)
      return feed(action, observed(sim::Observation::Kind::timer, action.task));
    host.network.abandon(action.task);
    return feed(action, observed(sim::Observation::Kind::timeout, action.task));
  }

  Did deliver(const Action& action) {
    auto& host = host_of(action);
    const auto& channel = host.network.channel(action.connection);
    auto observation = observed(sim::Observation::Kind::reply, channel.task);
    observation.node = channel.node;
    auto message = host.network.take(action.connection);
    if (message.state == Message::State::broken)
      observation.kind = sim::Observation::Kind::broken;
    else
      observation.reply = std::move(message.reply);
    return feed(action, std::move(observation));
  }

  // ---- what the server does ---------------------------------------------------------------------

  void execute(const PlanStep& step) {
    auto& host = host_of(step.action);
    auto& message = host.network.next_waiting(step.action.connection);
    const auto& channel = host.network.channel(step.action.connection);
    if (channel.node == sim::kResource) {
      bool lost = false;
      Resource::Basis nobodys;
      auto& basis = message.request[0] == "WRITE" ? message.basis
                    : channel.former              ? nobodys
                                                  : host.basis[channel.task];
      message.reply = resource_.execute(message.request, basis, lost);
      const bool told =
          plan_.violated == sim::Property::no_lost_update && &step == &plan_.steps.back();
      if (told && !lost) throw Stopped{Outcome::differs, "no update is lost"};
    } else {
      expect_time_left();
      message.reply = host.network.ask(step.action.connection, message.request);
    }
    message.state = Message::State::answered;
    const auto difference = reply_difference(message.request, step.reply.value(),
                                             naming_.named(message.reply), pace_.tolerance_ms());
    host.network.tidy();
    if (difference) throw Stopped{Outcome::differs, *difference};
  }

  /// The keys that the trace has must not be about to expire.
  void expect_time_left() {
    const auto found = naming_.named(observer_->keys());
    for (const auto& [name, key] : *expected_keys_) {
      if (!key.left_ms) continue;
      const auto real = found.find(name);
      if (real == found.end() || real->second.left_ms.value_or(kLeastLeftMs) < kLeastLeftMs)
        throw Stopped{Outcome::too_slow, fmt::format("the key {} expired too early", name)};
    }
  }

  void pass(const PlanStep& step) {
    const auto amount_ms = step.action.amount_ms;
    auto until_ms = pace_.real_ms() + amount_ms;
    if (!node_up_) until_ms += kWhileDownMs;
    const auto now_ms = pace_.real_ms();
    auto gone_by_ms = until_ms;
    if (node_up_) {
      for (const auto& [name, key] : naming_.named(observer_->keys())) {
        if (!key.left_ms) continue;
        if (step.keys.contains(name))
          until_ms = std::min(until_ms, now_ms + *key.left_ms - kMarginMs);
        else
          gone_by_ms = std::max(gone_by_ms, now_ms + *key.left_ms + kLatestMs);
      }
    }
    pace_.wait_until(until_ms);
    pace_.advance(amount_ms);
    if (node_up_) await_expiries(step, gone_by_ms);
  }

  /// Waits until the keys that the trace does not have any more are gone.
  void await_expiries(const PlanStep& step, std::int64_t latest_ms) {
    const auto outlives = [&] {
      const auto keys = naming_.named(observer_->keys());
      return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
        return key.second.left_ms && !step.keys.contains(key.first);
      });
    };
    while (pace_.real_ms() < latest_ms && outlives())
      pace_.wait_until(pace_.real_ms() + kBetweenLooksMs);
  }

  void compare_keys(const PlanStep& step) {
    const auto found = naming_.named(observer_->keys());
    pace_.note_lag();
    const auto difference = keys_difference(step.keys, found, pace_.tolerance_ms());
    if (!difference) return;
    throw Stopped{difference->early ? Outcome::too_slow : Outcome::differs, difference->text};
  }

  // ---- what the violation says of what comes after
  // -----------------------------------------------

  void look_at_end(Confirmation& result) {
    if (!node_up_) return;
    if (plan_.violated == sim::Property::deadlock) {
      const auto offset_ms = epoch_ms_ + pace_.trace_ms() - unix_ms();
      const bool acquires = fresh_client_acquires({plan_.model, address_, offset_ms});
      result.detail = acquires ? "a fresh client acquires the lock"
                               : "a fresh client could not acquire the lock either";
      if (acquires) result.outcome = plan_.endless ? Outcome::open : Outcome::differs;
    }
    if (plan_.violated == sim::Property::leak && plan_.endless) {
      const auto going_ms = kLeasesOn * plan_.model.processes.front().lease_ms;
      const auto alive = go_on(going_ms);
      result.detail = alive ? fmt::format("a task was still at it {} ms later", going_ms)
                            : fmt::format("no task went on for {} ms", going_ms);
      if (!alive) result.outcome = Outcome::differs;
    }
  }

  /// Lets everything happen that happens by itself. False if nothing is left that could.
  bool go_on(std::int64_t going_ms) {
    const auto end_ms = pace_.trace_ms() + going_ms;
    while (true) {
      if (take_any_step()) continue;
      std::optional<std::int64_t> next_ms;
      for (const auto& host : hosts_)
        for (const auto& [task, due_ms] : host.timers)
          next_ms = std::min(next_ms.value_or(due_ms), due_ms);
      if (!next_ms) return false;
      if (*next_ms > end_ms) return true;
      const auto wait_ms = std::max<std::int64_t>(0, *next_ms - pace_.trace_ms());
      pace_.wait_until(pace_.real_ms() + wait_ms);
      pace_.advance(wait_ms);
      fire_due_timer();
    }
  }

  /// Executes or delivers a message, or runs a task, if there is one.
  bool take_any_step() {
    for (std::size_t p = 0; p < hosts_.size(); ++p) {
      Action action;
      action.process = static_cast<std::uint8_t>(p);
      auto& host = hosts_[p];
      if (!host.client) continue;
      for (const auto& wait : host.client->waits()) {
        if (wait.kind != sim::Wait::Kind::runnable) continue;
        feed(action, observed(sim::Observation::Kind::run, wait.task));
        return true;
      }
      if (host.network.channels().empty()) continue;
      const auto& channel = host.network.channels().front();
      if (channel.messages.front().state == Message::State::waiting)
        answer_next(host, action, channel.node);
      else
        deliver(action);
      return true;
    }
    return false;
  }

  void answer_next(Host& host, const Action& action, std::uint8_t node) {
    auto& message = host.network.next_waiting(action.connection);
    bool lost = false;
    message.reply = node == sim::kResource ? resource_.execute(message.request, message.basis, lost)
                                           : host.network.ask(action.connection, message.request);
    message.state = Message::State::answered;
    host.network.tidy();
  }

  void fire_due_timer() {
    for (std::size_t p = 0; p < hosts_.size(); ++p) {
      for (const auto& [task, due_ms] : hosts_[p].timers) {
        if (due_ms > pace_.trace_ms()) continue;
        Action action;
        action.process = static_cast<std::uint8_t>(p);
        action.task = task;
        fire_timer(action);
        return;
      }
    }
  }

  // ---- what the environment does ----------------------------------------------------------------

  void disturb(const Action& action) {
    switch (action.kind) {
      case Action::Kind::pause:  // a process that pauses is not fed
      case Action::Kind::resume:
      case Action::Kind::delay:  // a message that is held back is not executed, or not taken
      case Action::Kind::release:
        break;
      case Action::Kind::lose:
        host_of(action).network.lose(action.connection);
        break;
      case Action::Kind::crash:
        host_of(action).client.reset();
        host_of(action).timers.clear();
        host_of(action).network.abandon_all();
        break;
      case Action::Kind::jump_process:
        host_of(action).offset_ms += action.amount_ms;
        break;
      case Action::Kind::node_crash:
        crash_node(action.node);
        break;
      case Action::Kind::node_restart:
        own_->start();
        observer_ = std::make_unique<Observer>(address_, looked_at());
        node_up_ = true;
        break;
      case Action::Kind::save:
        observer_->save();
        break;
      default:
        sim::fail("an action that can be done live", __FILE__, __LINE__);
    }
  }

  void crash_node(std::uint8_t node) {
    own_->crash();
    node_up_ = false;
    for (auto& host : hosts_) host.network.node_died(node);
  }

  const Plan& plan_;
  Address address_;
  Server* own_;
  std::set<std::string> names_;
  std::unique_ptr<Observer> observer_;
  Resource resource_;
  std::vector<Host> hosts_;  ///< by process
  bool node_up_ = true;
  std::int64_t epoch_ms_ = 0;
  Naming naming_{0};
  Pace pace_{Pace::Clock::now()};
  std::vector<std::uint8_t> choices_left_;
  const sim::VisibleKeys nothing_;
  const sim::VisibleKeys* expected_keys_ = &nothing_;
};

}  // namespace

Confirmation replay(const Plan& plan, const Address& address, Server* own) {
  return Replay(plan, address, own).run();
}

}  // namespace lockstep::live
