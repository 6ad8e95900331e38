// The probe for deadlock: could a fresh process, alone in this world and without faults, ever
// acquire the lock?
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/client/turning.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Action;

namespace {

constexpr std::size_t kMostWorlds = 20'000;      // then the probe has no end,
constexpr std::size_t kMostOfSeveral = 200'000;  // or of several that try at once
constexpr std::size_t kMostBytes = 100'000'000;  // of their identities, by each who tries
constexpr std::size_t kWorldsInVain = 6'000;     // where only the tries themselves leave a trace
constexpr std::size_t kFewWays = 64;             // that it takes side by side there
constexpr std::size_t kWaitsWithinCall = 400;    // within one call, since it was plain data
constexpr std::size_t kLeftBehind = 40;          // requests on a connection that all tasks share
constexpr std::size_t kStored = 150;             // different tokens at a node
constexpr std::size_t kMostWritten = 1'000;      // numbers, each of which may be a time

bool spawned_lives(const Process& process) {
  return std::any_of(process.waits.begin(), process.waits.end(), [&](const sim::Wait& wait) {
    return wait.task >= process.rounds_begun.size();
  });
}

/// A spawned task, or a request that stands at its node.
bool lives_on(const Process& process) {
  return spawned_lives(process) ||
         std::ranges::any_of(process.connections,
                             [](const Connection& c) { return !c.messages.empty(); });
}

/// Whether something of another process than the last ones, which are fresh, lives on.
bool background_lives(const World& world, int fresh) {
  return std::any_of(world.processes.begin(), world.processes.end() - fresh, lives_on);
}

/// What can happen in a world of the probe, but for the passing of time.
bool possible(const Action& action, std::size_t first_fresh) {
  switch (action.kind) {
    case Action::Kind::begin:
      return action.process >= first_fresh;
    case Action::Kind::run:
    case Action::Kind::execute:
    case Action::Kind::deliver:
    case Action::Kind::timer:
    case Action::Kind::notice:
      return true;
    default:
      return false;
  }
}

/// A world of the probe, and what it has come through.
struct Point {
  World world;
  std::int64_t patience_left_ms = 0;
  std::set<std::int64_t> written;  // absolute runs: numbers that were kept when time passed
  int taken = 0;                   // permits, by fresh processes that do nothing more
  std::set<std::size_t> served;    // of several fresh ones: those that have theirs
  std::int64_t first_left_ms = 0;  // how long the first of these still has its own
};

/// Those that were met, and those from which it has not gone on.
class Points {
 public:
  Points(std::size_t first_fresh, int at_once)
      : first_(first_fresh), at_once_(static_cast<std::size_t>(at_once)) {}

  void meet(Point point) {
    for (std::size_t p = first_; p < point.world.processes.size(); ++p)
      point.world.processes[p].rounds_begun = {0};
    point.world.outlook_ms = 0;
    World as_met = point.world;
    if (point.patience_left_ms == 0) as_met.absolute = false;  // how late it is does not matter
    // Each of several makes tokens while others have theirs: names alone would be most worlds.
    std::string met = at_once_ > 1 ? identity_but_token_names(as_met) : identity(as_met);
    const auto [place, is_new] = met_.emplace(std::move(met), point.patience_left_ms, point.taken,
                                              point.served, point.first_left_ms, point.written);
    if (!is_new) return;
    bytes_met_ += std::get<0>(*place).size();
    met_with_[point.taken] += 1;
    open_.push_back(std::move(point));
  }
  Point next() {
    Point point = std::move(open_.front());
    open_.pop_front();
    return point;
  }
  const std::deque<Point>& open() const { return open_; }

