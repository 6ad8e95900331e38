// Executes requests at nodes and at the resource; see the header.
#include "sim/world/execution.hpp"

#include <algorithm>
#include <charconv>

#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/reply.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/sessions.hpp"

namespace lockstep::sim {

const StepResult& Executions::step(Id process, unsigned action, const Id* state) {
  const std::uint8_t node = processes_.info(process).actions[action].node;
  return node == kResource ? at_resource(process, action, state[setting_.run_slot()])
                           : at_node(process, action, node, state);
}

const StepResult& Executions::keep(FlatMap& memo, std::uint64_t a, std::uint64_t b,
                                   StepResult result) {
  memo.add(a, b, static_cast<Id>(results_.size()));
  results_.push_back(result);
  return results_.back();
}

/// What is remembered of executions on a connection: by what lies outside of its process and node.
FlatMap& Executions::memo_of_node(Others others, const Connection& connection, const Id* nodes) {
  if (setting_.knowledge.replica_waits) {
    const ReplicaWaits::Behind behind = waits_.behind(nodes, connection.node);
    return wider_memos_[{others.watched, others.listening, others.gone, others.back, others.idle,
                         others.sharing, behind.lagging, behind.missing,
                         waits_.acknowledged(nodes, connection)}];
  }
  if (others.listening != Tables::kNowhere || others.gone != 0 || others.idle != 0 ||
      others.sharing != 0)
    return wider_memos_[{others.watched, others.listening, others.gone, others.back, others.idle,
                         others.sharing, NodeSet{0}, NodeSet{0}, 0}];
  if (others.watched >= node_memos_.size()) node_memos_.resize(others.watched + 1);
  return node_memos_[others.watched];
}

/// The reply to the connection's next request may take its time.
void Executions::travels(Connection& connection) const {
  Process::to_execute(connection).way_ms = setting_.latency_ms;
}

/// The process's request waits at the node, which is `before` and becomes that.
StepResult Executions::blocked(Id process_id, const Process& process, Change node) {
  const Id after = processes_.intern(process);
  StepResult result;
  result.changes = Changes(after, node);
  result.tokens_changed =
      processes_.info(after).tokens.tokens != processes_.info(process_id).tokens.tokens;
  return result;
}

const StepResult& Executions::at_node(Id process_id, unsigned action, std::uint8_t n,
                                      const Id* state) {
  const unsigned slot = setting_.node_slot(n);
  const Id node_id = state[slot];
  std::int64_t clock = 0;
  Id moment = 0;
  if (setting_.knowledge.absolute) {
    clock = nodes_.clock(node_id, runs_.info(state[setting_.run_slot()]).value.now_ms);
    moment = tables_.moment(clock);
  }
  const std::uint64_t a = both(process_id, node_id), b = both(action, moment);
  const ProcessInfo& info = processes_.info(process_id);
  const Others others =
      others_at(tables_, processes_, {state, setting_.processes}, info.value.index, n);
  const Id* nodes = state + setting_.node_slot(0);
  FlatMap& memo = memo_of_node(others, info.value.connections[info.actions[action].index], nodes);
  if (const Id found = memo.find(a, b); found != FlatMap::kAbsent) return results_[found];

  Process process = info.value;
  Connection& connection = process.connections[info.actions[action].index];
  const auto with_node = [slot](Id id) { return Change{static_cast<std::uint8_t>(slot), id}; };
  if (waits_.block(nodes, process, connection))
    return keep(memo, a, b, blocked(process_id, process, with_node(node_id)));
  const Connection sender = connection;
  const Asked asked = asked_on(tables_, nodes_, waits_, nodes, process, connection, others, clock);
  const CommandRun command =
      execute_in_session(tables_, nodes_, process, connection, asked, setting_.latency_ms);
  Id written = nodes_.written(node_id, command.keyspace);
  if (setting_.knowledge.replica_waits)
    waits_.note_executed(nodes, connection, command.called && !Process::to_execute(sender).blocked,
                         nodes_.differ_in_stream(node_id, written));
  if (queues_.take_turn(process, connection, written, command))
    return keep(memo, a, b, blocked(process_id, process, with_node(written)));
  if (command.flushed) written = nodes_.flushed(written);
  const Id asked_in =
      setting_.knowledge.polls ? tables_.node_state(nodes_.info(node_id).value, process.index) : 0;
  const bool idle =
      processes_.answers_idly(process_id, info.actions[action], nodes_.info(node_id).value);
  travels(connection);
  connection.is_there(setting_);
  process.answer(connection, command.reply, asked_in, idle);
  if (command.started && setting_.counts_doings(process.index))
    Doings::count(process.doings.starts);
  Report report = told_by(command, others, n);
  if (!sender.former && process.life != Life::dead) {
    const bool wrote =
        setting_.knowledge.rewrites && !same_keys(tables_.keyspace(asked.keyspace).value,
                                                  tables_.keyspace(command.keyspace).value);
    note_own_keys(process, sender, command, {others.sharing, wrote}, report);
    report.claims.inside = freed_unknown_to_holders(process, sender, command.freed);
    judge_prolonged_outside(process, sender, command, report);
  }

  StepResult result;
  const Id process_after = processes_.intern(process);
  const Id node_after = command.read_time ? nodes_.micros_on(written) : written;
  result.changes = Changes(process_after, {static_cast<std::uint8_t>(slot), node_after});
  result.tokens_changed =
      processes_.info(process_after).tokens.tokens != info.tokens.tokens ||
      nodes_.info(node_after).tokens.tokens != nodes_.info(node_id).tokens.tokens;
  if (report.spread == Spread::touch)
    result.tokens_changed = true;  // of those whose watches are broken, or who hear it
  result.report = reports_.add(std::move(report));
  return keep(memo, a, b, result);
}

/// What a command at this node means for others.
Report Executions::told_by(const CommandRun& command, const Others& others, std::uint8_t n) {
  if ((command.given_to_gone & others.back) != 0)  // of which life its token is, is not told
    setting_.leave_untried("a lock is handed over to a client that has crashed, and is up again");
  Report report;
  report.read_time = command.read_time;
  report.leases = command.leases;
  report.given = command.given;
  report.given_at = setting_.servers.group_of(n);
  const bool touches = others.watched != Tables::kNowhere && command.touched != Tables::kNowhere;
  const bool publishes =
      others.listening != Tables::kNowhere && command.published != Tables::kNowhere;
  if (!touches && !publishes) return report;
  report.spread = Spread::touch;
  report.touched = touches ? command.touched : Tables::kNowhere;
  report.published = publishes ? command.published : Tables::kNowhere;
  report.node = n;
  return report;
}

/// A request of a main task counts for that task alone, one of a spawned task for every task with
/// an operation under way. A key that another main task makes while one releases, or a request that
/// was sent in vain, is no leftover of the one.
void Executions::note_own_keys(Process& process, const Connection& sender,
                               const CommandRun& command, Beside beside, Report& report) const {
  const Message& message = Process::to_execute(sender);
  const bool of_main = message.task < process.rounds.size();
  const Outlived outlived = std::max(sender.outlived, message.outlived);
  const bool made = command.made || (of_main && command.marked);
  const bool freed = command.freed != 0 || (of_main && command.replaced != 0);
  const auto here = only<NodeSet>(setting_.servers.group_of(sender.node));
  const Own& own = tables_.keyspace(command.keyspace).own[process.index];
  const auto staying = static_cast<LockSet>(own.kept | (beside.sharing & own.may_be_for_others()));
  for (const auto& wait : processes_.automaton().state(process.program).tasks) {
    if (!wait.in_operation) continue;
    Operation& operation = process.operation(wait.task);
    const std::uint8_t lock = setting_.lock_of(process.index, wait.lock);
    if (of_main && (wait.task != message.task || outlived != Outlived::no)) {
      const bool of_what_ends = wait.task == message.task && outlived == Outlived::yes;
      operation.succeeded = operation.succeeded || (made && operation.releasing && !of_what_ends);
      if (wait.in_acquire && wait.task != message.task && has(command.replaced, lock))
        operation.given |= here;  // from one task to another
      continue;
    }
    if (freed) operation.made &= static_cast<NodeSet>(~here);
    if (made && wait.in_acquire) operation.made |= here;
    for (const LeaseChange& change : command.prolonged)
      if (wait.in_acquire && has(setting_.sharing[lock], change.lock))
        report.prolonged.push_back({wait.task, change.lock, change.maker});
    const bool freed_before = setting_.enough(operation.freed);
    if (freed && !wait.in_acquire) operation.freed |= here;
    if (setting_.wakeups && operation.releasing && !freed_before &&
        setting_.enough(operation.freed))
      report.claims.given_back |= only<LockSet>(lock);
    if (operation.releasing && freed) report.facts.witnessed |= only(Witness::freed);
    operation.counted = operation.counted || (command.counted && operation.releasing);
    operation.stayed = operation.stayed || (has(staying, lock) && operation.releasing);
    operation.wrote = operation.wrote || (beside.wrote && operation.releasing);
  }
  process.drop_empty_operations();
}

/// What it has left in the key entitles nobody who neither holds such a lock nor asks for one.
void Executions::judge_prolonged_outside(const Process& process, const Connection& sender,
                                         const CommandRun& command, Report& report) const {
  if (std::max(sender.outlived, Process::to_execute(sender).outlived) != Outlived::no) return;
  LockSet used = 0;
  for (const Holding& holding : process.holdings) used |= setting_.sharing[holding.lock];
  for (const auto& wait : processes_.automaton().state(process.program).tasks)
    if (wait.in_operation) used |= setting_.sharing[setting_.lock_of(process.index, wait.lock)];
  for (const LeaseChange& change : command.prolonged)
    if (!has(used, change.lock)) report.leases.push_back(change);
}

/// Locks that a task holds, of which another main task's request, or one that has outlived its
/// operation, has freed something.
LockSet Executions::freed_unknown_to_holders(const Process& process, const Connection& sender,
                                             LockSet freed) {
  const Message& message = Process::to_execute(sender);
  if (freed == 0 || message.task >= process.rounds.size()) return 0;
  const bool outlived = std::max(sender.outlived, message.outlived) != Outlived::no;
  LockSet unknown = 0;
  for (const Holding& holding : process.holdings)
    if (holding.owned && (outlived || holding.task != message.task))
      unknown |= static_cast<LockSet>(freed & only<LockSet>(holding.lock));
  return unknown;
}

// ---- the resource

/// Whether the resource accepts a READ or WRITE; it remembers the highest fencing token.
bool Executions::accepted(const Request& request, Run& run) const {
  const bool write = request.at(0) == "WRITE";
  const Resource resource = setting_.model.resource;
  const bool checked =
      resource == Resource::fenced || (resource == Resource::fenced_writes && write);
  const std::string& text = request.at(1);
  if (!checked || text.empty()) return true;
  std::int64_t token = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token);
  if (error != std::errc{} || end != text.data() + text.size())
    throw BadInput(setting_.model.program->folder().string() +
                   "/protocol.lua: acquire() gave the fencing token '" + without_brackets(text) +
                   "', expected an integer");
  std::int64_t& highest = run.highest[setting_.lock_with(request.at(2))];
  const bool newest = token >= highest;
  highest = std::max(highest, token);
  return newest;
}

