// A lock on a replicated node is put together from ways to take it, to make sure of it, and to give
// it back.
#include "tests/checker/random_replicated_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// Where a command of the lock goes: to the node, seldom to a server of its own choice.
std::string call_of(Dice& dice, int servers, const std::string& command) {
  if (!dice.one_in(5)) return "redis(" + command + ")";
  return fmt::format("call({{ node = {}, {} }})", dice.from(1, servers), command);
}

/// A request that waits for a key, and what it is told.
std::string waiting(Dice& dice, int servers) {
  const std::string most = fmt::format("\"0.00{}\"", dice.from(1, 5));
  const std::string bound = dice.one_in(4) ? "0" : most;
  switch (dice.below(4)) {
    case 0:
      return fmt::format("redis(\"BLMOVE\", list, self.key, \"LEFT\", \"RIGHT\", {}) ~= nil",
                         bound);
    case 1:
      return fmt::format("redis(\"BZPOPMIN\", list, {}) ~= nil", bound);
    default:
      return call_of(dice, servers, "\"BLPOP\", list, " + bound) + " ~= nil";
  }
}

/// The lock is an element of a list, or the key with a list to wait at until it is free.
std::string taking_of_waits(Dice& dice, int servers) {
  const std::string wait = waiting(dice, servers);
  const bool sorted = wait.find("BZPOPMIN") != std::string::npos;
  std::string text = "  local list = self.key .. \":list\"\n";
  if (dice.one_in(3))
    return text + fmt::format(
                      "  local function take()\n"
                      "    return redis(\"SET\", self.key, self.token, \"NX\", \"PX\", "
                      "self.ttl_ms) == OK\n"
                      "  end\n"
                      "  local taken = take() or {} and take()\n",
                      wait);
  text += "  if redis(\"SETNX\", self.key .. \":init\", 1) == 1 then\n";
  text += sorted ? "    redis(\"ZADD\", list, 1, \"t\")\n" : "    redis(\"RPUSH\", list, \"t\")\n";
  return text + "  end\n  local taken = " + wait + "\n";
}

/// What wakes those that wait.
std::string giving_to_waits(Dice& dice, const std::string& taking) {
  if (taking.find("BZPOPMIN") != std::string::npos)
    return "redis(\"ZADD\", self.key .. \":list\", 1, self.token) == 1";
  if (taking.find("take()") == std::string::npos)
    return "redis(\"RPUSH\", self.key .. \":list\", \"t\") == 1";
  if (dice.one_in(2))
    return "redis(\"DEL\", self.key) == 1 and redis(\"RPUSH\", self.key .. \":list\", \"t\") > 0";
  return "redis(\"EVAL\", \"if redis.call('del', KEYS[1]) == 1 then\" ..\n"
         "    \" return redis.call('rpush', KEYS[2], 't') end return 0\", 2, self.key, self.key .. "
         "\":list\") > 0";
}

std::string taking(Dice& dice, int servers) {
  switch (dice.below(5)) {
    case 0:
      return "  local taken = redis(\"INCR\", self.key) == 1\n"
             "  redis(\"PEXPIRE\", self.key, self.ttl_ms)\n";
    case 1:
      return fmt::format(
          "  if {} ~= nil then return false end\n"
          "  local taken = redis(\"SET\", self.key, self.token, \"PX\", self.ttl_ms) == OK\n",
          call_of(dice, servers, "\"GET\", self.key"));
    case 2:
      return "  redis(\"MULTI\")\n"
             "  redis(\"SET\", self.key, self.token, \"NX\", \"PX\", self.ttl_ms)\n"
             "  local taken = redis(\"EXEC\")[1] == OK\n";
    default:
      return "  local taken = " +
             call_of(dice, servers, "\"SET\", self.key, self.token, \"NX\", \"PX\", self.ttl_ms") +
             " == OK\n";
  }
}

std::string giving_back(Dice& dice, int servers) {
  switch (dice.below(4)) {
    case 0:
      return call_of(dice, servers, "\"DEL\", self.key") + " == 1";
    case 1:
      return call_of(dice, servers, "\"GET\", self.key") +
             " == self.token and redis(\"DEL\", self.key) == 1";
    default:
      return call_of(dice, servers,
                     "\"EVAL\", \"if redis.call('get', KEYS[1]) == ARGV[1] then\" ..\n"
                     "    \" return redis.call('del', KEYS[1]) end return 0\", 1, self.key, "
                     "self.token") +
             " == 1";
  }
}

