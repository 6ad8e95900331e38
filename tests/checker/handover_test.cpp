// A lock that one client hands over to another by its token (docs/semantics.md, section 1): whose
// it is, and what both are told.
#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

/// Takes a free lock; else stands in a queue, and waits for so many seconds to be handed it.
/// `gone`: what who has waited in vain does and returns.
std::string queueing(const std::string& seconds, const std::string& gone) {
  return test::kToken + R"lua(
  local mine = redis('EVAL', [[
    if redis.call('exists', KEYS[1]) == 0 then
      redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
      redis.call('set', 'how', 'taken')
      return 1
    end
    redis.call('rpush', 'queue', ARGV[1])
    return 0]], 1, self.key, self.token, self.ttl_ms)
  if mine == 1 or redis('BLPOP', 'for:' .. self.token, )lua" +
         seconds + ") then return true end\n" + gone;
}

/// Hands it over to the first of the queue, by its token, and tells it so.
const std::string kHandOver = R"lua(
  return redis('EVAL', [[
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    local first = redis.call('lpop', 'queue')
    if not first then return redis.call('del', KEYS[1]) end
    redis.call('set', KEYS[1], first, 'px', ARGV[2])
    redis.call('set', 'how', 'handed')
    redis.call('lpush', 'for:' .. first, 1)
    redis.call('pexpire', 'for:' .. first, ARGV[2])
    return 1]], 1, self.key, self.token, self.ttl_ms) == 1)lua";

const std::string kLeave = "redis('LREM', 'queue', 0, self.token) return false";

TEST_CASE("who is handed a lock holds it, and who hands it over has released", "[handover]") {
  test::InlineLock lock({queueing("0.05", kLeave), kHandOver});
  for (const Property property : {Property::honest_result, Property::foreign_release,
                                  Property::foreign_extend, Property::reentrancy})
    CHECK(lock.judged(property) == Verdict::holds);
  lock.model.witnesses = {sim::Witness::owned, sim::Witness::released};
  CHECK(lock.unmet().empty());
}

TEST_CASE("who is handed a lock at the instant at which it goes away has it", "[handover]") {
  test::InlineLock lock({queueing("0.01", kLeave), kHandOver});
  CHECK(lock.judged(Property::honest_result) == Verdict::violated);
  // Who has not left the queue by itself was handed the lock.
  test::InlineLock looks(
      {queueing("0.01", "return redis('LREM', 'queue', 0, self.token) == 0"), kHandOver});
  CHECK(looks.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("who takes or prolongs what another was handed takes or prolongs it", "[handover]") {
  const auto judged = [](const std::string& meddling, Property property) {
    CAPTURE(meddling);
    test::InlineLock lock({"if setting('meddles') then " + meddling + " return false end\n" +
                               queueing("0.05", kLeave),
                           kHandOver},
                          ", settings = { meddles = false }");
    lock.model.processes.push_back(lock.model.processes[1]);
    lock.model.processes[2].settings["meddles"] = true;
    lock.model.processes[2].workload = {lock.model.processes[2].workload.front()};
    lock.model.properties = {property};
    return checker::explore(lock.model, {}).verdict;
  };
  // Only what was handed over is meddled with: who has taken it by itself says "taken".
  const std::string handed = "if redis('GET', 'how') == 'handed' then ", end = " end";
  CHECK(judged(handed + "redis('DEL', self.key)" + end, Property::foreign_release) ==
        Verdict::violated);
  CHECK(judged(handed + "redis('PEXPIRE', self.key, 90)" + end, Property::foreign_extend) ==
        Verdict::violated);
  CHECK(judged(handed + "redis('GET', self.key)" + end, Property::foreign_release) ==
        Verdict::holds);
}

/// Whoever asks gives a free lock to the first of a queue.
std::string granting(const std::string& grant) {
  return test::kToken + R"lua(
  redis('RPUSH', 'queue', self.token)
  local whose = redis('EVAL', [[
    if redis.call('exists', KEYS[1]) == 0 then
      local first = redis.call('lpop', 'queue')
      )lua" +
         grant + R"lua(
      redis.call('pexpire', KEYS[1], ARGV[1])
      redis.call('set', 'whose', first)
    end
    return redis.call('get', 'whose')]], 1, self.key, self.ttl_ms)
  if whose == self.token then return true end
  redis('LREM', 'queue', 0, self.token)
  return false)lua";
}

TEST_CASE("who grants a lock to another has made nothing of its own", "[handover]") {
  const std::string remove = "return redis('DEL', self.key) == 1";
  for (const char* const grant :
       {"redis.call('set', KEYS[1], first)", "redis.call('hset', KEYS[1], 'owner', first)",
        "redis.call('hset', KEYS[1], first, 1)", "redis.call('hincrby', KEYS[1], first, 1)",
        "redis.call('sadd', KEYS[1], first)", "redis.call('zadd', KEYS[1], 1, first)",
        "redis.call('rpush', KEYS[1], first)"}) {
    CAPTURE(grant);
    test::InlineLock lock({granting(grant), remove});
    CHECK(lock.judged(Property::honest_result) == Verdict::holds);
  }
}

