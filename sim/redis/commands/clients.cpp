// CLIENT: what one session can see of and do to the others (Redis 7.0 networking.c). Addresses and
// the like are made up, the same in every run.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr const char* kOwnAddress = "127.0.0.1:6379";

std::string address(const Client& client) { return fmt::format("127.0.0.1:{}", 50000 + client.id); }

std::string_view type_of(const Client& client) {
  return client.session.subscribed() ? "pubsub" : "normal";
}

std::string flags_of(const Call& call, const Session& session) {
  std::string flags;
  if (session.subscribed()) flags += 'P';
  if (session.in_transaction) flags += 'x';
  if (session.wait) flags += 'b';
  if (session.watch_broken || watch_expired(call, session)) flags += 'd';
  return flags.empty() ? "N" : flags;
}

/// One line of CLIENT LIST; what a value without sockets does not have is 0.
std::string describe(const Call& call, const Client& client) {
  const auto seconds = [&](WallTime since) { return (call.execution.now - since).ms / 1000; };
  const Session& session = client.session;
  return fmt::format(
      "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db={} sub={} psub={} ssub={} "
      "multi={} qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 "
      "events=r cmd={} user=default redir=-1 resp=2\n",
      client.id, address(client), kOwnAddress, client.id + 7, client.name, seconds(client.opened),
      seconds(client.last_request), flags_of(call, session), session.database,
      session.channels.size(), session.patterns.size(), session.shard_channels.size(),
      session.in_transaction ? static_cast<std::int64_t>(session.queued.size()) : -1,
      client.last_command);
}

bool known_type(const std::string& type) {
  return is_word(type, "normal") || is_word(type, "pubsub") || is_word(type, "master") ||
         is_word(type, "replica") || is_word(type, "slave");
}

SessionId id_argument(const std::string& text) {
  const auto id = parse_integer(text);
  if (!id || *id <= 0) refuse("ERR Invalid client ID");
  return *id;
}

/// What CLIENT KILL asks for; everything given must fit.
struct Filter {
  std::optional<SessionId> id;
  std::optional<std::string> address, own_address, type;
  bool skip_me = true;

  bool fits(const Client& client) const {
    return (!id || client.id == *id) && (!address || lockstep::sim::address(client) == *address) &&
           (!own_address || *own_address == kOwnAddress) &&
           (!type || is_word(*type, type_of(client)));
  }
};

Filter read_filter(const Request& argv) {
  Filter filter;
  if (argv.size() % 2 != 0) refuse_syntax();
  for (std::size_t i = 2; i < argv.size(); i += 2) {
    const std::string& value = argv[i + 1];
    if (is_word(argv[i], "id")) {
      const auto id = parse_integer(value);
      if (!id || *id < 1) refuse("ERR client-id should be greater than 0");
      filter.id = *id;
    } else if (is_word(argv[i], "type")) {
      if (!known_type(value)) refuse("ERR Unknown client type '" + value + "'");
      filter.type = value;
    } else if (is_word(argv[i], "addr")) {
      filter.address = value;
    } else if (is_word(argv[i], "laddr")) {
      filter.own_address = value;
    } else if (is_word(argv[i], "user")) {
      if (value != "default") refuse("ERR No such user '" + value + "'");
    } else if (is_word(argv[i], "skipme")) {
      if (!is_word(value, "yes") && !is_word(value, "no")) refuse_syntax();
      filter.skip_me = is_word(value, "yes");
    } else {
      refuse_syntax();
    }
  }
  return filter;
}

Reply client_kill(Call& call) {
  Connections& connections = all_connections(call);
  const bool old_form = call.argv.size() == 3;
  Filter filter;
  if (old_form) {
    filter.address = call.argv[2];
    filter.skip_me = false;
  } else {
    filter = read_filter(call.argv);
  }
  std::int64_t killed = 0;
  for (auto& [id, client] : connections.clients) {
    if (!client.open || !filter.fits(client)) continue;
    const bool me = id == call.execution.self;
    if (me && filter.skip_me) continue;
    ++killed;
    if (me) {
      client.closing = true;
    } else {
      // What has not left the server yet never will.
      std::erase_if(connections.written,
                    [gone = client.id](const Delivery& d) { return d.to == gone; });
      close_client(connections, client);
    }
  }
  if (!old_form) return Reply::number(killed);
  if (killed == 0) refuse("ERR No such client");
  return Reply::ok();
}

bool listed(const Client& client, const Request& argv) {
  if (!client.open) return false;
  if (argv.size() == 2) return true;
  if (is_word(argv[2], "type")) return is_word(argv[3], type_of(client));
  return std::any_of(argv.begin() + 3, argv.end(),
                     [&](const std::string& id) { return id_argument(id) == client.id; });
}

Reply client_list(Call& call) {
  const Request& argv = call.argv;
  const bool by_type = argv.size() == 4 && is_word(argv[2], "type");
  const bool by_id = argv.size() > 3 && is_word(argv[2], "id");
  if (argv.size() != 2 && !by_type && !by_id) refuse_syntax();
  if (by_type && !known_type(argv[3])) refuse("ERR Unknown client type '" + argv[3] + "'");
  std::string lines;
  for (const auto& [id, client] : all_connections(call).clients) {
    if (listed(client, argv)) lines += describe(call, client);
  }
  return Reply::bulk(std::move(lines));
}

