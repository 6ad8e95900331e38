// MULTI, EXEC, DISCARD, WATCH, UNWATCH (Redis 7.0 multi.c). That commands are queued instead of run
// is server/processing's business.
#include <algorithm>

#include "sim/redis/commands/admission.hpp"
#include "sim/redis/commands/attention.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Runs what was queued; all replies, in order. A command may write several (SUBSCRIBE a b), or a
/// message to this very session (PUBLISH).
std::vector<Reply> run_queued(Call& call) {
  Session& session = *call.execution.session;
  Connections& connections = *call.execution.connections;
  const std::vector<Request> queued = std::move(session.queued);
  discard_transaction(session);
  connections.transcript = Transcript{call.execution.self, {}};
  call.execution.in_exec = true;
  for (const Request& request : queued) {
    Call inner{call.keyspace, request, call.execution};
    call.execution.replied = false;
    Reply reply = run_command(*find_command(request), inner);
    if (!call.execution.replied && session.answered()) {
      connections.transcript->replies.emplace_back(std::move(reply));
    }
  }
  call.execution.in_exec = call.execution.replied = false;
  std::vector<Reply> replies;
  for (const auto& reply : connections.transcript->replies) replies.push_back(*reply);
  connections.transcript.reset();
  return replies;
}

/// The reply of EXEC announces one element a command. Where a command wrote more, what follows is
/// no part of it any more: so says the wire.
Reply announced(Call& call, std::vector<Reply> replies, std::size_t commands, bool silent) {
  std::vector<Reply> rest;
  if (replies.size() > commands) {
    const auto end = replies.begin() + static_cast<std::ptrdiff_t>(commands);
    rest.assign(std::make_move_iterator(end), std::make_move_iterator(replies.end()));
    replies.erase(end, replies.end());
  }
  if (rest.empty() && !silent) return Reply::array(std::move(replies));
  if (rest.empty()) return already_replied(call);
  const Client& client = own_client(call);
  if (!silent) write(all_connections(call), client, Reply::array(std::move(replies)));
  for (Reply& reply : rest) write(all_connections(call), client, std::move(reply), true);
  return already_replied(call);
}

}  // namespace

bool watch_expired(const Call& call, const Session& session) {
  return std::ranges::any_of(session.watched, [&](const auto& watch) {
    return watch.second && !entry_at(call, watch.first);
  });
}

namespace {

Reply run_multi(Call& call) {
  Session& session = *call.execution.session;
  if (session.in_transaction) refuse("ERR MULTI calls can not be nested");
  session.in_transaction = true;
  return Reply::ok();
}

Reply run_exec(Call& call) {
  Session& session = *call.execution.session;
  if (!session.in_transaction) refuse("ERR EXEC without MULTI");
  const bool aborted = session.must_abort;
  const bool broken = session.watch_broken || watch_expired(call, session);
  if (aborted || broken) discard_transaction(session);
  if (aborted) refuse("EXECABORT Transaction discarded because of previous errors.");
  if (broken) return Reply::null();
  const std::size_t commands = session.queued.size();
  const bool silent = !session.answered();
  return announced(call, run_queued(call), silent ? 0 : commands, silent);
}

Reply run_discard(Call& call) {
  Session& session = *call.execution.session;
  if (!session.in_transaction) refuse("ERR DISCARD without MULTI");
  discard_transaction(session);
  return Reply::ok();
}

Reply run_watch(Call& call) {
  Session& session = *call.execution.session;
  if (session.in_transaction) refuse("ERR WATCH inside MULTI is not allowed");
  if (session.watch_broken) return Reply::ok();  // nothing can save it any more
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    Place place{session.database, call.argv[i]};
    const bool there = entry_at(call, place) != nullptr;
    session.watched.emplace(std::move(place), there);
  }
  return Reply::ok();
}

Reply run_unwatch(Call& call) {
  Session& session = *call.execution.session;
  session.watched.clear();
  session.watch_broken = false;
  return Reply::ok();
}

constexpr Command kTransactionsRows[] = {
    {{"multi", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, "transaction"},
     run_multi,
     {kNeverQueued}},
    {{"exec", 1, kNoScript | kLoading | kStale | kSkipSlowlog, "transaction"},
     run_exec,
     {kNeverQueued | kEndsTransaction | kRunsQueue}},
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

std::span<const Command> transaction_commands() { return kTransactionsRows; }

}  // namespace lockstep::sim
