// Walks through a log with client programs; see the header.
#include "live/wire_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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

/// "": it runs none.
std::string sha_of_script(const sim::Request& request) {
  if (loads_script(request)) return sim::sha1_hex(request[2]);
  if (request.size() < 2) return "";
  const auto name = sim::lower_case(request[0]);
  return name == "eval"      ? sim::sha1_hex(request[1])
         : name == "evalsha" ? sim::lower_case(request[1])
                             : "";
}

/// What in a request is the same in another, for the one to show if none fits.
std::size_t likeness(const sim::Request& a, const sim::Request& b) {
  std::size_t same = sim::lower_case(a[0]) == sim::lower_case(b[0]) ? 10 : 0;
  for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i) same += a[i] == b[i] ? 1 : 0;
  return same;
}

/// The scripts of a protocol's folder: file name by SHA-1.
std::map<std::string, std::string> scripts_of(const sim::Program& program,
                                              std::vector<std::string>& bodies) {
  std::map<std::string, std::string> scripts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(program.folder())) {
    if (!entry.is_regular_file()) continue;
    auto body = sim::file_text(entry.path());
    const auto name = program.script_name(body);
    if (name.empty()) continue;
    scripts[sim::sha1_hex(body)] = name;
    bodies.push_back(std::move(body));
  }
  return scripts;
}

class Walk {
 public:
  Walk(const std::vector<WireRequest>& log, const sim::Model& model) : log_(log), model_(model) {
    for (auto setup : model.processes) {
      setup.rounds = 0;
      for (std::size_t lock = 0; lock < setup.lock_keys.size(); ++lock)
        setup.lock_keys[lock] = StandIns::fresh_key(lock);
      if (std::ranges::find(setups_, setup) == setups_.end()) setups_.push_back(std::move(setup));
    }
    std::vector<std::string> bodies;
    scripts_ = scripts_of(*model.program, bodies);
    bodies_ = std::move(bodies);
  }

  WireLikeness result(bool complete) {
    for (std::size_t i = 0; i < log_.size() && !likeness_.difference; ++i) take(i);
    if (!likeness_.difference) expect_nothing_more(complete);
    if (likeness_.alike == 0) show_nearest();
    for (auto& each : clients_) {
      each.client->hear_out();
      add(each.client->calls());
      const auto& off = each.client->off_times();
      likeness_.off_times.insert(likeness_.off_times.end(), off.begin(), off.end());
    }
    likeness_.clients = clients_.size();
    for (const auto& [sha, name] : scripts_)
      if (!sent_scripts_.contains(sha)) likeness_.unsent.push_back(name);
    return std::move(likeness_);
  }

 private:
  struct Known {
    std::unique_ptr<WireClient> client;
    std::set<std::string> connections;
    std::vector<std::size_t> sent;  ///< places in the log
  };
  /// Who waits for a reply on a connection.
  struct Waiting {
    std::size_t client = 0;
    sim::TaskId task = 0;
    bool listens = false;
  };
  /// One database, and who is connected to it.
  struct Database {
    std::unique_ptr<sim::Server> server;
    std::map<std::string, sim::SessionId> sessions;
    std::map<sim::SessionId, std::vector<Waiting>> waiting;
  };

  void take(std::size_t place);
  std::optional<std::size_t> sender_of(const WireRequest& real);
  bool matched(std::size_t place);
  bool belongs_to_lock(const WireRequest& real) const;
  void differ(std::size_t place);
  void execute(const WireRequest& real, const Waiting* waiting);
  void deliver(Database& database, const std::vector<sim::Delivery>& deliveries,
               std::int64_t time_us);
  Database& database_of(const WireRequest& real);
  bool was_unknown(std::size_t place) const;
  void expect_nothing_more(bool complete);
  std::vector<Awaited> first_requests();
  void show_nearest();
  void add(const WireClient::Calls& calls);
  std::vector<std::size_t> clients_for(const WireRequest& real) const;
  bool takes_a_token(const WireClient& found, std::size_t client) const;

  const std::vector<WireRequest>& log_;
  const sim::Model& model_;
  std::vector<sim::ProcessSetup> setups_;  ///< of the model's clients, each once
  Answers answers_;
  std::map<std::string, std::string> scripts_;  ///< file names by SHA-1
  std::vector<std::string> bodies_;
  std::set<std::string> sent_scripts_;
  std::vector<Known> clients_;
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
    deliver(database, database.server->advance_to(now), real.time_us);
  return database;
}

/// An EVALSHA that the server did not know: its client sends the script next.
bool Walk::was_unknown(std::size_t place) const {
  const auto& real = log_[place];
  if (sim::lower_case(real.request[0]) != "evalsha" || real.request.size() < 2) return false;
  const auto next =
      std::find_if(log_.begin() + static_cast<std::ptrdiff_t>(place) + 1, log_.end(),
                   [&](const WireRequest& other) { return other.connection == real.connection; });
  return next != log_.end() && sim::lower_case(next->request[0]) != "evalsha" &&
         sha_of_script(next->request) == sim::lower_case(real.request[1]);
}

/// Those whose token it names come first, then those that have sent on its connection, the last one
/// first; then the others.
std::vector<std::size_t> Walk::clients_for(const WireRequest& real) const {
  std::vector<std::size_t> order;
  for (std::size_t i = clients_.size(); i-- > 0;) order.push_back(i);
  std::ranges::stable_partition(
      order, [&](std::size_t i) { return clients_[i].connections.contains(real.connection); });
  std::ranges::stable_partition(order, [&](std::size_t i) {
    return std::ranges::any_of(clients_[i].client->stand_ins().tokens(), [&](const auto& token) {
      return std::ranges::find(real.request, token) != real.request.end();
    });
  });
  return order;
}

