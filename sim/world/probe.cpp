// Searches a little world of its own; see the header.
#include "sim/world/probe.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/turning.hpp"
#include "sim/redis/reply.hpp"
#include "sim/world/grid.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/sessions.hpp"

namespace lockstep::sim {

namespace {

/// More worlds than any client needs that is not endless; the second, than any few that try at
/// once.
constexpr std::size_t kMostWorlds = 20'000, kMostOfSeveral = 200'000;
/// A thousand tries in vain, or more, if few worlds are left open: what the client itself adds up
/// grows with each of them.
constexpr std::size_t kManyTries = 6'000;
constexpr std::size_t kFewWays = 64;
/// So often it has waited within one call that has kept all of it: hundreds of tries, too.
constexpr std::size_t kWaitsInVain = 400;
/// So many requests that nobody waits for, on one connection, each of another try.
constexpr std::size_t kLeftInVain = 40;
/// So many of its tokens that a node stores, each of another try.
constexpr std::size_t kStoredInVain = 150;
/// In an absolute run: so many numbers that were written there, each of which may be a time.
constexpr std::size_t kMostWritten = 1'000;
/// The watch is asked before the first world of every probe, and before each that is so many on.
constexpr std::size_t kWorldsBetween = 64;

/// A world of the probe. A fresh client is a process more; its ids never meet the search's states.
struct Alone {
  std::vector<Id> processes;  ///< the fresh ones, then those in the background
  std::vector<Id> nodes;
  Id run = 0;
  std::int64_t patience_ms = 0;  ///< absolute runs: for how long what was written may still matter
  std::vector<std::int64_t> written;  ///< absolute runs: numbers that were kept when time passed
  unsigned taken = 0;         ///< permits, by fresh clients who keep them and do nothing more
  std::int64_t lasts_ms = 0;  ///< then: for how long the first of these has its own
  ProcessSet served = 0;      ///< at once: the fresh ones that have theirs
  friend auto operator<=>(const Alone&, const Alone&) = default;
};

}  // namespace

/// One probe for one lock: of several permits all are taken, by one fresh client after the other,
/// or by as many at once.
class Probe {
 public:
  enum class End : std::uint8_t { acquires, fails, endless, cut_off };

  Probe(Prober& world, const Found& found, std::uint32_t setup, unsigned at_once);
  End search();
  bool looked_at_time() const { return looked_at_time_; }

 private:
  const ProcessInfo& info(const Alone& now, std::size_t p) const {
    return world_.processes_.info(now.processes[p]);
  }
  /// All that can come next; true if the fresh client acquires in one of it.
  bool expand(const Alone& now);
  bool waits_for_nobody_else(const Alone& now) const;
  bool is_fresh(std::size_t p) const { return p < fresh_.size(); }
  bool has_background(const Alone& now) const { return now.processes.size() > fresh_.size(); }
  /// How often a fresh client has waited since it was plain data.
  std::size_t waits_of(const Alone& now) const {
    std::size_t most = 0;
    for (std::size_t p = 0; p < fresh_.size(); ++p)
      most = std::max(most,
                      world_.processes_.automaton().state(info(now, p).value.program).path.size());
    return most;
  }
  /// How many requests a fresh client has on one connection, of tasks that do not wait any more.
  std::size_t left_by(const Alone& now) const {
    std::size_t most = 0;
    for (std::size_t p = 0; p < fresh_.size(); ++p)
      for (const Connection& connection : info(now, p).value.connections)
        most = std::max(most, connection.messages.size());
    return most;
  }
  /// How many tokens a node stores.
  std::size_t stored_in(const Alone& now) const {
    std::size_t most = 0;
    for (const Id node : now.nodes)
      most = std::max(most, world_.nodes_.info(node).tokens.tokens.size());
    return most;
  }
  bool waits_for_time(const Alone& now, std::size_t p, const LocalAction& action) const;
  bool act(const Alone& now, std::size_t p, std::size_t action);
  bool serve(const Alone& now);
  bool notice(const Alone& now);
  void execute(const Alone& now, std::size_t p, const LocalAction& action);
  void pass(Alone now);
  void replicate(Alone& world, bool by_time);
  std::int64_t patience_in(const Alone& start) const;
  void note_written(Alone& now) const;
  Surroundings around(const Alone& now, std::size_t p) const;
  Id settled(std::size_t p, Id fresh);
  /// Once nothing waits any more for what was written before, it does not matter how late it is.
  void found(Alone next) {
    Alone place = next;
    if (next.patience_ms == 0) place.run = 0;
    if (!seen_.insert(std::move(place)).second) return;
    if (next.taken > most_taken_) with_most_taken_ = 0;
    most_taken_ = std::max(most_taken_, next.taken);
    if (next.taken == most_taken_) ++with_most_taken_;
    open_.push_back(std::move(next));
  }

