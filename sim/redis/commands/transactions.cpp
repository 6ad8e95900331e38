// MULTI, EXEC, DISCARD, WATCH, UNWATCH (Redis 7.0 multi.c). That commands are queued instead of run
// is Server's business.
#include "sim/redis/commands/admission.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/families.hpp"

namespace lockstep::sim {

namespace {

/// Runs what was queued; all replies, in order. A command may write several (SUBSCRIBE a b), or a
/// message to this very session (PUBLISH).
std::vector<Reply> run_queued(Call& call, Caller& caller) {
  Session& session = caller.session;
  const std::vector<Request> queued = std::move(session.queued);
  discard_transaction(session);
  session.transcript.emplace();
  for (const Request& request : queued) {
    Call inner{call.keyspace, request, call.execution};
    caller.replied = false;
    Reply reply = run_command(*find_command(request), inner);
    if (!caller.replied) write(caller.server, session, std::move(reply));
  }
  std::vector<Reply> replies = std::move(*session.transcript);
  session.transcript.reset();
  return replies;
}

/// The reply of EXEC announces one element a command. Where a command wrote more, what follows is
/// no part of it any more: so says the wire.
Reply announced(Caller& caller, std::vector<Reply> replies, std::size_t commands, bool silent) {
  std::vector<Reply> rest;
  if (replies.size() > commands) {
    const auto end = replies.begin() + static_cast<std::ptrdiff_t>(commands);
    rest.assign(std::make_move_iterator(end), std::make_move_iterator(replies.end()));
    replies.erase(end, replies.end());
  }
  if (!silent) write(caller.server, caller.session, Reply::array(std::move(replies)));
  for (Reply& reply : rest) write(caller.server, caller.session, std::move(reply), true);
  return already_replied(caller);
}

}  // namespace

void discard_transaction(Session& session) {
  session.in_transaction = session.must_abort = session.watch_broken = false;
  session.queued.clear();
  session.watched.clear();
}

namespace {

Reply run_multi(Call& call) {
  Session& session = caller_of(call).session;
  if (session.in_transaction) refuse("ERR MULTI calls can not be nested");
  session.in_transaction = true;
  return Reply::ok();
}

Reply run_exec(Call& call) {
  Caller& caller = caller_of(call);
  Session& session = caller.session;
  if (!session.in_transaction) refuse("ERR EXEC without MULTI");
  const bool aborted = session.must_abort, broken = session.watch_broken;
  if (aborted || broken) discard_transaction(session);
  if (aborted) refuse("EXECABORT Transaction discarded because of previous errors.");
  if (broken) return Reply::null();
  const std::size_t commands = session.queued.size();
  const bool silent = session.replies == Replies::off || session.replies == Replies::skip;
  return announced(caller, run_queued(call, caller), silent ? 0 : commands, silent);
}

Reply run_discard(Call& call) {
  Session& session = caller_of(call).session;
  if (!session.in_transaction) refuse("ERR DISCARD without MULTI");
  discard_transaction(session);
  return Reply::ok();
}

Reply run_watch(Call& call) {
  Session& session = caller_of(call).session;
  if (session.in_transaction) refuse("ERR WATCH inside MULTI is not allowed");
  if (session.watch_broken) return Reply::ok();  // nothing can save it any more
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    session.watched.insert({call.execution.database, call.argv[i]});
  }
  return Reply::ok();
}

Reply run_unwatch(Call& call) {
  Session& session = caller_of(call).session;
  session.watched.clear();
  session.watch_broken = false;
  return Reply::ok();
}

constexpr Command kRows[] = {
    {{"multi", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, "transaction"},
     run_multi,
     {kNeverQueued}},
    {{"exec", 1, kNoScript | kLoading | kStale | kSkipSlowlog, "transaction"},
     run_exec,
     {kNeverQueued | kEndsTransaction}},
    {{"discard", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, "transaction"},
     run_discard,
     {kNeverQueued | kEndsTransaction}},
    {{"watch",
      -2,
      kNoScript | kLoading | kStale | kFast | kAllowBusy,
      "transaction",
      {{"RO", 1, -1}}},
     run_watch,
     {kNeverQueued}},
    {{"unwatch", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, "transaction"},
     run_unwatch},
};

}  // namespace

std::span<const Command> transaction_commands() { return kRows; }

}  // namespace lockstep::sim
