// The interned world as a system that can be searched: the one place where the search's questions
// are answered by a world of locks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checker/search/system.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/world/expand.hpp"
#include "sim/world/world.hpp"

namespace lockstep::checker {

// What the world expands into, the state store folds.
static_assert(sim::World::kMaxWidth == Unfolded::kMaxWidth && sim::World::kRoom == Unfolded::kRoom);

/// A world and the properties that are judged in it. Hot: all of it is inlined.
class WorldSystem {
 public:
  using Step = sim::Candidate;

  /// What steps show, of the properties only those that are judged.
  struct Facts : sim::Facts {
    bool ends() const { return violated != 0; }
  };

  /// Both must outlive the system.
  WorldSystem(const sim::Model& model, sim::World& world) : world_(world) {
    for (const auto property : model.properties) judged_ |= sim::only(property);
  }

  unsigned width() const { return world_.width(); }
  void initial(sim::Id* state) { world_.initial(state); }

  /// A state in which somebody waits inside acquire() and nothing but faults can follow shows a
  /// deadlock.
  template <class Sink>
  Facts expand(const sim::Id* state, std::size_t passes, Sink&& sink) {
    bool leads_on = false;
    world_.expand(state, passes,
                  [&](sim::Id* next, const sim::Candidate& step, const sim::Facts& facts) {
                    leads_on = leads_on || !sim::is_fault(step.kind);
                    Facts judged{facts};
                    judged.violated &= judged_;
                    sink(next, step, judged);
                  });
    Facts shown;
    if (leads_on || (judged_ & sim::only(sim::Property::deadlock)) == 0) return shown;
    if (world_.stuck(state)) shown.violated = sim::only(sim::Property::deadlock);
    hangs_ = hangs_ || world_.hangs_in_release(state);
    return shown;
  }

  static bool passes_time(const Step& step) { return step.kind == sim::Action::Kind::pass; }
  static bool executes(const Step& step) { return step.kind == sim::Action::Kind::execute; }
  static bool fault(const Step& step) { return sim::is_fault(step.kind); }
  /// A fault: whatever else is possible (a client begins, a pause ends, a message that was held
  /// back goes on) comes sooner or later.
  static bool optional(const Step& step) { return fault(step); }
  /// The process whose step it is: none for time and nodes.
  static std::optional<std::uint8_t> actor(const Step& step) {
    return sim::row(step.kind).fields.process ? std::optional(step.actor) : std::nullopt;
  }
  /// The faults of a run that ends with this step.
  unsigned cost(const sim::Id* state, const Step& step) const {
    return world_.faults_used(state, step);
  }
  sim::Action label(const sim::Id* state, const Step& step) const {
    return world_.label(state, step);
  }

  /// Whether some state has shown a deadlock inside release(): endless_runs() says which.
  bool hangs() const { return hangs_; }
  bool adequate() const { return world_.needs() == world_.knowledge(); }
  const std::string& obstacle() const { return world_.obstacle(); }
  sim::World& world() const { return world_; }
  /// Whether time alone will change something.
  bool something_ahead(std::span<const sim::Id> state) {
    return world_.something_ahead(state.data());
  }

 private:
  sim::World& world_;
  sim::PropertySet judged_ = 0;
  bool hangs_ = false;
};

/// What run(system), watched by `watch`, comes to in a world of `model` that knew beforehand all
/// that it turned out to need: a world that shows that it knew too little is searched again with
/// more, so that what was explored is what the result names.
template <class Run>
auto with_enough_knowledge(const sim::Model& model, Watch& watch, Run run,
                           sim::Knowledge knowledge = {}) {
  for (;;) {
    sim::World world(model, knowledge, watch);
    WorldSystem system(model, world);
    auto result = run(system);
    if (system.adequate()) return result;
    knowledge = world.needs();
  }
}

}  // namespace lockstep::checker
