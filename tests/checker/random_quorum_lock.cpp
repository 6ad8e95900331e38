// A lock on several nodes is put together from ways to ask them, to judge what they answered, and
// to clean up.
#include "tests/checker/random_quorum_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// each(self, command, ...): sends it to every node, and counts who did it.
constexpr const char* kInTurn = R"(
local function each(self, ...)
  local done = 0
  self.said = {}
  for node = 1, NODES do
    local request = { node = node, timeout_ms = TIMEOUT, ... }
    local answered, reply = pcall(call, request)
    self.said[node] = answered and (reply == OK or reply == 1)
    if self.said[node] then done = done + 1 end
  end
  return done
end
)";
constexpr const char* kAtOnce = R"(
local function each(self, ...)
  local done = 0
  self.said = {}
  for _, one in ipairs(call_all { timeout_ms = TIMEOUT, ... }) do
    self.said[one.node] = one.ok and (one.reply == OK or one.reply == 1)
    if self.said[one.node] then done = done + 1 end
  end
  return done
end
)";
constexpr const char* kFirstFew = R"(
local function each(self, ...)
  local done = 0
  local function count(answers)
    done = 0
    for _, one in ipairs(answers) do
      self.said[one.node] = one.ok and (one.reply == OK or one.reply == 1)
      if self.said[one.node] then done = done + 1 end
    end
    return done >= ENOUGH
  end
  self.said = {}
  call_all { timeout_ms = TIMEOUT, enough = count, ... }
  return done
end
)";
constexpr const char* kGiveBack = R"(
local function give_back(self)
  return each(self, "EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then" ..
    " return redis.call('del', KEYS[1]) end return 0", 1, self.key, self.token)
end
)";
constexpr const char* kGiveBackWhatIsKnown = R"(
local function give_back(self)
  local freed = 0
  for node, ok in pairs(self.said) do
    if ok then
      local answered, reply = pcall(call, { node = node, timeout_ms = TIMEOUT, "DEL", self.key })
      if answered and reply == 1 then freed = freed + 1 end
    end
  end
  return freed
end
)";

std::string protocol_of(Dice& dice, int nodes, std::int64_t lease_ms) {
  const auto quorum = dice.one_in(4) ? dice.from(1, nodes) : nodes / 2 + 1;
  const std::string timeout = dice.one_in(4) ? "nil" : std::to_string(dice.from(1, 4));
  std::string text = fmt::format(
      "local Lock = protocol {{ title = \"a random lock\", source = \"a seed\", nodes = {}, "
      "quorum = {}, shared_connection = {} }}\nlocal NODES, TIMEOUT, ENOUGH = {}, {}, {}\n",
      nodes, dice.one_in(4) ? dice.from(1, nodes) : quorum, dice.one_in(5), nodes, timeout,
      dice.from(1, nodes));
  text += dice.of<const char*>({kInTurn, kAtOnce, kAtOnce, kFirstFew});
  text += dice.one_in(4) ? kGiveBackWhatIsKnown : kGiveBack;
  text += "function Lock:acquire()\n";
  text += dice.one_in(6) ? "  self.token = \"x\"\n" : "  self.token = unique()\n";
  const std::string clock = dice.of<std::string>({"now()", "monotonic()"});
  const bool elapsed = !dice.one_in(3);
  if (elapsed) text += "  local start = " + clock + "\n";
  text += "  local got = each(self, \"SET\", self.key, self.token, \"NX\", \"PX\", self.ttl_ms)\n";
  std::string good = fmt::format("got >= {}", quorum);
  if (elapsed)
    good += fmt::format(" and {} - start {} {}", clock, dice.of<std::string>({"<", "<="}),
                        dice.from(1, lease_ms));
  text += "  if " + good + " then return true end\n";
  if (!dice.one_in(5)) text += "  give_back(self)\n";
  text += "  return false\nend\n";
  text += "function Lock:release()\n";
  text += dice.of<std::string>({fmt::format("  return give_back(self) >= {}\n", quorum),
                                "  give_back(self)\n", "  return give_back(self) > 0\n"});
  return text + "end\nreturn Lock\n";
}

}  // namespace

RandomLock random_quorum_lock(std::uint32_t seed) {
  using Kind = sim::WorkStep::Kind;
  Dice dice(seed);
  RandomLock lock;
  const int nodes = static_cast<int>(dice.from(2, 3));
  sim::ProcessSetup process;
  process.lock_keys = {"lock"};
  process.lease_ms = dice.from(3, 9);
  process.nodes = nodes;
  process.workload = {{Kind::lock, 0, 0}};
  if (!dice.one_in(3))
    process.workload.push_back({dice.one_in(2) ? Kind::work : Kind::sleep, 0, dice.from(1, 9)});
  process.workload.push_back({Kind::unlock, 0, 0});
  lock.protocol = protocol_of(dice, nodes, process.lease_ms);
  lock.model.processes.assign(2, process);
  if (dice.one_in(6)) lock.model.processes.front().threads = 2;
  if (dice.one_in(4)) lock.model.request_timeout_ms = dice.from(1, 5);
  for (std::int64_t faults = dice.from(0, 6) / 3; faults > 0; --faults)
    ++lock.model.budget[static_cast<std::size_t>(dice.of<sim::Fault>(
        {sim::Fault::pause, sim::Fault::delay, sim::Fault::lose, sim::Fault::crash,
         sim::Fault::jump, sim::Fault::node_crash, sim::Fault::node_crash, sim::Fault::power_loss,
         sim::Fault::oom, sim::Fault::cut, sim::Fault::freeze}))];
  lock.model.jumps_ms = {dice.from(1, 9), -dice.from(1, 9)};
  if (dice.one_in(3)) lock.model.restart_after_ms = dice.from(1, 10);
  if (dice.one_in(5)) lock.model.pause_max_ms = dice.from(1, 6);
  lock.model.persistence =
      dice.of<sim::Persistence>({sim::Persistence::none, sim::Persistence::none,
                                 sim::Persistence::rdb, sim::Persistence::aof_always});
  lock.model.properties = {
      dice.one_in(2)
          ? sim::Property::mutual_exclusion
          : sim::kProperties[static_cast<std::size_t>(dice.from(0, sim::kProperties.size() - 1))]};
  lock.model.properties.erase(sim::Property::waits);
  lock.model.properties.erase(sim::Property::invariant);
  if (lock.model.properties.empty()) lock.model.properties = {sim::Property::deadlock};
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
