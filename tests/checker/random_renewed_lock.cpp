// What is random is how often it renews and by which request, what a round counts, whether a
// deadline is set anew with each, what is done when that is over, and which timers release() stops,
// before or after it asks.
#include "tests/checker/random_renewed_lock.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/checker/dice.hpp"
#include "tests/support/inline_lock.hpp"

namespace lockstep::test {

namespace {

constexpr const char* kComparedRenewal =
    "redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0\","
    " 1, self.key, self.token, self.ttl_ms)";

std::string timer_set_anew(Dice& dice, std::int64_t unit_ms) {
  const std::string late = dice.of<std::string>(
      {"lost(self)", "redis('DEL', self.key)", "redis('SET', 'late', 'x', 'PX', self.ttl_ms)",
       "if redis('EXISTS', self.key) == 1 then lost(self) end"});
  return fmt::format(
      "if self.deadline then stop(self.deadline) end "
      "self.deadline = every({}, function() {} return false end) ",
      dice.from(3, 9) * unit_ms, late);
}

std::string watchdog(Dice& dice, std::int64_t unit_ms) {
  const std::string anew = dice.one_in(3) ? "" : timer_set_anew(dice, unit_ms);
  const std::string counts =
      dice.of<std::string>({"", "", "rounds = rounds % 2 + 1 ",
                            "rounds = rounds + 1 if rounds == 6 then return false end "});
  const std::string renewal =
      dice.of<std::string>({"redis('PEXPIRE', self.key, self.ttl_ms)", kComparedRenewal,
                            "redis('SET', self.key, self.token, 'XX', 'PX', self.ttl_ms)"});
  const std::string ends = dice.one_in(3) ? "return renewed == 1 or renewed == OK" : "return true";
  return fmt::format(
      "local rounds = 0 {}self.dog = every({}, function() local renewed = {} {}{}{} end) ",
      dice.one_in(2) ? anew : "", dice.from(1, 4) * unit_ms, renewal, counts, anew, ends);
}

std::string renewed_acquire(Dice& dice, std::int64_t unit_ms) {
  const bool renews = !dice.one_in(3);
  // What is begun often, and never comes to its end.
  std::string before = !renews || dice.one_in(3)
                           ? fmt::format("for i = 1, 5 do stop(every({}, function() end)) end ",
                                         dice.from(3, 9) * unit_ms)
                           : "";
  if (dice.one_in(3)) before += "if redis('EXISTS', 'late') == 1 then return false end ";
  const std::string take = "redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";
  const std::string timers = renews ? watchdog(dice, unit_ms) : timer_set_anew(dice, unit_ms);
  const bool first = dice.one_in(3);
  const std::string none = first ? (renews ? "stop(self.dog) " : "stop(self.deadline) ") : "";
  return fmt::format("self.token = unique() {}{}if not ({}) then {}return false end {}return true",
                     before, first ? timers : "", take, none, first ? "" : timers);
}

std::string renewed_release(Dice& dice) {
  const std::string dog = "if self.dog then stop(self.dog) end ";
  const std::string stops =
      dice.one_in(3) ? dog : dog + "if self.deadline then stop(self.deadline) end ";
  const std::string deletes = dice.of<std::string>({kDeletesOwn, "redis('DEL', self.key) == 1"});
  if (dice.one_in(2)) return stops + "return " + deletes;
  return "local gone = " + deletes + " " + stops + "return gone";
}

}  // namespace

RandomLock random_renewed_lock(std::uint32_t seed, std::int64_t unit_ms) {
  Dice dice(seed);
  RandomLock lock;
  lock.protocol = fmt::format(
      "local Lock = protocol {{ title = \"a random watchdog\", source = \"a seed\" }}\n"
      "function Lock:acquire()\n  {}\nend\nfunction Lock:release()\n  {}\nend\nreturn Lock\n",
      renewed_acquire(dice, unit_ms), renewed_release(dice));
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {"lock"};
  process.rounds = 1;
  process.lease_ms = dice.from(3, 9) * unit_ms;
  process.workload = {{sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::work, 0, dice.from(1, 9) * unit_ms},
                      {sim::WorkStep::Kind::unlock, 0, 0}};
  lock.model.processes.assign(2, process);
  using sim::Fault;
  if (!dice.one_in(5))
    ++lock.model.budget[static_cast<std::size_t>(dice.of<Fault>(
        {Fault::delay, Fault::delay, Fault::cut, Fault::pause, Fault::lose, Fault::crash}))];
  using sim::Property;
  lock.model.properties = dice.of<std::set<Property>>(
      {{Property::mutual_exclusion},
       {Property::mutual_exclusion, Property::foreign_release, Property::foreign_extend},
       {Property::deadlock},
       {Property::honest_result},
       {Property::lost_told}});
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
