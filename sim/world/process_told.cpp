// What becomes of a process by what others do to its locks, and by what happens at its nodes.
#include <algorithm>
#include <cstdint>

#include "sim/world/infos.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/sessions.hpp"

namespace lockstep::sim {

Id Processes::stale(Id id, LockSet written) {
  return stale_.find_or_add(id, written, [&] {
    Process process = processes_[id].value;
    for (auto& operation : process.operations) {
      LockSet held = 0;
      for (const auto& holding : process.holdings)
        if (holding.task == operation.task) held |= only<LockSet>(holding.lock);
      if (operation.basis == Basis::fresh && (held & written) != 0) operation.basis = Basis::stale;
    }
    for (auto& connection : process.connections)
      for (auto& message : connection.messages)
        if (message.basis == Basis::fresh &&
            (setting_.locks_in(tables_.request(message.request)) & written) != 0)
          message.basis = Basis::stale;
    return intern(process);
  });
}

Id Processes::given(Id id, std::uint8_t lock, std::uint8_t group) {
  return given_.find_or_add(id, both(lock, group), [&] {
    Process process = processes_[id].value;
    for (const Wait& wait : automaton_.state(process.program).tasks)
      if (wait.in_acquire && setting_.lock_of(process.index, wait.lock) == lock)
        process.operation(wait.task).given |= only<NodeSet>(group);
    return intern(process);
  });
}

Id Processes::prolonging(Id id, TaskId task, Maker maker) {
  return prolong_.find_or_add(id, both(task, maker), [&] {
    Process process = processes_[id].value;
    process.operation(task).prolonged |= only_maker(maker);
    return intern(process);
  });
}

Id Processes::told(Id id, LockSet elsewhere, LockSet turned) {
  return tell_.find_or_add(id, both(elsewhere, turned), [&] {
    Process process = processes_[id].value;
    process.elsewhere = elsewhere;
    for (auto& waiting : process.waiting)
      if (has(turned, waiting.lock)) waiting.ms = 0;
    return intern(process);
  });
}

Id Processes::overtaken(Id id, std::uint8_t lock) {
  return overtake_.find_or_add(id, lock, [&] {
    Process process = processes_[id].value;
    for (auto& waiting : process.waiting)
      if (has(setting_.conflicting[lock], waiting.lock)) ++waiting.overtaken;
    return intern(process);
  });
}

Id Processes::told_of_return(Id id, std::uint8_t by, LockSet given_back) {
  return return_.find_or_add(id, both(given_back, by), [&] {
    Process process = processes_[id].value;
    if (process.life == Life::dead) return id;
    for (const auto& wait : automaton_.state(process.program).tasks) {
      const std::uint8_t lock = setting_.lock_of(process.index, wait.lock);
      if (!wait.in_acquire || !has(given_back, lock)) continue;
      std::erase_if(process.returns, [&](const Return& old) { return old.task == wait.task; });
      process.returns.push_back({wait.task, lock, by});
    }
    std::ranges::sort(process.returns, {}, &Return::task);
    return intern(process);
  });
}

Id Processes::returns_forgotten(Id id, LockSet taken) {
  return forget_.find_or_add(id, taken, [&] {
    Process process = processes_[id].value;
    std::erase_if(process.returns, [&](const Return& given) { return has(taken, given.lock); });
    return intern(process);
  });
}

/// The process after something has happened at a node, worked out once.
template <class Change>
Id Processes::changed(FlatMap& memo, Id id, std::uint64_t what, const Change& change) {
  return memo.find_or_add(id, what, [&] {
    Process process = processes_[id].value;
    change(process);
    process.drop_empty_connections();
    return intern(process);
  });
}

namespace {

bool is_waiting(const Message& message) { return message.stage == Stage::waiting; }

std::uint64_t key_of(const Processes::Gone& gone) { return both(gone.server, gone.listing); }

/// The replica has got everything; but whoever lists it though it has gone will never know.
void forget_ahead(Process& process, const Processes::Gone& replica) {
  for (auto& connection : process.connections)
    if (connection.node == kResource || !has(replica.listing, connection.node))
      connection.ahead_of = without(connection.ahead_of, replica.server);
}

/// What the process waits for at the node, for a time.
template <class Change>
void change_waits(Process& process, std::uint8_t node, Change change) {
  for (auto& connection : process.connections)
    if (connection.node == node)
      for (auto& message : connection.messages)
        if (message.blocked && !message.blocked_for_ever) change(message);
}

/// Its node has died, with all that it remembered.
void forget_session(Tables& tables, Connection& connection) {
  if (connection.link == Link::made)
    connection.bind(tables.session(connection.session).value.begun());
  connection.session = tables.reconnected(connection.session);
  connection.forget_waits();
}

}  // namespace

Id Processes::jumped(Id id, std::uint8_t node, std::int64_t ms) {
  return jump_.find_or_add(both(id, node), static_cast<std::uint64_t>(ms), [&] {
    Process process = processes_[id].value;
    change_waits(process, node, [&](Message& message) {
      message.blocked_ms = setting_.rounded(std::max<std::int64_t>(0, message.blocked_ms - ms));
    });
    return intern(process);
  });
}

Id Processes::stopped(Id id, std::uint8_t node) {
  return changed(stop_, id, node, [&](Process& process) {
    change_waits(process, node, [](Message& message) { message.stands_still = true; });
  });
}

Id Processes::disconnected(Id id, Gone node) {
  return changed(disconnect_, id, key_of(node), [&](Process& process) {
    for (auto& connection : process.connections) {
      if (connection.node != node.server) continue;
      forget_session(tables_, connection);
      for (auto& message : connection.messages) message.doubtful = message.stage == Stage::answered;
      connection.lose_requests(setting_);
      if (connection.bound) connection.link = Link::reset;
      connection.made_before = connection.stale = false;
    }
    forget_ahead(process, node);
  });
}

Id Processes::darkened(Id id, Gone node) {
  return changed(darken_, id, key_of(node), [&](Process& process) {
    for (auto& connection : process.connections) {
      if (connection.node != node.server) continue;
      forget_session(tables_, connection);
      for (auto& message : connection.messages) {
        message.doubtful = true;
        message.unblock();
      }
      connection.made_before = connection.made_before || std::exchange(connection.stale, false);
      if (connection.open)
        connection.link = Link::lost;
      else
        std::erase_if(connection.messages, is_waiting);
    }
    forget_ahead(process, node);
  });
}

Id Processes::lit(Id id, std::uint8_t node) {
  return changed(light_, id, node, [&](Process& process) {
    for (auto& connection : process.connections) {
      if (connection.node != node) continue;
      if (connection.link == Link::unmade) {
        connection.link = Link::made;
        for (auto& message : connection.messages) message.doubtful = false;
      } else if (connection.link == Link::lost) {
        connection.lose_requests(setting_);
        connection.closing = false;
        connection.stale = std::exchange(connection.made_before, false) && !connection.bound &&
                           connection.messages.empty();
        const bool told = std::ranges::any_of(
            connection.messages, [](const Message& m) { return m.stage == Stage::broken; });
        connection.bound = connection.bound && !told;
        connection.link = connection.bound ? Link::reset : Link::made;
      }
    }
  });
}

Id Processes::told_of_master(Id id, std::uint8_t group, Gone newest) {
  return changed(promote_, id, key_of(newest), [&](Process& process) {  // it is of one group alone
    process.masters[group].newest = newest.server;
    forget_ahead(process, newest);
  });
}

Id Processes::caught_up(Id id, Gone replica) {
  if (!setting_.knowledge.replica_waits) return id;
  return changed(catch_up_, id, key_of(replica),
                 [&](Process& process) { forget_ahead(process, replica); });
}

Id Processes::emptied(Id id, Gone node) {
  if (!has(processes_[id].watching, node.server)) return caught_up(id, node);
  return changed(empty_, id, key_of(node), [&](Process& process) {
    Places watched;
    add_watched(tables_, process, node.server, nullptr, watched);
    touch_watched(tables_, process, node.server, nullptr, watched);
    forget_ahead(process, node);
  });
}

Id Processes::unlisted(Id id, std::uint8_t node, NodeSet replicas) {
  return changed(unlist_, id, both(node, replicas), [&](Process& process) {
    for (auto& connection : process.connections)
      if (connection.node == node) connection.ahead_of &= static_cast<NodeSet>(~replicas);
  });
}

Id Processes::touched(Id id, std::uint8_t node, Id places, Id publications) {
  if (!has(processes_[id].watching, node)) return id;
  return touch_.find_or_add(both(id, node), both(places, publications), [&] {
    Process process = processes_[id].value;
    touch_watched(tables_, process, node, nullptr, tables_.places(places));
    const std::int64_t way_ms = process.index < setting_.processes ? setting_.latency_ms : 0;
    take_published(tables_, process, node, tables_.publications(publications), way_ms);
    return intern(process);
  });
}

}  // namespace lockstep::sim