  /// Try after try, with nothing to show for it but a longer trace.
  bool in_vain(bool stores_many) const {
    std::size_t waits = 0, left = 0;
    const std::vector<Process>& processes = open_.front().world.processes;
    for (std::size_t p = first_; p < processes.size(); ++p) {
      waits = std::max(waits, processes[p].history.size());
      for (const Connection& connection : processes[p].connections)
        left = std::max(left, connection.messages.size());
    }
    const bool many = met_with_.rbegin()->second > kWorldsInVain || waits > kWaitsWithinCall ||
                      left > kLeftBehind || stores_many;
    return many && open_.size() <= kFewWays;
  }
  bool too_many() const {
    return open_.front().written.size() > kMostWritten ||
           met_.size() > (at_once_ > 1 ? kMostOfSeveral : kMostWorlds) ||
           bytes_met_ > kMostBytes * at_once_;
  }
  bool stores_many() const {
    return std::ranges::any_of(open_.front().world.nodes, [](const Node& node) {
      return sim::scan_tokens(encode(node.keyspace)).tokens.size() > kStored;
    });
  }

 private:
  using Met = std::tuple<std::string, std::int64_t, int, std::set<std::size_t>, std::int64_t,
                         std::set<std::int64_t>>;
  std::size_t first_;
  std::size_t at_once_;
  std::set<Met> met_;
  std::deque<Point> open_;
  std::map<int, std::size_t> met_with_;  // so many permits taken: who takes one more tries anew
  std::size_t bytes_met_ = 0;            // what grows with every try grows fast
};

/// What is written in the probe, too, may be a time: where there is a number that was not there
/// when time passed before, the patience begins anew.
void note_written(Point& point, std::size_t first_fresh, std::int64_t patience_ms) {
  if (!point.world.absolute) return;
  std::vector<std::int64_t> numbers;
  for (const Node& node : point.world.nodes) {
    const auto stored = sim::numbers_in(node.keyspace, sim::ScoreUnit::second);
    numbers.insert(numbers.end(), stored.begin(), stored.end());
  }
  for (std::size_t p = first_fresh; p < point.world.processes.size(); ++p)
    sim::add_numbers(point.world.processes[p].snapshot, numbers);
  const std::size_t known = point.written.size();
  point.written.insert(numbers.begin(), numbers.end());
  if (point.written.size() > known) point.patience_left_ms = patience_ms;
}

}  // namespace

std::optional<std::int64_t> Rules::next_node_deadline(const World& world) const {
  World nodes_alone = world;
  nodes_alone.processes.clear();
  nodes_alone.outlook_ms = 0;
  const std::set<std::int64_t> ahead = deadlines(nodes_alone);
  return ahead.empty() ? std::nullopt : std::optional(*ahead.begin());
}

/// Of several permits, one after the other first: where one alone takes what several share, those
/// that come at once may get what they cannot get so.
Rules::Probe Rules::probe(const World& world, const Lock& lock) {
  const int permits = model_.program->permits();
  const Probe result = probe_by(world, lock, 1);
  return result == Probe::fails && permits > 1 ? probe_by(world, lock, permits) : result;
}

