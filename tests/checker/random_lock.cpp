// A lock is put together from pieces that real ones consist of: one way to take it, what is done
// about a refusal, how it is kept, checked and given back.
#include "tests/checker/random_lock.hpp"

#include <unistd.h>

#include <fstream>
#include <utility>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

constexpr std::int64_t kSecondMs = 1000;

const std::vector<std::string> kTakes{
    R"(return redis("SET", self.key, value, "NX", "PX", self.ttl_ms) == OK)",
    R"(return redis("SETNX", self.key, value) == 1)",
    R"(if redis("SETNX", self.key, value) == 0 then return false end
    redis("PEXPIRE", self.key, self.ttl_ms)
    return true)",
    R"(if redis("EXISTS", self.key) == 1 then return false end
    redis("SET", self.key, value, "PX", self.ttl_ms)
    return true)",
    R"(if redis("HSETNX", self.key, "owner", value) == 0 then return false end
    return redis("PEXPIRE", self.key, self.ttl_ms) == 1)",
    R"(if redis("INCR", self.key) > 1 then return false end
    redis("PEXPIRE", self.key, self.ttl_ms)
    return true)",
    R"(local answered, reply = pcall(redis, "SET", self.key, value, "NX", "PX", self.ttl_ms)
    return answered and reply == OK)",
    R"(if choose(2) == 1 then return false end
    return redis("SET", self.key, value, "NX", "PX", self.ttl_ms) == OK)",
    R"(if redis("SET", self.key, value, "NX", "PX", self.ttl_ms) ~= OK then return false end
    return redis("GET", self.key) == value)",
    R"(local ends = millis(now()) + self.ttl_ms
    if redis("SETNX", self.key, ends) == 1 then return true end
    local old = redis("GET", self.key)
    if not old or tonumber(old) >= millis(now()) then return false end
    return redis("GETSET", self.key, ends) == old)",
    R"(local start = monotonic()
    if redis("SET", self.key, value, "NX", "PX", self.ttl_ms) ~= OK then return false end
    return monotonic() - start < self.ttl_ms)",
    R"(local start = now()
    if redis("SET", self.key, value, "NX", "PX", self.ttl_ms) ~= OK then return false end
    return now() - start < 1000)",
    R"(return redis("EVAL", "if redis.call('exists', KEYS[1]) == 0 then" ..
      " redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) return 1 end return 0",
      1, self.key, value, self.ttl_ms) == 1)",
};

const std::vector<std::string> kAfterRefusal{
    "",
    "",
    R"(redis("DEL", self.key))",
    R"(if redis("PTTL", self.key) == -1 then redis("PEXPIRE", self.key, self.ttl_ms) end)",
    R"(sleep(1000))",
};

const std::vector<std::string> kKeeping{
    "",
    "",
    "",
    R"(redis("PEXPIRE", self.key, self.ttl_ms))",
    R"(return redis("PEXPIRE", self.key, self.ttl_ms) == 1)",
    R"(if redis("PEXPIRE", self.key, self.ttl_ms) == 0 then lost(self) return false end)",
    R"(if redis("GET", self.key) ~= self.value then lost(self) return false end)",
};

const std::vector<std::string> kReleases{
    R"(return redis("DEL", self.key) == 1)",
    R"(redis("DEL", self.key) return true)",
    R"(if redis("GET", self.key) ~= self.value then return false end
  return redis("DEL", self.key) == 1)",
    R"(return redis("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then" ..
    " return redis.call('del', KEYS[1]) end return 0",
    1, self.key, self.value) == 1)",
    R"(local answered, reply = pcall(redis, "DEL", self.key) return answered and reply == 1)",
    R"(return redis("PEXPIRE", self.key, 1000) == 1)",
    R"(return true)",
    R"(redis("DEL", self.key))",
    R"(redis("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then" ..
    " redis.call('del', KEYS[1]) end", 1, self.key, self.value))",
};

std::string acquire_of(Dice& dice, bool keeps, const std::string& keeping) {
  const std::string value = dice.one_in(4) ? "\"x\"" : "unique()";
  std::string text = "local function take(self, value)\n    " + dice.of(kTakes) + "\nend\n\n";
  text += "function Lock:acquire()\n  self.value = " + value + "\n";
  const bool fresh_each_time = dice.one_in(3);
  std::string once;
  if (fresh_each_time) once += "    self.value = " + value + "\n";
  once += "    if take(self, self.value) then\n";
  if (keeps) once += "      self.keeper = every(1000, function() " + keeping + " end)\n";
  once += "      return true\n    end\n    " + dice.of(kAfterRefusal) + "\n    return false\n";
  const std::size_t patience = dice.below(4);
  if (patience == 0) return text + "  return retry(function()\n" + once + "  end, 1000)\nend\n";
  if (patience == 1) return text + "  return retry(function()\n" + once + "  end)\nend\n";
  return text + once + "end\n";
}

