// A lock is put together from requests that one or two keys are named in, scripts that are known to
// a node or not, and what is done about a node's errors.
#include "tests/checker/random_migrating_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

const std::vector<std::string> kMigratingTakes{
    R"lua(return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK)lua",
    R"lua(return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK)lua",
    R"lua(if redis("SETNX", self.key, self.token) == 0 then return false end
    return redis("PEXPIRE", self.key, self.ttl_ms) == 1)lua",
    R"lua(return run("if redis.call('exists', KEYS[1]) == 1 then return 0 end" ..
      " redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])" ..
      " redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[2]) return 1",
      2, self.key, self.key .. ":b", self.token, self.ttl_ms) == 1)lua",
    R"lua(return run("if redis.call('exists', KEYS[1]) == 1 then return 0 end" ..
      " redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])" ..
      " redis.call('incr', KEYS[1] .. ':b') return 1",
      1, self.key, self.token, self.ttl_ms) == 1)lua",
    R"lua(return run("redis.call('del', KEYS[1])" ..
      " return redis.call('setnx', KEYS[1], ARGV[1])", 1, self.key, self.token) == 1)lua",
    R"lua(return redis("MSETNX", self.key, self.token, self.key .. ":b", self.token) == 1)lua",
    R"lua(redis("MULTI")
    local queued = pcall(redis, "SET", self.key, self.token, "NX", "PX", self.ttl_ms)
    if choose(2) == 1 then pcall(redis, "INCR", self.key .. ":b") end
    local ran, replies = pcall(redis, "EXEC")
    return ran and replies[1] == OK)lua",
};

const std::vector<std::string> kMigratingGives{
    R"lua(return run("if redis.call('get', KEYS[1]) == ARGV[1] then" ..
      " return redis.call('del', KEYS[1]) end return 0", 1, self.key, self.token) == 1)lua",
    R"lua(return run("if redis.call('get', KEYS[1]) == ARGV[1] then" ..
      " redis.call('del', KEYS[2]) return redis.call('del', KEYS[1]) end return 0",
      2, self.key, self.key .. ":b", self.token) == 1)lua",
    R"lua(return redis("DEL", self.key, self.key .. ":b") > 0)lua",
    R"lua(redis("DEL", self.key .. ":b")
    return redis("DEL", self.key) == 1)lua",
    R"lua(if redis("GET", self.key) ~= self.token then return false end
    redis("DEL", self.key)
    return true)lua",
    R"lua(redis("MULTI")
    pcall(redis, "DEL", self.key)
    return pcall(redis, "EXEC"))lua",
};

/// run(script, ...): how a script is sent.
const std::vector<std::string> kMigratingRuns{
    R"lua(local function run(...) return redis("EVAL", ...) end
)lua",
    R"lua(local function run(...) return redis("EVAL", ...) end
)lua",
    R"lua(local function run(body, ...)
  return redis("EVALSHA", redis("SCRIPT", "LOAD", body), ...)
end
)lua",
    R"lua(local function run(...)
  for _ = 1, 2 do
    local ok, reply = pcall(redis, "EVAL", ...)
    if ok then return reply end
    if not tostring(reply):find("TRYAGAIN") then error(reply) end
  end
  return 0
end
)lua",
    R"lua(local function run(...)
  local request = { ... }
  return retry(function()
    local ok, reply = pcall(redis, "EVAL", table.unpack(request))
    if ok then return { reply } end
    if not tostring(reply):find("TRYAGAIN") then error(reply) end
  end, WAIT)[1]
end
)lua",
};

std::string migrating_protocol(Dice& dice) {
  std::string text = fmt::format(
      "local Lock = protocol {{ title = \"a random lock\", source = \"a seed\", leases = {} }}\n"
      "local WAIT = {}\n",
      dice.one_in(2) ? R"({ "{key}", "{key}:b" })" : R"({ "{key}" })",
      dice.one_in(2) ? "nil" : std::to_string(dice.from(1, 4)));
  text += dice.of(kMigratingRuns);
  const auto guarded = [&](const std::string& body) {
    const auto how = dice.below(5);
    if (how == 0)
      return "  local ok, done = pcall(function()\n    " + body + "\n  end)\n" +
             "  return ok and done\n";
    if (how == 1)
      return "  local ok, done = pcall(function()\n    " + body + "\n  end)\n" +
             "  return not ok or done\n";
    return "  do\n    " + body + "\n  end\n";
  };
  text += "function Lock:acquire()\n";
  text += dice.one_in(6) ? "  self.token = \"x\"\n" : "  self.token = unique()\n";
  const std::string take = dice.of(kMigratingTakes);
  if (dice.one_in(3))
    text += "  return retry(function()\n    " + take + "\n  end" +
            (dice.one_in(2) ? "" : fmt::format(", {}", dice.from(1, 5))) + ")\n";
  else
    text += guarded(take);
  text += "end\nfunction Lock:release()\n";
  text += guarded(dice.of(kMigratingGives));
  return text + "end\nreturn Lock\n";
}

void add_migrations(Dice& dice, sim::Model& model) {
  using sim::Fault;
  const auto add = [&](Fault fault) { ++model.budget[static_cast<std::size_t>(fault)]; };
  add(Fault::migrate);
  if (dice.one_in(5)) add(Fault::migrate);
  if (dice.one_in(2))
    add(dice.of<Fault>({Fault::pause, Fault::delay, Fault::lose, Fault::crash, Fault::jump,
                        Fault::evict, Fault::flush, Fault::cut}));
  model.jumps_ms = {dice.from(1, 9), -dice.from(1, 9)};
}

sim::Property judged_property(Dice& dice) {
  if (dice.one_in(3)) return sim::Property::mutual_exclusion;
  return random_property(dice, sim::Property::deadlock);
}

}  // namespace

RandomLock random_migrating_lock(std::uint32_t seed) {
  Dice dice(seed);
  RandomLock lock;
  const std::string key = dice.one_in(8) ? "lock" : "{lock}";
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {key};
  lock.protocol = migrating_protocol(dice);
  lock.model.processes.assign(dice.one_in(4) ? 1 : 2, process);
  lock.model.cluster = true;
  add_migrations(dice, lock.model);
  if (dice.one_in(6)) lock.model.request_timeout_ms = dice.from(1, 5);
  if (dice.one_in(8)) lock.model.latency_ms = dice.from(1, 3);
  if (dice.one_in(5)) lock.model.pause_max_ms = dice.from(1, 6);
  if (dice.one_in(4)) lock.model.node_clocks_ms = {dice.from(-3, 3), dice.from(-3, 3)};
  lock.model.properties = {judged_property(dice)};
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
