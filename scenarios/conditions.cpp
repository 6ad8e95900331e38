// The list of conditions; see the header.
#include "scenarios/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenarios {

namespace {

using WorkKind = sim::WorkStep::Kind;

sim::Budget one(sim::Fault fault) {
  sim::Budget budget{};
  budget.at(static_cast<std::size_t>(fault)) = 1;
  return budget;
}

Condition named(const std::string& name, const std::string& meaning) {
  Condition condition;
  condition.name = name;
  condition.meaning = meaning;
  return condition;
}

Condition with_fault(sim::Fault fault, const std::string& more = "",
                     const std::string& meaning = "") {
  auto condition =
      named(name(fault) + more, fmt::format("`{}` at most once{}", name(fault), meaning));
  condition.faults = one(fault);
  return condition;
}

/// Those that befall clients of one thread each, as a matrix has them, and nodes alone.
std::vector<sim::Fault> faults_of_clients() {
  std::vector<sim::Fault> faults;
  for (const auto fault : sim::kFaults)
    if (!row(fault).of_threads && !row(fault).of_replicas && !row(fault).of_cluster)
      faults.push_back(fault);
  return faults;
}

Condition with_failover(const std::string& more = "", const std::string& meaning = "") {
  auto condition =
      with_fault(sim::Fault::failover, more, ", of a node that has a replica" + meaning);
  condition.replicated = true;
  return condition;
}

void add_overview(std::vector<Condition>& all) {
  all.push_back(named("no fault", "nothing abnormal happens"));
  all.push_back(named("work > lease", "the work lasts one and a half leases"));
  all.back().long_work = true;
  for (const auto fault : faults_of_clients()) all.push_back(with_fault(fault));
  all.push_back(with_failover());
  for (auto& condition : all) condition.overview = true;
}

void add_more_of_the_same(std::vector<Condition>& all) {
  all.push_back(named("round+", "every client runs its workload once more"));
  all.back().more_rounds = 1;
  for (const auto fault : faults_of_clients()) {
    all.push_back(with_fault(fault, ", round+", ", and every client runs its workload once more"));
    all.back().more_rounds = 1;
  }
  all.push_back(named("client+", "one client more, who is refused or waits"));
  all.back().more_clients = 1;
  all.push_back(
      named("work > lease, client+", "one client more, and the work lasts one and a half leases"));
  all.back().more_clients = 1;
  all.back().long_work = true;
  all.push_back(with_fault(sim::Fault::crash, ", client+", ", and one client more"));
  all.back().more_clients = 1;
  all.push_back(named("thread+", "every client has one thread more, which shares its objects"));
  all.back().more_threads = 1;
  // What an error in one thread does to the other: quick with one client.
  all.push_back(
      with_fault(sim::Fault::lose, ", two threads", ", and two threads of one client are all"));
  all.back().alone = true;
  all.back().more_threads = 1;
}

/// Where nothing holds as long as the work takes its usual time, short work may still tell versions
/// apart.
void add_other_work(std::vector<Condition>& all) {
  all.push_back(
      with_fault(sim::Fault::lose, ", work > lease", ", and the work lasts one and a half leases"));
  all.back().long_work = true;
  all.push_back(named("short work",
                      "the work lasts a hundredth of the lease; vacuous if nobody ever releases"));
  all.back().short_work = all.back().must_release = true;
  all.push_back(named("idle first", "lock, unlock, lock, work, unlock"));
  all.back().shape = Shape::idle_first;
  all.push_back(
      named("work > lease, idle first", "lock, unlock, lock, work one and a half leases, unlock"));
  all.back().shape = Shape::idle_first;
  all.back().long_work = true;
}

void add_other_worlds(std::vector<Condition>& all) {
  for (const auto fault : sim::kFaults) {
    if (!row(fault).stops_node) continue;
    all.push_back(with_fault(fault, ", aof", ", and the node keeps every write (aof-always)"));
    all.back().keeps_all = true;
  }
  for (const auto fault : {sim::Fault::delay, sim::Fault::pause}) {
    all.push_back(with_fault(fault, ", timeout",
                             ", and a request without an answer for a tenth of the lease is given "
                             "up"));
    all.back().timeouts = true;
  }
  all.push_back(with_failover(", lag", ", which may lag once"));
  ++all.back().faults.at(static_cast<std::size_t>(sim::Fault::lag));
  all.push_back(named("two locks", "lock a, lock b, unlock a, work, unlock b"));
  all.back().shape = Shape::two_locks;
}

void add_reentry(std::vector<Condition>& all) {
  all.push_back(named("re-entry", "lock, lock, unlock, work, unlock"));
  all.back().shape = Shape::nested;
  for (const auto fault : faults_of_clients()) {
    all.push_back(with_fault(fault, ", re-entry", ", in lock, lock, unlock, work, unlock"));
    all.back().shape = Shape::nested;
  }
  all.push_back(named("late re-entry",
                      "lock, work, lock, work, unlock, unlock, where both works together outlast "
                      "one lease"));
  all.back().shape = Shape::late_nested;
  all.push_back(named("overdue re-entry",
                      "lock, work one and a half leases, lock, unlock, unlock: the lease is over"));
  all.back().shape = Shape::overdue_nested;
  all.push_back(named("thread+, re-entry",
                      "one thread more for every client, in lock, lock, unlock, work, unlock"));
  all.back().shape = Shape::nested;
  all.back().more_threads = 1;
}

RoleStep unlock(RoleStep lock) {
  lock.kind = WorkKind::unlock;
  return lock;
}

RoleStep work(std::int64_t ms) { return {WorkKind::work, "", ms, false}; }

/// What one step of a workload becomes in a shape. `held` is the lock that was taken last,
/// `lease_ms` measures late re-entry.
std::vector<RoleStep> shaped(const RoleStep& step, Shape shape, const RoleStep& held,
                             std::int64_t lease_ms) {
  RoleStep other = step;
  other.key += "-2";
  if (shape == Shape::two_locks && step.kind == WorkKind::lock) return {step, other, unlock(step)};
  if (shape == Shape::two_locks && step.kind == WorkKind::unlock) return {other};
  if (shape == Shape::idle_first && step.kind == WorkKind::lock) return {step, unlock(step), step};
  if (shape == Shape::nested && step.kind == WorkKind::lock) return {step, step, unlock(step)};
  if (shape == Shape::late_nested && step.kind == WorkKind::work)
    return {work(lease_ms * 3 / 4), held, work(lease_ms * 3 / 4), unlock(held)};
  if (shape == Shape::overdue_nested && step.kind == WorkKind::work)
    return {work(lease_ms + lease_ms / 2), held, unlock(held)};
  return {step};
}

void reshape(Role& role, Shape shape, std::int64_t lease_ms) {
  std::vector<RoleStep> workload;
  RoleStep held{WorkKind::lock, kDefaultKey, 0, false};
  for (const auto& step : role.workload) {
    if (step.kind == WorkKind::lock) held = step;
    for (const auto& each : shaped(step, shape, held, lease_ms)) workload.push_back(each);
  }
  role.workload = workload;
}

}  // namespace