Reply client_reply(Call& call) {
  Session& session = *call.execution.session;
  const std::string& how = call.argv[2];
  if (is_word(how, "on")) {
    session.replies = Replies::on;
    return Reply::ok();
  }
  if (is_word(how, "off")) {
    session.replies = Replies::off;
  } else if (is_word(how, "skip")) {
    if (session.replies != Replies::off) session.replies = Replies::skip_next;
  } else {
    refuse_syntax();
  }
  return already_replied(call);
}

Reply client_unblock(Call& call) {
  Connections& connections = all_connections(call);
  bool as_error = false;
  if (call.argv.size() == 4) {
    as_error = is_word(call.argv[3], "error");
    if (!as_error && !is_word(call.argv[3], "timeout")) {
      refuse("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  } else if (call.argv.size() > 4) {
    refuse_syntax();
  }
  const auto it = connections.clients.find(integer_argument(call.argv[2]));
  if (it == connections.clients.end() || !it->second.session.wait) return Reply::number(0);
  Client& client = it->second;
  Reply reply = as_error ? Reply::error("UNBLOCKED client unblocked via CLIENT UNBLOCK")
                         : timeout_reply(*client.session.wait);
  write(connections, client, std::move(reply));
  unblock(connections, client);
  return Reply::number(1);
}

}  // namespace

Reply timeout_reply(const BlockedOn& wait) {
  return wait.kind == BlockedOn::Kind::replicas ? Reply::number(0) : Reply::null();
}

namespace {

Reply client_id(Call& call) { return Reply::number(own_client(call).id); }

Reply client_getname(Call& call) {
  const std::string& name = own_client(call).name;
  return name.empty() ? Reply::null() : Reply::bulk(name);
}

Reply client_setname(Call& call) {
  Client& client = own_client(call);
  check_client_name(call.argv[2]);
  client.name = call.argv[2];
  return Reply::ok();
}

Reply client_info(Call& call) { return Reply::bulk(describe(call, own_client(call))); }

/// Nobody's keys are tracked.
Reply client_getredir(Call& call) {
  all_connections(call);
  return Reply::number(-1);
}

/// In broadcasting mode, where the server tells who tracks: of keys that begin so, or of all.
Reply client_tracking(Call& call) {
  const Request& argv = call.argv;
  const bool all = argv.size() == 4 && is_word(argv[3], "bcast");
  const bool some = argv.size() == 6 && is_word(argv[3], "bcast") && is_word(argv[4], "prefix");
  if (!is_word(argv[2], "on") || !(all || some))
    throw BadInput(
        "command 'client tracking': only ON BCAST, and that with one PREFIX, is simulated");
  if (!tells_who_tracks(call.execution))
    throw BadInput(
        "command 'client tracking': only where the protocol says that its clients track keys: "
        "protocol { tracking = true }");
  if (!call.execution.connections->complete && !call.execution.may_listen)
    throw BadInput(
        "command 'client tracking': messages come on its connection unasked, which only listen() "
        "takes, with tracking = true (docs/protocols.md)");
  call.execution.session->tracked.insert(all ? "" : argv[5]);
  return Reply::ok();
}

/// Nobody is evicted.
Reply client_no_evict(Call& call) {
  all_connections(call);
  if (!is_word(call.argv[2], "on") && !is_word(call.argv[2], "off")) refuse_syntax();
  return Reply::ok();
}

constexpr Command kClientsRows[] = {
    {{"client", -2}, nullptr, {kContainer}},
    {{"client|caching", 3, kNoScript | kLoading | kStale, "connection"}},
    {{"client|getname", 2, kNoScript | kLoading | kStale, "connection"}, client_getname},
    {{"client|getredir", 2, kNoScript | kLoading | kStale, "connection"}, client_getredir},
    {{"client|help", 2, kLoading | kStale, "connection"}},
    {{"client|id", 2, kNoScript | kLoading | kStale, "connection"}, client_id},
    {{"client|info", 2, kNoScript | kLoading | kStale, "connection", {}, "nondeterministic_output"},
     client_info},
    {{"client|kill", -3, kAdmin | kNoScript | kLoading | kStale, "connection"}, client_kill},
    {{"client|list",
      -2,
      kAdmin | kNoScript | kLoading | kStale,
      "connection",
      {},
      "nondeterministic_output"},
     client_list},
    {{"client|no-evict", 3, kAdmin | kNoScript | kLoading | kStale, "connection"}, client_no_evict},
    {{"client|pause", -3, kAdmin | kNoScript | kLoading | kStale, "connection"}},
    {{"client|reply", 3, kNoScript | kLoading | kStale, "connection"}, client_reply},
    {{"client|setname", 3, kNoScript | kLoading | kStale, "connection"}, client_setname},
    {{"client|tracking", -3, kNoScript | kLoading | kStale, "connection"}, client_tracking},
    {{"client|trackinginfo", 2, kNoScript | kLoading | kStale, "connection"}},
    {{"client|unblock", -3, kAdmin | kNoScript | kLoading | kStale, "connection"}, client_unblock},
    {{"client|unpause", 2, kAdmin | kNoScript | kLoading | kStale, "connection"}},
};

}  // namespace

std::span<const Command> client_commands() { return kClientsRows; }

}  // namespace lockstep::sim