std::string protocol_of(Dice& dice) {
  const std::string keeping = dice.of(kKeeping);
  const bool keeps = !keeping.empty();
  std::string text = "local Lock = protocol { title = \"a random lock\", source = \"a seed\" }\n\n";
  text += acquire_of(dice, keeps, keeping);
  text += "\nfunction Lock:release()\n";
  if (keeps && !dice.one_in(4)) text += "  stop(self.keeper)\n";
  return text + "  " + dice.of(kReleases) + "\nend\n\nreturn Lock\n";
}

std::vector<sim::WorkStep> workload_of(Dice& dice) {
  using Kind = sim::WorkStep::Kind;
  const sim::WorkStep lock{Kind::lock, 0, 0}, unlock{Kind::unlock, 0, 0};
  const sim::WorkStep work{Kind::work, 0, dice.of<std::int64_t>({kSecondMs, 3 * kSecondMs})};
  switch (dice.below(6)) {
    case 0:
      return {lock, lock, unlock, unlock};
    case 1:
    case 2:
      return {lock, work, unlock};
    case 3:
      return {{Kind::sleep, 0, kSecondMs}, lock, unlock};
    default:
      return {lock, unlock};
  }
}

sim::Model model_of(Dice& dice) {
  sim::Model model;
  const auto workload = workload_of(dice);
  sim::ProcessSetup process;
  process.lock_keys = {"lock"};
  process.workload = workload;
  process.lease_ms = 2 * kSecondMs;
  model.processes.assign(dice.one_in(4) ? 1 : 2, process);
  if (model.processes.size() == 1) model.processes[0].threads = dice.one_in(2) ? 2 : 1;
  if (dice.one_in(3)) model.processes[0].rounds = 2;
  if (dice.one_in(3)) model.processes.back().workload = workload_of(dice);
  model.tick_ms = dice.one_in(3) ? kSecondMs / 2 : kSecondMs;
  for (std::size_t faults = dice.below(3); faults > 0; --faults)
    ++model.budget[dice.below(model.budget.size())];
  model.jumps_ms = {3 * kSecondMs, -kSecondMs};
  model.persistence = dice.of<sim::Persistence>(
      {sim::Persistence::none, sim::Persistence::rdb, sim::Persistence::aof_everysec,
       sim::Persistence::aof_everysec_2s, sim::Persistence::aof_always});
  if (dice.one_in(4)) model.request_timeout_ms = kSecondMs;
  if (dice.one_in(4)) model.pause_max_ms = 2 * kSecondMs;
  model.overtakes = static_cast<unsigned>(dice.below(3));
  if (dice.one_in(6)) {
    model.properties.insert(sim::kProperties.begin(), sim::kProperties.end());
  } else {
    model.properties = {sim::kProperties[dice.below(sim::kProperties.size())]};
  }
  model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return model;
}

}  // namespace

sim::ProcessSetup random_process(Dice& dice) {
  using Kind = sim::WorkStep::Kind;
  sim::ProcessSetup process;
  process.lease_ms = dice.from(3, 9);
  process.workload = {{Kind::lock, 0, 0}};
  if (dice.one_in(2))
    process.workload.push_back({dice.one_in(2) ? Kind::work : Kind::sleep, 0, dice.from(1, 9)});
  process.workload.push_back({Kind::unlock, 0, 0});
  if (dice.one_in(5)) process.rounds = 2;
  return process;
}

sim::Property random_property(Dice& dice, sim::Property instead) {
  const auto property = sim::kProperties[dice.below(sim::kProperties.size())];
  const bool needs_more = property == sim::Property::fairness || property == sim::Property::waits ||
                          property == sim::Property::invariant;
  return needs_more ? instead : property;
}

RandomLock random_lock(std::uint32_t seed) {
  Dice dice(seed);
  RandomLock lock;
  lock.protocol = protocol_of(dice);
  lock.model = model_of(dice);
  return lock;
}

TemporaryProtocol::TemporaryProtocol(const std::string& name, const std::string& text)
    : folder_(std::filesystem::temp_directory_path() /
              ("lockstep-" + std::to_string(getpid()) + "-" + name)) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "protocol.lua") << text;
}

TemporaryProtocol::~TemporaryProtocol() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace lockstep::test
