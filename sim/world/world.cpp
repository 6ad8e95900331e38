// Puts the parts of the interned world together; see the header.
#include "sim/world/world.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/check.hpp"
#include "sim/base/time.hpp"
#include "sim/client/turning.hpp"
#include "sim/world/expand.hpp"

namespace lockstep::sim {

World::World(const Model& model, const Knowledge& knowledge, checker::Watch& watch)
    : setting_(model, knowledge),
      grid_(setting_),
      tables_(setting_),
      processes_(setting_, tables_, reports_, grid_, watch),
      nodes_(setting_, tables_, reports_, watch),
      runs_(setting_),
      alike_after_ms_(setting_.alike_after_ms()),
      waits_(setting_, tables_, nodes_),
      queues_(setting_, tables_, processes_, nodes_, waits_),
      executions_(setting_, tables_, reports_, processes_, nodes_, runs_, waits_, queues_),
      prober_(setting_, tables_, reports_, processes_, nodes_, runs_, waits_, queues_, watch),
      judges_(setting_, tables_, processes_, nodes_, prober_),
      invariants_(setting_, tables_, processes_, nodes_) {}

void World::initial(Id* state) {
  for (unsigned p = 0; p < setting_.processes; ++p) state[p] = processes_.initial(p);
  for (unsigned n = 0; n < setting_.nodes; ++n) state[setting_.node_slot(n)] = nodes_.initial(n);
  state[setting_.run_slot()] = runs_.initial();
}

Surroundings World::around(const Id* state, unsigned process) const {
  Surroundings around;
  around.now_ms = run_of(state).value.now_ms;
  const auto whose = static_cast<std::uint8_t>(process);
  for (unsigned p = 0; p < setting_.processes; ++p)
    processes_.info(state[p]).tokens.mark(whose, around.used_tokens);
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& node = nodes_.info(state[setting_.node_slot(n)]);
    node.tokens.mark(whose, around.used_tokens);
    if (node.value.up) around.up |= only<NodeSet>(n);
    if (node.value.dark) around.dark |= only<NodeSet>(n);
  }
  const auto info_of = [&](unsigned n) -> const NodeInfo& {
    return nodes_.info(state[setting_.node_slot(n)]);
  };
  around.owned = own_on_groups(setting_, process, info_of).any;
  return around;
}

/// What a report means beyond the parts that the step has replaced in `next`.
void World::follow(const Id* state, unsigned actor, const Report& report, Id* next, Facts& facts) {
  facts |= report.facts;
  judges_.judge(state, next, actor, report, facts);
  if (report.read_time)
    next[setting_.run_slot()] = runs_.after_reading_time(next[setting_.run_slot()]);
  spread(report, actor, next);
  if (report.claims.turned != 0) tell_waiting(report.claims.turned, next);
  if (report.claims.given_back != 0) give_back(report.claims.given_back, actor, next);
  for (const std::uint8_t lock : report.entered) overtake(lock, next, facts);
}

/// Who waits for a lock, or one that excludes it, when somebody acquires it is overtaken.
void World::overtake(std::uint8_t lock, Id* next, Facts& facts) {
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const Id before = next[p];
    next[p] = processes_.overtaken(before, lock);
    if (next[p] != before && processes_.info(next[p]).overtaken)
      facts.violated |= only(Property::fairness);
  }
}

/// Who waits for a lock that is free now has to be told.
void World::give_back(LockSet freed, unsigned actor, Id* next) {
  const auto by = static_cast<std::uint8_t>(actor);
  for (std::uint8_t lock = 0; lock < setting_.locks.size(); ++lock) {
    if (!has(freed, lock) || !judges_.is_free(next, lock, by, Judges::Down::may_be_free)) continue;
    for (unsigned p = 0; p < setting_.processes; ++p)
      next[p] = processes_.told_of_return(next[p], by, setting_.with_key[lock]);
  }
}

