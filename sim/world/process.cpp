// What a process remembers; see the header.
#include "sim/world/process.hpp"

#include <algorithm>

#include "sim/base/bytes.hpp"

namespace lockstep::sim {

Operation& Process::operation(TaskId task) {
  auto place = std::find_if(operations.begin(), operations.end(),
                            [&](const Operation& o) { return o.task >= task; });
  if (place == operations.end() || place->task != task) {
    Operation fresh;
    fresh.task = task;
    place = operations.insert(place, fresh);
  }
  return *place;
}

void Process::drop_empty_operations() {
  std::erase_if(operations, [](const Operation& o) { return o.empty(); });
}

const Timer* Process::timer(TaskId task) const {
  const auto place = std::ranges::find(timers, task, &Timer::task);
  return place == timers.end() ? nullptr : &*place;
}

bool Process::knows_masters() const {
  return std::ranges::all_of(
      masters, [](const KnownMaster& master) { return master.known == master.newest; });
}

bool Connection::takes_requests() const {
  return open && !closing &&
         !(shared() && std::ranges::any_of(messages, [](const Message& message) {
             return message.stage == Stage::broken;
           }));
}

void Connection::break_up(const Setting& setting) {
  std::vector<Message> errors;
  for (const Message& message : messages) {
    const bool told = std::ranges::any_of(
        errors, [&](const Message& error) { return error.task == message.task; });
    if (!message.unheard && !told) errors.push_back(broken(setting, message.task));
  }
  if (subscribes && open && errors.empty()) errors.push_back(broken(setting, task));
  messages = std::move(errors);
  link = Link::made;
  bound = closing = made_before = stale = false;
  forget_waits();
}

void Connection::lose_requests(const Setting& setting) {
  const auto waits = [](const Message& message) { return message.stage == Stage::waiting; };
  Connection lost = *this;
  std::erase_if(lost.messages, [&](const Message& message) { return !waits(message); });
  lost.break_up(setting);
  std::erase_if(messages, waits);
  if (open) messages.insert(messages.end(), lost.messages.begin(), lost.messages.end());
}

void Connection::close(const Setting& setting) {
  lose_requests(setting);
  forget_waits();
  made_before = stale = false;
  closing = true;
}

void Connection::is_there(const Setting& setting) {
  made_before = open && setting.budget(Fault::power_loss) > 0;
  if (!std::exchange(stale, false)) return;
  for (Message& message : messages) message.doubtful = false;
}

void Connection::leave_to_network() {
  open = false;
  late = true;
  for (Message& message : messages) message.way_ms = 0;
}

bool Connection::waits_in_the_dark() const {
  return link != Link::made && !messages.empty() && messages.front().stage == Stage::waiting;
}

bool Connection::is_under_way() const {
  return !messages.empty() && messages.front().stage == Stage::waiting && !messages.front().blocked;
}

void Process::abandon(TaskId task, bool used, std::optional<bool> subscribes) {
  for (auto& connection : connections) {
    if (subscribes && connection.subscribes != *subscribes) continue;
    if (connection.shared() && connection.open)
      for (auto& message : connection.messages)
        message.unheard = message.unheard || message.task == task;
    if (connection.task != task || !connection.open) continue;
    if (used && connection.messages.empty()) continue;
    connection.open = false;
    const bool on_network = connection.link == Link::made;  // else nothing of it is
    std::erase_if(connection.messages,
                  [&](const Message& m) { return !on_network || m.stage != Stage::waiting; });
  }
  drop_empty_connections();
}

bool Process::waits_for_link(const Connection& connection, std::uint8_t node) const {
  if (connection.node != node || !connection.open || connection.messages.empty()) return false;
  const Message& next = connection.messages.front();
  if (next.held || next.unheard) return false;
  if (next.stage != Stage::waiting) return has(unheard, node);
  return connection.is_under_way() && !connection.waits_in_the_dark() && has(unreached, node);
}

void Process::drop_empty_connections() {
  for (auto& connection : connections) {  // what nobody waits for is dropped when it arrives
    if (!connection.shared() || !connection.open) continue;
    const auto arrives = std::ranges::find_if(connection.messages, [](const Message& message) {
      return message.stage == Stage::waiting || !message.unheard || message.held;
    });
    connection.messages.erase(connection.messages.begin(), arrives);
  }
  for (auto& connection : connections)  // all that it was to bring is there: it is made anew
    connection.closing = connection.closing && !connection.messages.empty();
  std::erase_if(connections, [](const Connection& c) {
    return c.messages.empty() && !c.is_dead() &&
           (!c.open ||
            (c.session == 0 && c.ahead_of == 0 && !c.made_before && !c.stale && !c.greeted));
  });
}

void Process::answer(Connection& connection, Id reply, Id asked_in, bool idle) {
  const int place = executable(connection);
  if (!connection.open) {
    connection.messages.erase(connection.messages.begin() + place);
    return drop_empty_connections();
  }
  Message& message = connection.messages[static_cast<std::size_t>(place)];
  message.stage = Stage::answered;
  message.basis = Basis::none;
  message.releases = false;
  message.unblock();
  message.reply = reply;
  message.asked_in = asked_in;
  message.idle = idle;
  if (message.unheard) drop_empty_connections();
}

int Process::executable(const Connection& connection) {
  for (std::size_t i = 0; i < connection.messages.size(); ++i) {
    const Message& message = connection.messages[i];
    if (message.stage != Stage::waiting) continue;  // a reply holds up no request
    return message.held && !message.for_key ? -1 : static_cast<int>(i);  // that one has arrived
  }
  return -1;
}

namespace {

void add(ByteWriter& out, const Operation& operation) {
  out.number(operation.task);
  out.number(operation.made);
  out.number(operation.given);
  out.number(operation.freed);
  out.number((operation.releasing ? 1 : 0) + (operation.succeeded ? 8 : 0) +
             (operation.counted ? 16 : 0) + (operation.owned ? 32 : 0) +
             (operation.keeps_mode ? 256 : 0) + (operation.stayed ? 64 : 0) +
             (operation.wrote ? 512 : 0));
  out.number(operation.given_up);
  out.number(operation.prolonged);
  out.number(static_cast<int>(operation.basis));
  out.number(static_cast<std::int64_t>(operation.answered.size()));
  for (const Answered& answered : operation.answered) {
    out.number(answered.request);
    out.number(answered.asked_in);
  }
}

void add(ByteWriter& out, const Connection& connection) {
  out.number(connection.task);
  out.number(connection.node);
  out.number(connection.sent_for);
  out.number(connection.ahead_of);
  out.number(2 * static_cast<int>(connection.link) + (connection.bound ? 1 : 0));
  out.number((connection.open ? 1 : 0) + (connection.former ? 2 : 0) + (connection.late ? 4 : 0) +
             8 * static_cast<int>(connection.outlived) + (connection.subscribes ? 64 : 0) +
             (connection.closing ? 128 : 0) + (connection.made_before ? 256 : 0) +
             (connection.greeted ? 512 : 0) + (connection.stale ? 1024 : 0));
  out.number(static_cast<std::int64_t>(connection.messages.size()));
  for (const auto& message : connection.messages) {
    out.number(message.task);
    out.number((message.unheard ? 1 : 0) + (message.releases ? 2 : 0) + (message.idle ? 4 : 0) +
               8 * static_cast<int>(message.outlived) + (message.blocked ? 32 : 0) +
               (message.blocked_for_ever ? 64 : 0) + (message.asking ? 128 : 0) +
               (message.for_key ? 256 : 0) + (message.stands_still ? 512 : 0));
    out.number(message.turn);
    out.number(message.blocked_ms);
    out.number(message.request);
    out.number(static_cast<int>(message.stage) * 4 + (message.held ? 1 : 0) +
               (message.doubtful ? 2 : 0));
    out.number(message.reply);
    out.number(message.asked_in);
    out.number(static_cast<int>(message.basis));
    out.number(message.way_ms);
  }
  out.number(connection.session);
}

}  // namespace

std::string encode(const Process& process) {
  ByteWriter out;
  out.number(process.index);
  out.number(static_cast<int>(process.life));
  out.number(process.program);
  out.number(process.pause_left_ms);
  out.number(process.clock_offset_ms);
  out.number(process.tokens_used);
  out.number(process.unreached);
  out.number(process.unheard);
  out.number(process.doings.sent);
  out.number(process.doings.starts);
  out.number(process.doings.timeouts);
  for (const TimerCounts* sleeps : {&process.slept.begun, &process.slept.ended}) {
    out.number(static_cast<std::int64_t>(sleeps->size()));
    for (const auto& [ms, times] : *sleeps) {
      out.number(ms);
      out.number(times);
    }
  }
  out.number(process.waits_in_part * 2 + (process.crashed ? 1 : 0));
  for (const int n : process.rounds) out.number(n);
  for (const KnownMaster& master : process.masters) {
    out.number(master.known);
    out.number(master.newest);
  }
  out.number(static_cast<std::int64_t>(process.timers.size()));
  for (const auto& timer : process.timers) {
    out.number(timer.task);
    out.number(timer.left_ms);
  }
  out.number(process.elsewhere);
  out.number(static_cast<std::int64_t>(process.waiting.size()));
  for (const auto& waiting : process.waiting) {
    out.number(waiting.task);
    out.number(waiting.lock);
    out.number(waiting.ms);
    out.number(waiting.overtaken);
  }
  out.number(static_cast<std::int64_t>(process.returns.size()));
  for (const auto& given_back : process.returns) {
    out.number(given_back.task);
    out.number(given_back.lock);
    out.number(given_back.by);
  }
  out.number(static_cast<std::int64_t>(process.connections.size()));
  for (const auto& connection : process.connections) add(out, connection);
  out.number(static_cast<std::int64_t>(process.instants.size()));
  for (const auto& instant : process.instants) {
    out.number(instant.wall ? 1 : 0);
    out.number(instant.age);
  }
  out.number(static_cast<std::int64_t>(process.holdings.size()));
  for (const auto& holding : process.holdings) {
    out.number(holding.task);
    out.number(holding.lock * 2 + (holding.owned ? 1 : 0));
  }
  for (const auto& operation : process.operations) add(out, operation);
  return out.take();
}

}  // namespace lockstep::sim
