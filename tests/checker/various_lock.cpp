// See the header.
#include "tests/checker/various_lock.hpp"

#include <array>
#include <string>
#include <vector>

#include "sim/model/faults.hpp"
#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

struct Written {
  std::string acquire, release;
  int replicas = 0;
  std::string also = {};  ///< how protocol { goes on
  bool absolute = false;  ///< somebody looks at absolute time
  bool endless = false;   ///< who asks again and again never comes to the same state
  int nodes = 1;          ///< each with as many replicas
};

const std::string kSet =
    "self.token = unique() "
    "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then return false end ";
const std::string kCompare =
    "if redis('GET', self.key) ~= self.token then return false end "
    "return redis('DEL', self.key) == 1";
const std::string kScript =
    "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " return redis.call('del', KEYS[1]) end return 0\", 1, self.key, self.token) == 1";
/// Takes again what is its own, with a lease anew.
const std::string kReentrant =
    "self.token = self.token or unique() "
    "if redis('EVAL', \"if redis.call('exists', KEYS[1]) == 0 or "
    "redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('hincrby', KEYS[1], ARGV[1], 1) "
    "redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end return 0\", 1, self.key, self.token, "
    "self.ttl_ms) ~= 1 then return false end return true";
const std::string kLeaves =
    "return redis('EVAL', \"if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end "
    "if redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then redis.call('del', KEYS[1]) end "
    "return 1\", 1, self.key, self.token) == 1";
const std::string kServerMs =
    "local t = redis('TIME') local ms = tonumber(t[1]) * 1000 + tonumber(t[2]) // 1000 ";

std::vector<Written> on_one_server() {
  return {
      {"self.token = unique() redis('WATCH', self.key) "
       "if redis('GET', self.key) then redis('UNWATCH') return false end redis('MULTI') "
       "redis('SET', self.key, self.token, 'PX', self.ttl_ms) return redis('EXEC') ~= nil",
       "redis('WATCH', self.key) " + kCompare},
      {"redis('SELECT', 1) " + kSet + "return true", "redis('SELECT', 1) " + kCompare},
      {kSet + "return true, redis('INCR', self.key .. ':fence')", kScript},
      {kSet + "local told = redis('INCR', self.key .. ':fence') return true, 9 - told", kCompare},
      {"return redis('DECR', self.key) == -1", "return redis('INCR', self.key) == 0", 0, "", false,
       true},
      {"if redis('DECR', self.key) == -1 then return true end redis('INCR', self.key) return false",
       "redis('INCR', self.key) return true"},
      {kSet + "return true", "return redis('FLUSHALL') == OK"},
      {kReentrant, kLeaves},
      {"return retry(function() " + kSet + "return true end, 3)", kScript},
      {kSet + "return true", kScript, 0, ", shared_connection = true"},
      {kSet + "self.keeper = every(2, function() if redis('PEXPIRE', self.key, self.ttl_ms) == 0 "
              "then lost(self) return false end end) return true",
       "stop(self.keeper) " + kScript},
      {kServerMs +
           "local ends = tonumber(redis('GET', self.key) or 0) if ends > ms then "
           "return false end return redis('SET', self.key, ms + self.ttl_ms, 'PX', 20) == OK",
       "return redis('DEL', self.key) == 1", 0, "", true},
      {"return redis('SET', self.key, 1, 'NX', 'PXAT', millis(now()) + self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1", 0, "", true},
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"},
      {"return true", "return true"},
      {"self.token = unique() redis('HSET', self.key, self.token, 1) "
       "redis('PEXPIRE', self.key, self.ttl_ms) return redis('HLEN', self.key) == 1",
       "return redis('HDEL', self.key, self.token) == 1", 0, "", false, true},
      {kSet + "return true", "redis('GET', self.key) lost(self) " + kScript},
      {"return retry(function() return redis('SETNX', self.key, 1) == 1 end, 2)",
       "return redis('DEL', self.key) == 1"},
      {"local since, began = monotonic(), now() " + kSet +
           "sleep(2) return monotonic() - since < 4 and now() - began < 4",
       kCompare},
      {kSet + "redis('SETNX', self.key .. ':all', self.token) spawn(function() sleep(1) lost(self) "
              "end) return true",
       kScript, 0, ", leases = { '{key}', '{key}:all' }, permanent = { '{key}:all' }"},
  };
}

