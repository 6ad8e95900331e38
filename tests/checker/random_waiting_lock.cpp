// A lock is put together from a way to get its token, a way to give it back, and what else is done
// with the keys that others wait for.
#include "tests/checker/random_waiting_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/redis/keyspace_events.hpp"
#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// How the first token comes to be; wait() is a request that waits, and what it got.
const std::vector<std::string> kTokenStarts{
    R"lua(  if redis("SETNX", init, "1") == 1 then redis("RPUSH", list, "t") end
)lua",
    R"lua(  redis("EVAL", "if redis.call('setnx', KEYS[1], '1') == 1 then" ..
    " redis.call('rpush', KEYS[2], 't') redis.call('zadd', KEYS[3], 1, 't') end", 3, init, list, set)
)lua",
    R"lua(  if redis("SETNX", init, "1") == 1 then
    redis("MULTI")
    redis("RPUSH", list, "t")
    redis("RPUSH", other, "u")
    redis("EXEC")
  end
)lua",
    R"lua(  if redis("SET", init, "1", "NX", "PX", self.ttl_ms) == OK then redis("RPUSH", other, "t") end
)lua",
};

const std::vector<std::string> kTokenTakes{
    R"lua(redis("BLPOP", list, WAIT) ~= nil)lua",
    R"lua(redis("BLPOP", list, WAIT) ~= nil)lua",
    R"lua(redis("BLPOP", other, list, WAIT) ~= nil)lua",
    R"lua(redis("BRPOP", list, other, WAIT) ~= nil)lua",
    R"lua(redis("BRPOPLPUSH", list, self.key, WAIT) ~= nil)lua",
    R"lua(redis("BLMOVE", list, other, "LEFT", "RIGHT", WAIT) ~= nil)lua",
    R"lua(redis("BLMPOP", WAIT, 2, list, other, "LEFT") ~= nil)lua",
    R"lua(redis("BZPOPMIN", set, WAIT) ~= nil)lua",
    R"lua(redis("BZMPOP", WAIT, 1, set, "MAX") ~= nil)lua",
    // Who holds the lock hands it over to who stands in the list.
    R"lua(redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK or
    redis("RPUSH", list, self.token) > 0 and redis("BLPOP", other, WAIT) ~= 0 and
    redis("GET", self.key) == self.token)lua",
    R"lua(redis("EVAL", "redis.call('rpush', KEYS[2], ARGV[1]) if redis.call('exists', KEYS[1]) == 0" ..
    " then redis.call('set', KEYS[1], redis.call('lpop', KEYS[2]), 'px', ARGV[2]) end" ..
    " if redis.call('get', KEYS[1]) == ARGV[1] then return 1 end" ..
    " redis.call('lrem', KEYS[2], 1, ARGV[1]) return 0", 2, self.key, list, self.token,
    self.ttl_ms) == 1)lua",
    R"lua(redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK or
    redis("BLPOP", list, WAIT) ~= nil and
    redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK)lua",
};

const std::vector<std::string> kTokenGives{
    R"lua(redis("RPUSH", list, "t"))lua",
    R"lua(redis("LPUSH", list, "t"))lua",
    R"lua(redis("RPUSH", list, "t", "t"))lua",
    R"lua(redis("ZADD", set, 1, self.token))lua",
    R"lua(redis("RPOPLPUSH", self.key, list))lua",
    R"lua(redis("RENAME", other, list))lua",
    R"lua(redis("EVAL", "local next = redis.call('lpop', KEYS[2]) if next then redis.call('set'," ..
    " KEYS[1], next, 'px', ARGV[1]) redis.call('rpush', KEYS[3], 'go') else" ..
    " redis.call('del', KEYS[1]) end", 3, self.key, list, other, self.ttl_ms))lua",
    R"lua(redis("MULTI")
  redis("DEL", self.key)
  redis("RPUSH", list, "t")
  redis("EXEC"))lua",
    R"lua(redis("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1])" ..
    " redis.call('del', KEYS[2]) redis.call('lpush', KEYS[2], '1')" ..
    " redis.call('pexpire', KEYS[2], ARGV[2]) return 1 end return 0", 2, self.key, list,
    self.token, self.ttl_ms))lua",
    R"lua(redis("EVAL", "redis.call('rpush', KEYS[1], 'a') redis.call('rpush', KEYS[2], 'b')" ..
    " return redis.call('zadd', KEYS[3], 1, 'c')", 3, other, list, set))lua",
};