/// No two clients draw the same token.
bool Walk::takes_a_token(const WireClient& found, std::size_t client) const {
  const auto tokens = found.stand_ins().tokens();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (i == client) continue;
    for (const auto& token : clients_[i].client->stand_ins().tokens())
      if (tokens.contains(token)) return true;
  }
  return false;
}

void Walk::take(std::size_t place) {
  const auto& real = log_[place];
  const auto sha = sha_of_script(real.request);
  if (!sha.empty()) sent_scripts_.insert(sha);
  if (greets(real.request)) {
    likeness_.greetings += 1;
    if (loads_script(real.request)) execute(real, nullptr);
    return;
  }
  database_of(real);  // what was due before it comes first
  if (matched(place)) return;
  if (belongs_to_lock(real)) return differ(place);
  likeness_.others += 1;
  execute(real, nullptr);
}

/// Who sends it, in some way; a new client if nobody else does.
std::optional<std::size_t> Walk::sender_of(const WireRequest& real) {
  for (const auto i : clients_for(real)) {
    const auto found = clients_[i].client->sending(real);
    if (found && !takes_a_token(*found, i)) {
      clients_[i].client = std::make_unique<WireClient>(*found);
      return i;
    }
  }
  for (const auto& setup : setups_) {
    const auto found = WireClient(*model_.program, setup, answers_).sending(real);
    if (found && !takes_a_token(*found, clients_.size())) {
      clients_.push_back({std::make_unique<WireClient>(*found), {}, {}});
      return clients_.size() - 1;
    }
  }
  return std::nullopt;
}

bool Walk::matched(std::size_t place) {
  const auto& real = log_[place];
  const auto sender = sender_of(real);
  if (!sender) return false;
  auto& known = clients_[*sender];
  known.connections.insert(real.connection);
  known.sent.push_back(place);
  const auto& awaited = known.client->matched();
  const bool unknown = was_unknown(place);
  if (unknown && sim::lower_case(awaited.request[0]) == "eval") {  // the script itself comes next
    likeness_.greetings += 1;
    return true;
  }
  likeness_.alike += 1;
  const bool listens = awaited.subscribes;
  const Waiting waiting{*sender, known.client->take_matched(), listens};
  if (unknown)
    known.client->answered(waiting.task,
                           sim::Reply::error("NOSCRIPT No matching script. Please use EVAL."),
                           real.time_us);
  else
    execute(real, &waiting);
  return true;
}

void Walk::execute(const WireRequest& real, const Waiting* waiting) {
  auto& database = database_of(real);
  auto session = database.sessions.find(real.connection);
  if (session == database.sessions.end())
    session = database.sessions.emplace(real.connection, database.server->open()).first;
  if (waiting) database.waiting[session->second].push_back(*waiting);
  try {
    deliver(database, database.server->submit(session->second, real.request), real.time_us);
  } catch (const sim::BadInput&) {
    if (waiting) throw;  // of what has nothing to do with the lock it does not matter
  }
}

void Walk::deliver(Database& database, const std::vector<sim::Delivery>& deliveries,
                   std::int64_t time_us) {
  for (const auto& [session, reply] : deliveries) {
    auto& waiting = database.waiting[session];
    if (waiting.empty()) continue;
    const auto [client, task, listens] = waiting.front();
    if (!listens) waiting.erase(waiting.begin());
    clients_[client].client->answered(task, reply, time_us);
  }
}

bool Walk::belongs_to_lock(const WireRequest& real) const {
  if (scripts_.contains(sha_of_script(real.request))) return true;
  return std::ranges::any_of(clients_, [&](const Known& known) {
    return std::ranges::any_of(real.request.begin() + 1, real.request.end(),
                               [&](const std::string& argument) {
                                 return known.client->stand_ins().knows_part_of(argument);
                               });
  });
}

void Walk::differ(std::size_t place) {
  const auto& real = log_[place];
  WireDifference difference;
  difference.sent = real;
  const auto order = clients_for(real);
  const bool known = !order.empty();
  difference.possible =
      known ? clients_[order.front()].client->possible(real.time_us) : first_requests();
  std::ranges::stable_sort(difference.possible, std::greater{}, [&](const Awaited& each) {
    return likeness(each.request, real.request);
  });
  if (known)
    for (const auto before : clients_[order.front()].sent)
      difference.before.push_back(log_[before]);
  if (difference.before.size() > kShownBefore)
    difference.before.erase(difference.before.begin(),
                            difference.before.end() - static_cast<std::ptrdiff_t>(kShownBefore));
  likeness_.difference = std::move(difference);
}

/// A client that waits for the lock may be given up at any time; one that has it, or gives it back,
/// sends what the program sends without being asked.
void Walk::expect_nothing_more(bool complete) {
  for (auto& known : clients_) {
    known.client->hear_out();
    const auto& awaited = known.client->awaited();
    const auto last_us = log_[known.sent.back()].time_us;
    const bool over = complete || log_.back().time_us - last_us > kStillGoesOn_us;
    if (awaited.empty() || !over || known.client->acquires()) continue;
    WireDifference difference;
    for (auto each : awaited) {
      for (auto& argument : each.request) argument = known.client->stand_ins().as_real(argument);
      difference.possible.push_back(std::move(each));
    }
    for (const auto before : known.sent) difference.before.push_back(log_[before]);
    likeness_.difference = std::move(difference);
    return;
  }
}

/// What a new client can begin with.
std::vector<Awaited> Walk::first_requests() {
  std::vector<Awaited> all;
  for (const auto& setup : setups_)
    for (auto& each : WireClient(*model_.program, setup, answers_).possible(log_[0].time_us))
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