/// Of what is not free any more nobody has to be told.
void World::forget_returns(Id* next) {
  for (unsigned p = 0; p < setting_.processes; ++p) {
    LockSet taken = 0;
    for (const Return& given : processes_.info(next[p]).value.returns)
      if (!judges_.is_free(next, given.lock, given.by, Judges::Down::may_be_free))
        taken |= only<LockSet>(given.lock);
    if (taken != 0) next[p] = processes_.returns_forgotten(next[p], taken);
  }
}

/// A wait for a lock begins anew where a critical section begins or ends.
void World::tell_waiting(LockSet turned, Id* next) {
  for (unsigned p = 0; p < setting_.processes; ++p) {
    LockSet elsewhere = 0;
    for (unsigned q = 0; q < setting_.processes; ++q)
      if (q != p) elsewhere |= processes_.info(next[q]).held;
    next[p] = processes_.told(next[p], elsewhere, turned);
  }
}

void World::spread(const Report& report, unsigned actor, Id* next) {
  const auto whose = static_cast<std::uint8_t>(actor);
  const auto change_processes = [&](const auto& changed) {
    for (unsigned p = 0; p < setting_.processes; ++p) next[p] = changed(next[p]);
  };
  const auto change_gone = [&](Id (Processes::*changed)(Id, Processes::Gone)) {
    const Processes::Gone gone{whose, listing(whose, next)};
    change_processes([&](Id id) { return (processes_.*changed)(id, gone); });
  };
  if (report.left != kNoServer) {
    Id& left = next[setting_.node_slot(report.left)];
    left = nodes_.left_by(left, whose, report.left_behind);
  }
  for (const LeaseChange& change : report.given) {
    const unsigned to = change.maker - 1U;
    if (to != actor) next[to] = processes_.given(next[to], change.lock, report.given_at);
  }
  for (const Prolonged& prolonged : report.prolonged)
    if (judges_.holds(next, prolonged.maker, prolonged.lock))
      next[actor] = processes_.prolonging(next[actor], prolonged.task, prolonged.maker);
  if (report.unlisted != 0)
    change_processes([&](Id id) { return processes_.unlisted(id, whose, report.unlisted); });
  switch (report.spread) {
    case Spread::none:
      return;
    case Spread::disown:
      for (unsigned n = 0; n < setting_.nodes; ++n) {
        Id& node = next[setting_.node_slot(n)];
        node = nodes_.disowned(node, whose);
      }
      return;
    case Spread::stale:
      for (unsigned p = 0; p < setting_.processes; ++p)
        if (p != actor) next[p] = processes_.stale(next[p], report.written);
      return;
    case Spread::jumped:
      return change_processes([&](Id id) { return processes_.jumped(id, whose, report.jump_ms); });
    case Spread::stopped:
      return change_processes([&](Id id) { return processes_.stopped(id, whose); });
    case Spread::disconnected:
      leave_replicas_alone(whose, next);
      return change_gone(&Processes::disconnected);
    case Spread::darkened:
      leave_replicas_alone(whose, next);
      note_power(whose, false, next);
      return change_gone(&Processes::darkened);
    case Spread::lit:
      note_power(whose, true, next);
      return change_processes([&](Id id) { return processes_.lit(id, whose); });
    case Spread::touch:
      for (unsigned p = 0; p < setting_.processes; ++p)
        if (p != actor)
          next[p] = processes_.touched(next[p], report.node, report.touched, report.published);
      return;
    case Spread::told:
      return change_processes(
          [&](Id id) { return processes_.touched(id, whose, Tables::kNowhere, report.published); });
    case Spread::promoted:
      return tell_of_promotion(whose, next);
    case Spread::caught_up:
      return change_gone(&Processes::caught_up);
    case Spread::emptied: {
      join_master(whose, next);
      change_gone(&Processes::emptied);
      Id& node = next[setting_.node_slot(whose)];
      node = nodes_.synchronized(node, next + setting_.node_slot(0));
      return;
    }
  }
}

