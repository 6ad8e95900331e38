// Publish and subscribe (Redis 7.0 pubsub.c): channels, patterns, and shard channels.
#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// The three kinds of subscription: where they are kept and what their messages are called.
struct ChannelKind {
  std::string_view prefix;  ///< of "subscribe", "unsubscribe", "message"
  std::set<std::string> Session::*of_session;
  Listeners Connections::*of_server;
};
constexpr ChannelKind kChannel{"", &Session::channels, &Connections::channels};
constexpr ChannelKind kPattern{"p", &Session::patterns, &Connections::patterns};
constexpr ChannelKind kShard{"s", &Session::shard_channels, &Connections::shard_channels};

Reply word(const ChannelKind& kind, std::string_view name) {
  return Reply::bulk(std::string(kind.prefix) + std::string(name));
}

/// How many subscriptions a reply counts: channels and patterns together, shard channels apart.
Reply count(const ChannelKind& kind, const Session& session) {
  const bool shard = kind.of_session == kShard.of_session;
  return Reply::number(
      static_cast<std::int64_t>(shard ? session.shard_channels.size() : session.subscriptions()));
}

void remove(Connections& connections, Client& client, const ChannelKind& kind,
            const std::string& name) {
  if ((client.session.*kind.of_session).erase(name) == 0) return;
  Listeners& listeners = connections.*kind.of_server;
  const auto it = listeners.find(name);
  std::erase(it->second, client.id);
  if (it->second.empty()) listeners.erase(it);
}

/// Of a connection whose server is not known: the reply.
Reply subscribe_alone(Call& call, const ChannelKind& kind) {
  if (!call.execution.may_listen)
    throw BadInput("command '" + lower_case(call.argv[0]) +
                   "': messages come on its connection unasked, which only listen() takes "
                   "(docs/protocols.md)");
  const std::string& name = call.argv[1];
  if (call.argv.size() > 2 || call.execution.in_exec)
    throw BadInput("command '" + lower_case(call.argv[0]) +
                   "': only of one name at a time, outside of a transaction");
  Session& session = *call.execution.session;
  (session.*kind.of_session).insert(name);
  return Reply::array({word(kind, "subscribe"), Reply::bulk(name), count(kind, session)});
}

Reply subscribe(Call& call, const ChannelKind& kind) {
  if (!call.execution.connections->complete && kind.of_session != kShard.of_session)
    return subscribe_alone(call, kind);
  Connections& connections = all_connections(call);
  Client& client = own_client(call);
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    const std::string& name = call.argv[i];
    if ((client.session.*kind.of_session).insert(name).second) {
      (connections.*kind.of_server)[name].push_back(client.id);
    }
    write(connections, client,
          Reply::array({word(kind, "subscribe"), Reply::bulk(name), count(kind, client.session)}),
          true);
  }
  return already_replied(call);
}

Reply unsubscribe(Call& call, const ChannelKind& kind) {
  Connections& connections = all_connections(call);
  Client& client = own_client(call);
  const auto say = [&](Reply name) {
    write(connections, client,
          Reply::array({word(kind, "unsubscribe"), std::move(name), count(kind, client.session)}),
          true);
  };
  const auto& own = client.session.*kind.of_session;
  std::vector<std::string> names(call.argv.begin() + 1, call.argv.end());
  if (names.empty()) names.assign(own.begin(), own.end());
  if (names.empty()) say(Reply::null());
  for (const std::string& name : names) {
    remove(connections, client, kind, name);
    say(Reply::bulk(name));
  }
  return already_replied(call);
}

/// Sends a message to all in the list; how many they are.
std::int64_t send(Connections& connections, const std::vector<SessionId>& listeners,
                  const std::vector<Reply>& message) {
  for (const SessionId id : listeners) {
    write(connections, connections.clients.at(id), Reply::array(message), true);
  }
  return static_cast<std::int64_t>(listeners.size());
}

std::int64_t publish(Connections& connections, const ChannelKind& kind, const std::string& channel,
                     const std::string& text) {
  const Listeners& listeners = connections.*kind.of_server;
  const auto it = listeners.find(channel);
  if (it == listeners.end()) return 0;
  return send(connections, it->second,
              {word(kind, "message"), Reply::bulk(channel), Reply::bulk(text)});
}