const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all = [] {
    std::vector<Condition> made;
    add_overview(made);
    add_more_of_the_same(made);
    add_other_work(made);
    add_other_worlds(made);
    add_reentry(made);
    return made;
  }();
  return all;
}

Scenario under(const Condition& condition, Scenario world) {
  for (const auto fault : sim::kFaults) {
    const auto at = static_cast<std::size_t>(fault);
    world.faults.at(at) = static_cast<std::uint8_t>(world.faults.at(at) + condition.faults.at(at));
  }
  for (auto& role : world.roles) {
    for (auto& step : role.workload) {
      if (step.kind != WorkKind::work) continue;
      if (condition.long_work) step.ms = world.lease_ms + world.lease_ms / 2;
      if (condition.short_work) step.ms = std::max<std::int64_t>(1, world.lease_ms / 100);
    }
    reshape(role, condition.shape, world.lease_ms);
    if (role.rounds > 0) role.rounds += condition.more_rounds;
    role.threads += condition.more_threads;
  }
  const auto clients = std::min<std::size_t>(
      world.clients.size() + static_cast<std::size_t>(condition.more_clients), kMostClients);
  world.clients.resize(condition.alone ? 1 : clients, 0);
  if (condition.timeouts) world.request_timeout_ms = std::max<std::int64_t>(1, world.lease_ms / 10);
  if (condition.must_release) world.witnesses.insert(sim::Witness::released);
  if (condition.replicated) world.replicas = std::max(1, world.replicas);
  if (condition.keeps_all) world.persistence = sim::Persistence::aof_always;
  return world;
}

}  // namespace lockstep::scenarios
