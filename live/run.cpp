// Threads for the clients, then the judgement of what is left; see the header.
#include "live/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "live/observer.hpp"
#include "live/ownership.hpp"
#include "live/participant.hpp"
#include "live/probe.hpp"
#include "live/real_server.hpp"
#include "live/wording.hpp"
#include "sim/base/error.hpp"
#include "sim/model/lease_keys.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{5};
constexpr milliseconds kGrace{5000};  // beyond two leases, for the rounds under way

/// The limit on observations is for searches, which a loop without boundaries would keep for ever.
/// A live run ends by its time.
constexpr sim::ProgramLimits kLimits{.observations = 1'000'000};

/// The keys that the protocol declares for its locks.
struct Names {
  std::set<std::string> leases, permanent, all;
};

Names names_of(const sim::Model& model) {
  Names names;
  names.leases = sim::lease_keys(model);
  for (const auto& setup : model.processes)
    for (const auto& lock : setup.lock_keys)
      for (const auto& key : model.program->permanent_keys(lock)) names.permanent.insert(key);
  names.all = names.leases;
  names.all.insert(names.permanent.begin(), names.permanent.end());
  return names;
}

/// A client with the program that is its own, and its thread.
struct Player {
  Player(const sim::Program& shared, Part part, Referee& referee, Ownership* ownership)
      : program(shared.folder(), kLimits),
        participant(program, std::move(part), referee, ownership) {}

  sim::Program program;
  Participant participant;
  std::atomic<bool> ended = false;
  std::thread thread;
};

using Players = std::vector<std::unique_ptr<Player>>;

Players players_of(const sim::Model& model, const std::vector<Address>& addresses, Referee& referee,
                   Ownership* ownership) {
  Players players;
  for (const auto& setup : model.processes) {
    Part part;
    part.process = static_cast<std::uint8_t>(players.size());
    part.setup = setup;
    part.request_timeout_ms = model.request_timeout_ms;
    part.addresses = addresses;
    players.push_back(std::make_unique<Player>(*model.program, part, referee, ownership));
  }
  return players;
}

