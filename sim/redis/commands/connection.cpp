// Commands on the connection itself: AUTH, HELLO, RESET, QUIT, PING, ECHO (Redis 7.0 networking.c,
// acl.c).
#include "sim/redis/commands/connection.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// The default user has no password, and there is no other.
void authenticate(const std::string& user) {
  if (user != "default") refuse("WRONGPASS invalid username-password pair or user is disabled.");
}

struct Hello {
  std::string user;
  std::optional<std::string> name;
};

Hello read_hello(const Request& argv) {
  Hello hello;
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::size_t more = argv.size() - 1 - i;
    if (is_word(argv[i], "auth") && more >= 2) {
      hello.user = argv[i + 1];
      i += 2;
    } else if (is_word(argv[i], "setname") && more >= 1) {
      hello.name = argv[++i];
    } else {
      refuse("ERR Syntax error in HELLO option '" + argv[i] + "'");
    }
  }
  return hello;
}

/// RESP2 only: version 3 gets what a server gives that does not know it.
void check_protocol(const Request& argv) {
  if (argv.size() == 1) return;
  const std::int64_t version =
      integer_argument(argv[1], "ERR Protocol version is not an integer or out of range");
  if (version != 2) refuse("NOPROTO unsupported protocol version");
}

}  // namespace

Connections& all_connections(const Call& call) {
  if (!call.execution.connections->complete) {
    throw BadInput("command '" + lower_case(call.argv[0]) +
                   "': it waits, or is about other connections, which a simulated node does not "
                   "know yet; lockstep shell and lockstep eval do");
  }
  return *call.execution.connections;
}

Client& own_client(const Call& call) {
  return all_connections(call).clients.at(call.execution.self);
}

Reply already_replied(Call& call) {
  call.execution.replied = true;
  return Reply::null();
}

void not_simulated(const Call& call) {
  std::string name = lower_case(call.argv[0]);
  if (call.argv.size() > 1) name += " " + lower_case(call.argv[1]);
  throw BadInput("command '" + name + "': Redis 7.0 has it, but it is not simulated");
}

void check_client_name(const std::string& name) {
  const bool fine = std::ranges::all_of(name, [](char c) { return c >= '!' && c <= '~'; });
  if (!fine) refuse("ERR Client names cannot contain spaces, newlines or special characters.");
}

namespace {

Reply run_auth(Call& call) {
  if (call.argv.size() > 3) refuse_syntax();
  if (call.argv.size() == 2) {
    refuse(
        "ERR AUTH <password> called without any password configured for the default user. Are "
        "you sure your configuration is correct?");
  }
  authenticate(call.argv[1]);
  return Reply::ok();
}

Reply run_hello(Call& call) {
  Client& client = own_client(call);
  check_protocol(call.argv);
  const Hello hello = read_hello(call.argv);
  if (!hello.user.empty()) authenticate(hello.user);
  if (hello.name) {
    check_client_name(*hello.name);
    client.name = *hello.name;
  }
  const ServerMode& mode = call.execution.mode;
  const auto text = [](const char* bytes) { return Reply::bulk(bytes); };
  return Reply::array(
      {text("server"), text("redis"), text("version"), text(full_name(mode.version)), text("proto"),
       Reply::number(2), text("id"), Reply::number(client.id), text("mode"),
       text(mode.cluster ? "cluster" : "standalone"), text("role"),
       text(mode.replica ? "replica" : "master"), text("modules"), Reply::array({})});
}

/// Only the CLIENT REPLY SKIP that skips this reply too outlasts it.
Reply run_reset(Call& call) {
  Connections& connections = *call.execution.connections;
  Session& session = *call.execution.session;
  if (connections.complete) {
    Client& client = own_client(call);
    unsubscribe_all(connections, client);
    client.name.clear();
  }
  call.keyspace.select(session.database, 0);
  const bool skip = session.replies == Replies::skip;
  session = Session{};
  if (skip) session.replies = Replies::skip;
  return Reply::status("RESET");
}

Reply run_quit(Call& call) {
  own_client(call).closing = true;
  return Reply::ok();
}

/// A RESP2 client that subscribes to something gets an array, to tell it from the messages.
Reply run_ping(Call& call) {
  if (call.argv.size() > 2) refuse_arity("ping");
  const bool has_text = call.argv.size() == 2;
  if (call.execution.session->subscribed()) {
    return Reply::array({Reply::bulk("pong"), Reply::bulk(has_text ? call.argv[1] : "")});
  }
  return has_text ? Reply::bulk(call.argv[1]) : Reply::status("PONG");
}

Reply run_echo(Call& call) { return Reply::bulk(call.argv[1]); }

constexpr Command kConnectionRows[] = {
    {{"auth", -2, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, "connection"},
     run_auth},
    {{"hello", -1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, "connection"},
     run_hello},
    {{"reset", 1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, "connection"},
     run_reset,
     {kNeverQueued | kEndsTransaction | kWhileSubscribed}},
    {{"quit", -1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, "connection"},
     run_quit,
     {kNeverQueued | kEndsTransaction | kWhileSubscribed}},
    {{"ping",
      -1,
      kFast,
      "connection",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     run_ping,
     {kWhileSubscribed}},
    {{"echo", 2, kLoading | kStale | kFast, "connection"}, run_echo},
};

}  // namespace

std::span<const Command> connection_commands() { return kConnectionRows; }

}  // namespace lockstep::sim