/// What a client does that is woken by a message.
const std::vector<std::string> kListenings{
    R"lua(  local latch = semaphore(0)
  local heard = listen(self.key .. ":news", function(text) latch:release() end)
  for _ = 1, 2 do
    if take() then stop(heard) return true end
    latch:acquire(BOUND)
  end
  stop(heard)
  return take()
)lua",
    R"lua(  if take() then return true end
  local latch = semaphore(0)
  local heard = listen(self.key .. ":n?ws", function(text, channel)
    if text ~= "no" then latch:release() end
  end, { pattern = true, again_ms = 2 })
  return retry(function()
    if take() then stop(heard) return true end
    latch:acquire(BOUND)
  end)
)lua",
    R"lua(  self.process.latch = self.process.latch or semaphore(0)
  if not self.process.heard then
    self.process.heard = listen(self.key .. ":news", function(text)
      self.process.latch:release()
      return self.process.more
    end, { again_ms = 1 })
  end
  if take() then return true end
  self.process.latch:acquire(BOUND)
  return take()
)lua",
    R"lua(  local heard = listen(self.key .. ":news", function(text)
    redis("INCR", self.key .. ":heard")
  end)
  return take()
)lua",
};

const std::vector<std::string> kNews{
    R"lua(redis("DEL", self.key)
  redis("PUBLISH", self.key .. ":news", self.token))lua",
    R"lua(redis("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1])" ..
    " return redis.call('publish', KEYS[2], 'go') end return 0", 2, self.key, self.key .. ":news",
    self.token))lua",
    R"lua(redis("MULTI")
  redis("DEL", self.key)
  redis("PUBLISH", self.key .. ":news", "go")
  redis("PUBLISH", self.key .. ":news", "no")
  redis("EXEC"))lua",
    R"lua(redis("PUBLISH", self.key .. ":news", "go")
  redis("DEL", self.key))lua",
};

/// Before or after the rest of acquire() or release().
const std::vector<std::string> kOtherDeeds{
    R"lua(redis("WATCH", list))lua",
    R"lua(redis("DEL", list))lua",
    R"lua(redis("SETNX", list, "x"))lua",
    R"lua(spawn(function() redis("RPUSH", list, "s") end))lua",
    R"lua(spawn(function() redis("BLPOP", list, WAIT) redis("RPUSH", other, "s") end))lua",
    R"lua(redis("SELECT", 1))lua",
    R"lua(sleep(2))lua",
};

/// A listening to what Redis itself tells of the lock's key, in place of what its release says.
std::string to_events(Dice& dice, std::string listening) {
  const auto replace = [&](const std::string& said, const std::string& by) {
    if (const auto at = listening.find(said); at != std::string::npos)
      listening.replace(at, said.size(), by);
  };
  replace(R"(self.key .. ":news")",
          dice.of<std::string>({R"("__keyspace@0__:" .. self.key)", R"("__keyevent@0__:expired")",
                                R"("__keyevent@0__:del")"}));
  replace(R"(self.key .. ":n?ws")", R"("__key*@0__:*")");
  return listening;
}

std::string listening(Dice& dice, sim::Model& model) {
  const std::string to_news = dice.of(kListenings);
  if (dice.one_in(2)) return to_news;
  model.keyspace_events =
      sim::parse_keyspace_events(dice.of<std::string>({"Kgx", "Ex", "AKE", "Kx", "Eg"})).value();
  return to_events(dice, to_news);
}