Rules::Probe Rules::probe_by(const World& world, const Lock& lock, int at_once) {
  if (model_.processes.size() + static_cast<std::size_t>(at_once) > sim::kMaxProcesses + 1)
    return Probe::endless;
  std::unique_ptr<Rules>& rules = probes_[{lock, at_once}];
  if (!rules) {
    const auto like =
        std::find_if(model_.processes.begin(), model_.processes.end(), [&](const auto& setup) {
          return std::find(setup.lock_keys.begin(), setup.lock_keys.end(), lock.key) !=
                 setup.lock_keys.end();
        });
    LOCKSTEP_CHECK(like != model_.processes.end());
    sim::ProcessSetup setup = *like;
    setup.lock_keys = {lock.key};
    setup.shared = {lock.shared};
    setup.lease_ms = lock.lease_ms;
    setup.settings = lock.settings;
    setup.workload = {sim::WorkStep{sim::WorkStep::Kind::lock, 0, 0}};
    setup.rounds = kForEver;
    setup.threads = 1;
    sim::Model model = model_;
    model.properties.clear();
    model.processes.insert(model.processes.end(), static_cast<std::size_t>(at_once), setup);
    model.latency_ms = 0;
    model.merges_tokens = true;  // it may poll for thousands of steps, with a token each
    rules = std::make_unique<Rules>(model, Memory::boundary, expected_, watch_);
    rules->alone_ = true;
    rules->remembers_stored_ = at_once == 1;
  }
  // Nothing of the others can reach it but what they have left at the nodes, and spawned tasks.
  World alone = world;
  alone.budget = {};
  alone.outlook_ms = 0;
  for (Process& process : alone.processes) {
    if (!lives_on(process)) process = Process{};
  }
  for (int more = 0; more < at_once; ++more) {
    rules->incarnate(alone.processes.emplace_back(), rules->model().processes.back());
    alone.processes.back().knows = world.newest;
  }
  const auto [known, fresh_world] = rules->probed_.try_emplace(identity(alone));
  if (fresh_world) known->second = rules->probe_alone(alone, at_once);
  if (!rules->remembers_stored_ && rules->asked_twice_) {
    rules->remembers_stored_ = true;
    known->second = rules->probe_alone(std::move(alone), at_once);
  }
  // Real tokens may look otherwise, and what they do is not known.
  if (known->second == Probe::fails && rules->hangs_) known->second = Probe::endless;
  found_.add(rules->found_);
  return known->second;
}

/// How long the probe waits for what no deadline of a node tells.
std::int64_t Rules::patience_ms() const { return longest_matter_ms() + common_unit_ms(); }

/// For how long after a look what was looked at may matter.
std::int64_t Rules::longest_matter_ms() const {
  std::int64_t ms = model_.request_timeout_ms + model_.tick_ms;
  std::int64_t longest_lease_ms = 0;
  for (const sim::ProcessSetup& setup : model_.processes) {
    longest_lease_ms = std::max(longest_lease_ms, setup.lease_ms);
  }
  for (const auto* thresholds : {&expected_.ages, &expected_.lefts})
    if (!thresholds->empty()) ms += *thresholds->rbegin();
  // Clocks may have jumped apart: one all the way forwards, another one back.
  std::int64_t forwards_ms = 0, back_ms = 0;
  for (const std::int64_t jump_ms : model_.jumps_ms) {
    forwards_ms = std::max(forwards_ms, jump_ms);
    back_ms = std::max(back_ms, -jump_ms);
  }
  const int jumps = of_all(sim::Fault::jump);
  return rounded_up(ms + longest_lease_ms + farthest_reach_ms() + jumps * (forwards_ms + back_ms));
}

/// How long after a look something that was looked at can turn at most: a time is made that lies so
/// far ahead, and what is compared with it may be later still.
std::int64_t Rules::farthest_reach_ms() const {
  if (expected_.made.empty()) return 0;
  const auto& [nearest, farthest] = std::pair(*expected_.made.begin(), *expected_.made.rbegin());
  const bool any = !expected_.met.empty() || !expected_.between.empty();
  std::int64_t after = any ? -farthest : 1;
  if (!expected_.met.empty()) after = std::max(after, *expected_.met.rbegin());
  if (!expected_.between.empty()) after = std::max(after, *expected_.between.rbegin() - nearest);
  // The fresh client's clock is right, but what it meets may have been made by one that is not.
  std::int64_t earliest = 0, latest = 0;
  for (const auto* clocks : {&model_.clocks_ms, &model_.node_clocks_ms}) {
    for (const std::int64_t ahead_ms : *clocks) {
      earliest = std::min(earliest, ahead_ms);
      latest = std::max(latest, ahead_ms);
    }
  }
  return std::max<std::int64_t>(0, farthest + after + latest - earliest);
}

