// Connections to both servers, and what is read of both; see the header.
#include "conform/servers.hpp"

#include "sim/base/bytes.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

struct Prelude {
  const char* command;
  sim::Request request;
};
const std::vector<Prelude> kPreludes{
    // SORT takes an ERANGE that some earlier command left in errno for one of its own; a score that
    // is read without an error clears it.
    {"sort", {"ZADD", "none", "XX", "1", "x"}},
    {"sort_ro", {"ZADD", "none", "XX", "1", "x"}},
    // DBSIZE counts keys that have expired and that nothing has removed yet.
    {"dbsize", {"SCAN", "0", "COUNT", "1000000"}},
};

/// What shows the whole value of an entry.
sim::Request reading_value(const std::string& key, const sim::Entry& entry) {
  struct Reader {
    const std::string& key;
    sim::Request operator()(const std::string&) const { return {"GET", key}; }
    sim::Request operator()(const sim::Hash&) const { return {"HGETALL", key}; }
    sim::Request operator()(const sim::List&) const { return {"LRANGE", key, "0", "-1"}; }
    sim::Request operator()(const sim::Set&) const { return {"SMEMBERS", key}; }
    sim::Request operator()(const sim::SortedSet&) const {
      return {"ZRANGE", key, "0", "-1", "WITHSCORES"};
    }
  };
  return std::visit(Reader{key}, entry.value);
}

}  // namespace

Client Servers::open() {
  Client client;
  client.real = std::make_unique<live::Connection>(address);
  client.real_id = std::to_string(client.real->execute({"CLIENT", "ID"}).integer);
  client.fake = fake.open();
  return client;
}

/// A connection that is only dropped could still wait for keys when the next run begins.
void Servers::reset(const std::vector<Client>& clients) {
  std::vector<sim::Request> requests;
  for (const auto& client : clients)
    if (client.real) requests.push_back({"CLIENT", "KILL", "ID", client.real_id});
  admin.execute_all(requests);
  fake = sim::Server(fake.mode());  // with a script VM of its own: it keeps what it has compiled
  empty();
}

void Servers::empty() {
  admin.execute_all({{"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"FUNCTION", "FLUSH"}});
  fake.take({});
}

std::vector<sim::Request> preludes_of(const sim::Request& request) {
  std::vector<sim::Request> preludes;
  for (const auto& prelude : kPreludes)
    if (sim::is_word(request[0], prelude.command)) preludes.push_back(prelude.request);
  return preludes;
}

std::vector<sim::Request> reading(const sim::Keyspace& keyspace, sim::ServerVersion version,
                                  Packing packing) {
  const bool shown = packing == Packing::shown;
  std::vector<sim::Request> requests;
  for (int database = 0; database < kDatabasesUsed; ++database) {
    requests.push_back({"SELECT", std::to_string(database)});
    requests.push_back({"DBSIZE"});
    requests.push_back({"KEYS", "*"});
    const auto* keys = keyspace.database(database);
    if (!keys) continue;
    for (const auto& [key, entry] : *keys) {
      requests.push_back({"TYPE", key});
      if (shown && !sim::since_72(version)) requests.push_back({"OBJECT", "ENCODING", key});
      requests.push_back({"PEXPIRETIME", key});
      requests.push_back(shown ? reading_value(key, entry) : sim::Request{"DUMP", key});
    }
  }
  if (!shown) requests.push_back({"FUNCTION", "LIST", "WITHCODE"});
  return requests;
}

}  // namespace lockstep::conform
