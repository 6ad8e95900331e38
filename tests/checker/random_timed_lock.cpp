// A lock is put together from ways to look at a clock and things to compare with it.
#include "tests/checker/random_timed_lock.hpp"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace lockstep::test {

namespace {

/// Random choices that are the same on every machine.
class Chances {
 public:
  Chances(std::uint32_t seed, std::int64_t unit_ms) : engine_(seed), unit_ms_(unit_ms) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(most - least + 1));
  }
  /// A duration.
  std::int64_t ms(std::int64_t least, std::int64_t most) { return from(least, most) * unit_ms_; }
  /// Whether durations are so long that rounding would make another protocol of it.
  bool exact() const { return unit_ms_ > 3; }
  bool one_in(std::int64_t count) { return from(1, count) == 1; }
  std::string of(const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(
        from(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
  std::int64_t unit_ms_;
};

/// `what`, which came from a clock, compared with a number that is written or worked out.
std::string comparison(Chances& dice, const std::string& what) {
  const std::string op = dice.of({"<", "<=", ">", ">="});
  const auto c = dice.ms(1, 12);
  const auto twelfths = dice.from(1, 12), more = dice.ms(1, 3);
  switch (dice.from(0, dice.exact() ? 2 : 4)) {
    case 0:
      return fmt::format("{} * 2 {} {}", what, op, 2 * c);
    case 1:
      return fmt::format("({}) > {} and ({}) < {}", what, c - 1, what, c + more);
    case 3:
      return fmt::format("({}) // 3 {} {}", what, op, c / 3);
    case 4:
      return fmt::format("self.ttl_ms - ({}) {} self.ttl_ms * {} // 12", what, op, twelfths);
    default:
      return fmt::format("{} {} {}", what, op, c);
  }
}

std::string pausing(Chances& dice) {
  return dice.one_in(2) ? fmt::format("  sleep({})\n", dice.ms(1, 8)) : std::string();
}

/// The body of acquire().
std::string taking(Chances& dice) {
  const std::string set = R"(redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK)";
  switch (dice.from(0, 7)) {
    case 0:
      return "  local start = monotonic()\n  if not (" + set + ") then return false end\n" +
             pausing(dice) + "  return " + comparison(dice, "monotonic() - start") + "\n";
    case 1:
      return "  local start = now()\n  if not (" + set + ") then return false end\n" +
             pausing(dice) + "  local took = now() - start\n" + pausing(dice) + "  return " +
             comparison(dice, "took") + "\n";
    case 2:
      return "  if " + set + " then return true end\n" + pausing(dice) +
             "  local left = redis(\"PTTL\", self.key)\n  return " + comparison(dice, "left") +
             "\n";
    case 3:
      return "  if redis(\"SETNX\", self.key, unique()) == 1 then return true end\n"
             "  if not self.since then self.since = monotonic() end\n" +
             pausing(dice) + "  return " + comparison(dice, "monotonic() - self.since") + "\n";
    case 4:
      return fmt::format(
          "  local ends = millis(now()) + {}\n"
          "  if redis(\"SETNX\", self.key, ends) == 1 then return true end\n{}"
          "  local old = redis(\"GET\", self.key)\n"
          "  if not old or tonumber(old) + {} > millis(now()) then return false end\n"
          "  return redis(\"GETSET\", self.key, ends) == old\n",
          dice.ms(0, 12), pausing(dice), dice.ms(0, 4));
    case 5:
      return fmt::format(
          "  return redis(\"EVAL\", \"if redis.call('pttl', KEYS[1]) < {} then"
          " redis.call('set', KEYS[1], 'x', 'px', ARGV[1]) return 1 end return 0\","
          " 1, self.key, self.ttl_ms) == 1\n",
          dice.ms(0, 8));
    case 6:
      return "  local start = monotonic()\n" + pausing(dice) +
             "  return retry(function()\n    if " + set + " then return true end\n    if " +
             comparison(dice, "monotonic() - start") +
             fmt::format(" then return true end\n  end, {})\n", dice.ms(2, 6));
    default:
      return fmt::format(
          "  return redis(\"EVAL\", \"local t = redis.call('TIME') local ms = t[1] * 1000 +"
          " math.floor(t[2] / 1000) local old = redis.call('GET', KEYS[1])"
          " if old and ms - old < {} then return 0 end"
          " redis.call('SET', KEYS[1], string.format('%.0f', ms)) return 1\", 1, self.key) == 1\n",
          dice.ms(1, 12));
  }
}

sim::ProcessSetup timed_process(Chances& dice, std::int64_t lease_ms) {
  using Kind = sim::WorkStep::Kind;
  sim::ProcessSetup process;
  process.lock_keys = {"lock"};
  process.lease_ms = lease_ms;
  const auto add = [&](Kind kind, std::int64_t ms) { process.workload.push_back({kind, 0, ms}); };
  if (dice.one_in(4)) add(Kind::sleep, dice.ms(1, 6));
  add(Kind::lock, 0);
  if (!dice.one_in(3)) add(dice.one_in(2) ? Kind::work : Kind::sleep, dice.ms(1, 12));
  add(Kind::unlock, 0);
  return process;
}

}  // namespace

RandomLock random_timed_lock(std::uint32_t seed, std::int64_t unit_ms) {
  Chances dice(seed, unit_ms);
  RandomLock lock;
  lock.protocol =
      "local Lock = protocol { title = \"a random lock\", source = \"a seed\" }\n"
      "function Lock:acquire()\n" +
      taking(dice) +
      "end\nfunction Lock:release() redis(\"DEL\", self.key) return true end\nreturn Lock\n";
  const std::int64_t lease_ms = dice.ms(3, 12);
  const std::int64_t clients = dice.one_in(4) ? 3 : 2;
  for (std::int64_t i = 0; i < clients; ++i)
    lock.model.processes.push_back(timed_process(dice, lease_ms));
  if (clients == 2 && dice.one_in(4)) lock.model.processes[0].rounds = 2;
  const std::vector<sim::Fault> faults{sim::Fault::pause, sim::Fault::delay, sim::Fault::crash};
  if (clients == 2 && !dice.one_in(3))
    ++lock.model
          .budget[static_cast<std::size_t>(faults[static_cast<std::size_t>(dice.from(0, 2))])];
  if (dice.one_in(6)) lock.model.pause_max_ms = dice.ms(1, 8);
  if (dice.one_in(6)) lock.model.request_timeout_ms = dice.ms(1, 8);
  lock.model.properties = {sim::Property::mutual_exclusion};
  if (dice.one_in(5)) lock.model.latency_ms = dice.ms(1, 2);
  return lock;
}

}  // namespace lockstep::test
