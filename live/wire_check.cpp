// Walks through a log with client programs; see the header.
#include "live/wire_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/sha1.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"

namespace lockstep::live {

namespace {

constexpr std::int64_t kUsOfMs = 1000;
constexpr std::int64_t kStillGoesOn_us = 1'000'000;  // after the last request of a log
constexpr std::size_t kShownBefore = 6;

/// What a library sends of itself: no part of any lock.
bool greets(const sim::Request& request) {
  static const std::set<std::string> kGreetings = {
      "hello", "auth",  "client", "select",  "ping",    "info",     "command", "quit",
      "reset", "echo",  "config", "script",  "cluster", "readonly", "monitor", "sentinel",
      "role",  "debug", "memory", "latency", "slowlog", "acl",      "function"};
  return kGreetings.contains(sim::lower_case(request[0]));
}

bool loads_script(const sim::Request& request) {
  return request.size() == 3 && sim::lower_case(request[0]) == "script" &&
         sim::lower_case(request[1]) == "load";
}

/// Of one that is loaded, too.
std::string sha_of_sent(const sim::Request& request) {
  return loads_script(request) ? sim::sha1_hex(request[2]) : sha_of_script(request);
}

/// What in a request is the same in another, for the one to show if none fits.
std::size_t likeness(const sim::Request& a, const sim::Request& b) {
  std::size_t same = sim::lower_case(a[0]) == sim::lower_case(b[0]) ? 10 : 0;
  for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i) same += a[i] == b[i] ? 1 : 0;
  return same;
}

/// The scripts of a protocol's folder: file name by SHA-1. What else lies there (packages that a
/// test needs, a repository) has nothing to do with it.
std::map<std::string, std::string> scripts_of(const sim::Program& program,
                                              std::vector<std::string>& bodies) {
  constexpr std::uintmax_t kLongest = 1 << 20;  // bytes
  std::map<std::string, std::string> scripts;
  std::filesystem::recursive_directory_iterator entry(
      program.folder(), std::filesystem::directory_options::skip_permission_denied);
  for (const auto end = std::filesystem::end(entry); entry != end; ++entry) {
    const auto name = entry->path().filename().string();
    if (entry->is_directory() && (name.starts_with('.') || name == "node_modules"))
      entry.disable_recursion_pending();
    if (!entry->is_regular_file() || entry->file_size() > kLongest) continue;
    auto body = sim::file_text(entry->path());
    const auto script = program.script_name(body);
    if (script.empty()) continue;
    scripts[sim::sha1_hex(body)] = script;
    bodies.push_back(std::move(body));
  }
  return scripts;
}

/// One client, and what it has sent.
struct Known {
  std::shared_ptr<const WireClient> client;
  std::set<std::string> connections;
  std::vector<std::size_t> sent;  ///< places in the log
};

/// Who waits for a reply on a connection.
struct Waiting {
  std::size_t client = 0;
  sim::TaskId task = 0;
  bool listens = false;
};

/// One way in which clients may have sent the log so far.
struct Account {
  std::vector<Known> clients;
  std::map<std::string, std::vector<Waiting>> waiting;  ///< by connection
  std::size_t strays = 0;  ///< requests on another connection than its client's
  std::size_t sender = 0;  ///< of the request under way: a client

  /// What speaks against it.
  std::size_t doubts() const {
    std::size_t all = strays + clients.size();
    for (const auto& each : clients) all += each.client->badly_timed();
    return all;
  }
  WireClient& changed(std::size_t client) {
    auto copy = std::make_shared<WireClient>(*clients[client].client);
    clients[client].client = copy;
    return *copy;
  }
};

class Walk {
 public:
  Walk(const std::vector<WireRequest>& log, const sim::Model& model) : log_(log), model_(model) {
    for (auto setup : model.processes) {
      setup.rounds = 0;
      for (std::size_t lock = 0; lock < setup.lock_keys.size(); ++lock)
        setup.lock_keys[lock] = StandIns::fresh_key(lock);
      if (std::ranges::find(setups_, setup) == setups_.end()) setups_.push_back(std::move(setup));
    }
    for (const auto& setup : setups_)
      fresh_.push_back(std::make_shared<const WireClient>(*model.program, setup, answers_));
    scripts_ = scripts_of(*model_.program, bodies_);
    accounts_.emplace_back();
  }

  WireLikeness result(bool complete) {
    for (std::size_t i = 0; i < log_.size() && !likeness_.difference; ++i) take(i);
    if (!likeness_.difference) expect_nothing_more(complete);
    if (likeness_.alike == 0) show_nearest();
    for (std::size_t i = 0; i < best().clients.size(); ++i) {
      auto& client = best().changed(i);
      client.hear_out();
      add(client.calls());
      std::ranges::copy_if(client.off_times(), std::back_inserter(likeness_.off_times),
                           &OffTime::is_bad);
    }
    likeness_.clients = best().clients.size();
    note_unsent();
    return std::move(likeness_);
  }