  Prober& world_;
  std::vector<Id> fresh_;  ///< the clients that have done nothing yet
  std::int64_t lease_ms_ = 0;
  std::int64_t patience_ms_ = 0;  ///< at the beginning
  bool looked_at_time_ = false;
  bool alone_counts_ = true;  ///< so far nothing but the fresh client can have changed anything
  std::deque<Alone> open_;
  std::set<Alone> seen_;
  unsigned most_taken_ = 0;          ///< permits, in any world that it has come to
  std::size_t with_most_taken_ = 0;  ///< worlds with so many
};

Probe::Probe(Prober& world, const Found& found, std::uint32_t setup, unsigned at_once)
    : world_(world) {
  Process fresh;
  fresh.rounds = {0};
  fresh.program = world.processes_.automaton().initial(setup, fresh.rounds);
  for (std::uint8_t n = 0; world.setting_.servers.spare > 0 && n < found.nodes.size(); ++n)
    if (world.nodes_.info(found.nodes[n]).value.slots == Slots::own) fresh.masters = {{n, n}};
  for (std::uint8_t group = 0; group < world.setting_.servers.nodes; ++group) {
    if (world.setting_.servers.replicas == 0) break;
    const std::uint8_t promoted = world.nodes_.info(found.nodes[group]).value.newest;
    const std::uint8_t newest = promoted == kNoServer ? group : promoted;
    fresh.masters.push_back({newest, newest});
  }
  for (unsigned more = 0; more < at_once; ++more) {
    fresh.index = static_cast<std::uint8_t>(world.setting_.processes + more);
    fresh_.push_back(world.processes_.intern(fresh));
  }
  lease_ms_ = world.setting_.setups[setup].lease_ms;
  Alone start;
  start.processes = fresh_;
  start.processes.insert(start.processes.end(), found.background.begin(), found.background.end());
  start.nodes = found.nodes;
  start.run = found.run;
  start.patience_ms = patience_ms_ = patience_in(start);
  this->found(std::move(start));
}

/// Absolute runs: how long it is waited for what no deadline of a node tells.
std::int64_t Probe::patience_in(const Alone& start) const {
  if (!world_.setting_.knowledge.absolute) return 0;
  std::int64_t ms = world_.runs_.patience_ms(world_.runs_.info(start.run).value.now_ms);
  if (!has_background(start)) return ms;
  std::int64_t latest = 0;
  for (const Id node : start.nodes)
    for (const std::int64_t deadline : world_.nodes_.info(node).ahead.deadlines)
      latest = std::max(latest, deadline);
  return ms + latest;
}

Probe::End Probe::search() {
  for (std::size_t tried = 0; !open_.empty(); ++tried) {
    const bool stored = stored_in(open_.front()) > kStoredInVain;
    const bool in_vain = stored || with_most_taken_ > kManyTries ||
                         waits_of(open_.front()) > kWaitsInVain ||
                         left_by(open_.front()) > kLeftInVain;
    if (in_vain && open_.size() <= kFewWays && alone_counts_) return End::fails;
    if (stored || seen_.size() > (fresh_.size() > 1 ? kMostOfSeveral : kMostWorlds) ||
        open_.front().written.size() > kMostWritten)
      return End::endless;
    if (tried % kWorldsBetween == 0 && !world_.watch_.may_go_on()) return End::cut_off;
    const Alone now = std::move(open_.front());
    open_.pop_front();
    alone_counts_ = alone_counts_ && waits_for_nobody_else(now);
    if (expand(now)) return End::acquires;
  }
  return End::fails;
}

/// A lone fresh client asks (again), and time passes, where nothing has to happen before; one of
/// several may ask whenever it likes.
bool Probe::expand(const Alone& now) {
  using Kind = Action::Kind;
  if (serve(now)) return false;
  bool pressing = false;
  std::optional<std::size_t> begin;  // of the fresh client
  for (std::size_t p = 0; p < now.processes.size(); ++p) {
    const std::size_t actions = info(now, p).actions.size();
    for (std::size_t a = 0; a < actions; ++a) {
      const LocalAction action = info(now, p).actions[a];
      if (action.kind == Kind::begin) {
        if (!is_fresh(p) || has(now.served, static_cast<unsigned>(p))) continue;
        if (fresh_.size() == 1)
          begin = a;
        else if (act(now, p, a))
          return true;
        continue;
      }
      const bool message = action.kind == Kind::execute || action.kind == Kind::deliver;
      if (action.within != 0 || !(action.urgent || message)) continue;  // messages take no time
      const Process& asks = info(now, p).value;
      if (action.blocked &&
          !world_.queues_.is_over(asks, asks.connections[action.index], now.nodes.data()))
        continue;
      pressing = pressing || !waits_for_time(now, p, action);
      if (action.kind == Kind::execute)
        execute(now, p, action);
      else if (act(now, p, a))
        return true;
    }
  }
  if (notice(now) || pressing) return false;
  pass(now);
  return begin && act(now, 0, *begin);
}

/// A node tells of a key that has expired. True if one has to, before time passes.
bool Probe::notice(const Alone& now) {
  bool any = false;
  for (std::size_t n = 0; n < now.nodes.size(); ++n) {
    const std::size_t actions = world_.nodes_.info(now.nodes[n]).actions.size();
    for (std::size_t a = 0; a < actions; ++a) {
      if (world_.nodes_.info(now.nodes[n]).actions[a].kind != Action::Kind::notice) continue;
      const StepResult& step = world_.nodes_.step(now.nodes[n], static_cast<unsigned>(a));
      Alone next = now;
      step.changes.apply_to(next.nodes.data(), static_cast<unsigned>(n));
      const Id published = world_.reports_[step.report].published;
      for (Id& process : next.processes)
        process = world_.processes_.touched(process, static_cast<std::uint8_t>(n), Tables::kNowhere,
                                            published);
      found(std::move(next));
      any = true;
    }
  }
  return any;
}

/// Serves whom a key has come for, before anything else happens. True if somebody is.
bool Probe::serve(const Alone& now) {
  for (std::size_t n = 0; n < now.nodes.size(); ++n) {
    const auto served =
        world_.queues_.served(now.processes, static_cast<std::uint8_t>(n), now.nodes[n]);
    if (!served) continue;
    LocalAction action;
    action.kind = Action::Kind::execute;
    action.index = served->connection;
    action.node = static_cast<std::uint8_t>(n);
    execute(now, served->process, action);
    return true;
  }
  return false;
}

/// Whether nothing changes here but by what the fresh client does.
bool Probe::waits_for_nobody_else(const Alone& now) const {
  const auto is_at_rest = [&](Id node) {
    return std::ranges::none_of(world_.nodes_.info(node).ahead.deadlines,
                                [](std::int64_t deadline) { return deadline > 0; });
  };
  // A request that stands gets no answer but by what the fresh client does.
  const auto goes_on = [&](Id process) { return world_.processes_.info(process).spawned; };
  return now.patience_ms == 0 &&
         std::none_of(now.processes.begin() + static_cast<std::ptrdiff_t>(fresh_.size()),
                      now.processes.end(), goes_on) &&
         std::ranges::all_of(now.nodes, is_at_rest);
}

/// Whether time may pass before it, because its task has been answered so before at this instant.
bool Probe::waits_for_time(const Alone& now, std::size_t p, const LocalAction& action) const {
  if (!action.repeats) return false;  // it may be the resource's, which is no node
  return world_.processes_.waits_for_time(now.processes[p], action,
                                          world_.nodes_.info(now.nodes[action.node]).value);
}

/// An action of a process alone, however choose() turns out. True if the fresh client acquires.
bool Probe::act(const Alone& now, std::size_t p, std::size_t action) {
  for (const StepResult& step :
       world_.processes_.steps(now.processes[p], static_cast<unsigned>(action), around(now, p))) {
    const bool acquired = is_fresh(p) && world_.reports_[step.report].claims.acquired != 0;
    if (acquired && now.taken + 1 == world_.setting_.permits) return true;
    looked_at_time_ = looked_at_time_ || world_.reports_[step.report].read_time;
    Alone next = now;
    if (acquired) {
      next.processes[p] = fresh_[p];
      if (fresh_.size() > 1) next.served |= only<ProcessSet>(static_cast<unsigned>(p));
      if (next.taken++ == 0) next.lasts_ms = lease_ms_;
      found(std::move(next));
      continue;
    }
    step.changes.apply_to(next.processes.data(), static_cast<unsigned>(p));
    if (is_fresh(p)) next.processes[p] = settled(p, next.processes[p]);
    found(std::move(next));
  }
  return false;
}

/// How often it has asked is no part of the world. One that has ended its process begins anew.
Id Probe::settled(std::size_t p, Id fresh) {
  Process process = world_.processes_.info(fresh).value;
  if (process.life == Life::dead) {
    Process anew = world_.processes_.info(fresh_[p]).value;
    anew.connections = std::move(process.connections);
    return world_.processes_.intern(anew);
  }
  if (process.rounds == std::vector<int>{0}) return fresh;
  process.rounds = {0};
  return world_.processes_.intern(process);
}

void Probe::execute(const Alone& now, std::size_t p, const LocalAction& action) {
  Alone next = now;
  Process process = info(now, p).value;
  Connection& connection = process.connections[action.index];
  const std::uint8_t at = connection.node;
  LOCKSTEP_CHECK(Process::executable(connection) >= 0);
  Id reply = 0, asked_in = 0;
  bool idle = false;
  if (at == kResource) {
    reply = world_.tables_.intern(Reply::ok());
  } else {
    if (world_.waits_.block(now.nodes.data(), process, connection)) {
      next.processes[p] = world_.processes_.intern(process);
      return found(std::move(next));
    }
    Node node = world_.nodes_.info(now.nodes[at]).value;
    Asked asked =
        asked_on(world_.tables_, world_.nodes_, world_.waits_, now.nodes.data(), process,
                 connection, others_at(world_.tables_, world_.processes_, now.processes, p, at),
                 world_.nodes_.clock(now.nodes[at], world_.runs_.info(now.run).value.now_ms));
    asked.alone = true;
    const CommandRun command =
        execute_in_session(world_.tables_, world_.nodes_, process, connection, asked, 0);
    reply = command.reply;
    looked_at_time_ = looked_at_time_ || command.read_time;
    idle = world_.processes_.answers_idly(now.processes[p], action, node);
    if (world_.setting_.knowledge.polls) asked_in = world_.tables_.node_state(node, process.index);
    node.keyspace = command.keyspace;
    next.nodes[at] = world_.nodes_.intern(node);
    if (command.read_time) next.nodes[at] = world_.nodes_.micros_on(next.nodes[at]);
    const bool waits = world_.queues_.take_turn(process, connection, next.nodes[at], command);
    for (std::size_t other = 0; other < now.processes.size(); ++other)
      if (other != p)
        next.processes[other] = world_.processes_.touched(next.processes[other], at,
                                                          command.touched, command.published);
    if (waits) {
      next.processes[p] = world_.processes_.intern(process);
      return found(std::move(next));
    }
  }
  process.answer(connection, reply, asked_in, idle);
  next.processes[p] = world_.processes_.intern(process);
  for (std::size_t n = 0; n < next.nodes.size(); ++n)
    world_.queues_.forget_unserved(next.processes, static_cast<std::uint8_t>(n), next.nodes[n]);
  replicate(next, false);
  found(std::move(next));
}

void Probe::replicate(Alone& world, bool by_time) {
  if (world_.setting_.servers.replicas > 0) world_.nodes_.replicate(world.nodes.data(), by_time);
}

/// What is written later than that may be a time, too: the patience begins anew.
void Probe::note_written(Alone& now) const {
  if (!world_.setting_.knowledge.absolute) return;
  const std::size_t known = now.written.size();
  for (const Id node : now.nodes) {
    const Id keyspace = world_.nodes_.info(node).value.keyspace;
    const auto stored = numbers_in(world_.tables_.keyspace(keyspace).value, ScoreUnit::second);
    now.written.insert(now.written.end(), stored.begin(), stored.end());
  }
  for (std::size_t p = 0; p < fresh_.size(); ++p)
    add_numbers(world_.processes_.automaton().state(info(now, p).value.program).snapshot,
                now.written);
  sort_without_twins(now.written);
  if (now.written.size() > known) now.patience_ms = patience_ms_;
}

/// Lets time pass to the next deadline: of a node, or a timer. Where there is none, an absolute run
/// waits until its patience is gone.
void Probe::pass(Alone now) {
  note_written(now);
  std::int64_t next_ms = 0;
  const auto consider = [&](const std::vector<std::int64_t>& deadlines) {
    for (const std::int64_t deadline : deadlines)
      if (deadline > 0 && (next_ms == 0 || deadline < next_ms)) next_ms = deadline;
  };
  for (const Id node : now.nodes) consider(world_.nodes_.info(node).ahead.deadlines);
  const bool patient = now.patience_ms > 0 && (next_ms == 0 || has_background(now));
  for (std::size_t p = 0; p < now.processes.size(); ++p) consider(info(now, p).ahead.deadlines);
  if (patient && next_ms == 0) next_ms = now.patience_ms;
  if (next_ms == 0 || (now.taken > 0 && next_ms >= now.lasts_ms)) return;
  Alone next = now;
  if (now.taken > 0) next.lasts_ms -= next_ms;
  if (patient) next.patience_ms = std::max<std::int64_t>(0, now.patience_ms - next_ms);
  for (std::size_t p = 0; p < next.processes.size(); ++p) {
    next.processes[p] = world_.processes_.aged(next.processes[p], next_ms);
    if (info(now, p).asks_again)
      next.processes[p] = world_.processes_.asked_again(next.processes[p], now.processes[p], {});
  }
  for (Id& node : next.nodes) node = world_.nodes_.aged(node, next_ms).id;
  next.run = world_.runs_.aged(next.run, next_ms);
  replicate(next, true);
  found(std::move(next));
}

/// Former attempts' tokens may still be somewhere.
Surroundings Probe::around(const Alone& now, std::size_t p) const {
  Surroundings around;
  const std::uint8_t whose = info(now, p).value.index;
  around.up = static_cast<NodeSet>(~NodeSet{0});
  around.now_ms = world_.runs_.info(now.run).value.now_ms;
  for (const Id node : now.nodes) world_.nodes_.info(node).tokens.mark(whose, around.used_tokens);
  const auto info_of = [&](unsigned n) -> const NodeInfo& {
    return world_.nodes_.info(now.nodes[n]);
  };
  around.owned = own_on_groups(world_.setting_, whose, info_of).any;
  for (std::size_t q = 0; q < now.processes.size(); ++q)
    info(now, q).tokens.mark(whose, around.used_tokens);
  return around;
}

bool Prober::can_acquire(Found found) {
  if (setting_.endless_probe) return true;
  for (Id& node : found.nodes) node = nodes_.without_reliances(node);
  std::vector<Id> key = found.background;
  key.insert(key.end(), found.nodes.begin(), found.nodes.end());
  if (setting_.knowledge.absolute) {
    found.run = runs_.time_alone(found.run);
    key.push_back(found.run);
  }
  const auto [place, added] = known_.try_emplace(std::move(key), true);
  if (!added) return place->second;
  if (!watch_.why().empty()) return true;
  for (const std::uint32_t setup : setting_.probe_setups) {
    Answer answer = send(found, setup, 1);
    if (answer.fails && setting_.permits > 1) answer = send(found, setup, setting_.permits);
    if (!answer.fails || setting_.hangs_in_probe) continue;  // real tokens may do
    setting_.failed_by_time = setting_.failed_by_time || answer.looked_at_time;
    if (!answer.looked_at_time || !setting_.knowledge.doubts_probes) place->second = false;
  }
  return place->second;
}

/// Where one alone takes what several would share, that many at once can get what they cannot one
/// after the other.
Prober::Answer Prober::send(const Found& found, std::uint32_t setup, unsigned at_once) {
  if (setting_.processes + at_once > kMaxProcesses + 1) {
    setting_.endless_probe = true;
    return {};
  }
  Probe probe(*this, found, setup, at_once);
  setting_.probes = true;
  const Probe::End end = probe.search();
  setting_.probes = false;
  setting_.endless_probe = setting_.endless_probe || end == Probe::End::endless;
  return {end == Probe::End::fails, probe.looked_at_time()};
}

}  // namespace lockstep::sim