/// Who still takes a server for its replica hears nothing of a machine that is out of power.
void World::note_power(std::uint8_t replica, bool power, Id* next) {
  for (unsigned n = 0; setting_.servers.replicas > 0 && n < setting_.nodes; ++n) {
    Id& node = next[setting_.node_slot(n)];
    node = nodes_.with_power(node, replica, power);
  }
}

/// The replicas of a server that has gone down.
void World::leave_replicas_alone(std::uint8_t master, Id* next) {
  for (unsigned n = 0; setting_.servers.replicas > 0 && n < setting_.nodes; ++n) {
    Id& node = next[setting_.node_slot(n)];
    node = nodes_.without_master(node, master);
  }
}

void World::tell_of_promotion(std::uint8_t promoted, Id* next) {
  const std::uint8_t group = setting_.servers.group_of(promoted);
  for (std::uint8_t n = 0; n < setting_.nodes; ++n) {
    Id& node = next[setting_.node_slot(n)];
    if (n != promoted && setting_.servers.group_of(n) == group)
      node = nodes_.told_of_master(node, promoted);
  }
  const Processes::Gone gone{promoted, listing(promoted, next)};
  for (unsigned p = 0; p < setting_.processes; ++p)
    next[p] = processes_.told_of_master(next[p], group, gone);
}

/// Which masters count it for WAIT though it has gone.
NodeSet World::listing(std::uint8_t replica, const Id* state) const {
  if (!setting_.knowledge.replica_waits) return 0;
  return nodes_.listing(state + setting_.node_slot(0), replica);
}

/// A replica has got everything of the server that it follows.
void World::join_master(std::uint8_t replica, Id* next) {
  if (!setting_.knowledge.replica_waits) return;
  Id& master =
      next[setting_.node_slot(nodes_.info(next[setting_.node_slot(replica)]).value.follows)];
  master = nodes_.joined_by(master, replica);
}

/// After an action, or time: replicas become what their masters are. True if one mentions other
/// tokens than before.
bool World::mirror_masters(const Id* before, Id* state, Action::Kind by) {
  const bool by_time = by == Action::Kind::pass;
  const bool by_crash = is_crash(by);
  const unsigned first = setting_.node_slot(0);
  if (by_time || by == Action::Kind::jump_node) nodes_.note_ended(state + first);
  const bool tokens_changed = nodes_.replicate(state + first, by_time);
  if (setting_.knowledge.replica_waits && !by_time && !by_crash) {
    for (unsigned n = 0; n < setting_.nodes; ++n) {
      const Node& replica = nodes_.info(state[first + n]).value;
      const bool lists_more = replica.lists.servers != replica.lists_behind;
      if (!lists_more && (!replica.lags || replica.misses)) continue;
      const unsigned master = lists_more ? first + n : first + replica.follows;
      const bool told = by == Action::Kind::jump_node
                            ? nodes_.differ_in_keys(before[master], state[master])
                            : nodes_.differ_in_stream(before[master], state[master]);
      if (told) state[first + n] = nodes_.missing(state[first + n]);
    }
  }
  return tokens_changed;
}

/// No power loss is left that could take a write back. True if a token is gone with it.
bool World::make_all_durable(Id* state) {
  bool tokens_changed = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& node = state[setting_.node_slot(n)];
    const Id durable = nodes_.durable(node);
    tokens_changed |= nodes_.info(node).tokens.tokens != nodes_.info(durable).tokens.tokens;
    node = durable;
  }
  return tokens_changed;
}

bool World::can_catch_up(const Id* state, unsigned node) const {
  const Node& replica = nodes_.info(state[setting_.node_slot(node)]).value;
  const Node& master = nodes_.info(state[setting_.node_slot(replica.follows)]).value;
  return master.up && !master.is_loading() && !(replica.syncing && master.syncing);
}

/// Whether a request that waits at its node for a key waits no more.
bool World::is_blocked_no_more(const Id* state, unsigned process, const LocalAction& action) const {
  const Process& asks = processes_.info(state[process]).value;
  return queues_.is_over(asks, asks.connections[action.index], state + setting_.node_slot(0));
}

