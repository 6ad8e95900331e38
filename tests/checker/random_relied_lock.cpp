// A hash has a field for each holder; what is random is for how long each request lets it last.
#include "tests/checker/random_relied_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// Durations of a few of `unit_ms`.
struct Random : Dice {
  Random(std::uint32_t seed, std::int64_t unit) : Dice(seed), unit_ms(unit) {}
  std::int64_t ms(std::int64_t least, std::int64_t most) { return from(least, most) * unit_ms; }
  std::int64_t unit_ms;
  bool timed = false;   ///< fields say until when they count
  bool common = false;  ///< the key is one of two locks
};

const std::string kNow =
    "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";

/// What a field says.
std::string value(Random& dice) {
  if (!dice.timed) return "ARGV[3]";
  return dice.of<std::string>({"now + ARGV[2]", "now + ARGV[2] * 2", "now"});
}

/// What becomes of the key's expiry, in a script of which ARGV[2] is the lease.
std::string lasts(Random& dice) {
  const std::string ms = dice.one_in(3)   ? std::to_string(dice.ms(1, 9))
                         : dice.one_in(4) ? "ARGV[2] * 2"
                                          : "ARGV[2]";
  const std::string sets = fmt::format("redis.call('pexpire', KEYS[1], {})", ms);
  const auto where = [&](const char* way) {
    return fmt::format("if redis.call('pttl', KEYS[1]) {} tonumber({}) then {} end", way, ms, sets);
  };
  return dice.of<std::string>({sets, where("<"), where("<"), where(">"),
                               "if redis.call('pttl', KEYS[1]) < 0 then " + sets + " end",
                               dice.one_in(4) ? "redis.call('persist', KEYS[1])" : where("<")});
}

/// Who leaves cuts it down, or does not.
std::string cuts(Random& dice) {
  const std::string ms = dice.one_in(4) ? "ARGV[2]" : std::to_string(dice.ms(1, 9));
  const std::string sets = fmt::format("redis.call('pexpire', KEYS[1], {})", ms);
  if (dice.timed && dice.one_in(2))
    return "local last = 0 for _, v in ipairs(redis.call('hvals', KEYS[1])) do"
           " last = math.max(last, tonumber(v)) end if last > 0 then redis.call('pexpireat',"
           " KEYS[1], last) end";
  return dice.of<std::string>(
      {"", sets,
       fmt::format("if redis.call('pttl', KEYS[1]) > tonumber({}) then {} end", ms, sets)});
}

std::string asks(const Random& dice, const std::string& script, const char* value) {
  return fmt::format(
      "redis(\"EVAL\", \"{}{} return 1\", 2, {}, self.key .. \":seen\", self.mine, self.ttl_ms, "
      "{})",
      dice.timed ? kNow : "", script, dice.common ? "'all'" : "self.key", value);
}

std::string takes(Random& dice) {
  return fmt::format("redis.call('hset', KEYS[1], ARGV[1], {}) ", value(dice)) + lasts(dice);
}

/// A renewal that may show nowhere, or in another key.
std::string renews(Random& dice) {
  const std::string shown = dice.of<std::string>(
      {fmt::format("redis.call('hset', KEYS[1], ARGV[1], {})", value(dice)), "",
       fmt::format("redis.call('set', KEYS[2], ARGV[3], 'px', {})", 9 * dice.unit_ms),
       "redis.call('hset', KEYS[1], 'seen', ARGV[3])"});
  return "if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then " + shown + " " + lasts(dice) +
         " end";
}

std::string relied_protocol(Random& dice) {
  std::string text = fmt::format(
      "local Lock = protocol {{ title = \"a random lock\", source = \"a seed\", permits = {}, "
      "leases = {{ \"{}\", \"{{key}}:seen\" }} }}\n",
      dice.common ? 1 : 3, dice.common ? "all" : "{key}");
  text += "function Lock:acquire()\n  self.mine = unique()\n  local taken = " +
          asks(dice, takes(dice), "1") + " == 1\n";
  if (dice.one_in(3))
    text += fmt::format("  spawn(function()\n    sleep({})\n    {}\n  end)\n", dice.ms(1, 4),
                        asks(dice, renews(dice), "2"));
  text +=
      "  return taken\nend\nfunction Lock:extend()\n  " + asks(dice, renews(dice), "3") + "\nend\n";
  const std::string leaves = "redis.call('hdel', KEYS[1], ARGV[1])";
  const std::string cut = cuts(dice);
  text += "function Lock:release()\n";
  if (dice.one_in(4))
    text +=
        "  " + asks(dice, cut, "4") + "\n  " + asks(dice, leaves, "4") + "\n  return true\nend\n";
  else
    text += "  return " + asks(dice, leaves + " " + cut, "4") + " == 1\nend\n";
  return text + "return Lock\n";
}

using Deed = sim::WorkStep::Kind;

std::vector<sim::WorkStep> relied_workload(Random& dice) {
  const sim::WorkStep lock{Deed::lock, 0, 0}, unlock{Deed::unlock, 0, 0};
  sim::WorkStep extend{Deed::call, 0, 0};
  extend.method = "extend";
  const sim::WorkStep work{Deed::work, 0, dice.ms(1, 5)}, more{Deed::work, 0, dice.ms(1, 3)};
  return dice.of<std::vector<sim::WorkStep>>({{lock, work, unlock},
                                              {lock, unlock},
                                              {lock, work, extend, more, unlock},
                                              {lock, extend, unlock, lock, unlock}});
}

}  // namespace

RandomLock random_relied_lock(std::uint32_t seed, std::int64_t unit_ms) {
  Random dice(seed, unit_ms);
  dice.timed = dice.one_in(4);
  dice.common = dice.one_in(4);
  RandomLock lock;
  lock.protocol = relied_protocol(dice);
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {"lock"};
  process.rounds = 1;
  lock.model.processes.assign(dice.one_in(4) ? 3 : 2, process);
  for (auto& setup : lock.model.processes) {
    setup.workload = relied_workload(dice);
    setup.lease_ms = dice.ms(2, 9);
    if (dice.common) setup.lock_keys = {std::string(1, static_cast<char>('x' + dice.from(0, 2)))};
  }
  if (dice.one_in(8)) lock.model.processes.front().threads = 2;
  if (dice.one_in(2)) {
    ++lock.model.budget[static_cast<std::size_t>(dice.of<sim::Fault>(
        {sim::Fault::pause, sim::Fault::delay, sim::Fault::lose, sim::Fault::crash,
         sim::Fault::jump, sim::Fault::jump, sim::Fault::node_crash}))];
    lock.model.jumps_ms = {dice.ms(1, 5), -dice.ms(1, 5)};
  }
  lock.model.server = sim::ServerVersion::redis_7_2;
  lock.model.properties = {sim::Property::foreign_release};
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
