// Carries out the sentences of a schedule on a walk through one run.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "checker/trace/trace.hpp"
#include "scenarios/schedule.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/client/program.hpp"

namespace lockstep::scenarios {

namespace {

using Kind = ScheduleStep::Kind;
using checker::Option;
using checker::TraceStep;
using Do = sim::Action::Kind;
using Event = sim::Effect::Kind;

/// A client that has not come to the named event after so many actions never will.
constexpr int kMostActionsPerSentence = 500;

bool has(const TraceStep& step, Event event) {
  return std::any_of(step.data.effects.begin(), step.data.effects.end(),
                     [&](const sim::Effect& effect) { return effect.kind == event; });
}

/// The client sends a request that `words` mean: "SET lock", "WRITE to the resource".
bool sends(const TraceStep& step, std::string_view words) {
  constexpr std::string_view there = " to the resource";
  if (!has(step, Event::send)) return false;
  const auto& requests = step.data.requests;
  return std::any_of(requests.begin(), requests.end(), [&](const checker::NamedRequest& request) {
    auto meant = words;
    if (request.node == sim::kResource && meant.ends_with(there)) meant.remove_suffix(there.size());
    return sim::begin_with(request.words, meant);
  });
}

/// The node executes a request of the client that the sentence means.
bool executes(const ScheduleStep& step, const TraceStep& taken) {
  if (taken.data.action.kind != Do::execute || taken.data.action.process != step.client)
    return false;
  const auto& request = taken.data.requests.front();
  return (request.node == sim::kResource) == (step.node == "resource") &&
         sim::begin_with(request.words, step.words);
}

/// Time has taken the key that `words` mean, as it is or as a trace shows it.
bool expires(const TraceStep& step, const std::string& words) {
  const auto& keys = step.data.expired;
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return words == sim::worded_value(key) || words == sim::without_brackets(key);
  });
}

class ScheduleWalk {
 public:
  ScheduleWalk(const sim::Model& model, std::string file)
      : walk_(model),
        clients_(static_cast<std::uint8_t>(model.processes.size())),
        file_(std::move(file)) {}

  checker::Walk take_all(const std::vector<ScheduleStep>& steps) {
    for (std::size_t i = 0; i < steps.size() && !violated(); ++i) {
      place_ = fmt::format("{}: $.steps[{}] `{}`", file_, i, steps[i].text);
      take(steps[i]);
    }
    return std::move(walk_);
  }

 private:
  void take(const ScheduleStep& step) {
    if (!take_client_event(step) && !take_message_fault(step)) take_named_action(step);
  }

  /// Sentences that run one client until something has happened. False: `step` is of another sort.
  bool take_client_event(const ScheduleStep& step) {
    const auto until = [&](Event event) {
      run_until(step, [event](const TraceStep& taken) { return has(taken, event); });
    };
    switch (step.kind) {
      case Kind::acquires:
        until(Event::acquired);
        return true;
      case Kind::refused:
        until(Event::refused);
        return true;
      case Kind::releasing:
        until(Event::releasing);
        return true;
      case Kind::released:
        until(Event::released);
        return true;
      case Kind::fails:
        until(Event::failed);
        return true;
      case Kind::sends:
        run_until(step, [&](const TraceStep& taken) { return sends(taken, step.words); });
        return true;
      case Kind::executes:
        if (const auto ready = request(step))
          take(*ready);
        else
          run_until(step, [&](const TraceStep& taken) { return executes(step, taken); });
        return true;
      case Kind::hears:
        run_until(step,
                  [](const TraceStep& taken) { return taken.data.action.kind == Do::deliver; });
        return true;
      case Kind::finishes:
        run_out(step);
        return true;
      default:
        return false;
    }
  }

