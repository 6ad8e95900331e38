// Refusing, queueing, running; see the header.
#include "sim/redis/server/processing.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/busy.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/declared.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/shebang.hpp"

namespace lockstep::sim {

namespace {

/// The flags of a command; of one that runs a script or function, what that says of itself counts
/// (Redis 7.0 server.c getCommandFlags).
unsigned flags_of(const Command& command, Keyspace& keyspace, const Request& request,
                  Execution& execution) {
  if (!command.has(kRunsScript)) return command.flags;
  Call call{keyspace, request, execution};
  const auto declared =
      command.has(kRunsFunction) ? declared_by_function(call) : declared_by_script(call);
  if (!declared) return command.flags;
  return (command.flags & ~unsigned{kWrite | kDenyOom}) | declared_command_flags(*declared);
}

/// The flags of everything that an EXEC would run.
unsigned queued_flags(const Session& session, Keyspace& keyspace, Execution& execution) {
  unsigned flags = 0;
  for (const Request& request : session.queued) {
    const Command& command = *look_up(request, execution.mode.version).command;
    flags |= flags_of(command, keyspace, request, execution);
  }
  return flags;
}

/// The keys of a request; for EXEC, of everything that it would run.
std::vector<std::string> all_keys(const Session& session, const Command& command,
                                  const Request& request) {
  std::vector<std::string> keys = key_names_of(request);
  if (!command.has(kRunsQueue)) return keys;
  for (const Request& queued : session.queued)
    for (std::string& key : key_names_of(queued)) keys.push_back(std::move(key));
  return keys;
}

/// Why the mode of the server is against a command; empty if it is not.
std::string refusal_of_mode(Keyspace& keyspace, const LookedUp& found, const Request& request,
                            Execution& execution) {
  const ServerMode& mode = execution.mode;
  const Session& session = *execution.session;
  if (!mode.restricts()) return {};
  unsigned flags = flags_of(*found.command, keyspace, request, execution);
  if (found.command->has(kRunsQueue)) flags |= queued_flags(session, keyspace, execution);
  const bool queue_grows = session.in_transaction && !found.command->has(kEndsTransaction);
  if (mode.over_memory && queue_grows) flags |= kDenyOom;
  std::string elsewhere;
  execution.slot.reset();
  if (mode.cluster) {
    const auto keys = all_keys(session, *found.command, request);
    if (!keys.empty()) execution.slot = hash_slot(keys[0]);
    elsewhere = cluster_refusal(keyspace, keys, session.asking || found.command->is(kAsking), mode,
                                execution.now);
  }
  return elsewhere.empty() ? mode_refusal(flags, mode) : elsewhere;
}

/// A Valkey refuses MULTI and WATCH there, and so ends the transaction; a Redis runs them, and they
/// say no.
bool refused_in_transaction(const Command& command, ServerVersion version) {
  return command.is(kNoMulti) ||
         (is_valkey(version) && (command.name == "multi" || command.name == "watch"));
}

/// Why the server refuses a command now; empty if it does not.
std::string refusal_of(Keyspace& keyspace, const LookedUp& found, const Request& request,
                       Execution& execution) {
  const Session& session = *execution.session;
  std::string refusal = refusal_of_mode(keyspace, found, request, execution);
  if (!refusal.empty()) return refusal;
  if (session.subscribed() && !found.command->has(kWhileSubscribed)) {
    return "ERR Can't execute '" + std::string(found.command->name) +
           "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
           "context";
  }
  const auto& busy = execution.connections->busy;
  if (busy && !found.command->is(kAllowBusy)) return busy_error(*busy);
  if (session.in_transaction && refused_in_transaction(*found.command, execution.mode.version)) {
    if (execution.mode.version != ServerVersion::valkey_9)
      return "ERR Command not allowed inside a transaction";
    return "ERR Command '" + std::string(found.command->name) +
           "' not allowed inside a transaction";
  }
  return {};
}

/// A refused command ends a transaction's hopes, a refused EXEC the transaction (Redis 7.0 server.c
/// rejectCommand, execCommandAbort).
Reply refused(Session& session, const Command* command, std::string text) {
  if (session.in_transaction) session.must_abort = true;
  if (command && command->has(kRunsQueue)) {
    discard_transaction(session);
    if (text.starts_with("ERR ")) text.erase(0, 4);
    if (!is_cluster_refusal(text)) {
      text = "EXECABORT Transaction discarded because of: " + text;
    }
  }
  return Reply::error(std::move(text));
}

}  // namespace

Turn::Turn(Keyspace& keyspace, Session& session, Execution& execution, Connections& connections,
           SoonestExpiry& soonest, SessionId self, bool reads)
    : keyspace_(keyspace), execution_(execution), soonest_(soonest), reads_(reads) {
  purge();
  keyspace.select(0, session.database);
  execution.session = &session;
  execution.connections = &connections;
  execution.self = self;
  execution.replied = false;
  execution.touched.clear();
  execution.came.clear();
}

Turn::~Turn() {
  Session& session = *execution_.session;
  for (const Place& place : execution_.touched) touch(session, place);
  execution_.connections->transcript.reset();
  execution_.in_exec = false;
  keyspace_.select(session.database, 0);
  if (!reads_) soonest_.forget();
  purge();  // SET ... PXAT in the past leaves nothing behind
}

void Turn::purge() {
  const bool told = tell_of_expired(execution_.mode.keyspace_events);
  soonest_.purge(keyspace_, execution_.now, told);
}

bool only_reads(const Command& command) {
  return command.is(kReadOnly) && !command.is(kWrite) && !command.is(kNoScript) &&
         !command.has(kRunsQueue);
}

namespace {

/// ASKING is for the next request, or for the transaction that begins with it (networking.c
/// resetClient).
class AskedOnce {
 public:
  AskedOnce(Session& session, const Command* command)
      : session_(session), asks_(command != nullptr && command->name == "asking") {}
  ~AskedOnce() {
    if (!asks_ && !session_.in_transaction) session_.asking = false;
  }
  AskedOnce(const AskedOnce&) = delete;
  AskedOnce& operator=(const AskedOnce&) = delete;

 private:
  Session& session_;
  bool asks_;
};

}  // namespace

Reply process(Keyspace& keyspace, LookedUp found, const Request& request, Execution& execution) {
  Session& session = *execution.session;
  const AskedOnce asked_once(session, found.command);
  std::string refusal = std::move(found.error);
  if (refusal.empty()) refusal = refusal_of(keyspace, found, request, execution);
  if (!refusal.empty()) return refused(session, found.command, std::move(refusal));
  if (session.in_transaction && !found.command->has(kNeverQueued)) {
    // Of a transaction that will not run nothing more is kept (multi.c queueMultiCommand).
    if (!session.must_abort && !session.watch_broken) session.queued.push_back(request);
    return Reply::status("QUEUED");
  }
  Call call{keyspace, request, execution};
  execution.called = true;
  return run_command(*found.command, call);
}

}  // namespace lockstep::sim