TEST_CASE("a lock is handed over by what moves its token", "[handover]") {
  // The holders' list is the lock: what stands in it is whose token it is.
  test::InlineLock lock(
      {test::kToken +
           "redis('RPUSH', 'queue', self.token)\n"
           "if redis('EXISTS', self.key) == 0 then redis('LMOVE', 'queue', self.key, 'LEFT', "
           "'RIGHT') end\n"
           "if redis('LINDEX', self.key, 0) == self.token then return true end\n"
           "redis('LREM', 'queue', 0, self.token) return redis('LREM', self.key, 0, self.token) "
           "~= 0 and nil",
       "return redis('LREM', self.key, 1, self.token) == 1"});
  CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
  CHECK(lock.judged(Property::reentrancy) == Verdict::holds);
}

TEST_CASE("a lock that one task hands over to another of its process is released", "[handover]") {
  const std::string own = "task_local().token";
  const auto of_task = [&](std::string text) {
    for (auto at = text.find("self.token"); at != std::string::npos; at = text.find("self.token"))
      text.replace(at, 10, own);
    return text;
  };
  for (const bool leaves : {true, false}) {
    CAPTURE(leaves);
    test::InlineLock lock(
        {of_task(queueing(leaves ? "0.05" : "0.01", kLeave)), of_task(kHandOver)});
    lock.model.processes.resize(1);
    lock.model.processes[0].threads = 2;
    // Waiting for less than the work, it goes away as it is handed the lock.
    CHECK(lock.judged(Property::honest_result) == (leaves ? Verdict::holds : Verdict::violated));
    if (leaves) CHECK(lock.judged(Property::reentrancy) == Verdict::holds);
  }
}

TEST_CASE("what is handed over to a client that has crashed is nobody's", "[handover]") {
  test::InlineLock lock({queueing("0.05", kLeave), kHandOver});
  lock.model = test::with_fault(lock.model, sim::Fault::crash);
  for (const Property property : {Property::foreign_release, Property::honest_result})
    CHECK(lock.judged(property) == Verdict::holds);
  // Of one that is up again nobody knows whether the token is of its life.
  for (auto& process : lock.model.processes) process.rounds = 2;
  lock.model.properties = {Property::foreign_release};
  const checker::Result again = checker::explore(lock.model, {});
  CHECK(again.verdict == Verdict::inconclusive);
  CHECK(again.why_inconclusive.find("up again") != std::string::npos);
}

/// Owner and queue in one text. `also`: what else a client does in acquire().
test::Bodies owner_and_queue(const std::string& also) {
  return {test::kToken + R"lua(
  local owner = redis('EVAL', [[
    local text = redis.call('get', KEYS[1])
    local owner, queue = (text or ARGV[1] .. '|'):match('(.*)|(.*)')
    if owner ~= ARGV[1] then queue = queue .. ARGV[1] .. ',' end
    redis.call('set', KEYS[1], owner .. '|' .. queue, 'px', ARGV[2])
    return owner]], 1, self.key, self.token, self.ttl_ms)
  if owner == self.token then return true end
)lua" + also + R"lua(
  return redis('EVAL', [[return (redis.call('get', KEYS[1]) or '|'):match('(.*)|')]], 1,
               self.key) == self.token)lua",
          R"lua(
  return redis('EVAL', [[
    local owner, queue = (redis.call('get', KEYS[1]) or '|'):match('(.*)|(.*)')
    if owner ~= ARGV[1] then return 0 end
    local first, rest = queue:match('(.-),(.*)')
    if not first then return redis.call('del', KEYS[1]) end
    redis.call('set', KEYS[1], first .. '|' .. rest, 'px', ARGV[2])
    return 1]], 1, self.key, self.token, self.ttl_ms) == 1)lua"};
}

TEST_CASE("whose a text is that names several is not told", "[handover]") {
  test::InlineLock lock(owner_and_queue("sleep(40)"));
  for (const Property property : {Property::reentrancy, Property::lost_told}) {
    lock.model.properties = {property, Property::mutual_exclusion};
    const checker::Result open = checker::explore(lock.model, {});
    CHECK(open.verdict == Verdict::inconclusive);
    CHECK(open.why_inconclusive == checker::kNamesSeveral);
  }
  for (const Property property : {Property::mutual_exclusion, Property::leak, Property::deadlock})
    CHECK(lock.judged(property) == Verdict::holds);
}

TEST_CASE("who writes over the lock's text without joining it has taken it", "[handover]") {
  for (const char* const text : {"ARGV[1]", "old .. 'x'", "''"}) {
    CAPTURE(text);
    test::InlineLock lock({test::kToken + R"lua(
  return redis('EVAL', [[
    local old = redis.call('get', KEYS[1])
    redis.call('set', KEYS[1], old and )lua" +
                               text + R"lua( or ARGV[1], 'px', ARGV[2])
    return old and 0 or 1]], 1, self.key, self.token, self.ttl_ms) == 1)lua",
                           test::kCompareAndDelete});
    CHECK(lock.judged(Property::foreign_release) == Verdict::violated);
  }
}

}  // namespace