const StepResult& Executions::at_resource(Id process_id, unsigned action, Id run_id) {
  const std::uint64_t a = both(process_id, run_id);
  if (const Id found = resource_memo_.find(a, action); found != FlatMap::kAbsent)
    return results_[found];

  const ProcessInfo& info = processes_.info(process_id);
  Process process = info.value;
  Run run = runs_.info(run_id).value;
  Connection& connection = process.connections[info.actions[action].index];
  const TaskId task = connection.task;
  const bool former = connection.former;
  const Message message = Process::to_execute(connection);
  const bool write = tables_.request(message.request).at(0) == "WRITE";
  const bool is_accepted = accepted(tables_.request(message.request), run);
  travels(connection);
  process.answer(
      connection,
      tables_.intern(is_accepted
                         ? Reply::ok()
                         : Reply::error("STALE the resource has seen a higher fencing token")),
      0, false);

  Report report;
  if (is_accepted && write) {
    report.spread = Spread::stale;
    report.written = setting_.locks_in(tables_.request(message.request));
    report.facts.witnessed |= only(Witness::written);
    if (message.basis == Basis::stale) report.facts.violated |= only(Property::no_lost_update);
  } else if (is_accepted && !former) {
    process.operation(task).basis = Basis::fresh;
  }
  process.drop_empty_operations();
  Id process_after = processes_.intern(process);
  if (report.spread == Spread::stale)
    process_after = processes_.stale(process_after, report.written);

  StepResult result;
  result.changes =
      Changes(process_after, {static_cast<std::uint8_t>(setting_.run_slot()), runs_.intern(run)});
  result.tokens_changed = processes_.info(process_after).tokens.tokens != info.tokens.tokens;
  result.report = reports_.add(std::move(report));
  return keep(resource_memo_, a, action, result);
}

}  // namespace lockstep::sim