std::int64_t publish_to_patterns(Connections& connections, const std::string& channel,
                                 const std::string& text) {
  std::int64_t receivers = 0;
  for (const auto& [pattern, listeners] : connections.patterns) {
    if (!glob_matches(pattern, channel)) continue;
    receivers += send(
        connections, listeners,
        {word(kPattern, "message"), Reply::bulk(pattern), Reply::bulk(channel), Reply::bulk(text)});
  }
  return receivers;
}

Reply names_of(const Listeners& listeners, const Request& argv) {
  std::vector<Reply> names;
  for (const auto& [name, sessions] : listeners) {
    if (argv.size() == 2 || glob_matches(argv[2], name)) names.push_back(Reply::bulk(name));
  }
  return Reply::array(std::move(names));
}

Reply numbers_of(const Listeners& listeners, const Request& argv) {
  std::vector<Reply> numbers;
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const auto it = listeners.find(argv[i]);
    numbers.push_back(Reply::bulk(argv[i]));
    numbers.push_back(
        Reply::number(it == listeners.end() ? 0 : static_cast<std::int64_t>(it->second.size())));
  }
  return Reply::array(std::move(numbers));
}

}  // namespace

namespace {

/// Of a flush each tracking connection hears once, of touched keys once for each of its prefixes.
std::vector<Reply> invalidations_for(const Subscriptions& listener, const Publication& said) {
  std::vector<Reply> messages;
  const auto tell = [&](Reply keys) {
    messages.push_back(Reply::array({Reply::bulk("invalidate"), std::move(keys)}));
  };
  if (said.kind == Publication::Kind::flush) {
    if (!listener.tracked.empty()) tell(Reply::null());
    return messages;
  }
  for (const std::string& prefix : listener.tracked) {
    std::vector<Reply> keys;
    for (const std::string& key : said.keys)
      if (key.starts_with(prefix)) keys.push_back(Reply::bulk(key));
    if (!keys.empty()) tell(Reply::array(std::move(keys)));
  }
  return messages;
}

std::int64_t send_to_who_tracks(Connections& connections, const Publication& said) {
  std::int64_t messages = 0;
  for (auto& [id, client] : connections.clients)
    for (Reply& message : invalidations_for(client.session.listens_to(), said)) {
      write(connections, client, std::move(message), true);
      ++messages;
    }
  return messages;
}

}  // namespace

std::vector<Reply> messages_to(const Subscriptions& listener, const Publication& publication) {
  if (publication.kind != Publication::Kind::message)
    return invalidations_for(listener, publication);
  const Reply channel = Reply::bulk(publication.channel), text = Reply::bulk(publication.text);
  std::vector<Reply> messages;
  if (listener.channels.contains(publication.channel))
    messages.push_back(Reply::array({word(kChannel, "message"), channel, text}));
  for (const std::string& pattern : listener.patterns)
    if (glob_matches(pattern, publication.channel))
      messages.push_back(
          Reply::array({word(kPattern, "message"), Reply::bulk(pattern), channel, text}));
  return messages;
}

std::int64_t publish_to_all(Connections& connections, const Publication& said) {
  if (said.kind != Publication::Kind::message) return send_to_who_tracks(connections, said);
  return publish(connections, kChannel, said.channel, said.text) +
         publish_to_patterns(connections, said.channel, said.text);
}

void unsubscribe_all(Connections& connections, Client& client) {
  for (const ChannelKind& kind : {kChannel, kPattern, kShard}) {
    auto& names = client.session.*kind.of_session;
    while (!names.empty()) remove(connections, client, kind, std::string(*names.begin()));
  }
}

