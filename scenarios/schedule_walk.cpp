// What the sentences of a schedule mean: carried out on one run, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "checker/trace/trace.hpp"
#include "scenarios/schedule.hpp"
#include "scenarios/schedule_driver.hpp"
#include "sim/base/token.hpp"
#include "sim/client/program.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::scenarios {

namespace {

using Says = ScheduleStep::Kind;
using checker::Option;
using checker::TraceStep;
using Do = sim::Action::Kind;
using Event = sim::Effect::Kind;

bool has(const TraceStep& step, Event event) {
  return std::any_of(step.data.effects.begin(), step.data.effects.end(),
                     [&](const sim::Effect& effect) { return effect.kind == event; });
}

/// The client sends a request that `words` mean: "SET lock", "SET lock to redis-2", "WRITE to the
/// resource".
bool sends(const TraceStep& step, std::string_view words) {
  if (!has(step, Event::send)) return false;
  const auto& requests = step.data.requests;
  return std::any_of(requests.begin(), requests.end(), [&](const checker::NamedRequest& request) {
    auto meant = words;
    const auto there = request.node == sim::kResource
                           ? std::string(" to the resource")
                           : fmt::format(" to redis-{}", request.node + 1);
    if (meant.ends_with(there)) meant.remove_suffix(there.size());
    return sim::begin_with(request.words, meant);
  });
}

/// Time, or eviction, has taken the key that `words` mean, as it is or as a trace shows it.
bool takes(const TraceStep& step, const std::string& words) {
  const auto& keys = step.data.taken;
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return words == sim::worded_value(key) || words == sim::without_brackets(key);
  });
}

class ScheduleWalk {
 public:
  ScheduleWalk(const sim::Model& model, std::string file) : run_(model), file_(std::move(file)) {
    nodes_ = static_cast<int>(sim::servers_of(model).count());
  }

  checker::Walk take_all(const std::vector<ScheduleStep>& steps) {
    for (std::size_t i = 0; i < steps.size() && !run_.violated(); ++i) {
      run_.at(fmt::format("{}: $.steps[{}] `{}`", file_, i, steps[i].text));
      take(steps[i]);
    }
    return run_.finish();
  }

 private:
  void take(const ScheduleStep& step) {
    node_ = node_of(step);
    if (!take_client_event(step) && !take_message_fault(step)) take_named_action(step);
  }

  /// Sentences that run one client until something has happened. False: `step` is of another sort.
  bool take_client_event(const ScheduleStep& step) {
    const auto until = [&](Event event) {
      run_until(step, [event](const TraceStep& taken) { return has(taken, event); });
    };
    switch (step.kind) {
      case Says::acquires:
        until(Event::acquired);
        return true;
      case Says::refused:
        until(Event::refused);
        return true;
      case Says::releasing:
        until(Event::releasing);
        return true;
      case Says::released:
        until(Event::released);
        return true;
      case Says::fails:
        until(Event::failed);
        return true;
      case Says::sends:
        run_until(step, [&](const TraceStep& taken) { return sends(taken, step.words); });
        return true;
      case Says::executes:
        if (const auto ready = request(step))
          run_.take(*ready);
        else
          run_until(step, [&](const TraceStep& taken) { return executes(step, taken.data); });
        return true;
      case Says::hears:
        run_until(step,
                  [](const TraceStep& taken) { return taken.data.action.kind == Do::deliver; });
        return true;
      case Says::finishes:
        run_.run_out(step.client);
        return true;
      case Says::stops_at_clock:
        stop_within(step, Event::instant);
        return true;
      case Says::stops_between_sends:
        stop_within(step, Event::send);
        return true;
      default:
        return false;
    }
  }

