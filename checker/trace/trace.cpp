// Walks through a run on the naive world and tells it.
#include "checker/trace/trace.hpp"

#include <algorithm>

#include "checker/trace/record.hpp"
#include "checker/trace/teller.hpp"
#include "checker/trace/violation_teller.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::checker {

using naive::World;
using sim::Action;

namespace {
/// Longer than a person lets pass at once, in ms.
constexpr std::int64_t kCentury = 100LL * 366 * 24 * 3600 * 1000;

/// "B waits", "A, B wait".
std::string waiting_in_acquire(const World& world) {
  std::string names;
  int count = 0;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const auto& waits = world.processes[p].waits;
    if (std::none_of(waits.begin(), waits.end(), [](const auto& wait) { return wait.in_acquire; }))
      continue;
    names += (names.empty() ? "" : ", ") + sim::process_name(static_cast<std::uint8_t>(p));
    ++count;
  }
  return names + (count == 1 ? " waits" : " wait");
}

}  // namespace

struct Walk::Impl {
  explicit Impl(const sim::Model& model, naive::Memory memory = naive::Memory::history,
                naive::Thresholds expected = {})
      : rules(model, memory, std::move(expected)),
        here(rules.initial()),
        began_absolute(here.absolute) {
    rules.tell_lines();
    rules.model().program->note_lines(true);
  }
  ~Impl() { rules.model().program->note_lines(false); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool possible(const Action& action) {
    if (action.kind == Action::Kind::pass) {  // what a clock reading will decide, no walk can know
      return action.amount_ms > 0 && action.amount_ms % rules.model().tick_ms == 0 &&
             action.amount_ms <= rules.undisturbed_ms(here, action.amount_ms, true);
    }
    Action open = action;
    open.choices.clear();
    open.cut = 0;
    World world = here;
    // A clock may jump before anything looks at it; whether something will, the walk cannot know.
    if (action.kind == Action::Kind::jump_process || action.kind == Action::Kind::jump_node)
      world.absolute = true;
    const std::vector<Action> all = rules.enabled(world);
    return std::find(all.begin(), all.end(), open) != all.end();
  }

  [[noreturn]] void refuse(const Action& action, const std::string& place) {
    std::string text = (place.empty() ? "" : place + ": ") + "step " +
                       std::to_string(trace.steps.size() + 1) + ", \"" + sim::worded(action) +
                       "\", is not possible here";
    if (trace.violated) {
      throw sim::BadInput(text + ": the run ended when " + sim::name(*trace.violated) +
                          " was violated");
    }
    // Nearest first: what is of the same kind, then what the same process could do.
    std::vector<Action> others = rules.enabled(here);
    std::stable_sort(others.begin(), others.end(), [&](const Action& a, const Action& b) {
      const auto distance = [&](const Action& other) {
        return (other.kind == action.kind ? 0 : 2) + (other.process == action.process ? 0 : 1);
      };
      return distance(a) < distance(b);
    });
    std::string list;
    for (const Action& other : others) list += (list.empty() ? "" : ", ") + sim::worded(other);
    if (const std::int64_t furthest = rules.furthest_pass(here); furthest > 0)
      list += (list.empty() ? "" : ", ") + std::string("pass up to ") + std::to_string(furthest) +
              " ms";
    throw sim::BadInput(text + "; possible: " + (list.empty() ? "nothing" : list));
  }

  sim::Model const& model() const { return rules.model(); }

  bool has_replicas() const {
    return std::ranges::any_of(model().processes,
                               [](const sim::ProcessSetup& setup) { return setup.replicas > 0; });
  }

  /// Whether the run has to be told again, with all that was found out of it known from its start:
  /// where clocks drift, that it looks at the absolute time; that some request is a WAIT; that
  /// clients read clocks, for what a probe executes at once; and how far that has to wait, before
  /// it may be said that nobody ever acquires the lock.
  bool knew_too_little() const {
    const bool absolute = sim::clocks_drift(model()) && here.absolute;
    return (absolute && !began_absolute) ||
           (rules.found().replica_waits && !rules.expected().replica_waits) ||
           (rules.found().clocks && !rules.expected().clocks &&
            model().properties.contains(sim::Property::deadlock)) ||
           (trace.violated == sim::Property::deadlock && rules.found() != rules.expected());
  }

  naive::Rules rules;
  World here;
  bool began_absolute;
  Story story;
  Trace trace;
};

Walk::Walk(const sim::Model& model) : impl_(std::make_unique<Impl>(model)) {}
Walk::~Walk() = default;
Walk::Walk(Walk&&) noexcept = default;
Walk& Walk::operator=(Walk&&) noexcept = default;

const TraceStep& Walk::take(const Action& action, const std::string& place) {
  const bool may_wait =
      impl_->has_replicas() && !impl_->rules.expected().replica_waits;  // else it changes nothing
  if (may_wait && !impl_->possible(action)) expect_a_wait(action);
  take_on(action, place);
  if (impl_->trace.steps.size() == kLong) begin_again(schedule(), impl_->rules.found(), place);
  while (impl_->knew_too_little()) begin_again(schedule(), impl_->rules.found(), place);
  return impl_->trace.steps.back();
}

/// That some request will be a WAIT no walk can know. If that alone lets the action be possible,
/// it is so.
void Walk::expect_a_wait(const Action& action) {
  naive::Thresholds expected = impl_->rules.expected();
  expected.replica_waits = true;
  Walk other(impl_->model());
  try {
    other.begin_again(schedule(), std::move(expected), "");
  } catch (const sim::BadInput&) {
    return;
  }
  if (!other.impl_->trace.violated && other.impl_->possible(action)) impl_ = std::move(other.impl_);
}

sim::Schedule Walk::schedule() const {
  sim::Schedule schedule;
  for (const TraceStep& step : impl_->trace.steps) schedule.push_back(step.data.action);
  return schedule;
}

/// With `expected` known from the start. In a long run worlds do not keep all that
/// their processes have observed: each step would have to go through it.
void Walk::begin_again(const sim::Schedule& schedule, naive::Thresholds expected,
                       const std::string& place) {
  sim::Model model = impl_->model();
  const bool is_long = schedule.size() >= kLong;
  if (is_long) model.merges_tokens = false;  // a token is told once
  impl_ = std::make_unique<Impl>(model, is_long ? naive::Memory::boundary : naive::Memory::history,
                                 std::move(expected));
  for (const Action& action : schedule) take_on(action, place);
}

const TraceStep& Walk::take_on(const Action& action, const std::string& place) {
  Impl& impl = *impl_;
  if (impl.trace.violated || !impl.possible(action)) impl.refuse(action, place);
  World after = impl.here;
  const naive::Facts facts = impl.rules.apply(after, action);
  if (facts.choices_missing > 0 || facts.choices_used != action.choices.size()) {
    throw sim::BadInput((place.empty() ? "" : place + ": ") + "step " +
                        std::to_string(impl.trace.steps.size() + 1) + ", \"" + sim::worded(action) +
                        "\": the step asks choose(n) " +
                        (facts.choices_missing > 0 ? "more" : "fewer") +
                        " times than the action tells");
  }
  if (row(action.kind).fields.cut && facts.cut == sim::Cut::none) impl.refuse(action, place);
  const Event event{impl.rules, impl.here, action, after, facts};
  impl.trace.steps.push_back({record(event), tell_step(event)});
  tell_on(impl.story, event);
  if (facts.violation) {
    impl.trace.violated = facts.violation->property;
    impl.trace.violation = tell_violation(impl.story, event, *facts.violation);
  } else if (impl.model().properties.contains(sim::Property::deadlock) &&
             impl.rules.waits_in_acquire(after) && impl.rules.has_ended(after)) {
    impl.trace.violated = sim::Property::deadlock;
    impl.trace.violation =
        waiting_in_acquire(after) + " in acquire(), and nothing but a fault can happen any more.";
    impl.trace.stuck = true;
  }
  impl.here = std::move(after);
  return impl.trace.steps.back();
}

void Walk::end_endless(sim::Property property, std::optional<Loop> loop) {
  Trace& trace = impl_->trace;
  if (trace.violated) return;
  trace.violated = property;
  LOCKSTEP_CHECK(row(property).endless != nullptr);
  trace.violation = row(property).endless;
  if (property == sim::Property::deadlock && !impl_->rules.waits_in_acquire(impl_->here))
    trace.violation = "Nothing but a fault can happen any more, and nobody can ever acquire.";
  if (!loop) return;
  trace.loop = loop;
  trace.violation = "Steps " + std::to_string(loop->from + 1) + " to " +
                    std::to_string(trace.steps.size()) +
                    " may come again and again for ever: " + sim::process_name(loop->process) +
                    " is inside acquire() all along, and never comes out of it.";
}

std::int64_t Walk::undisturbed_ms() const {
  return impl_->trace.violated ? 0 : impl_->rules.undisturbed_ms(impl_->here, kCentury);
}

void Walk::back() {
  if (impl_->trace.steps.empty()) return;
  sim::Schedule before = schedule();
  before.pop_back();
  begin_again(before, impl_->rules.expected(), "");
}

std::vector<Option> Walk::enabled() const {
  Impl& impl = *impl_;
  std::vector<Option> options;
  if (impl.trace.violated) return options;
  for (const naive::Successor& successor : successors_at_deadlines(impl.rules, impl.here)) {
    const Event event{impl.rules, impl.here, successor.action, successor.world, successor.facts};
    options.push_back({successor.action, {record(event), tell_step(event)}});
  }
  return options;
}

std::string in_one_line(const StepProse& told) {
  if (told.actor.empty()) return told.sentence;
  // "A: A's READ goes on its way again", "A: the connection breaks": a subject of its own.
  const bool has_subject =
      told.sentence.starts_with("the ") || told.sentence.starts_with(told.actor + "'s ");
  return told.actor + (has_subject ? ": " : " ") + told.sentence;
}

const Trace& Walk::trace() const { return impl_->trace; }

bool Walk::hangs_on_tokens() const {
  Impl again(impl_->model(), naive::Memory::history, impl_->rules.expected());
  again.rules.look_at_tokens();
  for (const Action& action : schedule()) again.rules.apply(again.here, action);
  return again.rules.hangs_on_tokens();
}

Walk walked(const sim::Model& model, const sim::Schedule& schedule, const std::string& place) {
  Walk walk(model);
  for (const Action& action : schedule) walk.take(action, place);
  return walk;
}

Trace tell(const sim::Model& model, const sim::Schedule& schedule) {
  return walked(model, schedule).trace();
}

}  // namespace lockstep::checker
