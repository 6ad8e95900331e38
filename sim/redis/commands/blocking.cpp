// BLPOP and its like, and WAIT (Redis 7.0 t_list.c, t_zset.c, blocked.c). Each is its command that
// does not block, and a wait where that finds nothing.
#include <cmath>
#include <limits>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/wait.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// The instant until which a request waits; nothing for 0, for ever (timeout.c
/// getTimeoutFromObjectOrReply). What does not fit into 64 bits counts as negative, and an instant
/// that does not is never reached.
std::optional<WallTime> timeout(const Call& call, const std::string& text, bool seconds) {
  constexpr long double kTooMuch = 9223372036854775808.0L;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  long double ms = 0;
  if (seconds) {
    const auto number = parse_float(text);
    if (!number) refuse("ERR timeout is not a float or out of range");
    ms = std::ceil(*number * 1000);
  } else {
    ms = static_cast<long double>(
        integer_argument(text, "ERR timeout is not an integer or out of range"));
  }
  if (ms < 0 || ms >= kTooMuch) refuse("ERR timeout is negative");
  const auto left_ms = static_cast<std::int64_t>(ms);
  if (left_ms == 0 || left_ms > kMax - call.execution.now.ms) return std::nullopt;
  return call.execution.now + Duration{left_ms};
}

/// The reply of another command in place of this one.
Reply run_as(Call& call, const Request& request) {
  Call inner{call.keyspace, request, call.execution};
  return run_command(*find_command(request), inner);
}

/// Nothing was found: the session waits; a command of a script or a transaction cannot, and has
/// found nothing.
Reply block(Call& call, BlockedOn wait) {
  if (call.execution.in_script || call.execution.in_exec) return Reply::null();
  if (!call.execution.may_wait) all_connections(call).blocked.push_back(call.execution.self);
  call.execution.session->wait = std::move(wait);
  return already_replied(call);
}

std::vector<Place> places(const Call& call, std::size_t first, std::size_t end) {
  std::vector<Place> found;
  for (std::size_t i = first; i < end; ++i) {
    found.push_back({call.execution.session->database, call.argv[i]});
  }
  return found;
}

/// A popped element, or member and score, with its key in front.
Reply with_key(const std::string& key, Reply popped) {
  std::vector<Reply> items{Reply::bulk(key)};
  if (popped.kind == Reply::Kind::array) {
    for (Reply& item : popped.items) items.push_back(std::move(item));
  } else {
    items.push_back(std::move(popped));
  }
  return Reply::array(std::move(items));
}

bool is_nothing(const Reply& reply) {
  return reply.kind == Reply::Kind::null ||
         (reply.kind == Reply::Kind::array && reply.items.empty());
}

/// BLPOP key ... timeout and its like; `pop` is the command that does not block.
Reply blocking_pop(Call& call, const char* pop, BlockedOn::Kind kind) {
  const std::size_t last = call.argv.size() - 1;
  const auto until = timeout(call, call.argv[last], true);
  for (std::size_t i = 1; i < last; ++i) {
    Reply popped = run_as(call, {pop, call.argv[i]});
    if (popped.is_error()) return popped;
    if (!is_nothing(popped)) return with_key(call.argv[i], std::move(popped));
  }
  return block(call, {kind, places(call, 1, last), {pop}, until});
}

/// BLMPOP timeout numkeys key ... LEFT and its like: its grammar is looked at before the timeout,
/// and that before the keys.
Reply blocking_mpop(Call& call, const char* pop, BlockedOn::Kind kind) {
  Request request{pop};
  request.insert(request.end(), call.argv.begin() + 2, call.argv.end());
  Keyspace none;
  Execution aside = call.execution;
  Call dry{none, request, aside};
  Reply grammar = run_command(*find_command(pop), dry);
  if (grammar.is_error()) return grammar;
  const auto until = timeout(call, call.argv[1], true);
  Reply popped = run_as(call, request);
  if (!is_nothing(popped)) return popped;
  const auto keys = static_cast<std::size_t>(*parse_integer(call.argv[2]));
  Request rest(call.argv.begin() + 3 + static_cast<std::ptrdiff_t>(keys), call.argv.end());
  rest.insert(rest.begin(), pop);
  return block(call, {kind, places(call, 3, 3 + keys), std::move(rest), until});
}

/// Moves from one list to another; where there is nothing to move, waits for the first.
Reply blocking_move(Call& call, Request move, const std::string& timeout_argument) {
  const auto until = timeout(call, timeout_argument, true);
  Reply moved = run_as(call, move);
  if (!is_nothing(moved)) return moved;
  return block(call, {BlockedOn::Kind::list, places(call, 1, 2), std::move(move), until});
}

}  // namespace

std::optional<ReplicaWait> replica_wait(const Request& request) {
  if (request.size() != 3 || !is_word(request[0], "wait")) return {};
  const auto replicas = parse_integer(request[1]);
  const auto timeout_ms = parse_integer(request[2]);
  if (!replicas || !timeout_ms || *timeout_ms < 0) return {};
  return ReplicaWait{*replicas, *timeout_ms};
}

