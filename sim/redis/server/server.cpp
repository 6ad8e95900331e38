// The owner of a keyspace and its connections: what a request does beyond its own session, waits
// and who serves them, scripts that do not end (Redis 7.0 server.c, blocked.c).
#include "sim/redis/server/server.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/runs_too_long.hpp"
#include "sim/redis/server/processing.hpp"

namespace lockstep::sim {

namespace {

[[noreturn]] void not_open(SessionId id) {
  throw BadInput("session " + std::to_string(id) + ": it is not open");
}

/// SKIP holds until the end of the request after it (networking.c resetClient).
void end_request(Session& session) {
  if (session.replies == Replies::skip) session.replies = Replies::on;
  if (session.replies == Replies::skip_next) session.replies = Replies::skip;
}

}  // namespace

// ---- what a command can do ----------------------------------------------------------------------

void write(Connections& connections, const Client& client, SharedReply reply, bool push) {
  if (!client.open || connections.rehearsing) return;
  if (!push && !client.session.answered()) return;
  if (connections.transcript && connections.transcript->of == client.id) {
    connections.transcript->replies.push_back(std::move(reply));
  } else {
    connections.written.push_back({client.id, std::move(reply)});
  }
}

void unblock(Connections& connections, Client& client) {
  if (!client.session.wait) return;
  client.session.wait.reset();
  end_request(client.session);
  std::erase(connections.blocked, client.id);
  connections.unblocked.push_back(client.id);
}

void close_client(Connections& connections, Client& client) {
  unsubscribe_all(connections, client);
  discard_transaction(client.session);
  unblock(connections, client);
  client.open = false;
}

/// A connection's turn, with what it does to the others.
struct Server::Serving {
  Serving(Server& owner, Client& client, bool reads)
      : server(owner),
        execution(owner.execution()),
        turn(owner.keyspace_, client.session, execution, owner.connections_, owner.soonest_,
             client.id, reads) {}
  ~Serving() {
    server.mode_.keyspace_events = execution.mode.keyspace_events;
    server.spread(execution);
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  Server& server;
  Execution execution;
  const Turn turn;
};

// ---- connections --------------------------------------------------------------------------------

Server::Server(ServerMode mode, WallTime now)
    : mode_(mode), now_(now), scripts_(std::make_shared<ScriptVm>(ScriptLimits{}, mode.version)) {
  connections_.complete = true;
}

SessionId Server::open() {
  const SessionId id = ++connections_.last_id;
  Client& client = connections_.clients[id];
  client.id = id;
  client.opened = client.last_request = now_;
  return id;
}

void Server::close(SessionId id) {
  close_client(connections_, find(id));
  go_on();
}

Client& Server::find(SessionId id) {
  const auto it = connections_.clients.find(id);
  if (it == connections_.clients.end()) not_open(id);
  return it->second;
}

const Session& Server::session(SessionId id) const {
  const auto it = connections_.clients.find(id);
  if (it == connections_.clients.end()) not_open(id);
  return it->second.session;
}

// ---- requests -----------------------------------------------------------------------------------

std::vector<Delivery> Server::submit(SessionId id, const Request& request) {
  if (request.empty()) throw BadInput("an empty request: expected a command name");
  Client& client = find(id);
  client.unread.push_back(request);
  if (!client.session.wait) connections_.unblocked.push_back(id);
  go_on();
  tell_who_tracks();
  return take_written();
}

/// At the end of a round of its event loop: of all that was touched in it at once.
void Server::tell_who_tracks() {
  if (invalidated_.empty()) return;
  publish_to_all(connections_, invalidation(std::exchange(invalidated_, {})));
}

/// What surrounds the next command. Watched are all keys that any connection watches or waits for.
Execution Server::execution() const {
  Execution execution{now_};
  execution.scripts = scripts_.get();
  execution.observer = observer_;
  execution.mode = mode_;
  for (const auto& [id, client] : connections_.clients) {
    for (const auto& [place, was_there] : client.session.watched)
      execution.watched.push_back(place);
    if (!client.session.wait) continue;
    const auto& places = client.session.wait->places;
    execution.watched.insert(execution.watched.end(), places.begin(), places.end());
  }
  return execution;
}

/// The other connections: their watches are broken, and what they wait for may have come.
void Server::spread(Execution& execution) {
  invalidated_.merge(execution.invalidated);
  for (auto& [id, client] : connections_.clients) {
    for (const Place& place : execution.touched) touch(client.session, place);
  }
  for (const Place& place : execution.came) {
    if (std::ranges::count(connections_.ready, place) == 0) connections_.ready.push_back(place);
  }
}

void Server::process(Client& client, const Request& request) {
  client.last_request = now_;
  LookedUp found = look_up(request, mode_.version);
  const Command* const command = found.command;
  if (command) client.last_command = command->name;
  try {
    Serving serving(*this, client, command && only_reads(*command));
    Reply reply = sim::process(keyspace_, std::move(found), request, serving.execution);
    if (!serving.execution.replied) write(connections_, client, std::move(reply));
  } catch (const RunsTooLong& script) {
    if (command->has(kRunsQueue)) throw;  // the rest of the transaction would have to wait
    connections_.busy = BusyScript{.session = client.id,
                                   .request = request,
                                   .since = now_,
                                   .wrote = script.wrote,
                                   .why = script.what(),
                                   .killed = script.killed};
  }
  if (!client.session.wait && !runs_script(client)) end_request(client.session);
  if (connections_.busy && connections_.busy->must_end) end_busy_script();
  if (client.closing) close_client(connections_, client);
  serve_ready();
}

// ---- a script that does not end -----------------------------------------------------------------

bool Server::runs_script(const Client& client) const {
  return connections_.busy && connections_.busy->session == client.id;
}

/// It was killed: its client learns that, and goes on; so do waits that ended meanwhile.
void Server::end_busy_script() {
  const auto script = std::exchange(connections_.busy, std::nullopt);
  const auto it = connections_.clients.find(script->session);
  if (it != connections_.clients.end()) {
    write(connections_, it->second, script->killed);
    end_request(it->second.session);
    connections_.unblocked.push_back(script->session);
  }
  end_waits(now_);
}

// ---- blocked connections ------------------------------------------------------------------------

/// After every command: keys that came to be are handed to those who wait for them, in the order in
/// which they came; what is served may bring further keys (BLMOVE).
void Server::serve_ready() {
  while (!connections_.ready.empty()) {
    const std::vector<Place> ready = std::exchange(connections_.ready, {});
    for (const Place& place : ready) serve(place);
  }
}

/// First come, first served, as long as there is something at the key.
void Server::serve(const Place& place) {
  for (const SessionId id : std::vector<SessionId>(connections_.blocked)) {
    Client& client = find(id);
    const auto& session = client.session;
    if (!can_be_served(session, place, keyspace_)) continue;
    const BlockedOn wait = *session.wait;
    const bool answered = session.answered();
    unblock(connections_, client);
    Serving serving(*this, client, false);
    Call call{keyspace_, wait.request, serving.execution};
    Reply reply = serve_wait(call, wait, place);
    if (answered) write(connections_, client, std::move(reply));
  }
}

/// Requests that came while a session was blocked are processed when the command that freed it is
/// over.
void Server::go_on() {
  Connections& all = connections_;
  while (!all.unblocked.empty() && !(all.busy && all.busy->deaf)) {
    const SessionId id = all.unblocked.front();
    all.unblocked.erase(all.unblocked.begin());
    const auto it = all.clients.find(id);
    if (it == all.clients.end()) continue;  // closed while the server was deaf
    Client& client = it->second;
    while (client.open && !client.session.wait && !runs_script(client) && !client.unread.empty()) {
      const Request request = std::move(client.unread.front());
      client.unread.pop_front();
      process(client, request);
    }
  }
  std::erase_if(all.clients, [](const auto& item) { return !item.second.open; });
}

std::vector<Delivery> Server::take_written() { return std::exchange(connections_.written, {}); }

// ---- time ---------------------------------------------------------------------------------------

std::vector<Delivery> Server::advance_to(WallTime now) {
  constexpr Duration kBusyReplyThreshold{5000};
  auto& busy = connections_.busy;
  if (busy && busy->deaf && busy->since + kBusyReplyThreshold <= now) {
    now_ = busy->since + kBusyReplyThreshold;
    busy->deaf = false;
    go_on();
  }
  while (!busy) {
    const auto due = next_timeout();
    if (!due || *due >= now) break;
    now_ = std::max(now_, *due + Duration{1});
    end_waits(now_);
    go_on();
  }
  now_ = now;
  soonest_.purge(keyspace_, now_, tell_of_expired(mode_.keyspace_events));
  while (connections_.active_expire && !keyspace_.unnoticed.empty()) {
    for (const Publication& said : noticed(keyspace_, 0, mode_.keyspace_events))
      publish_to_all(connections_, said);
  }
  return take_written();
}

/// Waits that were to end before `now` end in vain.
void Server::end_waits(WallTime now) {
  for (auto& [id, client] : connections_.clients) {
    const auto& wait = client.session.wait;
    if (!wait || !wait->until || *wait->until >= now) continue;
    write(connections_, client, timeout_reply(*wait));
    unblock(connections_, client);
  }
}

/// The earliest instant at which a wait is to end, if one is.
std::optional<WallTime> Server::next_timeout() const {
  std::optional<WallTime> earliest;
  for (const SessionId id : connections_.blocked) {
    const auto& until = connections_.clients.at(id).session.wait->until;
    if (until && (!earliest || *until < *earliest)) earliest = until;
  }
  return earliest;
}

}  // namespace lockstep::sim