  /// Sentences about one message of a client. It is a request as long as a node could execute it.
  bool take_message_fault(const ScheduleStep& step) {
    const auto is_request = [&](const Option& option) {
      return find([&](const Option& other) {
               return other.action.kind == Do::execute &&
                      other.action.process == option.action.process &&
                      other.action.connection == option.action.connection;
             })
          .has_value();
    };
    const auto of_client = [&](const Option& option, Do kind) {
      return option.action.kind == kind && option.action.process == step.client;
    };
    if (step.kind == Kind::request_held)
      take_found([&](const Option& o) { return of_client(o, Do::delay) && is_request(o); });
    else if (step.kind == Kind::reply_held)
      take_found([&](const Option& o) { return of_client(o, Do::delay) && !is_request(o); });
    else
      return false;
    return true;
  }

  /// Sentences that are one action, or time.
  void take_named_action(const ScheduleStep& step) {
    if (step.kind == Kind::pass) return take_pass(step.amount);
    if (step.kind == Kind::expires) return pass_until_expired(step.words);
    const auto kind = step.action.value();
    const auto& fields = row(kind).fields;
    take_found([&](const Option& option) {
      const auto& action = option.action;
      return action.kind == kind && (!fields.process || action.process == step.client) &&
             (!fields.image || action.image == step.amount) &&
             (!fields.amount || action.amount_ms == step.amount);
    });
  }

  /// Time passes only when nothing urgent is left: whatever runs moves on first, client by client,
  /// also on the way.
  void take_pass(std::int64_t amount_ms) {
    for (auto left_ms = amount_ms; left_ms > 0 && settle();) {
      const auto reach_ms = farthest_pass_ms();
      if (reach_ms == 0) fail("time cannot pass here");
      const auto passed_ms = std::min(left_ms, reach_ms);
      take_time(passed_ms);
      left_ms -= passed_ms;
      if (violated()) return;
    }
  }

  void pass_until_expired(const std::string& key) {
    for (int taken = 0; taken < kMostActionsPerSentence && settle(); ++taken) {
      const auto next = soonest_pass();
      if (!next) fail("time cannot pass here");
      const bool expired = expires(take_time(next->action.amount_ms), key);
      if (violated() || expired) return;
    }
    if (!violated()) fail("it does not expire");
  }

  /// Lets every client do what does not need time. False: that violated something.
  bool settle() {
    for (int taken = 0; taken < kMostActionsPerSentence && !violated(); ++taken) {
      std::optional<Option> next;
      for (std::uint8_t client = 0; client < clients_ && !next; ++client)
        next = own_next_of(client, false);
      if (!next) return true;
      take(*next);
    }
    if (!violated()) fail("somebody goes on for ever without time passing");
    return false;
  }

  /// Lets the client go on alone until `done`; time passes where it waits for nothing else.
  void run_until(const ScheduleStep& step, const std::function<bool(const TraceStep&)>& done) {
    for (int taken = 0; taken < kMostActionsPerSentence; ++taken) {
      const auto next = next_of(step.client, taken == 0);
      if (violated()) return;
      if (!next) fail("the client has nothing left to do");
      const bool reached = done(take(*next));
      if (reached || violated()) return;
      refuse_the_opposite(step);
    }
    fail(fmt::format("not reached after {} actions", kMostActionsPerSentence));
  }

  /// Until the client can begin another round, or has nothing left to do.
  void run_out(const ScheduleStep& step) {
    const auto may_begin = [&](const Option& option) {
      return option.action.kind == Do::begin && option.action.process == step.client;
    };
    for (int taken = 0; taken < kMostActionsPerSentence; ++taken) {
      const auto next = find(may_begin) ? std::nullopt : next_of(step.client, false);
      if (!next) return;
      take(*next);
      if (violated()) return;
    }
    fail("it goes on for ever");
  }

  /// A client that is refused does not acquire later in the same round: say so at once.
  void refuse_the_opposite(const ScheduleStep& step) const {
    const auto& last = walk_.trace().steps.back();
    if (step.kind == Kind::acquires && has(last, Event::refused))
      fail("the client is refused: " + last.prose.sentence);
    if (step.kind == Kind::refused && has(last, Event::acquired))
      fail("the client acquires: " + last.prose.sentence);
  }

