// Gives the model's parts their numbers; see the header.
#include "sim/world/setting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/model/fresh_clients.hpp"

namespace lockstep::sim {

namespace {

template <class List, class Item>
std::size_t place_of(List& list, const Item& item) {
  const auto place = std::find(list.begin(), list.end(), item);
  const auto index = static_cast<std::size_t>(place - list.begin());
  if (place == list.end()) list.push_back(item);
  return index;
}

/// Redis, appendfsync everysec; twice that if a slow fsync has postponed the next one.
std::int64_t volatile_for(Persistence persistence) {
  constexpr std::int64_t everysec_ms = 1000;
  if (persistence == Persistence::aof_everysec) return everysec_ms;
  return persistence == Persistence::aof_everysec_2s ? 2 * everysec_ms : 0;
}

/// Tokens are recycled only if the model merges them.
Knowledge within(const Model& model, Knowledge knowledge) {
  knowledge.recycles_tokens = knowledge.recycles_tokens && model.merges_tokens;
  return knowledge;
}

/// What stands for each of these locks, together.
LockSet united(const std::vector<LockSet>& by_lock, LockSet some) {
  LockSet all = 0;
  for (unsigned lock = 0; lock < by_lock.size(); ++lock)
    if (has(some, lock)) all |= by_lock[lock];
  return all;
}

void at_most(std::size_t count, unsigned limit, const char* what) {
  if (count > limit)
    throw BadInput("a model may have at most " + std::to_string(limit) + " " + what +
                   ", this one has " + std::to_string(count));
}

}  // namespace

Setting::Setting(const Model& checked, const Knowledge& known)
    : model(checked),
      processes(static_cast<unsigned>(checked.processes.size())),
      servers(servers_of(checked)),
      nodes(servers.count()),
      permits(static_cast<unsigned>(checked.program->permits())),
      quorum(static_cast<unsigned>(checked.program->quorum(static_cast<int>(servers.nodes)))),
      nodes_fail(budget(Fault::node_crash) + budget(Fault::power_loss) > 0),
      stops_within(budget(Fault::pause) + budget(Fault::crash) > 0),
      shares_connections(checked.program->shared_connection()),
      greets(checked.program->greets()),
      latency_ms(rounded(checked.latency_ms)),
      volatile_ms(volatile_for(checked.persistence)),
      too_long_ms(sim::too_long_ms(checked)),
      overtakes(judged_overtakes(checked)),
      wakeups(checked.properties.contains(Property::lost_wakeup)),
      waits_for_free(too_long_ms > 0 && checked.waits_after == WaitsAfter::free),
      drifts(clocks_drift(checked)),
      knowledge(within(checked, known)),
      needs(knowledge) {
  LOCKSTEP_CHECK(processes >= 1);
  at_most(processes, kMaxProcesses, "clients");
  at_most(nodes, kMaxNodes, "nodes and replicas");
  std::vector<ProcessSetup> given;
  for (unsigned p = 0; p < processes; ++p) given.push_back(sim::setup_of(model, p));
  for (const auto& process : given)
    setup_of.push_back(static_cast<std::uint32_t>(place_of(setups, process)));
  for (const auto& probe : fresh_clients(given)) {
    probe_setups.push_back(static_cast<std::uint32_t>(setups.size()));
    setups.push_back(probe);
  }
  number_rates();
  number_locks();
  for (unsigned p = 0; p < processes; ++p) {
    const ProcessSetup& process = model.processes[p];
    use_lifetime(process.lease_ms);
    use_timeout(timer_ms(p, model.request_timeout_ms));
    if (process.rounds == 0)
      for (const auto& step : process.workload) use_timer(true_ms(p, step));
  }
  if (budget(Fault::pause) > 0 && model.pause_max_ms > 0) {
    if (knowledge.many_sleeps)
      use_timer(model.pause_max_ms);
    else
      needs.sleeps.front().try_emplace(rounded(model.pause_max_ms), 0U);
  }
  knowledge = needs;
  find_offsets();
  find_jumps();
  find_reaches();
  std::set<std::int64_t> jumped;
  for (const std::int64_t offset : offsets)
    for (const std::int64_t jump : jumps) jumped.insert(offset + jump);
  offsets = std::move(jumped);
}

bool Setting::clients_alike() const {
  const auto like_first = [&](const std::vector<std::int64_t>& clocks, unsigned p) {
    return of_clock(clocks, p) == of_clock(clocks, 0);
  };
  for (unsigned p = 1; p < processes; ++p)
    if (setup_of[p] != setup_of[0] || !like_first(model.clocks_ms, p) ||
        !like_first(model.drifts_ppm, p))
      return false;
  return true;
}

void Setting::note(const TimeUse& use) {
  for (const std::int64_t left : use.lefts) needs.lefts.insert(rounded(left));
  needs.made.insert(use.made.begin(), use.made.end());
  needs.met.add(use.met);
  needs.between.add(use.between);
  needs.units.insert(use.units.begin(), use.units.end());
  needs.rounds_up = needs.rounds_up || use.rounds_up;
  needs.parts_of_seconds = needs.parts_of_seconds || use.parts_of_seconds;
  computed.insert(use.computed.begin(), use.computed.end());
  missed_turns = missed_turns || !use.all;
  turns_within_ms = turns_within_ms || !use.whole_ms;
  whole_micros = whole_micros || use.whole_micros;
  each_micro = each_micro || use.each_micro;
  unexplained_turns = unexplained_turns || !use.explained;
  scaled_clocks = scaled_clocks || !use.sums;
  durations_as_data = durations_as_data || !use.lifetimes;
  keeps_times = keeps_times || use.kept;
  fences_by_time = fences_by_time || (use.fences && model.resource != Resource::plain);
  mixes_drifting = mixes_drifting || (drifts && use.mixes);
  const bool sure = !missed_turns && !turns_within_ms && !unexplained_turns && !scaled_clocks;
  needs.dated = needs.dated || (knowledge.absolute && !sure);
}

void Setting::note_doings(unsigned process, const Doings& done) {
  if (process >= processes) return;
  Doings& most = needs.doings.at(process);
  most.timeouts = std::max(most.timeouts, done.timeouts);
  if (most.timeouts == Doings::kMost) needs.many_timeouts = true;
  most.sent = std::max(most.sent, done.sent);
  most.starts = std::max(most.starts, done.starts);
  countless = countless || most.sent == Doings::kMost || most.starts == Doings::kMost;
}

Doings Setting::doings_to_come(unsigned process, const Doings& done) const {
  if (process >= processes) return {};
  const Doings& most = knowledge.doings.at(process);
  const auto left = [](std::uint8_t all, std::uint8_t so_far) {
    return static_cast<std::uint8_t>(all > so_far ? all - so_far : 0);
  };
  return {left(most.sent, done.sent), left(most.starts, done.starts),
          left(most.timeouts, done.timeouts)};
}

/// So often it is taken to go on for ever: each one more is a search that starts again.
constexpr unsigned kMostSleeps = 4;

void Setting::use_sleep(unsigned process, std::int64_t ms, Sleeps& slept) {
  const std::int64_t slept_ms = rounded(ms);
  if (slept_ms <= 0) return;
  if (process >= processes) {  // the sleeps of a probe are no distances in a run
    needs.sleeps.front().try_emplace(slept_ms, 0U);
    return;
  }
  if (knowledge.many_sleeps || goes_on_for_ever(process) || knowledge.timers.contains(slept_ms))
    return use_timer(ms);
  if (needs.often_begun.contains(slept_ms)) return;  // its ends are counted
  const unsigned times = ++slept.begun[slept_ms];
  unsigned& most = needs.sleeps.at(process)[slept_ms];
  most = std::max(most, times);
  if (most <= kMostSleeps) return;
  // What has mostly come to its end will go on so. (To count or not: no point is missed by either.)
  if (2 * slept.ended[slept_ms] > kMostSleeps) return use_timer(ms);
  needs.often_begun.insert(slept_ms);
  for (TimerCounts& sleeps : needs.sleeps)
    if (sleeps.contains(slept_ms)) sleeps[slept_ms] = 0;
}

void Setting::note_slept(unsigned process, std::int64_t ms, Sleeps& slept) {
  const std::int64_t slept_ms = rounded(ms);
  if (slept_ms <= 0 || process >= processes) return;
  if (knowledge.many_sleeps || knowledge.timers.contains(slept_ms)) return;
  const unsigned times = ++slept.ended[slept_ms];
  if (!knowledge.often_begun.contains(slept_ms)) return;
  unsigned& most = needs.sleeps.at(process)[slept_ms];
  most = std::max(most, times);
  if (most > kMostSleeps) use_timer(ms);
}

bool Setting::reckons_split_work() const {
  FaultSet harmless = 0;
  for (const Fault fault : {Fault::pause, Fault::crash, Fault::preempt, Fault::evict, Fault::flush})
    harmless |= only(fault);
  for (std::size_t f = 0; f < model.budget.size(); ++f)
    if (model.budget[f] > 0 && !has(harmless, static_cast<unsigned>(f))) return false;
  return budget(Fault::pause) == 1 && latency_ms == 0 && !drifts;
}

bool Setting::counts_sleeps() const {
  if (knowledge.many_sleeps) return false;
  return pauses_are_limited() || std::ranges::any_of(knowledge.sleeps, [](const TimerCounts& most) {
           return std::ranges::any_of(most, [](const auto& times) { return times.second > 0; });
         });
}

TimerCounts Setting::sleeps_to_come(unsigned process, const Sleeps& slept) const {
  TimerCounts left;
  if (process >= processes || knowledge.many_sleeps) return left;
  for (const auto& [ms, most] : knowledge.sleeps.at(process)) {
    const TimerCounts& counted = knowledge.often_begun.contains(ms) ? slept.ended : slept.begun;
    const auto done = counted.find(ms);
    const unsigned times = done == counted.end() ? 0 : done->second;
    if (most > times && !knowledge.timers.contains(ms)) left[ms] = most - times;
  }
  return left;
}

/// By how much one clock is ahead of another one at the start; the probe's is right.
std::set<std::int64_t> Setting::clocks_apart() const {
  std::set<std::int64_t> apart;
  for (const std::int64_t one : offsets)
    for (const std::int64_t other : offsets) apart.insert(one - other);
  return apart;
}

void Setting::find_offsets() {
  for (unsigned p = 0; p < processes; ++p) offsets.insert(of_clock(model.clocks_ms, p));
  for (unsigned n = 0; n < nodes; ++n) offsets.insert(of_clock(model.node_clocks_ms, n));
}

void Setting::find_jumps() {
  for (unsigned left = budget(Fault::jump); left > 0; --left)
    for (const std::int64_t before : std::set<std::int64_t>(jumps))
      for (const std::int64_t jump : model.jumps_ms) jumps.insert(before + jump);
}

/// How long after the look that it was made of an absolute time can matter: for another look, or
/// for one of which another time is made. `to_ms`: but for what turns only where a unit begins,
/// which is a deadline anyhow.
std::set<std::int64_t> Setting::distances_of_looks(bool to_ms) const {
  const std::set<std::int64_t>& between = to_ms ? knowledge.between.to_ms : knowledge.between.all;
  std::set<std::int64_t> met = to_ms ? knowledge.met.to_ms : knowledge.met.all;
  if (knowledge.met.all.empty() && knowledge.between.all.empty())
    met = {0, 1};  // compared in whatever way
  std::set<std::int64_t> distances;
  for (const std::int64_t made : knowledge.made) {
    for (const std::int64_t turn : met) distances.insert(made + turn);
    for (const std::int64_t turn : between)
      for (const std::int64_t other : knowledge.made) distances.insert(made + turn - other);
  }
  return distances;
}

void Setting::find_reaches() {
  const std::set<std::int64_t> distances = distances_of_looks(false);
  if (distances.empty()) return;
  std::set<std::int64_t> apart = clocks_apart();
  farthest_reach_ms = std::max<std::int64_t>(0, *distances.rbegin() + *apart.rbegin());
  // Each jump is one of the clock that made the time or of the one that meets it.
  for (unsigned left = budget(Fault::jump); left > 0; --left)
    for (const std::int64_t before : std::set<std::int64_t>(apart))
      for (const std::int64_t jump : model.jumps_ms) apart.insert({before + jump, before - jump});
  const auto add = [&](const std::set<std::int64_t>& looks, std::set<std::int64_t>& found) {
    for (const std::int64_t distance : looks)
      for (const std::int64_t offset : apart)
        if (distance + offset > 0) found.insert(rounded(distance + offset));
  };
  add(distances, reaches);
  add(distances_of_looks(!drifts), reaches_to_ms);
}

void Setting::number_rates() {
  LOCKSTEP_CHECK(!drifts || model.tick_ms == 1);  // what a drifting clock shows turns at any ms
  const auto number = [&](const std::vector<std::int64_t>& ppm, unsigned index) {
    return static_cast<std::uint8_t>(place_of(rates, Rate(of_clock(ppm, index))));
  };
  for (unsigned p = 0; p < processes; ++p) process_rates_.push_back(number(model.drifts_ppm, p));
  for (unsigned n = 0; n < nodes; ++n) node_rates_.push_back(number(model.node_drifts_ppm, n));
}

void Setting::number_locks() {
  std::vector<std::pair<std::string, bool>> found;  // key, and whether it is shared
  for (const auto& process : model.processes) {
    std::vector<std::uint8_t> numbers;
    for (std::size_t lock = 0; lock < process.lock_keys.size(); ++lock)
      numbers.push_back(static_cast<std::uint8_t>(
          place_of(found, std::pair(process.lock_keys[lock], is_shared(process, lock)))));
    lock_of_.push_back(std::move(numbers));
  }
  at_most(found.size(), kMaxLocks, "locks");
  for (const auto& [key, is_shared] : found) {
    if (is_shared) shared |= only<LockSet>(static_cast<std::uint8_t>(locks.size()));
    locks.push_back(key);
  }
  for (std::uint8_t lock = 0; lock < locks.size(); ++lock) {
    with_key.push_back(locks_with(locks[lock]));
    conflicting.push_back(has(shared, lock) ? with_key[lock] & ~shared : with_key[lock]);
  }
  for (std::uint8_t lock = 0; lock < locks.size(); ++lock) {
    for (const auto& key : model.program->lease_keys(locks[lock])) leases[key].push_back(lock);
    may_rely = model.properties.contains(Property::foreign_release) &&
               std::ranges::any_of(
                   leases, [&](const auto& lease) { return lease_map().is_shared(lease.first); });
    for (const auto& key : model.program->permanent_keys(locks[lock])) permanent.insert(key);
  }
  sharing.assign(locks.size(), 0);
  for (const auto& [key, of] : leases)
    for (const auto one : of)
      for (const auto other : of) sharing[one] |= only<LockSet>(other);
}

std::uint8_t Setting::lock_with(std::string_view key) const {
  const auto place = std::find(locks.begin(), locks.end(), key);
  LOCKSTEP_CHECK(place != locks.end());
  return static_cast<std::uint8_t>(place - locks.begin());
}

LockSet Setting::locks_with(std::string_view key) const {
  LockSet found = 0;
  for (std::uint8_t lock = 0; lock < locks.size(); ++lock)
    if (locks[lock] == key) found |= only<LockSet>(lock);
  return found;
}

LockSet Setting::same_keys(LockSet some) const { return united(with_key, some); }

LockSet Setting::conflicting_with(LockSet some) const { return united(conflicting, some); }

LockSet Setting::locks_in(const Request& request) const {
  LockSet named = 0;
  for (std::size_t i = 2; i < request.size(); ++i) named |= locks_with(request[i]);
  return named;
}

LeaseMap Setting::lease_map() const {
  const auto locks_of = [this](const std::string& key) {
    const auto found = leases.find(key);
    return found == leases.end() ? nullptr : &found->second;
  };
  return {locks_of, model.program->is_shared()};
}

std::int64_t Setting::rounded(std::int64_t ms) const {
  return (ms + model.tick_ms - 1) / model.tick_ms * model.tick_ms;
}

std::int64_t Setting::common_unit_ms() const {
  if (!knowledge.absolute || knowledge.units.empty()) return 0;
  // Of clocks that are apart one may begin another unit while the other one is in its first.
  const bool apart = offsets.size() > 1 || budget(Fault::jump) > 0 || drifts;
  return rounded(common_multiple(knowledge.units)) * (apart ? 2 : 1);
}

std::int64_t Setting::alike_after_ms() const {
  // An invariant may look at the numbers themselves.
  const bool shown = model.properties.contains(Property::invariant);
  if (!model.merges_dates || !knowledge.absolute || knowledge.dated || drifts || shown) return 0;
  const std::int64_t unit = common_multiple(knowledge.units);
  return unit > kSecondMs ? 0 : std::max<std::int64_t>(unit, 1);
}

std::int64_t Setting::longest_matter_ms() const {
  std::int64_t lease = 0;
  for (const auto& process : model.processes) lease = std::max(lease, process.lease_ms);
  std::int64_t sum = lease + model.request_timeout_ms + farthest_reach_ms;
  for (const std::set<std::int64_t>* found : {&knowledge.ages, &knowledge.lefts})
    if (!found->empty()) sum += *found->rbegin();
  sum += *jumps.rbegin() - *jumps.begin();
  return rounded(sum) + model.tick_ms;
}

std::int64_t Setting::longest_timer_ms() const {
  std::int64_t longest = 0;
  for (const auto* timers : {&knowledge.timers, &knowledge.timeouts})
    if (!timers->empty()) longest = std::max(longest, *timers->rbegin());
  for (const auto& sleeps : knowledge.sleeps)
    if (!sleeps.empty()) longest = std::max(longest, sleeps.rbegin()->first);
  return longest;
}

std::int64_t Setting::step_ms() const {
  std::int64_t step_ms = 0;
  for (const auto* found : {&knowledge.timers, &knowledge.units})
    for (const std::int64_t ms : *found) step_ms = std::gcd(step_ms, ms);
  return step_ms;
}

std::int64_t Setting::long_run_ms() const {
  constexpr std::int64_t kTimes = 100;
  std::int64_t works = 0;
  for (const auto& process : model.processes)
    for (const auto& step : process.workload) works += step.ms * process.rounds;
  return works + kTimes * (longest_timer_ms() + longest_matter_ms() + common_unit_ms());
}

}  // namespace lockstep::sim