std::string protocol_of(Dice& dice, int nodes, int replicas) {
  const int servers = nodes * (1 + replicas);
  std::string text = fmt::format(
      "local Lock = protocol {{ title = \"a random lock\", source = \"a seed\"{}{} }}\n",
      dice.one_in(5) ? ", shared_connection = true" : "", dice.one_in(5) ? ", greets = true" : "");
  const bool waits = dice.one_in(4);
  const std::string take = waits ? taking_of_waits(dice, servers) : taking(dice, servers);
  const std::string give = waits ? giving_to_waits(dice, take) : giving_back(dice, servers);
  text += "local function give_back(self)\n  return " + give + "\nend\n";
  text += "function Lock:acquire()\n";
  text += dice.one_in(6) ? "  self.token = \"x\"\n" : "  self.token = unique()\n";
  if (dice.one_in(8)) text += "  redis(\"SELECT\", 1)\n";
  text += take;
  text += "  if not taken then return false end\n";
  if (dice.one_in(2)) {
    text += fmt::format("  local got = redis(\"WAIT\", {}, {})\n", dice.from(0, replicas + 1),
                        dice.from(1, 6));
    text += fmt::format("  if got >= {} then return true end\n", dice.from(1, replicas));
    if (!dice.one_in(4)) text += "  give_back(self)\n";
    text += "  return false\n";
  } else {
    text += "  return true\n";
  }
  text += "end\nfunction Lock:release()\n";
  if (dice.one_in(4))
    text += "  local ok, freed = pcall(give_back, self)\n  return not ok or freed\n";
  else
    text += "  return give_back(self)\n";
  return text + "end\nreturn Lock\n";
}

sim::Property property_of(Dice& dice) {
  if (dice.one_in(2)) return sim::Property::mutual_exclusion;
  return random_property(dice, sim::Property::deadlock);
}

void add_faults(Dice& dice, sim::Model& model) {
  using sim::Fault;
  for (std::int64_t faults = dice.from(0, 5) / 2; faults > 0; --faults)
    ++model.budget[static_cast<std::size_t>(dice.of<Fault>(
        {Fault::lag, Fault::lag, Fault::failover, Fault::failover, Fault::failover, Fault::pause,
         Fault::delay, Fault::lose, Fault::crash, Fault::jump, Fault::node_crash, Fault::power_loss,
         Fault::evict, Fault::flush, Fault::oom, Fault::cut}))];
  const bool lags = model.budget[static_cast<std::size_t>(Fault::lag)] > 0;
  model.jumps_ms = {dice.from(1, 9), lags ? dice.from(1, 9) : -dice.from(1, 9)};
}

}  // namespace

RandomLock random_replicated_lock(std::uint32_t seed) {
  using Kind = sim::WorkStep::Kind;
  Dice dice(seed);
  RandomLock lock;
  const int nodes = dice.one_in(6) ? 2 : 1;
  const int replicas = dice.one_in(3) ? 2 : 1;
  sim::ProcessSetup process;
  process.lock_keys = {"lock"};
  process.lease_ms = dice.from(3, 9);
  process.nodes = nodes;
  process.replicas = replicas;
  process.workload = {{Kind::lock, 0, 0}};
  if (!dice.one_in(3))
    process.workload.push_back({dice.one_in(2) ? Kind::work : Kind::sleep, 0, dice.from(1, 9)});
  process.workload.push_back({Kind::unlock, 0, 0});
  if (dice.one_in(4)) process.rounds = 2;
  lock.protocol = protocol_of(dice, nodes, replicas);
  lock.model.processes.assign(dice.one_in(4) ? 1 : 2, process);
  if (dice.one_in(3)) lock.model.min_replicas = static_cast<int>(dice.from(1, replicas));
  lock.model.counts_gone_ms = dice.from(1, 9);
  lock.model.lists_gone_ms = dice.from(1, 9);
  add_faults(dice, lock.model);
  if (dice.one_in(6)) lock.model.request_timeout_ms = dice.from(1, 5);
  if (dice.one_in(5)) lock.model.pause_max_ms = dice.from(1, 6);
  if (dice.one_in(3)) lock.model.restart_after_ms = dice.from(1, 10);
  if (dice.one_in(6)) lock.model.server = sim::ServerVersion::redis_7_2;
  if (dice.one_in(4))
    for (int server = 0; server < nodes * (1 + replicas); ++server)
      lock.model.node_clocks_ms.push_back(dice.from(-3, 3));
  lock.model.persistence = dice.of<sim::Persistence>(
      {sim::Persistence::none, sim::Persistence::none, sim::Persistence::rdb,
       sim::Persistence::aof_always, sim::Persistence::aof_everysec});
  lock.model.properties = {property_of(dice)};
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  const auto budget = [&](sim::Fault fault) -> auto& {
    return lock.model.budget[static_cast<std::size_t>(fault)];
  };
  // Beside it no replica becomes a master, nor is asked.
  const bool asks_servers = lock.protocol.find("call({") != std::string::npos;
  if (!asks_servers && budget(sim::Fault::failover) == 0 && dice.one_in(2))
    budget(sim::Fault::freeze) = 1;
  return lock;
}

}  // namespace lockstep::test
