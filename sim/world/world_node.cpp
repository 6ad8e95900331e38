// Nodes and the resource in the interned world: executing a request, persistence, node faults.
#include <algorithm>
#include <charconv>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/execute.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

namespace {

/// Whether a request reads a remaining lifetime or a clock, so that the program may compare it with
/// its literals.
bool reads_a_clock(const Request& request) {
  static const std::array<std::string_view, 6> kNames{"ttl",        "pttl",        "time",
                                                      "expiretime", "pexpiretime", "object"};
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
  };
  const std::string command = lower(request.at(0));
  if (std::find(kNames.begin(), kNames.end(), command) != kNames.end()) return true;
  if (command.rfind("eval", 0) != 0 || request.size() < 2) return false;
  const std::string script = lower(request[1]);
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return script.find(name) != std::string::npos; });
}

std::int64_t expiry_or_never(const Entry& entry) {
  return entry.expires ? entry.expires->ms : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

WallTime World::node_clock(Id node, Id run) const {
  if (!knowledge_.absolute) return kEpoch;
  return kEpoch + Duration{run_infos_[run].value.now_ms + node_infos_[node].value.clock_offset_ms};
}

const World::Outcome& World::execute(Id process_id, unsigned action, Id node_id, Id run) {
  const std::uint64_t a = static_cast<std::uint64_t>(process_id) << 32 | node_id;
  const std::uint64_t b =
      action |
      (knowledge_.absolute ? static_cast<std::uint64_t>(run_infos_[run].value.now_ms) << 16 : 0);
  if (const Id found = execute_memo_.find(a, b); found != FlatMap::kAbsent) return outcomes_[found];

  const ProcessInfo& info = process_infos_[process_id];
  const NodeInfo& node_info = node_infos_[node_id];
  Process process = info.value;
  Connection& connection = process.connections[info.actions[action].index];
  const auto index = static_cast<std::size_t>(Process::executable(connection));
  const bool former = connection.former;
  const TaskId task = connection.task;
  const Maker sender = former ? Maker{0} : maker_of(process.index);
  const Command command = run_command(node_info.value.keyspace, connection.messages[index].request,
                                      sender, node_clock(node_id, run));

  if (connection.open) {
    connection.messages[index].stage = Stage::answered;
    connection.messages[index].reply = command.reply;
  } else {
    connection.messages.erase(connection.messages.begin() + static_cast<std::ptrdiff_t>(index));
    process.drop_empty_connections();
  }
  if (!former && process.life != Life::dead) note_own_keys(process, task, command);

  Node node = node_info.value;
  if (command.keyspace != node.keyspace) remember_for_power_loss(node, node.keyspace);
  node.keyspace = command.keyspace;

  Outcome outcome;
  outcome.process = intern(process);
  outcome.other = intern(node);
  outcome.tokens_changed = process_infos_[outcome.process].tokens != info.tokens ||
                           node_infos_[outcome.other].tokens != node_info.tokens;
  if (command.looked) outcome.flags |= kLooked;
  if (!command.changes.empty()) {
    outcome.changes = static_cast<std::uint32_t>(changes_.size());
    changes_.push_back(command.changes);
  }
  execute_memo_.add(a, b, static_cast<Id>(outcomes_.size()));
  outcomes_.push_back(std::move(outcome));
  return outcomes_.back();
}

/// A request of a task with an operation under way counts for that task alone, one of another task
/// (a spawned one) for every task with such an operation. A key that an operation makes while
/// another releases is no leftover of the other.
void World::note_own_keys(Process& process, TaskId sender, const Command& command) const {
  const auto& tasks = automaton_.state(process.program).tasks;
  const bool own = std::any_of(tasks.begin(), tasks.end(), [&](const Wait& wait) {
    return wait.task == sender && wait.in_operation;
  });
  for (const auto& wait : tasks) {
    if (!wait.in_operation) continue;
    Operation& operation = process.operation(wait.task);
    if (own && wait.task != sender) {
      operation.succeeded = operation.succeeded || (command.made && operation.releasing);
      continue;
    }
    operation.made = (operation.made && !command.freed) || (command.made && wait.in_acquire);
    operation.freed = operation.freed || (command.freed && operation.releasing);
  }
  process.drop_empty_operations();
}

/// Executes; a script that cannot be run is named by its file, which says more than its SHA-1.
Reply World::execute_named(Keyspace& keyspace, const Request& request, Execution& execution) {
  try {
    return lockstep::sim::execute(keyspace, request, execution);
  } catch (const BadInput& error) {
    const std::string name = request.size() < 2 ? "" : model_.program->script_name(request[1]);
    if (name.empty()) throw;
    throw BadInput((model_.program->folder() / name).string() + ": " + error.what());
  }
}

const World::Command& World::run_command(Id keyspace_id, Id request_id, Maker sender,
                                         WallTime now) {
  const std::uint64_t a = static_cast<std::uint64_t>(keyspace_id) << 32 | request_id;
  const std::uint64_t b = sender | (static_cast<std::uint64_t>((now - kEpoch).ms) << 8);
  if (const Id found = command_memo_.find(a, b); found != FlatMap::kAbsent) return commands_[found];

  const Request& request = requests_[request_id];
  if (reads_a_clock(request)) needs_.reads_clock = true;
  const Duration offset = now - kEpoch;
  Keyspace keyspace = keyspaces_[keyspace_id].value;
  keyspace.shift_expiry(offset);
  Execution execution;
  execution.now = now;
  execution.sender = sender;
  execution.scripts = &scripts_;
  execution.mode.version = model_.redis_version;
  Command command;
  command.reply = intern_reply(execute_named(keyspace, request, execution));
  if (execution.looked_at_time) needs_.absolute = command.looked = true;
  if (execution.ordered_tokens ||
      (execution.looked_at_bytes && !keyspaces_[keyspace_id].tokens.empty())) {
    needs_.recycles_tokens = false;  // another name could change the result
  }
  keyspace.purge(now);
  keyspace.shift_expiry(-offset);
  note_changes(keyspaces_[keyspace_id].value, keyspace, sender, command);
  command.keyspace = intern(keyspace);

  command_memo_.add(a, b, static_cast<Id>(commands_.size()));
  commands_.push_back(std::move(command));
  return commands_.back();
}

void World::note_changes(const Keyspace& before, const Keyspace& after, Maker sender,
                         Command& command) {
  const auto use_new_lifetimes = [&](const Keys* old_keys, const Keys& new_keys) {
    for (const auto& [key, entry] : new_keys) {
      if (!entry.expires) continue;
      static const Keys kNone;
      const Keys& earlier = old_keys ? *old_keys : kNone;
      const auto old = earlier.find(key);
      if (old != earlier.end() && old->second.expires == entry.expires) continue;
      const std::int64_t lifetime_ms = (*entry.expires - kEpoch).ms;
      use_duration(lifetime_ms);
      if (command.looked) computed_lifetimes_.insert(lifetime_ms);
    }
  };
  use_new_lifetimes(&before.keys, after.keys);
  for (const auto& [number, keys] : after.others) use_new_lifetimes(before.database(number), keys);
  for (const auto& [key, lock] : leases_) {
    const auto b = before.keys.find(key);
    const auto a = after.keys.find(key);
    const bool was = b != before.keys.end(), is = a != after.keys.end();
    if (sender != 0 && is && a->second.maker == sender && (!was || b->second.maker != sender))
      command.made = true;
    if (sender != 0 && was && b->second.maker == sender && !is) command.freed = true;
    if (!was || b->second.maker == 0 || b->second.maker == sender) continue;
    const Maker maker = b->second.maker;
    if (!is || a->second.maker != maker ||
        expiry_or_never(a->second) < expiry_or_never(b->second)) {
      command.changes.push_back({ChangeKind::taken, lock, maker});
    } else if (expiry_or_never(a->second) > expiry_or_never(b->second)) {
      command.changes.push_back({ChangeKind::extended, lock, maker});
    }
  }
}

// ---- the resource
// ---------------------------------------------------------------------------------------------

const World::Outcome& World::execute_at_resource(Id process_id, unsigned action, Id run_id) {
  const std::uint64_t a = static_cast<std::uint64_t>(process_id) << 32 | run_id;
  if (const Id found = resource_memo_.find(a, action); found != FlatMap::kAbsent)
    return outcomes_[found];

  const ProcessInfo& info = process_infos_[process_id];
  Process process = info.value;
  Run run = run_infos_[run_id].value;
  Connection& connection = process.connections[info.actions[action].index];
  const TaskId task = connection.task;
  const bool former = connection.former;
  const auto index = static_cast<std::size_t>(Process::executable(connection));
  const Message message = connection.messages[index];
  const Request& request = requests_[message.request];
  const bool write = request.at(0) == "WRITE";

  bool accepted = true;
  const bool checked =
      model_.resource == Resource::fenced || (model_.resource == Resource::fenced_writes && write);
  if (checked && !request.at(1).empty()) {
    std::int64_t token = 0;
    const std::string& text = request[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token);
    if (error != std::errc{} || end != text.data() + text.size())
      throw BadInput(model_.program->folder().string() +
                     "/protocol.lua: acquire() gave the fencing token '" + without_brackets(text) +
                     "', expected an integer");
    accepted = token >= run.highest;
    run.highest = std::max(run.highest, token);
  }
  if (connection.open) {
    connection.messages[index].stage = Stage::answered;
    connection.messages[index].basis = Basis::none;
    connection.messages[index].reply =
        intern_reply(accepted ? Reply::ok()
                              : Reply::error("STALE the resource has seen a higher fencing token"));
  } else {
    connection.messages.erase(connection.messages.begin() + static_cast<std::ptrdiff_t>(index));
    process.drop_empty_connections();
  }

  Outcome outcome;
  if (accepted && write) {
    outcome.flags |= kAccepted;
    if (message.basis == Basis::stale) outcome.flags |= kStaleWrite;
  } else if (accepted && !former) {
    process.operation(task).basis = Basis::fresh;
  }
  process.drop_empty_operations();
  outcome.process = intern(process);
  if (accepted && write) outcome.process = stale(outcome.process);
  outcome.other = intern(run);
  outcome.tokens_changed = process_infos_[outcome.process].tokens != info.tokens;
  resource_memo_.add(a, action, static_cast<Id>(outcomes_.size()));
  outcomes_.push_back(std::move(outcome));
  return outcomes_.back();
}

Id World::stale(Id id) {
  ProcessInfo& info = process_infos_[id];
  if (info.stale != FlatMap::kAbsent) return info.stale;
  Process process = info.value;
  for (auto& operation : process.operations)
    if (operation.basis == Basis::fresh) operation.basis = Basis::stale;
  for (auto& connection : process.connections)
    for (auto& message : connection.messages)
      if (message.basis == Basis::fresh) message.basis = Basis::stale;
  return info.stale = intern(process);
}

// ---- faults of a node
// -----------------------------------------------------------------------------------------

Id World::without_scripts(Id keyspace) {
  Keyspace bare = keyspaces_[keyspace].value;
  bare.forget_scripts();
  bare.script_random = kInitialScriptRandom;
  if (bare == keyspaces_[keyspace].value) return keyspace;
  return intern(bare);
}

void World::remember_for_power_loss(Node& node, Id before) {
  if (model_.persistence != Persistence::aof_everysec ||
      model_.budget[static_cast<std::size_t>(Fault::power_loss)] == 0)
    return;
  const Id bare = without_scripts(before);
  if (!node.images.empty() && node.images.front().keyspace == bare &&
      node.images.front().age_ms == 0)
    return;
  node.images.insert(node.images.begin(), {bare, 0});
}

Id World::after_power_cut(Id id, bool power_loss, unsigned image) {
  Node node = node_infos_[id].value;
  node.up = false;
  switch (model_.persistence) {
    case Persistence::none:
      node.keyspace = empty_keyspace_;
      break;
    case Persistence::rdb:
      node.keyspace = node.images[0].keyspace;
      break;
    case Persistence::aof_everysec:
      if (power_loss && image > 0) node.keyspace = node.images[image - 1].keyspace;
      node.images.clear();
      break;
    case Persistence::aof_always:
      break;
  }
  node.keyspace = without_scripts(node.keyspace);
  return intern(node);
}

Id World::cut_off(Id id, std::uint8_t node) {
  ProcessInfo& info = process_infos_[id];
  if (info.cut_off[node] != FlatMap::kAbsent) return info.cut_off[node];
  Process process = info.value;
  for (auto& connection : process.connections) {
    if (connection.node != node) continue;
    const bool waiting = std::any_of(connection.messages.begin(), connection.messages.end(),
                                     [](const Message& m) { return m.stage == Stage::waiting; });
    std::erase_if(connection.messages, [](const Message& m) { return m.stage == Stage::waiting; });
    if (waiting && connection.open) {
      Message broken;
      broken.stage = Stage::broken;
      connection.messages.push_back(broken);
    }
  }
  process.drop_empty_connections();
  return info.cut_off[node] = intern(process);
}

Id World::disowned(Id id, std::uint8_t process) {
  NodeInfo& info = node_infos_[id];
  if (info.disowned[process] != FlatMap::kAbsent) return info.disowned[process];
  const auto disown = [&](Id keyspace) {
    Keyspace changed = keyspaces_[keyspace].value;
    changed.disown(static_cast<Maker>(process + 1));
    return intern(changed);
  };
  Node node = info.value;
  node.keyspace = disown(node.keyspace);
  for (auto& image : node.images) image.keyspace = disown(image.keyspace);
  return info.disowned[process] = intern(node);
}

}  // namespace lockstep::sim