/// The action by which somebody is served who waits for a key that has come: before it nothing else
/// happens, but that a replica lags.
std::optional<World::Served> World::who_is_served(const Id* state) const {
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const Id node = state[setting_.node_slot(n)];
    if (!nodes_.info(node).serves) continue;
    const auto waiter =
        queues_.served({state, setting_.processes}, static_cast<std::uint8_t>(n), node);
    LOCKSTEP_CHECK(waiter.has_value());
    const auto& actions = processes_.info(state[waiter->process]).actions;
    const auto place = std::ranges::find_if(actions, [&](const LocalAction& action) {
      return action.kind == Action::Kind::execute && action.index == waiter->connection;
    });
    LOCKSTEP_CHECK(place != actions.end());
    return Served{waiter->process, static_cast<unsigned>(place - actions.begin())};
  }
  return {};
}

void World::forget_all_unserved(Id* state) const {
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& node = state[setting_.node_slot(n)];
    if (nodes_.info(node).serves)
      queues_.forget_unserved({state, setting_.processes}, static_cast<std::uint8_t>(n), node);
  }
}

/// Gives the lock tokens of a state their canonical names.
void World::make_canonical(Id* state) {
  if (!setting_.knowledge.recycles_tokens) return;
  CanonicalNames names;
  for (unsigned p = 0; p < setting_.processes; ++p) names.look_at(processes_.info(state[p]).tokens);
  for (unsigned n = 0; n < setting_.nodes; ++n)
    names.look_at(nodes_.info(state[setting_.node_slot(n)]).tokens);
  names.for_each_renaming([&](const Renaming& renaming) {
    for (unsigned p = 0; p < setting_.processes; ++p)
      state[p] = processes_.renamed(state[p], renaming);
    for (unsigned n = 0; n < setting_.nodes; ++n) {
      Id& node = state[setting_.node_slot(n)];
      node = nodes_.renamed(node, renaming);
    }
  });
}

/// Where no client has heard of a time that it may still use, whatever it is later by, in whole
/// units, is the same for all that may come: it is taken from the time of the run, and from every
/// absolute time that is stored.
void World::forget_date(Id* state) {
  for (unsigned p = 0; p < setting_.processes; ++p)
    if (processes_.info(state[p]).tokens.dates.any) return;
  DateUse stored;
  for (unsigned n = 0; n < setting_.nodes; ++n)
    stored.add(nodes_.info(state[setting_.node_slot(n)]).tokens.dates);
  Id& run_id = state[setting_.run_slot()];
  const Run& run = run_of(state).value;
  const auto is_large = [](std::int64_t token) { return token >= kFirstTime; };
  if (stored.odd || std::ranges::any_of(run.highest, is_large)) return;
  if (!stored.any && setting_.knowledge.units.empty()) run_id = runs_.without_looks(run_id);
  const std::int64_t unit = stored.seconds ? std::lcm(alike_after_ms_, kSecondMs) : alike_after_ms_;
  const std::int64_t later_ms = (run.now_ms - setting_.model.begins_ms) / unit * unit;
  if (later_ms == 0) return;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& node = state[setting_.node_slot(n)];
    node = nodes_.sooner(node, later_ms);
  }
  run_id = runs_.sooner(run_id, later_ms);
}

// ---- what a search asks beside the successors

Action World::label(const Id* state, const Candidate& candidate) const {
  const auto& fields = row(candidate.kind).fields;
  Action action;
  action.kind = candidate.kind;
  action.choices = reports_[candidate.report].choices;
  action.cut = reports_[candidate.report].cut;
  if (!fields.process && !fields.node) {
    action.amount_ms = candidate.amount_ms;
    return action;
  }
  const Id part = state[fields.process ? candidate.actor : setting_.node_slot(candidate.actor)];
  const auto& actions = fields.process ? processes_.info(part).actions : nodes_.info(part).actions;
  const auto index = actions[candidate.action].index;
  if (fields.cut) action.step = actions[candidate.action].step;
  if (fields.process) action.process = candidate.actor;
  if (fields.node) action.node = fields.process ? actions[candidate.action].node : candidate.actor;
  const auto& of_step = row(step_of(action)).fields;
  if (of_step.task) action.task = index;
  if (of_step.connection) action.connection = index;
  if (fields.image) action.image = index;
  if (fields.key) action.key = index;
  if (fields.amount)
    action.amount_ms = setting_.model.jumps_ms[fields.cut ? actions[candidate.action].jump : index];
  return action;
}