std::string waiting_protocol(Dice& dice, sim::Model& model) {
  std::string text = fmt::format(
      "local Lock = protocol {{ title = \"a random lock\", source = \"a seed\", leases = {}, "
      "shared_connection = {} }}\nlocal WAIT = {}\n",
      dice.of<std::string>({R"({ "{key}" })", R"({ "{key}:list" })", "{}"}), dice.one_in(4),
      dice.one_in(3) ? "0" : fmt::format("\"0.00{}\"", dice.from(1, 5)));
  const auto other_deed = [&] {
    return dice.one_in(6) ? "  " + dice.of(kOtherDeeds) + "\n" : std::string();
  };
  text +=
      "function Lock:acquire()\n"
      "  local list, other, set, init = self.key .. \":list\", self.key .. \":other\",\n"
      "    self.key .. \":set\", self.key .. \":init\"\n"
      "  self.token = unique()\n";
  const bool listens = dice.one_in(2);
  if (!listens) text += other_deed() + dice.of(kTokenStarts) + other_deed();
  const std::string take = dice.of(kTokenTakes);
  if (listens)
    text += fmt::format("  local BOUND = {}\n", dice.one_in(2) ? "nil" : "3") +
            "  local function take()\n    return redis(\"SET\", self.key, self.token, \"NX\", "
            "\"PX\", self.ttl_ms) == OK\n  end\n" +
            other_deed() + listening(dice, model);
  else if (dice.one_in(4))
    text += "  return retry(function()\n    return " + take + "\n  end, 2)\n";
  else if (dice.one_in(4))
    text += "  local ok, got = pcall(function()\n    return " + take + "\n  end)\n" +
            "  return ok and got\n";
  else
    text += "  return " + take + "\n";
  text +=
      "end\nfunction Lock:release()\n"
      "  local list, other, set = self.key .. \":list\", self.key .. \":other\", self.key .. "
      "\":set\"\n";
  text += other_deed() + "  " + dice.of(listens ? kNews : kTokenGives) + "\n" + other_deed();
  return text + "end\nreturn Lock\n";
}

void add_faults_of_waits(Dice& dice, sim::Model& model) {
  using sim::Fault;
  const auto add = [&](Fault fault) { ++model.budget[static_cast<std::size_t>(fault)]; };
  if (dice.one_in(4)) return;
  add(dice.of<Fault>({Fault::pause, Fault::delay, Fault::lose, Fault::lose, Fault::crash,
                      Fault::node_crash, Fault::power_loss, Fault::evict, Fault::flush, Fault::cut,
                      Fault::failover, Fault::oom, Fault::jump, Fault::jump, Fault::freeze}));
  model.jumps_ms = {dice.from(1, 12), -dice.from(1, 12)};
  if (dice.one_in(3)) add(dice.of<Fault>({Fault::lose, Fault::crash, Fault::cut, Fault::delay}));
  if (model.budget[static_cast<std::size_t>(Fault::failover)] > 0)
    for (auto& process : model.processes) process.replicas = 1;
  if (model.processes.front().replicas > 0) model.keyspace_events = 0;  // refused beside each other
  model.persistence = dice.of<sim::Persistence>(
      {sim::Persistence::none, sim::Persistence::aof_always, sim::Persistence::rdb});
}

sim::Property judged_of_waits(Dice& dice) {
  if (dice.one_in(3)) return sim::Property::mutual_exclusion;
  if (dice.one_in(3)) return sim::Property::deadlock;
  return random_property(dice, sim::Property::leak);
}

}  // namespace

RandomLock random_waiting_lock(std::uint32_t seed) {
  Dice dice(seed);
  RandomLock lock;
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {"lock"};
  if (dice.one_in(6)) process.threads = 2;
  lock.protocol = waiting_protocol(dice, lock.model);
  lock.model.processes.assign(dice.one_in(4) ? 3 : 2, process);
  add_faults_of_waits(dice, lock.model);
  if (dice.one_in(4)) lock.model.request_timeout_ms = dice.from(1, 5);
  if (dice.one_in(8)) lock.model.latency_ms = dice.from(1, 3);
  if (dice.one_in(5)) lock.model.pause_max_ms = dice.from(1, 6);
  if (dice.one_in(4)) lock.model.restart_after_ms = dice.from(1, 5);
  lock.model.properties = {judged_of_waits(dice)};
  if (dice.one_in(6)) {
    lock.model.overtakes = static_cast<unsigned>(dice.below(3));
    lock.model.properties = {sim::Property::fairness};
  }
  if (dice.one_in(4)) {
    lock.model.properties = {sim::Property::progress};
    for (auto& setup : lock.model.processes)
      if (!dice.one_in(3)) setup.rounds = 0;
  }
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