bool serves(const Entry& entry, BlockedOn::Kind kind) {
  return (kind == BlockedOn::Kind::list && std::holds_alternative<List>(entry.value)) ||
         (kind == BlockedOn::Kind::sorted_set && std::holds_alternative<SortedSet>(entry.value));
}

namespace {

Reply run_blpop(Call& call) { return blocking_pop(call, "lpop", BlockedOn::Kind::list); }
Reply run_brpop(Call& call) { return blocking_pop(call, "rpop", BlockedOn::Kind::list); }
Reply run_bzpopmin(Call& call) {
  return blocking_pop(call, "zpopmin", BlockedOn::Kind::sorted_set);
}
Reply run_bzpopmax(Call& call) {
  return blocking_pop(call, "zpopmax", BlockedOn::Kind::sorted_set);
}
Reply run_blmpop(Call& call) { return blocking_mpop(call, "lmpop", BlockedOn::Kind::list); }
Reply run_bzmpop(Call& call) { return blocking_mpop(call, "zmpop", BlockedOn::Kind::sorted_set); }

Reply run_blmove(Call& call) {
  const Request& argv = call.argv;
  for (const std::string& side : {argv[3], argv[4]}) {
    if (!is_word(side, "left") && !is_word(side, "right")) refuse_syntax();
  }
  return blocking_move(call, {"lmove", argv[1], argv[2], argv[3], argv[4]}, argv[5]);
}

Reply run_brpoplpush(Call& call) {
  return blocking_move(call, {"rpoplpush", call.argv[1], call.argv[2]}, call.argv[3]);
}

/// A wait for more replicas than have acknowledged ends when its time is over.
Reply run_wait(Call& call) {
  if (call.execution.mode.replica) {
    refuse(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 "
        "if a replica is configured to be writable (which is not the default) writes to "
        "replicas are just local and are not propagated.");
  }
  const std::int64_t replicas = integer_argument(call.argv[1]);
  const auto until = timeout(call, call.argv[2], false);
  const std::int64_t acknowledged = call.execution.acknowledged;
  if (replicas <= acknowledged || call.execution.in_script || call.execution.in_exec) {
    return Reply::number(acknowledged);
  }
  return block(call, {BlockedOn::Kind::replicas, {}, {"wait"}, until});
}

constexpr Command kBlockingRows[] = {
    {{"blpop", -3, kWrite | kNoScript | kBlocking, "list", {{"RW access delete", 1, -2}}},
     run_blpop,
     {kSince72InScripts}},
    {{"brpop", -3, kWrite | kNoScript | kBlocking, "list", {{"RW access delete", 1, -2}}},
     run_brpop,
     {kSince72InScripts}},
    {{"bzpopmin",
      -3,
      kWrite | kNoScript | kBlocking | kFast,
      "sortedset",
      {{"RW access delete", 1, -2}}},
     run_bzpopmin,
     {kSince72InScripts}},
    {{"bzpopmax",
      -3,
      kWrite | kNoScript | kBlocking | kFast,
      "sortedset",
      {{"RW access delete", 1, -2}}},
     run_bzpopmax,
     {kSince72InScripts}},
    {{"blmpop", -5, kWrite | kBlocking, "list", {{"RW access delete", 2, kCounted}}}, run_blmpop},
    {{"bzmpop", -5, kWrite | kBlocking, "sortedset", {{"RW access delete", 2, kCounted}}},
     run_bzmpop},
    {{"blmove",
      6,
      kWrite | kDenyOom | kNoScript | kBlocking,
      "list",
      {{"RW access delete", 1}, {"RW insert", 2}}},
     run_blmove,
     {.traits = kSince72InScripts, .touches = touches_if_not_null}},
    {{"brpoplpush",
      4,
      kWrite | kDenyOom | kNoScript | kBlocking,
      "list",
      {{"RW access delete", 1}, {"RW insert", 2}}},
     run_brpoplpush,
     {.traits = kSince72InScripts, .touches = touches_if_not_null}},
    {{"wait", 3, kNoScript, "connection", {}, "request_policy:all_shards response_policy:agg_min"},
     run_wait,
     {kSince72InScripts}},
};

}  // namespace

Reply serve_wait(Call& call, const BlockedOn& wait, const Place& place) {
  const std::string& command = wait.request[0];
  if (command == "lmove" || command == "rpoplpush") return run_as(call, wait.request);
  if (command == "lmpop" || command == "zmpop") {
    Request request{command, "1", place.key};
    request.insert(request.end(), wait.request.begin() + 1, wait.request.end());
    return run_as(call, request);
  }
  return with_key(place.key, run_as(call, {command, place.key}));
}

std::span<const Command> blocking_commands() { return kBlockingRows; }

}  // namespace lockstep::sim