unsigned World::faults_used(const Id* state, const Candidate& candidate) const {
  const Budget& left = run_of(state).value.budget;
  unsigned used = is_fault(candidate.kind) ? 1 : 0;
  for (std::size_t fault = 0; fault < left.size(); ++fault)
    used += setting_.model.budget[fault] - left[fault];
  return used;
}

const Knowledge& World::needs() {
  if (setting_.failed_by_time && !time_gap().empty()) setting_.needs.doubts_probes = true;
  return setting_.needs;
}

std::int64_t World::patience_ms() const {
  return runs_.patience_ms(0) + setting_.longest_timer_ms();
}

ProcessSet World::waiting(const Id* state) const {
  ProcessSet waiting = 0;
  for (unsigned p = 0; p < setting_.processes; ++p)
    if (processes_.info(state[p]).waiting) waiting |= only<ProcessSet>(p);
  return waiting;
}

bool World::hangs_in_release(const Id* state) const {
  if (!undisturbed(state)) return false;
  bool releases = false;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const Process& process = processes_.info(state[p]).value;
    if (!process.holdings.empty()) return false;
    if (process.life == Life::dead) continue;
    releases = releases ||
               std::ranges::any_of(processes_.automaton().state(process.program).tasks,
                                   [](const Wait& w) { return w.in_operation && !w.in_acquire; });
  }
  return releases && !judges_.can_ever_acquire(state);
}

bool World::stuck(const Id* state) {
  if (waiting(state) == 0) return false;
  bool leads_on = false;
  expand(state, 1, [&](const Id*, const Candidate& candidate, const Facts&) {
    leads_on = leads_on || !is_fault(candidate.kind);
  });
  return !leads_on;
}

bool World::undisturbed(const Id* state) const {
  for (unsigned n = 0; n < setting_.nodes; ++n)
    if (!nodes_.info(state[setting_.node_slot(n)]).settled) return false;
  for (unsigned p = 0; p < setting_.processes; ++p)
    if (!processes_.undisturbed(state[p])) return false;
  return true;
}

template <class Wanted>
TaskSet World::main_tasks(const Id* state, Wanted wanted) const {
  TaskSet found = 0;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const Process& process = processes_.info(state[p]).value;
    if (process.life == Life::dead) continue;
    for (const Wait& wait : processes_.automaton().state(process.program).tasks)
      if (wait.task < process.rounds.size() && wanted(wait)) found |= only_task(p, wait.task);
  }
  return found;
}

TaskSet World::tasks_in_acquire(const Id* state) const {
  return main_tasks(state, [](const Wait& wait) { return wait.in_acquire; });
}

TaskSet World::tasks_for_ever() const {
  TaskSet found = 0;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    if (!setting_.goes_on_for_ever(p)) continue;
    for (int t = 0; t < setting_.model.processes[p].threads; ++t)
      found |= only_task(p, static_cast<unsigned>(t));
  }
  return found;
}

TaskSet World::tasks_under_way(const Id* state) const {
  return tasks_for_ever() &
         main_tasks(state, [](const Wait& wait) { return wait.kind != Wait::Kind::idle; });
}

bool World::only_spawned(const Id* state) const {
  bool spawned = false;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    if ((processes_.rest(state[p]) & kFinished) == 0) return false;
    spawned = spawned || processes_.info(state[p]).spawned;
  }
  return spawned;
}

}  // namespace lockstep::sim