/// Goes on at one node when another one has not answered in time.
const std::string kSetOnTwo =
    "self.token = unique() local function set(node) return call({ node = node, timeout_ms = 2, "
    "'SET', self.key, self.token, 'NX', 'PX', self.ttl_ms }) == OK end "
    "local one = set(1) pcall(set, 2) "
    "return one and call({ node = 1, 'GET', self.key }) == self.token";

std::vector<Written> on_replicas() {
  const std::string twice =
      "self.token = unique() local function set() "
      "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK end "
      "local answered, taken = pcall(set) if not answered then taken = set() end return taken";
  return {
      {kSet + "return redis('WAIT', 1, 2) == 1", kCompare, 1},
      {kSet + "return true", "redis('DEL', self.key) return true", 2},
      {twice,
       "local freed = pcall(redis, 'DEL', self.key) "
       "return freed or redis('DEL', self.key) == 1",
       1},
      {"redis('MULTI') redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) redis('WAIT', 1, 2) "
       "local all = redis('EXEC') return all[1] == OK and all[2] == 1",
       "return redis('DEL', self.key) == 1", 1},
      {"redis('WATCH', self.key) redis('GET', self.key) redis('MULTI') redis('GET', self.key) "
       "if redis('EXEC') == nil then return false end " +
           kSet + "return true",
       kCompare, 1},
      {"self.token = unique() "
       "local taken = redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK "
       "local told = redis('WAIT', 1, 2) return taken and told == 1",
       "redis('WAIT', 1, 1) " + kCompare, 1},
      {kSet + "redis('WAIT', 2, 2) return redis('WAIT', 1, 3) >= 1", kScript, 2},
      {kSetOnTwo,
       "pcall(call, { node = 2, 'DEL', self.key }) "
       "return call({ node = 1, 'DEL', self.key }) == 1",
       1, ", quorum = 1", false, false, 2},
  };
}

const std::vector<Written>& all_written() {
  static const std::vector<Written> all = [] {
    std::vector<Written> both = on_one_server();
    for (Written& lock : on_replicas()) both.push_back(std::move(lock));
    return both;
  }();
  return all;
}

/// Is true of most worlds, and false of others: of what it is shown, little can differ unseen.
constexpr const char* kParity = R"(
invariant("parity", function(world)
  local sum = 0
  for _, node in ipairs(world.nodes) do
    if node.up then sum = sum + 1 end
    for _, key in pairs(node.keys or {}) do
      sum = sum + (key.expires and 2 or 5)
      sum = sum + (tonumber(key.value) or 0) % 4
    end
  end
  for _, client in ipairs(world.clients) do
    if client.holds.lock then sum = sum + 3 end
  end
  return sum % 4 ~= 3
end)
)";

/// What a power loss may take depends on what is kept.
sim::Persistence persistence_beside(sim::Fault one, sim::Fault other, Dice& dice) {
  using sim::Persistence;
  const auto either = [&](sim::Fault fault) { return one == fault || other == fault; };
  if (either(sim::Fault::flush) && dice.one_in(2)) return Persistence::rdb;
  if (either(sim::Fault::power_loss))
    return dice.of<Persistence>({Persistence::aof_everysec, Persistence::rdb,
                                 Persistence::aof_everysec_2s, Persistence::aof_everysec});
  if (either(sim::Fault::node_crash))
    return dice.of<Persistence>(
        {Persistence::rdb, Persistence::rdb, Persistence::none, Persistence::aof_always});
  return dice.of<Persistence>({sim::kPersistences.begin(), sim::kPersistences.end()});
}