  /// Sentences about one message of a client. It is a request as long as a node could execute it.
  bool take_message_fault(const ScheduleStep& step) {
    const auto is_request = [&](const Option& option) {
      return run_
          .find([&](const Option& other) {
            return other.action.kind == Do::execute &&
                   other.action.process == option.action.process &&
                   other.action.connection == option.action.connection;
          })
          .has_value();
    };
    const auto of_client = [&](const Option& option, Do kind) {
      return option.action.kind == kind && option.action.process == step.client;
    };
    if (step.kind == Says::request_held)
      run_.take_found([&](const Option& o) { return of_client(o, Do::delay) && is_request(o); });
    else if (step.kind == Says::reply_held)
      run_.take_found([&](const Option& o) { return of_client(o, Do::delay) && !is_request(o); });
    else
      return false;
    return true;
  }

  /// Sentences that are one action, or time.
  void take_named_action(const ScheduleStep& step) {
    if (step.kind == Says::pass) return run_.pass(step.amount);
    if (step.kind == Says::expires)
      return run_.pass_until([&](const TraceStep& taken) { return takes(taken, step.words); },
                             "it does not expire");
    const auto kind = step.action.value();
    const auto& fields = row(kind).fields;
    run_.take_found([&](const Option& option) {
      const auto& action = option.action;
      return action.kind == kind && (!fields.process || action.process == step.client) &&
             (!fields.node || action.node == node_) &&
             (!fields.image || action.image == step.amount) &&
             (!fields.key || takes(option.step, step.words)) &&
             (!fields.amount || action.amount_ms == step.amount);
    });
  }

  void run_until(const ScheduleStep& step, const std::function<bool(const TraceStep&)>& done) {
    run_.run_until(step.client, done, [&] { refuse_the_opposite(step); });
  }

  /// Runs the client to its first step that can be cut after such an effect, and stops it there.
  void stop_within(const ScheduleStep& step, Event effect) {
    run_.run_until_possible(
        step.client,
        [&](const Option& option) {
          const auto& effects = option.step.data.effects;
          return option.action.kind == step.action && option.action.process == step.client &&
                 !effects.empty() && effects.back().kind == effect;
        },
        [&] { refuse_the_opposite(step); });
  }

  /// A client that is refused does not acquire later in the same round: say so at once.
  void refuse_the_opposite(const ScheduleStep& step) const {
    const auto& last = run_.last();
    if (step.kind == Says::acquires && has(last, Event::refused))
      run_.fail("the client is refused: " + last.prose.sentence);
    if (step.kind == Says::refused && has(last, Event::acquired))
      run_.fail("the client acquires: " + last.prose.sentence);
  }

  /// The client's request that the sentence means, if a node can execute it now.
  std::optional<Option> request(const ScheduleStep& step) const {
    return run_.find([&](const Option& option) { return executes(step, option.step.data); });
  }

  /// The node executes a request of the client that the sentence means.
  bool executes(const ScheduleStep& step, const checker::StepData& taken) const {
    if (taken.action.kind != Do::execute || taken.action.process != step.client) return false;
    const auto& request = taken.requests.front();
    return request.node == node_ && sim::begin_with(request.words, step.words);
  }

  /// The node that the sentence names; of several, by its number.
  std::uint8_t node_of(const ScheduleStep& step) const {
    if (step.node == "resource") return sim::kResource;
    const auto dash = step.node.find('-');
    if (dash == step.node.npos) {
      if (nodes_ > 1 && !step.node.empty())
        run_.fail(fmt::format("which node? there are redis-1 to redis-{}", nodes_));
      return 0;
    }
    const int number = std::stoi(step.node.substr(dash + 1));
    if (number > nodes_) run_.fail(fmt::format("there are {} nodes", nodes_));
    return static_cast<std::uint8_t>(number - 1);
  }

  ScheduleDriver run_;
  std::string file_;
  int nodes_ = 1;
  std::uint8_t node_ = 0;  ///< that the sentence under way names
};

}  // namespace

checker::Walk walk_schedule(const sim::Model& model, const std::vector<ScheduleStep>& steps,
                            const std::string& file) {
  return ScheduleWalk(model, file).take_all(steps);
}

}  // namespace lockstep::scenarios
