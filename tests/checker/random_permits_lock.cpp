// What is random is where the marks are, what comes first of marking and counting, whether a script
// does it, what is taken back by whom, and for how many it is enough.
#include "tests/checker/random_permits_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// Commands behind the name of the key, with {} for the token.
struct PermitMarks {
  std::string mark, count, take_back;
};

const std::vector<PermitMarks> kPermitMarks = {{"'SADD', {}", "'SCARD'", "'SREM', {}"},
                                               {"'HSET', {}, 1", "'HLEN'", "'HDEL', {}"},
                                               {"'ZADD', 1, {}", "'ZCARD'", "'ZREM', {}"},
                                               {"'RPUSH', {}", "'LLEN'", "'LREM', 0, {}"},
                                               {"'INCR'", "'GET'", "'DECR'"}};

/// One request, by a script or by itself.
std::string permit_request(const std::string& command, bool by_script) {
  const std::size_t after_name = std::min(command.find(','), command.size());
  return (by_script ? "redis.call(" : "redis(") + command.substr(0, after_name) +
         (by_script ? ", KEYS[1]" : ", self.key") +
         fmt::format(fmt::runtime(command.substr(after_name)),
                     by_script ? "ARGV[1]" : "self.mine") +
         ")";
}

struct Semaphore {
  PermitMarks marks;
  int enough = 1;  ///< marks of others and its own
  bool by_script = false;

  std::string counted() const {
    return "tonumber(" + permit_request(marks.count, by_script) + " or 0)";
  }
  std::string no() const { return by_script ? "return 0" : "return false"; }
  std::string yes() const { return by_script ? "return 1" : "return true"; }
};

std::string permit_lasts(Dice& dice, bool by_script) {
  if (dice.one_in(2)) return "";
  return by_script ? "redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
                   : "redis('PEXPIRE', self.key, self.ttl_ms) ";
}

std::string takes_permit(Dice& dice, const Semaphore& semaphore) {
  const std::string mark = permit_request(semaphore.marks.mark, semaphore.by_script) + " ";
  const std::string kept = permit_lasts(dice, semaphore.by_script);
  if (dice.one_in(3))
    return fmt::format("if {} >= {} then {} end {}{}{}", semaphore.counted(), semaphore.enough,
                       semaphore.no(), mark, kept, semaphore.yes());
  const std::string back =
      dice.one_in(4) ? "" : permit_request(semaphore.marks.take_back, semaphore.by_script) + " ";
  return fmt::format("{}{}if {} > {} then {}{} end {}", mark, kept, semaphore.counted(),
                     semaphore.enough, back, semaphore.no(), semaphore.yes());
}

std::string permit_acquire(Dice& dice, Semaphore semaphore) {
  semaphore.by_script = dice.one_in(3);
  std::string body = takes_permit(dice, semaphore);
  if (semaphore.by_script)
    body = "return redis('EVAL', [[" + body + "]], 1, self.key, self.mine, self.ttl_ms) == 1";
  body =
      dice.of<std::string>({"self.mine = unique() ", "self.mine = self.mine or unique() "}) + body;
  if (dice.one_in(3)) return body;
  return fmt::format("return retry(function() {} end, {})", body, dice.from(1, 4));
}

std::string permit_release(Dice& dice, const Semaphore& semaphore) {
  const std::string back = permit_request(semaphore.marks.take_back, false);
  return dice.of<std::string>({back + " return true", "return " + back + " == 1",
                               "return " + back + " ~= 0", "redis('DEL', self.key) return true"});
}

}  // namespace

RandomLock random_permits_lock(std::uint32_t seed) {
  Dice dice(seed);
  const int permits = dice.one_in(4) ? 1 : 2;
  const Semaphore semaphore{dice.of(kPermitMarks), permits + (dice.one_in(5) ? 1 : 0), false};
  RandomLock lock;
  lock.protocol = fmt::format(
      "local Lock = protocol {{ title = \"a random semaphore\", source = \"a seed\", permits = {} "
      "}}\nfunction Lock:acquire()\n  {}\nend\nfunction Lock:release()\n  {}\nend\nreturn Lock\n",
      permits, permit_acquire(dice, semaphore), permit_release(dice, semaphore));
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {"lock"};
  process.rounds = 1;
  process.lease_ms = dice.from(2, 9);
  process.workload = {{sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::work, 0, dice.from(1, 5)},
                      {sim::WorkStep::Kind::unlock, 0, 0}};
  lock.model.processes.assign(dice.one_in(3) ? 3 : 2, process);
  using sim::Fault;
  if (!dice.one_in(4))
    ++lock.model.budget[static_cast<std::size_t>(
        dice.of<Fault>({Fault::crash, Fault::crash, Fault::lose, Fault::pause, Fault::delay,
                        Fault::node_crash, Fault::flush}))];
  using sim::Property;
  lock.model.properties = dice.of<std::set<Property>>(
      {{Property::deadlock},
       {Property::deadlock, Property::leak},
       {Property::mutual_exclusion, Property::foreign_release, Property::deadlock},
       {Property::honest_result, Property::reentrancy}});
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