/// Runs all to their end. False if some had to be stopped.
bool play(Players& players, const sim::Model& model, double seconds, Referee& referee) {
  for (auto& player : players)
    player->thread = std::thread([&player = *player] {
      player.participant.run();
      player.ended = true;
    });
  const auto wind_down = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(seconds));
  const auto stop = wind_down + 2 * milliseconds(model.processes.front().lease_ms) + kGrace;
  const auto all_ended = [&] {
    return std::all_of(players.begin(), players.end(),
                       [](const auto& p) { return p->ended.load(); });
  };
  bool complete = true;
  while (!all_ended()) {
    if (Clock::now() >= wind_down) referee.wind_down();
    if (Clock::now() >= stop) {
      complete = false;
      referee.stop();
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  for (auto& player : players) player->thread.join();
  return complete;
}

/// Of what is asked, what is judged by who has made which key.
std::set<sim::Property> owned(const std::set<sim::Property>& asked, bool one_node) {
  std::set<sim::Property> properties;
  std::copy_if(asked.begin(), asked.end(), std::inserter(properties, properties.end()),
               [&](auto property) {
                 return needs_ownership(property) && (one_node || !is_of_calls(property));
               });
  return properties;
}

/// The last look at the keys, and what came of all of them.
void close(Ownership& ownership, const std::vector<Address>& addresses,
           const std::set<sim::Property>& by_ownership, LiveResult& result) {
  for (std::size_t node = 0; node < addresses.size(); ++node) {
    Connection connection(addresses[node]);
    ownership.close(connection, static_cast<std::uint8_t>(node));
  }
  result.not_judged_because = ownership.lost_because();
  if (!result.not_judged_because.empty()) result.not_judged = by_ownership;
}

/// What these judges cannot see.
void leave_unjudged(const std::set<sim::Property>& asked, bool one_node, LiveResult& result) {
  const auto leave = [&](const auto& is_left, const char* because) {
    const auto before = result.not_judged.size();
    std::copy_if(asked.begin(), asked.end(),
                 std::inserter(result.not_judged, result.not_judged.end()), is_left);
    if (result.not_judged.size() == before) return;
    auto& all = result.not_judged_because;
    all += (all.empty() ? "" : "; ") + std::string(because);
  };
  leave([&](auto property) { return !one_node && is_of_calls(property); },
        "nobody sees the keys of several nodes at one instant");
  leave([](auto property) { return row(property).live == sim::LiveJudge::nobody; },
        "nobody sees what all clients believe at one instant");
}

void collect(const sim::Model& model, const Referee& referee, LiveResult& result) {
  result.figures = referee.figures();
  for (auto& violation : referee.violations())
    if (model.properties.contains(violation.property))
      result.violations.push_back(std::move(violation));
}

/// What somebody else does to the keys is no fault of the lock.
void judge_nothing(const sim::Model& model, LiveResult& result) {
  result.violations.clear();
  result.not_judged = model.properties;
}

/// A key that stays for ever, and that is not meant to.
std::string left_for_ever(const Address& address, const Names& names) {
  for (const auto& [name, key] : Observer(address, names.leases).keys())
    if (!key.left_ms && !names.permanent.contains(name)) return name;
  return "";
}

void judge_end(const sim::Model& model, const std::vector<Address>& addresses, const Names& names,
               std::int64_t patience_ms, std::vector<LiveViolation>& violations) {
  if (model.properties.contains(sim::Property::leak)) {
    for (std::size_t node = 0; node < addresses.size(); ++node) {
      auto name = left_for_ever(addresses[node], names);
      if (name.empty()) continue;
      if (addresses.size() > 1)
        name += " on " + worded_node(model, static_cast<std::uint8_t>(node));
      violations.push_back({sim::Property::leak,
                            fmt::format("everybody is done, and the key {} stays for ever", name),
                            {}});
      break;
    }
  }
  if (model.properties.contains(sim::Property::deadlock) &&
      !fresh_client_acquires({model, addresses, 0, patience_ms}))
    violations.push_back(
        {sim::Property::deadlock, "everybody is done, and a fresh client cannot acquire", {}});
}

/// The run's own eyes, one for each server.
class Observers {
 public:
  /// Throws BadInput if one of the names exists already.
  Observers(const std::vector<Address>& addresses, const Names& names) {
    std::set<std::pair<std::string, int>> known;
    for (const auto& address : addresses) {
      auto& observer = observers_.emplace_back(address, names.all);
      const auto server =
          info_field(observer.connection().execute({"INFO", "server"}).text, "run_id");
      if (!server.empty() && !known.emplace(server, address.database).second)
        throw sim::BadInput(fmt::format(
            "{}: the same server and database as a node before: each has one of its own",
            address.shown()));
      if (const auto name = observer.existing(names.all); !name.empty())
        throw sim::BadInput(fmt::format(
            "{}: the key {} exists already: name a server or a database on which nobody uses it",
            address.shown(), name));
    }
  }

  /// Each version once.
  std::string versions() {
    std::set<std::string> versions;
    for (auto& observer : observers_) versions.insert(observer.server().shown);
    return fmt::format("{}", fmt::join(versions, ", "));
  }
  void remove(const Observer::Names& names) {
    for (auto& observer : observers_) observer.remove(names);
  }

 private:
  std::deque<Observer> observers_;
};

/// What is asked for needs more than what the clients say.
bool is_watched(const std::set<sim::Property>& asked, bool one_node) {
  return !owned(asked, one_node).empty() || asked.contains(sim::Property::leak) ||
         asked.contains(sim::Property::deadlock);
}

}  // namespace

LiveResult run(const sim::Model& model, const std::vector<Address>& addresses, double seconds,
               std::int64_t patience_ms) {
  const auto names = names_of(model);
  const bool one_node = addresses.size() == 1;
  Observers observers(addresses, names);
  LiveResult result;
  result.server = observers.versions();
  Referee referee(model);
  std::optional<Ownership> ownership;
  if (is_watched(model.properties, one_node)) ownership.emplace(model, referee);
  auto players = players_of(model, addresses, referee, ownership ? &*ownership : nullptr);
  const auto start = Clock::now();
  const bool complete = play(players, model, seconds, referee);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const bool spawned = std::any_of(players.begin(), players.end(), [](const auto& player) {
    return player->participant.has_spawned();
  });
  result.cut_short = !complete || spawned;
  auto left = names.all;
  if (ownership) left.insert(ownership->envelope().order_key());
  try {
    referee.rethrow();
    if (ownership) close(*ownership, addresses, owned(model.properties, one_node), result);
    leave_unjudged(model.properties, one_node, result);
    collect(model, referee, result);
    if (ownership && ownership->others_write())
      judge_nothing(model, result);
    else if (!result.cut_short)
      judge_end(model, addresses, names, patience_ms, result.violations);
  } catch (...) {
    observers.remove(left);
    throw;
  }
  observers.remove(left);
  return result;
}

}  // namespace lockstep::live