  /// What the client does next: a step of its own, else the execution of its request, else what it
  /// does once time has passed.
  std::optional<Option> next_of(std::uint8_t client, bool may_begin) {
    const auto taken = walk_.trace().steps.size();
    auto next = own_next_of(client, may_begin);
    while (!next && !violated() && settle()) {
      const auto pass = soonest_pass();
      if (!pass) break;
      take_time(pass->action.amount_ms);
      next = own_next_of(client, false);
    }
    // Time alone does not help the client: it has not passed.
    while (!next && !violated() && walk_.trace().steps.size() > taken) walk_.back();
    return next;
  }

  std::optional<Option> own_next_of(std::uint8_t client, bool may_begin) const {
    std::vector<Do> kinds{Do::run, Do::deliver, Do::execute, Do::timer};
    if (may_begin) kinds.push_back(Do::begin);
    for (const auto kind : kinds)
      if (auto found = find(
              [&](const Option& o) { return o.action.kind == kind && o.action.process == client; }))
        return found;
    return std::nullopt;
  }

  /// Lets time pass, as one step with the passing before it where nothing stood between.
  const TraceStep& take_time(std::int64_t amount_ms) {
    sim::Action pass;
    pass.kind = Do::pass;
    pass.amount_ms = amount_ms;
    const auto& steps = walk_.trace().steps;
    if (steps.empty() || steps.back().data.action.kind != Do::pass) return walk_.take(pass, place_);
    const auto before = steps.back().data.action;
    walk_.back();
    if (farthest_pass_ms() >= before.amount_ms + amount_ms)
      pass.amount_ms += before.amount_ms;
    else
      walk_.take(before, place_);
    return walk_.take(pass, place_);
  }

  /// 0: time cannot pass here.
  std::int64_t farthest_pass_ms() const {
    std::int64_t farthest_ms = 0;
    for (const auto& option : walk_.enabled())
      if (option.action.kind == Do::pass)
        farthest_ms = std::max(farthest_ms, option.action.amount_ms);
    return farthest_ms;
  }

  std::optional<Option> soonest_pass() const {
    std::optional<Option> soonest;
    for (const auto& option : walk_.enabled()) {
      const bool sooner = !soonest || option.action.amount_ms < soonest->action.amount_ms;
      if (option.action.kind == Do::pass && sooner) soonest = option;
    }
    return soonest;
  }

  /// The client's request that the sentence means, if a node can execute it now.
  std::optional<Option> request(const ScheduleStep& step) const {
    return find([&](const Option& option) { return executes(step, option.step); });
  }

  std::optional<Option> find(const std::function<bool(const Option&)>& wanted) const {
    for (auto& option : walk_.enabled())
      if (wanted(option)) return option;
    return std::nullopt;
  }

  void take_found(const std::function<bool(const Option&)>& wanted) {
    const auto found = find(wanted);
    if (!found) fail("this cannot happen here");
    take(*found);
  }
  const TraceStep& take(const Option& option) { return walk_.take(option.action, place_); }

  bool violated() const { return walk_.trace().violated.has_value(); }

  [[noreturn]] void fail(const std::string& what) const {
    std::vector<std::string> possible;
    for (const auto& option : walk_.enabled())
      possible.push_back(fmt::format("{} {}", option.step.prose.actor, option.step.prose.sentence));
    throw sim::BadInput(fmt::format("{}, after {} actions: {}; possible here: {}", place_,
                                    walk_.trace().steps.size(), what, fmt::join(possible, " | ")));
  }

  checker::Walk walk_;
  std::uint8_t clients_;
  std::string file_;
  std::string place_;
};

}  // namespace

checker::Walk walk_schedule(const sim::Model& model, const std::vector<ScheduleStep>& steps,
                            const std::string& file) {
  return ScheduleWalk(model, file).take_all(steps);
}

}  // namespace lockstep::scenarios