namespace {

Reply run_subscribe(Call& call) { return subscribe(call, kChannel); }
Reply run_psubscribe(Call& call) { return subscribe(call, kPattern); }
Reply run_ssubscribe(Call& call) {
  if (call.execution.in_exec) {
    refuse("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
  }
  return subscribe(call, kShard);
}
Reply run_unsubscribe(Call& call) { return unsubscribe(call, kChannel); }
Reply run_punsubscribe(Call& call) { return unsubscribe(call, kPattern); }
Reply run_sunsubscribe(Call& call) { return unsubscribe(call, kShard); }

/// Where the server is not known: how many messages the other connections get.
std::int64_t publish_alone(Execution& execution, Publication said) {
  const Publication& publication = execution.published.emplace_back(std::move(said));
  std::size_t receivers = 0;
  for (const Subscriptions& listener : execution.listening)
    receivers += messages_to(listener, publication).size();
  return static_cast<std::int64_t>(receivers);
}

Reply run_publish(Call& call) {
  return Reply::number(publish(call.execution, {call.argv[1], call.argv[2]}));
}

Reply run_spublish(Call& call) {
  return Reply::number(publish(*call.execution.connections, kShard, call.argv[1], call.argv[2]));
}

Reply names_asked_for(const Call& call, const Listeners& listeners) {
  if (call.argv.size() > 3) {
    refuse("ERR unknown subcommand or wrong number of arguments for '" + call.argv[1] +
           "'. Try PUBSUB HELP.");
  }
  return names_of(listeners, call.argv);
}

Reply pubsub_channels(Call& call) { return names_asked_for(call, all_connections(call).channels); }
Reply pubsub_shard_channels(Call& call) {
  return names_asked_for(call, all_connections(call).shard_channels);
}
Reply pubsub_numsub(Call& call) { return numbers_of(all_connections(call).channels, call.argv); }
Reply pubsub_shard_numsub(Call& call) {
  return numbers_of(all_connections(call).shard_channels, call.argv);
}
Reply pubsub_numpat(Call& call) {
  return Reply::number(static_cast<std::int64_t>(all_connections(call).patterns.size()));
}

}  // namespace

std::int64_t publish(Execution& execution, Publication said) {
  Connections& connections = *execution.connections;
  return connections.complete ? publish_to_all(connections, said)
                              : publish_alone(execution, std::move(said));
}

namespace {

constexpr Command kPubsubRows[] = {
    {{"subscribe", -2, kPubsub | kNoScript | kLoading | kStale}, run_subscribe, {kWhileSubscribed}},
    {{"psubscribe", -2, kPubsub | kNoScript | kLoading | kStale},
     run_psubscribe,
     {kWhileSubscribed}},
    {{"ssubscribe", -2, kPubsub | kNoScript | kLoading | kStale, "", {{"not_key", 1, -1}}},
     run_ssubscribe,
     {kWhileSubscribed}},
    {{"unsubscribe", -1, kPubsub | kNoScript | kLoading | kStale},
     run_unsubscribe,
     {kWhileSubscribed}},
    {{"punsubscribe", -1, kPubsub | kNoScript | kLoading | kStale},
     run_punsubscribe,
     {kWhileSubscribed}},
    {{"sunsubscribe", -1, kPubsub | kNoScript | kLoading | kStale, "", {{"not_key", 1, -1}}},
     run_sunsubscribe,
     {kWhileSubscribed}},
    {{"publish", 3, kPubsub | kLoading | kStale | kFast}, run_publish, {kMayReplicate}},
    {{"spublish", 3, kPubsub | kLoading | kStale | kFast, "", {{"not_key", 1}}},
     run_spublish,
     {kMayReplicate}},
    {{"pubsub", -2}, nullptr, {kContainer}},
    {{"pubsub|channels", -2, kPubsub | kLoading | kStale}, pubsub_channels},
    {{"pubsub|help", 2, kLoading | kStale}},
    {{"pubsub|numpat", 2, kPubsub | kLoading | kStale}, pubsub_numpat},
    {{"pubsub|numsub", -2, kPubsub | kLoading | kStale}, pubsub_numsub},
    {{"pubsub|shardchannels", -2, kPubsub | kLoading | kStale}, pubsub_shard_channels},
    {{"pubsub|shardnumsub", -2, kPubsub | kLoading | kStale}, pubsub_shard_numsub},
};

}  // namespace

std::span<const Command> pubsub_commands() { return kPubsubRows; }

}  // namespace lockstep::sim
