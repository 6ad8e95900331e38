// Sends a probe through a little world of its own; see the header.
#include "sim/world/probe.hpp"

#include <algorithm>
#include <set>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/reply.hpp"
#include "sim/world/process_step.hpp"
#include "sim/world/sessions.hpp"

namespace lockstep::sim {

/// The probe's little world: the nodes and one more process, whose ids never meet the search's
/// states.
class Probe {
 public:
  Probe(Prober& world, std::vector<Id> nodes, Id run, std::uint32_t setup)
      : world_(world), nodes_(std::move(nodes)), run_(run) {
    patience_ms_ = world_.runs_.patience_ms();
    process_.index = static_cast<std::uint8_t>(world_.setting_.processes);
    process_.rounds = {0};
    process_.program = world_.processes_.automaton().initial(setup, process_.rounds);
  }

  bool acquires();

 private:
  const ProcessInfo& info() const { return world_.processes_.info(id()); }
  Id id() const { return world_.processes_.intern(process_); }
  std::int64_t next_deadline() const;
  void pass(std::int64_t ms);
  bool wait(std::int64_t ms);
  Surroundings around() const;
  void execute(const LocalAction& action);
  bool act(const LocalAction& action);

  Prober& world_;
  std::vector<Id> nodes_;
  Id run_;
  Process process_;
  std::int64_t patience_ms_ = 0;  ///< absolute runs: what may still pass with no deadline ahead
};

namespace {

/// A request that polls: it is executed when no time can pass.
const LocalAction* polling_action(const ProcessInfo& info) {
  for (const auto& action : info.actions)
    if (action.polling) return &action;
  return nullptr;
}

/// What happens next: an urgent action, else a new attempt; nothing while it polls or sleeps.
const LocalAction* next_action(const ProcessInfo& info) {
  const LocalAction* next = nullptr;
  for (const auto& action : info.actions) {
    const bool possible = action.urgent || action.kind == Action::Kind::begin;
    if (possible && !action.polling && (next == nullptr || (!next->urgent && action.urgent)))
      next = &action;
  }
  return next;
}

}  // namespace

/// Of the nodes; 0 if nothing lies ahead.
std::int64_t Probe::next_deadline() const {
  std::int64_t next = 0;
  for (const Id node : nodes_)
    for (const std::int64_t deadline : world_.nodes_.info(node).ahead.deadlines)
      if (next == 0 || deadline < next) next = deadline;
  return next;
}

void Probe::pass(std::int64_t ms) {
  process_ = world_.processes_.info(world_.processes_.aged(id(), ms)).value;
  for (Id& node : nodes_) node = world_.nodes_.aged(node, ms);
  run_ = world_.runs_.aged(run_, ms);
}

/// Waits for `ms`, or until the node's next deadline; 0: for nothing in particular. False if
/// nothing can change any more.
bool Probe::wait(std::int64_t ms) {
  const std::int64_t deadline = next_deadline();
  if (deadline != 0) {
    pass(ms == 0 ? deadline : std::min(ms, deadline));
    return true;
  }
  if (!world_.setting_.knowledge.absolute) {
    if (ms != 0) pass(ms);
    return ms != 0;
  }
  if (patience_ms_ <= 0) return false;
  const std::int64_t passing = ms == 0 ? patience_ms_ : ms;
  patience_ms_ -= passing;
  pass(passing);
  return true;
}

/// Former attempts' tokens may still be somewhere.
Surroundings Probe::around() const {
  Surroundings around;
  around.up = static_cast<NodeSet>(~NodeSet{0});
  around.now_ms = world_.runs_.info(run_).value.now_ms;
  for (const Id node : nodes_)
    world_.nodes_.info(node).tokens.mark(process_.index, around.used_tokens);
  info().tokens.mark(process_.index, around.used_tokens);
  return around;
}

void Probe::execute(const LocalAction& action) {
  Connection& connection = process_.connections[action.index];
  const int place = Process::executable(connection);
  LOCKSTEP_CHECK(place >= 0);
  Message& message = connection.messages[static_cast<std::size_t>(place)];
  message.stage = Stage::answered;
  if (connection.node == kResource) {
    message.reply = world_.tables_.intern(Reply::ok());
    return;
  }
  Id& at = nodes_[connection.node];
  Node node = world_.nodes_.info(at).value;
  const Asked asked{node.keyspace, message.request, connection.session, Tables::kNowhere,
                    maker_of(process_.index)};
  const CommandRun command =
      execute_in_session(world_.tables_, world_.nodes_, process_, connection, asked,
                         world_.nodes_.clock_ms(at, world_.runs_.info(run_).value.now_ms));
  message.reply = command.reply;
  node.keyspace = command.keyspace;
  at = world_.nodes_.intern(node);
  if (!connection.open) {  // its task has given it up: nobody hears the answer
    connection.messages.erase(connection.messages.begin() + place);
    process_.drop_empty_connections();
  }
}

/// Any other action; of choose(n) the probe always takes the first. Returns whether it acquired.
bool Probe::act(const LocalAction& action) {
  std::vector<std::uint8_t> choices;
  for (;;) {
    Process after = process_;
    ProcessStep step(world_.setting_, world_.tables_, world_.processes_.automaton(), after,
                     around(), choices);
    step.act(action);
    if (step.open_choice() == 0) {
      process_ = std::move(after);
      return step.report().claims.acquired != 0;
    }
    choices.push_back(1);
  }
}

bool Probe::acquires() {
  constexpr unsigned kMaxSteps = 100'000;
  std::set<std::vector<Id>> seen;  // it has no choice: meeting a world again, it never acquires
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    const ProcessInfo& now = info();
    std::vector<Id> met = nodes_;
    met.insert(met.end(), {id(), run_});
    if (!seen.insert(std::move(met)).second) return false;
    const auto& rounds = now.value.rounds;
    const bool ended =
        (now.rest & kQuiet) != 0 && !rounds.empty() && rounds[0] > 0;  // refused or failed
    const LocalAction* next = next_action(now);
    if (ended) {
      if (!wait(0)) return false;
      process_.rounds = {0};
    } else if (next == nullptr) {
      if (wait(now.ahead.deadlines.empty() ? 0 : now.ahead.deadlines.front())) continue;
      const LocalAction* polling = polling_action(now);
      if (polling == nullptr) return false;
      execute(*polling);
    } else if (next->kind == Action::Kind::execute) {
      execute(*next);
    } else if (act(*next)) {
      return true;
    }
  }
  throw BadInput(world_.setting_.model.program->folder().string() +
                 "/protocol.lua: a lone client that tries to acquire has not come to an end after "
                 "100000 steps");
}

bool Prober::acquires(const std::vector<Id>& nodes, Id run, std::uint32_t setup) {
  return Probe(*this, nodes, run, setup).acquires();
}

bool Prober::can_acquire(const std::vector<Id>& nodes, Id run) {
  std::vector<Id> key = nodes;
  if (setting_.knowledge.absolute) key.push_back(run);
  const auto [place, added] = known_.try_emplace(std::move(key), true);
  if (added)
    for (const std::uint32_t setup : setting_.probe_setups)
      place->second = place->second && acquires(nodes, run, setup);
  return place->second;
}

}  // namespace lockstep::sim