 private:
  static constexpr std::size_t kMostAccounts = 12, kMostWays = 3, kMostOthers = 1000;

  /// One database, and who is connected to it.
  struct Database {
    std::unique_ptr<sim::Server> server;
    std::map<std::string, sim::SessionId> sessions;
  };
  using Ways = std::vector<std::shared_ptr<const WireClient>>;

  void take(std::size_t place);
  std::vector<Account> accounts_with(const WireRequest& real);
  void go_on_with(const Account& account, const WireRequest& real, std::vector<Account>& all);
  const Ways& ways_of(const std::shared_ptr<const WireClient>& client, const WireRequest& real);
  bool may_send(const Account& account, std::size_t client, const std::string& connection) const;
  void take_as_sent(Account& account, std::size_t place, bool unknown);
  bool belongs_to_lock(const WireRequest& real);
  void differ(std::size_t place);
  void execute(const WireRequest& real, bool of_lock);
  void deliver(const std::string& connection, const sim::SharedReply& reply, std::int64_t time_us);
  void deliver_all(Database& database, const std::vector<sim::Delivery>& deliveries,
                   std::int64_t time_us);
  Database& database_of(const WireRequest& real);
  bool was_unknown(std::size_t place) const;
  void expect_nothing_more(bool complete);
  std::vector<Awaited> first_requests() const;
  void show_nearest();
  void note_unsent();
  void add(const WireClient::Calls& calls);
  Account& best() { return accounts_.front(); }