sim::ProcessSetup drawn_process(Dice& dice, const Written& written) {
  using Does = sim::WorkStep::Kind;
  sim::ProcessSetup process;
  process.lock_keys = {"lock", "other"};
  process.lease_ms = 5;
  process.nodes = written.nodes;
  process.replicas = written.replicas;
  const sim::WorkStep work{dice.one_in(4) ? Does::sleep : Does::work, 0,
                           dice.of<std::int64_t>({2, 4, 8})};
  const sim::WorkStep lock{Does::lock, 0, 0}, unlock{Does::unlock, 0, 0};
  const sim::WorkStep lock_other{Does::lock, 1, 0}, unlock_other{Does::unlock, 1, 0};
  process.workload = dice.of<std::vector<sim::WorkStep>>({
      {lock, work, unlock},
      {lock, work, unlock},
      {lock, lock_other, work, unlock_other, unlock},
      {lock_other, work, unlock_other},
      {lock, lock, work, unlock, work, unlock},
      {lock, work},
  });
  if (dice.one_in(3)) process.rounds = 2;
  if (dice.one_in(6)) process.threads = 2;
  return process;
}

}  // namespace

std::size_t various_locks() { return all_written().size(); }

bool is_absolute(std::size_t lock) { return all_written().at(lock).absolute; }

bool fit(std::size_t lock, sim::Fault one, sim::Fault other) {
  const int replicas = all_written().at(lock).replicas;
  const bool migrates = row(one).of_cluster || row(other).of_cluster;
  const bool alone = replicas == 0 && all_written().at(lock).also.empty();
  const auto possible = [&](sim::Fault fault) {
    using sim::Fault;
    const bool of_node = row(fault).stops_node || fault == Fault::freeze || fault == Fault::oom;
    if (migrates && (!alone || of_node)) return false;
    if (replicas > 0 && fault == sim::Fault::freeze) return false;
    return replicas > 0 || !row(fault).of_replicas;
  };
  return possible(one) && possible(other);
}

RandomLock various_lock(std::size_t number, sim::Fault one, sim::Fault other, std::uint32_t seed) {
  const Written& lock = all_written().at(number);
  Dice dice(seed);
  RandomLock made;
  made.protocol = kParity + std::string("local L = protocol { title = 't', source = 's'") +
                  lock.also + " }\nfunction L:acquire() " + lock.acquire +
                  " end\nfunction L:release() " + lock.release + " end\nreturn L\n";
  made.model.processes = {drawn_process(dice, lock), drawn_process(dice, lock)};
  for (const auto fault : {one, other}) made.model.budget[static_cast<std::size_t>(fault)] = 2;
  made.model.cluster = row(one).of_cluster || row(other).of_cluster;
  made.model.jumps_ms = {3, lock.replicas > 0 ? 7 : -4};
  made.model.persistence = persistence_beside(one, other, dice);
  made.model.maxmemory_policy = dice.of<sim::MaxmemoryPolicy>(
      {sim::MaxmemoryPolicy::volatile_keys, sim::MaxmemoryPolicy::allkeys});
  made.model.resource = dice.of<sim::Resource>({sim::kResources.begin(), sim::kResources.end()});
  made.model.restart_after_ms = dice.of<std::int64_t>({0, 3});
  made.model.pause_max_ms = dice.of<std::int64_t>({0, 4});
  made.model.latency_ms = dice.one_in(4) ? 2 : 0;
  made.model.request_timeout_ms = dice.one_in(3) ? 3 : 0;
  made.model.waits_ms = dice.from(1, 12);
  made.model.overtakes = static_cast<unsigned>(dice.from(0, 2));
  made.model.waits_after = dice.of<sim::WaitsAfter>({sim::WaitsAfter::call, sim::WaitsAfter::free});
  made.model.properties = {sim::kProperties.begin(), sim::kProperties.end()};
  // With absolute time the engine may leave it open, and a probe takes long.
  if (lock.absolute || lock.endless || !dice.one_in(4))
    made.model.properties.erase(sim::Property::deadlock);
  if (lock.replicas > 0) {
    made.model.node_clocks_ms = {2, -1};
    if (dice.one_in(3)) made.model.min_replicas = static_cast<int>(dice.from(1, lock.replicas));
    made.model.counts_gone_ms = dice.from(1, 9);
    made.model.lists_gone_ms = dice.from(1, 9);
    if (dice.one_in(4)) made.model.server = sim::ServerVersion::redis_7_2;
  }
  return made;
}

}  // namespace lockstep::test
