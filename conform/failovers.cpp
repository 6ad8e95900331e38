// The random steps of a sequence with a failover; see conform/replicas.hpp.
#include <algorithm>

#include "conform/commands.hpp"
#include "conform/likeness.hpp"
#include "conform/replicas.hpp"
#include "conform/step_source.hpp"
#include "sim/base/sha1.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::conform {

namespace {

/// A text of a script that the request leaves in the cache of its server, if any.
const std::string* cached_by(const sim::Request& request) {
  if (request.size() < 3) return nullptr;
  if (sim::is_word(request[0], "eval") || sim::is_word(request[0], "eval_ro")) return &request[1];
  const bool loads = sim::is_word(request[0], "script") && sim::is_word(request[1], "load");
  return loads ? &request[2] : nullptr;
}

class Failover {
 public:
  Failover(std::uint64_t seed, const std::vector<std::string>& scripts,
           const Repertoire& repertoire)
      : dice_(seed), source_(scripts, repertoire, dice_) {}

  std::vector<Step> steps() {
    to_master(0, 5 + dice_.below(35));
    if (dice_.one_in(3)) to_replica(1, 1 + dice_.below(10));
    for (std::size_t cuts = 1 + dice_.below(3); cuts > 0; --cuts) {
      cut();
      if (cuts == 1 && !dice_.one_in(6)) break;
      do_ours({kCatchUp});
      if (dice_.one_in(2)) to_replica(1, 1 + dice_.below(6));
      if (dice_.one_in(2)) to_master(0, 1 + dice_.below(10));
    }
    do_ours({kFailover});
    if (dice_.one_in(2)) to_master(1, 1 + dice_.below(12));
    if (dice_.one_in(2)) run_known_script(1);
    if (dice_.one_in(2)) to_master(0, 1 + dice_.below(12));
    do_ours({kFollow});
    if (dice_.one_in(2)) to_replica(0, 1 + dice_.below(8));
    return std::move(steps_);
  }

 private:
  void do_ours(sim::Request request) { steps_.push_back({0, std::move(request)}); }

  void cut() {
    ages_ = dice_.one_in(4);
    const std::string aged[] = {random_word('K', dice_), random_word('K', dice_),
                                random_word('T', dice_)};
    if (ages_)
      do_ours({kAge, aged[0], aged[1], aged[2]});
    else
      do_ours({kLag});
    for (std::size_t i = 0; i < (ages_ ? 3 : 0); ++i) read(1, aged[i]);
    to_master(0, 1 + dice_.below(12));
    if (dice_.one_in(2)) do_ours({kPart, std::to_string(dice_.below(1'000'000))});
    if (dice_.one_in(6)) do_ours({kAcknowledged});
    to_replica(1, 2 + dice_.below(12));
    if (dice_.one_in(3)) to_master(0, 1 + dice_.below(8));
    if (dice_.one_in(3)) to_replica(1, 1 + dice_.below(6));
  }

  /// As a replica sees it, whatever it has still stored.
  void read(std::size_t server, const std::string& key) {
    const auto* how = dice_.of({"EXISTS", "TYPE", "PTTL", "DUMP", "GET", "TOUCH", "PEXPIRETIME",
                                "SMEMBERS", "HGETALL", "LLEN", "ZCARD"});
    add({0, {how, key}}, server);
  }

  void to_master(std::size_t server, std::size_t count) {
    while (count > 0) {
      Step step = source_.next();
      // What a WAIT here tells, and ROLE, hangs on when the replica has last said how far it is.
      const auto name = sim::lower_case(step.request[0]);
      if (is_one_of(name, {"role", "wait"}) || (server == 1 && name == "object")) continue;
      if (const auto* text = cached_by(step.request)) known_.push_back(*text);
      if (step.request[0] == kExpire) expired_ = true;
      add(std::move(step), server);
      --count;
    }
  }

  void to_replica(std::size_t server, std::size_t count) {
    while (count > 0) {
      if (dice_.one_in(10)) {
        run_known_script(server);
        --count;
        continue;
      }
      Step step = source_.next();
      if (!is_for_replica(step.request)) continue;
      add(std::move(step), server);
      --count;
    }
  }

  /// The others: docs/differences.md, "Replicas".
  bool is_for_replica(const sim::Request& request) const {
    const auto name = sim::lower_case(request[0]);
    const bool counts_expired = is_one_of(name, {"dbsize", "randomkey"});
    return request[0][0] != '!' && !is_one_of(name, {"role", "watch", "object"}) &&
           name.find("subscribe") == std::string::npos && !(counts_expired && (ages_ || expired_));
  }

  /// By its hash: what was loaded at one server is not known to the other.
  void run_known_script(std::size_t server) {
    if (known_.empty()) return;
    const auto sha1 = sim::sha1_hex(known_[dice_.below(known_.size())]);
    sim::Request request{dice_.one_in(4) ? "EVALSHA_RO" : "EVALSHA", sha1, "1",
                         random_word('K', dice_), random_word('V', dice_)};
    if (dice_.one_in(4)) request = {"SCRIPT", "EXISTS", sha1};
    add({0, std::move(request)}, server);
  }

  void add(Step step, std::size_t server) {
    step.server = server;
    steps_.push_back(std::move(step));
  }

  Dice dice_;
  StepSource source_;
  std::vector<Step> steps_;
  std::vector<std::string> known_;  ///< scripts
  bool ages_ = false;               ///< the replica may hold what has expired
  bool expired_ = false;            ///< so it may, until its master has noticed
};

}  // namespace

std::vector<Step> random_failover(std::uint64_t seed, const std::vector<std::string>& scripts,
                                  const Repertoire& repertoire) {
  return Failover(seed, scripts, repertoire).steps();
}

}  // namespace lockstep::conform