/// How much time passes where nothing is urgent; 0: none can. Some of it comes out of the patience.
std::int64_t Rules::probe_pass_ms(const World& world, int at_once,
                                  std::int64_t& patience_left_ms) const {
  const bool background = background_lives(world, at_once);
  const bool patient = patience_left_ms > 0 && (background || !next_node_deadline(world));
  const std::set<std::int64_t> ahead = deadlines(world);
  const std::int64_t ms = !ahead.empty() ? *ahead.begin() : patient ? patience_left_ms : 0;
  if (patient) patience_left_ms = std::max<std::int64_t>(0, patience_left_ms - ms);
  return ms;
}

std::int64_t Rules::patience_from(const World& start, int at_once) const {
  if (!start.absolute) return 0;
  const std::int64_t patience = until_all_show(start, patience_ms());
  if (!background_lives(start, at_once)) return patience;
  World nodes_alone = start;
  nodes_alone.processes.clear();
  const std::set<std::int64_t> ahead = deadlines(nodes_alone);
  return ahead.empty() ? patience : patience + *ahead.rbegin();
}

/// Who has a permit keeps it, and does nothing more; the next one takes its place.
void Rules::begin_anew(World& world, std::uint8_t fresh) const {
  Process next;
  next.tokens_used = world.processes[fresh].tokens_used;
  incarnate(next, model_.processes.back());
  next.knows = world.newest;
  world.processes[fresh] = std::move(next);
}

/// Whether something may change in the probe's world that no fresh process does.
bool Rules::matter_beside(const World& world, int at_once) const {
  return std::any_of(world.processes.begin(), world.processes.end() - at_once, spawned_lives) ||
         next_node_deadline(world).has_value();
}

/// Runs on the rules of the probe's own model: tries all that can happen.
Rules::Probe Rules::probe_alone(World start, int at_once) {
  const std::size_t first = start.processes.size() - static_cast<std::size_t>(at_once);
  const std::int64_t patience = patience_from(start, at_once);
  Points points(first, at_once);
  bool others_matter = false;  // something may change that no fresh process does
  points.meet({std::move(start), patience, {}, 0, {}, 0});
  while (!points.open().empty()) {
    const bool stores_many = points.stores_many();
    if (!others_matter && points.in_vain(stores_many)) return Probe::fails;
    if (stores_many || points.too_many()) return Probe::endless;
    if (watch_ != nullptr && !watch_->may_go_on()) return Probe::acquires;
    const Point now = points.next();
    others_matter = others_matter || now.patience_left_ms > 0 || matter_beside(now.world, at_once);
    std::vector<Action> actions = enabled(now.world);
    std::erase_if(actions, [&](const Action& action) {
      return !possible(action, first) ||
             (action.kind == Action::Kind::begin && now.served.contains(action.process));
    });
    const bool pressing = std::any_of(actions.begin(), actions.end(), [&](const Action& action) {
      return urgent(now.world, action);
    });
    for (const Action& action : actions) {
      if (pressing && action.kind == Action::Kind::begin && at_once == 1) continue;
      for (Successor& successor : successors(now.world, action)) {
        Point next = now;
        next.world = std::move(successor.world);
        if (action.process >= first && successor.facts.witnesses.contains(sim::Witness::acquired)) {
          if (now.taken + 1 == model_.program->permits()) return Probe::acquires;
          begin_anew(next.world, action.process);
          if (at_once > 1) next.served.insert(action.process);
          if (next.taken++ == 0) next.first_left_ms = model_.processes.back().lease_ms;
        }
        points.meet(std::move(next));
      }
    }
    if (pressing) continue;
    Point later = now;
    note_written(later, first, patience);
    const std::int64_t ms = probe_pass_ms(later.world, at_once, later.patience_left_ms);
    if (ms == 0 || (later.taken > 0 && ms >= later.first_left_ms)) continue;
    if (later.taken > 0) later.first_left_ms -= ms;
    Facts ignored;
    pass(later.world, ms, ignored);
    points.meet(std::move(later));
  }
  return Probe::fails;
}

}  // namespace lockstep::checker::naive
