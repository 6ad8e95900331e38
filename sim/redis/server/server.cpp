// What happens around the commands of a connection: refusing, queueing, running, serving who waits
// (Redis 7.0 server.c processCommand, blocked.c).
#include "sim/redis/server/server.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/redis/commands/admission.hpp"
#include "sim/redis/commands/attention.hpp"
#include "sim/redis/commands/busy.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/connection.hpp"

namespace lockstep::sim {

namespace {

/// The flags of everything that an EXEC would run.
unsigned queued_flags(const Session& session, RedisVersion version) {
  unsigned flags = 0;
  for (const Request& request : session.queued) flags |= look_up(request, version).command->flags;
  return flags;
}

/// The slots of a request's keys; for EXEC, of everything that it would run.
std::set<unsigned> all_slots(const Session& session, const Command& command,
                             const Request& request) {
  std::set<unsigned> slots = slots_of(request);
  if (command.name != "exec") return slots;
  for (const Request& queued : session.queued) slots.merge(slots_of(queued));
  return slots;
}

/// Why the server refuses a command now; empty if it does not.
std::string refusal_of(const Session& session, const LookedUp& found, const Request& request,
                       const ServerState& server) {
  const ServerMode& mode = server.mode;
  unsigned flags = found.command->flags;
  if (found.command->name == "exec") flags |= queued_flags(session, mode.version);
  const bool queue_grows = session.in_transaction && !found.command->has(kEndsTransaction);
  if (mode.over_memory && queue_grows) flags |= kDenyOom;
  const bool across = mode.cluster && all_slots(session, *found.command, request).size() > 1;
  std::string refusal = mode_refusal(flags, across, mode);
  if (!refusal.empty()) return refusal;
  if (session.subscribed() && !found.command->has(kWhileSubscribed)) {
    return "ERR Can't execute '" + std::string(found.command->name) +
           "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
           "context";
  }
  if (server.busy && !found.command->is(kAllowBusy)) return busy_error(*server.busy);
  if (session.in_transaction && (flags & kNoMulti) != 0) {
    return "ERR Command not allowed inside a transaction";
  }
  return {};
}

[[noreturn]] void not_open(SessionId id) {
  throw BadInput("session " + std::to_string(id) + ": it is not open");
}

/// A session's turn at the keyspace: its database is the selected one while it lasts.
class Turn {
 public:
  Turn(ServerState& server, Session& session, ScriptVm& scripts, ScriptObserver* observer)
      : caller{server, session}, execution{server.now} {
    execution.scripts = &scripts;
    execution.observer = observer;
    execution.mode = server.mode;
    execution.caller = &caller;
    server.keyspace.select(0, session.database);
    execution.database = session.database;
  }
  ~Turn() {
    caller.session.database = execution.database;
    caller.session.transcript.reset();
    caller.server.keyspace.select(execution.database, 0);
    caller.server.keyspace.purge(execution.now);  // SET ... PXAT in the past
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Caller caller;
  Execution execution;
};

}  // namespace

// ---- what a command can do
// --------------------------------------------------------------------------------------

void write(ServerState& server, Session& session, Reply reply, bool push) {
  if (!session.open || server.rehearsing) return;
  if (!push && (session.replies == Replies::off || session.replies == Replies::skip)) return;
  if (session.transcript) {
    session.transcript->push_back(std::move(reply));
  } else {
    server.written.push_back({session.id, std::move(reply)});
  }
}

namespace {

/// SKIP holds until the end of the request after it (networking.c resetClient).
void end_request(Session& session) {
  if (session.replies == Replies::skip) session.replies = Replies::on;
  if (session.replies == Replies::skip_next) session.replies = Replies::skip;
}

}  // namespace

void unblock(ServerState& server, Session& session) {
  if (!session.wait) return;
  session.wait.reset();
  end_request(session);
  std::erase(server.blocked, session.id);
  server.unblocked.push_back(session.id);
}

// ---- sessions
// ------------------------------------------------------------------------------------------------

Server::Server(ServerMode mode, WallTime now)
    : scripts_(std::make_shared<ScriptVm>(ScriptLimits{}, mode.version)) {
  state_.mode = mode;
  state_.now = now;
}

SessionId Server::open() {
  const SessionId id = ++state_.last_id;
  Session& session = state_.sessions[id];
  session.id = id;
  session.opened = session.last_request = state_.now;
  return id;
}

void Server::close(SessionId id) {
  close_session(state_, find(id));
  go_on();
}

Session& Server::find(SessionId id) {
  const auto it = state_.sessions.find(id);
  if (it == state_.sessions.end()) not_open(id);
  return it->second;
}

const Session& Server::session(SessionId id) const {
  const auto it = state_.sessions.find(id);
  if (it == state_.sessions.end()) not_open(id);
  return it->second;
}

// ---- requests
// ------------------------------------------------------------------------------------------------

std::vector<Delivery> Server::submit(SessionId id, const Request& request) {
  if (request.empty()) throw BadInput("an empty request: expected a command name");
  Session& session = find(id);
  session.unread.push_back(request);
  if (!session.wait) state_.unblocked.push_back(id);
  go_on();
  return take_written();
}

/// Keys that have expired are gone, and whoever watched one of them will not run its transaction.
void Server::drop_expired() {
  for (auto& [id, session] : state_.sessions) {
    for (const Place& place : session.watched) {
      const Keys* keys = state_.keyspace.database(place.database);
      const auto it = keys ? keys->find(place.key) : Keys::const_iterator{};
      const bool there = keys && it != keys->end();
      if (there && it->second.expires && state_.now > *it->second.expires) {
        session.watch_broken = true;
      }
    }
    if (session.watch_broken) session.watched.clear();
  }
  state_.keyspace.purge(state_.now);
}

void Server::process(Session& session, const Request& request) {
  drop_expired();
  session.last_request = state_.now;
  LookedUp found = look_up(request, state_.mode.version);
  if (found.command) session.last_command = found.command->name;
  std::string refusal = std::move(found.error);
  if (refusal.empty()) refusal = refusal_of(session, found, request, state_);
  if (!refusal.empty()) {
    refuse(session, found.command, std::move(refusal));
  } else if (session.in_transaction && !found.command->has(kNeverQueued)) {
    session.queued.push_back(request);
    write(state_, session, Reply::status("QUEUED"));
  } else {
    call(session, *found.command, request);
  }
  if (!session.wait && !runs_script(session)) end_request(session);
  if (state_.busy && state_.busy->must_end) end_busy_script();
  if (session.closing) close_session(state_, session);
  serve_ready();
}

/// A refused command ends a transaction's hopes, a refused EXEC the transaction (Redis 7.0 server.c
/// rejectCommand, execCommandAbort).
void Server::refuse(Session& session, const Command* command, std::string text) {
  if (session.in_transaction) session.must_abort = true;
  if (command && command->name == "exec") {
    discard_transaction(session);
    if (text.starts_with("ERR ")) text.erase(0, 4);
    if (!text.starts_with("CROSSSLOT")) {
      text = "EXECABORT Transaction discarded because of: " + text;
    }
  }
  write(state_, session, Reply::error(std::move(text)));
}

void Server::call(Session& session, const Command& command, const Request& request) {
  Turn turn(state_, session, *scripts_, observer_);
  Call call{state_.keyspace, request, turn.execution};
  try {
    Reply reply = run_command(command, call);
    if (!turn.caller.replied) write(state_, session, std::move(reply));
  } catch (const RunsTooLong& script) {
    if (command.name == "exec") throw;  // the rest of the transaction would have to wait
    state_.busy = BusyScript{.session = session.id,
                             .request = request,
                             .since = state_.now,
                             .wrote = script.wrote,
                             .why = script.what(),
                             .killed = script.killed};
  }
}

// ---- a script that does not end
// ------------------------------------------------------------------------------------------------

bool Server::runs_script(const Session& session) const {
  return state_.busy && state_.busy->session == session.id;
}

/// It was killed: its client learns that, and goes on; so do waits that ended meanwhile.
void Server::end_busy_script() {
  const auto script = std::exchange(state_.busy, std::nullopt);
  const auto it = state_.sessions.find(script->session);
  if (it != state_.sessions.end()) {
    write(state_, it->second, script->killed);
    end_request(it->second);
    state_.unblocked.push_back(script->session);
  }
  end_waits(state_.now);
}

// ---- blocked sessions
// ----------------------------------------------------------------------------------------

/// After every command: keys that came to be are handed to those who wait for them, in the order in
/// which they came; what is served may bring further keys (BLMOVE).
void Server::serve_ready() {
  while (!state_.ready.empty()) {
    const std::vector<Place> ready = std::exchange(state_.ready, {});
    for (const Place& place : ready) serve(place);
  }
}

/// First come, first served, as long as there is something at the key.
void Server::serve(const Place& place) {
  for (const SessionId id : std::vector<SessionId>(state_.blocked)) {
    Session& session = find(id);
    if (!session.wait || std::ranges::count(session.wait->places, place) == 0) continue;
    const Keys* keys = state_.keyspace.database(place.database);
    const auto it = keys ? keys->find(place.key) : Keys::const_iterator{};
    if (!keys || it == keys->end()) return;
    if (!serves(it->second, session.wait->kind)) continue;
    const BlockedOn wait = *session.wait;
    const bool skipped = session.replies == Replies::skip;
    unblock(state_, session);
    Turn turn(state_, session, *scripts_, observer_);
    Call call{state_.keyspace, wait.request, turn.execution};
    Reply reply = serve_wait(call, wait, place);
    if (!skipped) write(state_, session, std::move(reply));
  }
}

/// Requests that came while a session was blocked are processed when the command that freed it is
/// over.
void Server::go_on() {
  while (!state_.unblocked.empty() && !(state_.busy && state_.busy->deaf)) {
    const SessionId id = state_.unblocked.front();
    state_.unblocked.erase(state_.unblocked.begin());
    const auto it = state_.sessions.find(id);
    if (it == state_.sessions.end()) continue;  // closed while the server was deaf
    Session& session = it->second;
    while (session.open && !session.wait && !runs_script(session) && !session.unread.empty()) {
      const Request request = std::move(session.unread.front());
      session.unread.pop_front();
      process(session, request);
    }
  }
  std::erase_if(state_.sessions, [](const auto& item) { return !item.second.open; });
}

std::vector<Delivery> Server::take_written() { return std::exchange(state_.written, {}); }

// ---- time
// ----------------------------------------------------------------------------------------------------

std::vector<Delivery> Server::advance_to(WallTime now) {
  constexpr Duration kBusyReplyThreshold{5000};
  if (state_.busy && state_.busy->deaf && state_.busy->since + kBusyReplyThreshold <= now) {
    state_.now = state_.busy->since + kBusyReplyThreshold;
    state_.busy->deaf = false;
    go_on();
  }
  while (!state_.busy) {
    const auto due = next_timeout();
    if (!due || *due >= now) break;
    state_.now = std::max(state_.now, *due + Duration{1});
    end_waits(state_.now);
    go_on();
  }
  state_.now = now;
  drop_expired();
  return take_written();
}

/// Waits that were to end before `now` end in vain.
void Server::end_waits(WallTime now) {
  for (auto& [id, session] : state_.sessions) {
    if (!session.wait || !session.wait->until || *session.wait->until >= now) continue;
    write(state_, session, timeout_reply(*session.wait));
    unblock(state_, session);
  }
}

/// The earliest instant at which a wait is to end, if one is.
std::optional<WallTime> Server::next_timeout() const {
  std::optional<WallTime> earliest;
  for (const SessionId id : state_.blocked) {
    const auto& until = state_.sessions.at(id).wait->until;
    if (until && (!earliest || *until < *earliest)) earliest = until;
  }
  return earliest;
}

}  // namespace lockstep::sim