  const std::vector<WireRequest>& log_;
  const sim::Model& model_;
  std::vector<sim::ProcessSetup> setups_;  ///< of the model's clients, each once
  Answers answers_;
  Ways fresh_;                                  ///< a client of each setup, as it begins
  std::map<std::string, std::string> scripts_;  ///< file names by SHA-1
  std::vector<std::string> bodies_;
  std::vector<Account> accounts_;                           ///< the least doubtful one first
  std::map<std::shared_ptr<const WireClient>, Ways> ways_;  ///< of the request under way
  std::map<int, Database> databases_;
  WireLikeness likeness_;
};

Walk::Database& Walk::database_of(const WireRequest& real) {
  auto& database = databases_[real.database];
  const sim::WallTime now{real.time_us / kUsOfMs};
  if (!database.server) {
    sim::ServerMode mode;
    mode.version = model_.server;
    database.server = std::make_unique<sim::Server>(mode, now);
    const auto session = database.server->open();
    for (const auto& body : bodies_) database.server->submit(session, {"SCRIPT", "LOAD", body});
  }
  if (now > database.server->now())
    deliver_all(database, database.server->advance_to(now), real.time_us);
  return database;
}

/// An EVALSHA that the server did not know: its client sends the script next, behind others of the
/// same script that were sent before its answer came.
bool Walk::was_unknown(std::size_t place) const {
  const auto& real = log_[place];
  if (sim::lower_case(real.request[0]) != "evalsha" || real.request.size() < 2) return false;
  const std::string sha = sim::lower_case(real.request[1]);
  const auto next = std::find_if(
      log_.begin() + static_cast<std::ptrdiff_t>(place) + 1, log_.end(),
      [&](const WireRequest& other) {
        const bool same = sim::lower_case(other.request[0]) == "evalsha" &&
                          other.request.size() > 1 && sim::lower_case(other.request[1]) == sha;
        return other.connection == real.connection && !same;
      });
  return next != log_.end() && sim::lower_case(next->request[0]) != "evalsha" &&
         sha_of_sent(next->request) == sha;
}

void Walk::take(std::size_t place) {
  const auto& real = log_[place];
  if (greets(real.request)) {
    likeness_.greetings += 1;
    if (loads_script(real.request)) execute(real, false);
    return;
  }
  database_of(real);  // what was due before it comes first
  auto next = accounts_with(real);
  if (next.empty()) {
    if (belongs_to_lock(real)) return differ(place);
    likeness_.others += 1;
    if (likeness_.other_requests.size() < kMostOthers)
      likeness_.other_requests.push_back(real.request);
    return execute(real, false);
  }
  const bool unknown = was_unknown(place);
  accounts_ = std::move(next);
  for (auto& account : accounts_) take_as_sent(account, place, unknown);
  unknown ? likeness_.greetings += 1 : likeness_.alike += 1;
  if (!unknown) execute(real, true);
}

/// The ways in which clients may have sent this, too.
std::vector<Account> Walk::accounts_with(const WireRequest& real) {
  ways_.clear();
  std::vector<Account> all;
  for (const auto& account : accounts_) go_on_with(account, real, all);
  std::ranges::stable_sort(all, {}, &Account::doubts);
  if (all.size() > kMostAccounts) all.resize(kMostAccounts);
  return all;
}
const Walk::Ways& Walk::ways_of(const std::shared_ptr<const WireClient>& client,
                                const WireRequest& real) {
  const auto [place, added] = ways_.try_emplace(client);
  if (added)
    for (auto& way : client->sending(real, kMostWays))
      place->second.push_back(std::make_shared<const WireClient>(std::move(way)));
  return place->second;
}

/// Where all tasks of a client share a connection, no other client does.
bool Walk::may_send(const Account& account, std::size_t client,
                    const std::string& connection) const {
  if (!model_.program->shared_connection()) return true;
  for (std::size_t i = 0; i < account.clients.size(); ++i)
    if (i != client && account.clients[i].connections.contains(connection)) return false;
  return true;
}

/// No two clients draw the same token.
bool takes_a_token(const WireClient& found, const Account& account, std::size_t client) {
  const auto tokens = found.stand_ins().tokens();
  for (std::size_t i = 0; i < account.clients.size(); ++i) {
    if (i == client) continue;
    for (const auto& token : account.clients[i].client->stand_ins().tokens())
      if (tokens.contains(token)) return true;
  }
  return false;
}

void Walk::go_on_with(const Account& account, const WireRequest& real, std::vector<Account>& all) {
  const auto try_ways = [&](std::size_t client, const Ways& ways) {
    if (!may_send(account, client, real.connection)) return;
    for (const auto& way : ways) {
      if (takes_a_token(*way, account, client)) continue;
      auto next = account;
      if (client == next.clients.size()) next.clients.emplace_back();
      auto& known = next.clients[client];
      known.client = way;
      next.sender = client;
      const bool stray = !known.connections.empty() && !known.connections.contains(real.connection);
      next.strays += stray && !way->matched().subscribes ? 1 : 0;
      all.push_back(std::move(next));
    }
  };
  for (std::size_t i = account.clients.size(); i-- > 0;)
    try_ways(i, ways_of(account.clients[i].client, real));
  for (const auto& fresh : fresh_) try_ways(account.clients.size(), ways_of(fresh, real));
}

void Walk::take_as_sent(Account& account, std::size_t place, bool unknown) {
  const auto& real = log_[place];
  auto& known = account.clients[account.sender];
  known.connections.insert(real.connection);
  known.sent.push_back(place);
  const auto& awaited = known.client->matched();
  if (unknown && sim::lower_case(awaited.request[0]) == "eval") return;  // it comes next
  const bool listens = awaited.subscribes;
  auto& client = account.changed(account.sender);
  const auto task = client.take_matched();
  if (unknown)
    client.answered(task, sim::Reply::error("NOSCRIPT No matching script. Please use EVAL."),
                    real.time_us);
  else
    account.waiting[real.connection].push_back({account.sender, task, listens});
}

void Walk::execute(const WireRequest& real, bool of_lock) {
  auto& database = database_of(real);
  auto session = database.sessions.find(real.connection);
  if (session == database.sessions.end())
    session = database.sessions.emplace(real.connection, database.server->open()).first;
  try {
    deliver_all(database, database.server->submit(session->second, real.request), real.time_us);
  } catch (const sim::BadInput&) {
    if (of_lock) throw;  // of what has nothing to do with the lock it does not matter
  }
}

void Walk::deliver_all(Database& database, const std::vector<sim::Delivery>& deliveries,
                       std::int64_t time_us) {
  for (const auto& [session, reply] : deliveries)
    for (const auto& [connection, id] : database.sessions)
      if (id == session) deliver(connection, reply, time_us);
}

void Walk::deliver(const std::string& connection, const sim::SharedReply& reply,
                   std::int64_t time_us) {
  for (auto& account : accounts_) {
    auto& waiting = account.waiting[connection];
    if (waiting.empty()) continue;
    const auto [client, task, listens] = waiting.front();
    if (!listens) waiting.erase(waiting.begin());
    account.changed(client).answered(task, reply, time_us);
  }
}

bool Walk::belongs_to_lock(const WireRequest& real) {
  if (scripts_.contains(sha_of_sent(real.request))) return true;
  return std::ranges::any_of(best().clients, [&](const Known& known) {
    return std::ranges::any_of(real.request.begin() + 1, real.request.end(),
                               [&](const std::string& argument) {
                                 return known.client->stand_ins().knows_part_of(argument);
                               });
  });
}

/// Beside what the client could send whose token it names, or whose connection it came on.
void Walk::differ(std::size_t place) {
  const auto& real = log_[place];
  const auto names_token = [&](const Known& known) {
    const auto tokens = known.client->stand_ins().tokens();
    return std::ranges::any_of(tokens, [&](const std::string& token) {
      return std::ranges::find(real.request, token) != real.request.end();
    });
  };
  const auto& clients = best().clients;
  auto sender = std::ranges::find_if(clients, names_token);
  if (sender == clients.end())
    sender = std::ranges::find_if(
        clients, [&](const Known& known) { return known.connections.contains(real.connection); });
  WireDifference difference;
  difference.sent = real;
  difference.possible =
      sender == clients.end() ? first_requests() : sender->client->possible(real.time_us);
  std::ranges::stable_sort(difference.possible, std::greater{}, [&](const Awaited& each) {
    return likeness(each.request, real.request);
  });
  if (sender != clients.end())
    for (const auto before : sender->sent) difference.before.push_back(log_[before]);
  if (difference.before.size() > kShownBefore)
    difference.before.erase(difference.before.begin(),
                            difference.before.end() - static_cast<std::ptrdiff_t>(kShownBefore));
  likeness_.difference = std::move(difference);
}

/// A client that waits for the lock may be given up at any time; one that has it, or gives it back,
/// sends what the program sends without being asked. What one account lacks another one may not.
void Walk::expect_nothing_more(bool complete) {
  for (std::size_t a = 0; a < accounts_.size(); ++a) {
    std::optional<WireDifference> lacks;
    for (std::size_t i = 0; i < accounts_[a].clients.size() && !lacks; ++i) {
      auto& client = accounts_[a].changed(i);
      client.hear_out();
      const auto& sent = accounts_[a].clients[i].sent;
      const auto since_us = log_.back().time_us - log_[sent.back()].time_us;
      const bool over = complete || since_us > kStillGoesOn_us;
      if (client.awaited().empty() || !over || client.acquires()) continue;
      lacks.emplace();
      for (auto each : client.awaited()) {
        for (auto& argument : each.request) argument = client.stand_ins().as_real(argument);
        lacks->possible.push_back(std::move(each));
      }
      for (const auto before : sent) lacks->before.push_back(log_[before]);
    }
    if (!lacks) {
      std::swap(accounts_.front(), accounts_[a]);
      likeness_.difference.reset();
      return;
    }
    if (a == 0) likeness_.difference = std::move(lacks);
  }
}

/// What a new client can begin with.
std::vector<Awaited> Walk::first_requests() const {
  std::vector<Awaited> all;
  for (const auto& fresh : fresh_)
    for (auto& each : fresh->possible(log_[0].time_us))
      if (std::ranges::find(all, each.request, &Awaited::request) == all.end())
        all.push_back(std::move(each));
  return all;
}

/// Nothing is alike: the request that comes closest to a first one.
void Walk::show_nearest() {
  const auto first = first_requests();
  std::size_t nearest = 0, most = 0;
  for (std::size_t i = 0; i < log_.size(); ++i)
    for (const auto& each : first)
      if (!greets(log_[i].request) && likeness(each.request, log_[i].request) > most) {
        most = likeness(each.request, log_[i].request);
        nearest = i;
      }
  if (most > 0) differ(nearest);
  likeness_.begins = first;
}

/// A script may be a part of the one that is sent.
void Walk::note_unsent() {
  std::set<std::string> sent;
  std::vector<std::string> texts;
  for (const auto& real : log_) {
    const auto sha = sha_of_sent(real.request);
    if (sha.empty()) continue;
    sent.insert(sha);
    texts.push_back(real.request[loads_script(real.request) ? 2 : 1]);
  }
  for (const auto& body : bodies_) {
    const auto sha = sim::sha1_hex(body);
    const bool is_part = std::ranges::any_of(
        texts, [&](const std::string& text) { return text.find(body) != std::string::npos; });
    if (!sent.contains(sha) && !is_part) likeness_.unsent.push_back(scripts_.at(sha));
  }
}

void Walk::add(const WireClient::Calls& calls) {
  likeness_.calls.acquired += calls.acquired;
  likeness_.calls.refused += calls.refused;
  likeness_.calls.released += calls.released;
  likeness_.calls.failed += calls.failed;
  likeness_.calls.lost += calls.lost;
}

}  // namespace

WireLikeness compare_with_program(const std::vector<WireRequest>& log, const sim::Model& model,
                                  bool complete) {
  LOCKSTEP_CHECK(!log.empty() && !model.processes.empty());
  return Walk(log, model).result(complete);
}

}  // namespace lockstep::live
