// Whose what is in a key: locks that are members, fields, elements, bits and numbers of a key, not
// the key. Both explorers judge each; what is right was argued from Redis, one lock at a time.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::Bodies;
using test::InlineLock;
using test::kToken;
using test::scripted_acquire;

constexpr Property kOfParts[] = {Property::foreign_release, Property::foreign_extend,
                                 Property::honest_result, Property::reentrancy};

/// Nothing of the kind is violated.
void check_right(const Bodies& bodies) {
  const InlineLock lock(bodies);
  for (const Property property : kOfParts) CHECK(lock.judged(property) == Verdict::holds);
}

void check_wrong(const Bodies& bodies, Property property) {
  CHECK(InlineLock(bodies).judged(property) == Verdict::violated);
}

}  // namespace

TEST_CASE("locks that leave the key behind are right", "[parts][many-models]") {
  SECTION("a member of a set") {
    check_right(
        {"return redis('SADD', self.key, 'in') == 1", "return redis('SREM', self.key, 'in') == 1"});
  }
  SECTION("a semaphore of two in a sorted set, with a lease that everybody renews") {
    check_right({kToken + "redis('ZADD', self.key, 1, self.token) redis('PEXPIRE', self.key, 30) "
                          "if redis('ZCARD', self.key) <= 2 then return true end "
                          "redis('ZREM', self.key, self.token) return false",
                 "return redis('ZREM', self.key, self.token) == 1"});
  }
  SECTION("a queue, whose head has the lock") {
    check_right({kToken +
                     "redis('LPUSH', self.key, self.token) "
                     "return retry(function() return redis('LINDEX', self.key, -1) == self.token "
                     "end, 5)",
                 "return redis('RPOP', self.key) == self.token"});
  }
  SECTION("a number that everybody counts in") {
    check_right(
        {"if redis('INCRBY', self.key, 3) == 3 then return true end "
         "redis('DECRBY', self.key, 3) return false",
         "redis('DECRBY', self.key, 3) return true"});
  }
  SECTION("permits counted down from a number that somebody has set") {
    check_right(
        {"redis('SETNX', self.key, 2) "
         "if redis('DECR', self.key) >= 0 then return true end "
         "redis('INCR', self.key) return false",
         "redis('INCR', self.key) return true"});
  }
  SECTION("one permit, set by whoever comes first") {
    check_right(
        {"redis('SET', self.key, 1, 'NX') "
         "if redis('DECR', self.key) >= 0 then return true end "
         "redis('INCR', self.key) return false",
         "redis('INCR', self.key) return true"});
  }
  SECTION("one permit, set by one who may get none (Redisson's RSemaphore)") {
    const InlineLock lock(
        {"redis('SETNX', self.key, 1) return redis('EVAL', [[local left = redis.call('get', "
         "KEYS[1]) if left ~= false and tonumber(left) >= 1 then redis.call('decrby', KEYS[1], 1) "
         "return 1 end return 0]], 1, self.key) == 1",
         "redis('INCRBY', self.key, 1) return true"},
        ", permanent = { '{key}' }");
    for (const Property property : kOfParts) CHECK(lock.judged(property) == Verdict::holds);
  }
  SECTION("a field of a hash in which those who were refused are counted") {
    check_right({kToken +
                     "if redis('HSETNX', self.key, 'owner', self.token) == 1 then return true end "
                     "redis('HINCRBY', self.key, 'waiting', 1) return false",
                 "if redis('HGET', self.key, 'owner') ~= self.token then return false end "
                 "return redis('HDEL', self.key, 'owner') == 1"});
  }
  SECTION("readers in a hash, the mode said by the first of them") {
    check_right(
        {kToken + "redis('HSET', self.key, 'mode', 'read') "
                  "redis('HINCRBY', self.key, self.token, 1) redis('PEXPIRE', self.key, 30) "
                  "return true",
         "return redis('EVAL', [[redis.call('hdel', KEYS[1], ARGV[1]) "
         "if redis.call('hlen', KEYS[1]) == 1 then redis.call('del', KEYS[1]) end return 1]],"
         " 1, self.key, self.token) == 1"});
  }
  SECTION("a bit") {
    check_right({"return redis('SETBIT', self.key, 7, 1) == 0",
                 "return redis('SETBIT', self.key, 7, 0) == 1"});
  }
  SECTION("the first bit that nobody has") {
    check_right(
        {"for i = 0, 1 do if redis('SETBIT', self.key, i, 1) == 0 then self.i = i return true end "
         "end return false",
         "return redis('SETBIT', self.key, self.i, 0) == 1"});
  }
  SECTION("the first byte that nobody has") {
    check_right(
        {"for i = 0, 1 do if redis('EVAL', [[if redis.call('getrange', KEYS[1], ARGV[1], ARGV[1]) "
         "== '1' then return 0 end redis.call('setrange', KEYS[1], ARGV[1], '1') return 1]], 1, "
         "self.key, i) == 1 then self.i = i return true end end return false",
         "redis('SETRANGE', self.key, self.i, '0') return true"});
  }
  SECTION("a ticket, whose numbers are no lease") {
    check_right(
        {"self.mine = redis('INCR', self.key .. ':next') "
         "return retry(function() "
         "return tonumber(redis('GET', self.key .. ':served') or '0') + 1 == self.mine "
         "end, 5)",
         "redis('INCR', self.key .. ':served') return true"});
  }
  SECTION("members that everybody stores anew (the fair semaphore of Redis in Action)") {
    const InlineLock lock(
        {kToken + "local z, owners = self.key, self.key .. ':owner' "
                  "redis('ZINTERSTORE', owners, 2, owners, z, 'WEIGHTS', 1, 0) "
                  "redis('ZADD', z, 1, self.token) "
                  "redis('ZADD', owners, redis('INCR', 'counter'), self.token) "
                  "if redis('ZRANK', owners, self.token) < 1 then return true end "
                  "redis('ZREM', z, self.token) redis('ZREM', owners, self.token) return false",
         "redis('ZREM', self.key .. ':owner', self.token) "
         "return redis('ZREM', self.key, self.token) == 1"},
        ", leases = { '{key}', '{key}:owner' }");
    CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
  }
  SECTION("in another database") {
    check_right({"redis('SELECT', 3) return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK",
                 "return redis('DEL', self.key) == 1"});
  }
}

TEST_CASE("what release() leaves in another database under the lock's name is a note",
          "[parts][many-models]") {
  const std::string set = "return redis('SET', self.key, self.token, 'NX', 'PX', 30) == OK";
  const std::string mine = "if redis('GET', self.key) ~= self.token then return false end ";
  const Bodies noted{kToken + set, mine +
                                       "redis('DEL', self.key) redis('SELECT', 1) "
                                       "redis('SET', self.key, self.token) redis('SELECT', 0) "
                                       "return true"};
  const Bodies moved{kToken + set, mine + "return redis('MOVE', self.key, 1) == 1"};
  for (const Bodies& bodies : {noted, moved}) {
    check_right(bodies);
    CHECK(InlineLock(bodies).judged(Property::leak) == Verdict::holds);
  }
  SECTION("unless locks are there, too") {
    const Bodies there{kToken + "redis('SELECT', 1) " + set,
                       mine + "redis('SET', self.key, self.token) return true"};
    CHECK(InlineLock(there).judged(Property::leak) == Verdict::violated);
  }
}

TEST_CASE("a lock that is released by what is written over it", "[parts]") {
  const std::string test_and_set =
      "return redis('EVAL', [[local owner = redis.call('get', KEYS[1]) "
      "if owner and owner ~= 'free' and owner ~= '' then return 0 end "
      "redis.call('set', KEYS[1], ARGV[1]) return 1]], 1, self.key, self.token) == 1";
  SECTION("a word") {
    check_right({kToken + test_and_set,
                 "if redis('GET', self.key) ~= self.token then return false end "
                 "redis('SET', self.key, 'free') return true"});
  }
  SECTION("nothing, in a transaction") {
    check_right({kToken + test_and_set,
                 "redis('WATCH', self.key) if redis('GET', self.key) ~= self.token then "
                 "redis('UNWATCH') return false end redis('MULTI') redis('SET', self.key, '') "
                 "return not not redis('EXEC')"});
  }
  SECTION("another score") {
    check_right(
        {"return redis('EVAL', [[if redis.call('zscore', KEYS[1], 'in') == '1' then return 0 end "
         "redis.call('zadd', KEYS[1], 1, 'in') return 1]], 1, self.key) == 1",
         "redis('ZADD', self.key, 0, 'in') return true"});
  }
  SECTION("a flag in a hash") {
    check_right(
        {"return redis('EVAL', [[if redis.call('hget', KEYS[1], 'in') == '1' then return 0 end "
         "redis.call('hset', KEYS[1], 'in', '1') return 1]], 1, self.key) == 1",
         "redis('HSET', self.key, 'in', '0') return true"});
  }
  SECTION("but not by what bears its token still") {
    check_wrong(
        {kToken + test_and_set, "redis('SET', self.key, 'free? ' .. self.token) return true"},
        Property::honest_result);
  }
  SECTION("but not if it is another's by then") {
    const std::string expires = "redis('SET', self.key, self.token, 'PX', 3) return true";
    check_wrong({kToken + expires, "redis('SET', self.key, 'free') return true"},
                Property::foreign_release);
  }
}

TEST_CASE("who is refused takes nothing from who is not", "[parts]") {
  const auto steals = [](const std::string& enter, const std::string& steal) {
    check_wrong({kToken + "if " + enter + " then return true end " + steal + " return false",
                 "return true"},
                Property::foreign_release);
  };
  SECTION("field") {
    steals("redis('HSETNX', self.key, 'owner', self.token) == 1",
           "redis('HSET', self.key, 'owner', self.token)");
  }
  SECTION("field, removed") {
    steals("redis('HSETNX', self.key, 'owner', self.token) == 1",
           "redis('HSET', self.key, 'x', 'y') redis('HDEL', self.key, 'owner')");
  }
  SECTION("element") {
    steals("redis('RPUSH', self.key, self.token) == 1", "redis('LPOP', self.key)");
  }
  SECTION("element, trimmed away") {
    steals("redis('RPUSH', self.key, self.token) == 1", "redis('LTRIM', self.key, 1, -1)");
  }
  SECTION("member") {
    steals("redis('SADD', self.key, 'in') == 1",
           "redis('SADD', self.key, 'out') redis('SREM', self.key, 'in')");
  }
  SECTION("score") {
    steals("redis('ZADD', self.key, 'NX', 5, 'in') == 1", "redis('ZADD', self.key, 6, 'in')");
  }
  SECTION("bytes") {
    steals("redis('SET', self.key, self.token, 'NX') == OK",
           "redis('SETRANGE', self.key, 0, self.token)");
  }
  SECTION("what has been counted") {
    steals("redis('INCR', self.key) == 1", "redis('DECRBY', self.key, 2)");
  }
  SECTION("a bit") {
    steals("redis('SETBIT', self.key, 7, 1) == 0", "redis('SETBIT', self.key, 7, 0)");
  }
  SECTION("another's bit") {
    steals("redis('SETBIT', self.key, 0, 1) == 0",
           "redis('SETBIT', self.key, 1, 1) redis('SETBIT', self.key, 0, 0)");
  }
  SECTION("another's bytes") {
    steals("redis('SETRANGE', self.key, 4, self.token) > 0 and redis('INCR', 'n') == 1",
           "redis('SETRANGE', self.key, 0, '123456')");
  }
  SECTION("a permit of which there is one") {
    steals("redis('SETNX', self.key, 1) and redis('DECR', self.key) == 0",
           "redis('INCR', self.key) redis('INCR', self.key)");
  }
  SECTION("in another database") {
    steals("redis('SELECT', 3) == OK and redis('SET', self.key, self.token, 'NX') == OK",
           "redis('DEL', self.key)");
  }
}

TEST_CASE("what is left behind or not given back is told", "[parts]") {
  SECTION("a place in the queue, by one who was refused") {
    check_wrong({kToken + "return redis('RPUSH', self.key, self.token) == 1",
                 "return redis('LREM', self.key, 0, self.token) == 1"},
                Property::honest_result);
  }
  SECTION("a permit that a release() only says to give back") {
    check_wrong({"redis('INCR', self.key) return true", "redis('GET', self.key) return true"},
                Property::honest_result);
  }
  SECTION("one of two permits") {
    check_wrong({"redis('INCRBY', self.key, 2) return true", "redis('DECR', self.key) return true"},
                Property::reentrancy);
  }
  SECTION("a lease that is not its own is renewed") {
    check_wrong(
        {"redis('HSETNX', self.key, 'owner', 'x') return redis('PEXPIRE', self.key, 30) == 1",
         "return true"},
        Property::foreign_extend);
  }
}

TEST_CASE("what a call says by the way it ends", "[parts]") {
  const auto after = [](Fault fault, const Bodies& bodies) {
    InlineLock lock(bodies);
    lock.model = test::with_fault(lock.model, fault);
    return lock.judged(Property::honest_result);
  };
  SECTION("acquire() throws, and its key stays") {
    check_wrong({"if redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK then error('no') end "
                 "return false",
                 "return true"},
                Property::honest_result);
  }
  SECTION("acquire() throws, and has taken its key back") {
    check_right(
        {"if redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK then "
         "redis('DEL', self.key) error('no') end return false",
         "return true"});
  }
  SECTION("acquire() throws because it hears nothing: nobody can know") {
    InlineLock lock({"return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK",
                     "return redis('DEL', self.key) == 1"});
    lock.model.budget[static_cast<std::size_t>(sim::Fault::lose)] = 1;
    CHECK(lock.judged(Property::honest_result) == Verdict::holds);
  }
  SECTION("nor where it clears up, and then throws the error that it has caught") {
    const auto with = [&](const std::string& end) {
      return after(Fault::lose,
                   {"self.t = unique() local told, said = pcall(redis, 'SET', self.key, self.t, "
                    "'NX', 'PX', 30) if told then return said == OK end if redis('GET', self.key) "
                    "== self.t then redis('DEL', self.key) end " +
                        end,
                    "return redis('DEL', self.key) == 1"});
    };
    CHECK(with("error(said)") == Verdict::holds);
    CHECK(with("error('not taken: ' .. tostring(said))") == Verdict::holds);
    CHECK(with("error({ text = 'not taken', cause = said })") == Verdict::holds);
    CHECK(with("error({ text = 'not taken', cause = { 'else' } })") == Verdict::violated);
    CHECK(after(Fault::lose,
                {"self.t = unique() local told, said await(spawn(function() told, said = "
                 "pcall(redis, 'SET', self.key, self.t, 'NX', 'PX', 30) end)) if told then return "
                 "said == OK end if redis('GET', self.key) == self.t then redis('DEL', self.key) "
                 "end error(said)",
                 "return redis('DEL', self.key) == 1"}) == Verdict::holds);
    CHECK(with("error('not taken')") == Verdict::violated);
    CHECK(with("local _, other = pcall(redis, 'HGET', 'x') error(other)") == Verdict::violated);
  }
  SECTION("nor where a script that gets no answer puts the key together") {
    InlineLock lock(
        {"return redis('EVAL', \"return redis.call('set', ARGV[1] .. ':mine', 'x', 'NX', "
         "'PX', 30) and 1 or 0\", 0, self.key) == 1",
         "return redis('DEL', self.key .. ':mine') == 1"},
        ", leases = { '{key}:mine' }");
    lock.model.budget[static_cast<std::size_t>(sim::Fault::lose)] = 1;
    CHECK(lock.judged(Property::honest_result) == Verdict::holds);
  }
  SECTION("release() says nothing, and claims nothing") {
    check_right(
        {"return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK", "redis('DEL', self.key)"});
  }
  SECTION("a key that is left behind on purpose") {
    const Bodies bodies{"return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK",
                        "return redis('PEXPIRE', self.key, 5) == 1"};
    check_wrong(bodies, Property::honest_result);
    const InlineLock on_purpose(bodies, ", permanent = { '{key}' }");
    for (const Property property : kOfParts) CHECK(on_purpose.judged(property) == Verdict::holds);
    // Told when the key has gone, as it was asked to: that is no lie.
    const InlineLock told_late(
        {"return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK",
         "local kept = redis('PEXPIRE', self.key, 5) == 1 sleep(10) return kept"},
        ", permanent = { '{key}' }");
    CHECK(told_late.judged(Property::honest_result) == Verdict::holds);
  }
}

TEST_CASE("an inner release() that says nothing leaves the key to who is still inside", "[parts]") {
  using Does = sim::WorkStep::Kind;
  const std::string enter =
      "self.token = self.token or unique() return redis('EVAL', \"if redis.call('exists', KEYS[1]) "
      "== 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('hincrby', KEYS[1], "
      "ARGV[1], 1) redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end return 0\", 1, self.key, "
      "self.token, self.ttl_ms) == 1";
  const auto judged = [&](const std::string& release, std::int64_t work_ms) {
    InlineLock lock({enter, release});
    lock.model.processes.resize(1);
    lock.model.processes[0].workload = {{Does::lock, 0, 0},
                                        {Does::lock, 0, 0},
                                        {Does::work, 0, work_ms},
                                        {Does::unlock, 0, 0},
                                        {Does::unlock, 0, 0}};
    return lock.judged(Property::reentrancy);
  };
  const std::string deletes = "redis('DEL', self.key)";
  const std::string counts =
      "redis('EVAL', \"if redis.call('hexists', KEYS[1], ARGV[1]) == 1 and redis.call('hincrby', "
      "KEYS[1], ARGV[1], -1) == 0 then redis.call('del', KEYS[1]) end\", 1, self.key, self.token)";
  CHECK(judged(deletes, 10) == Verdict::violated);
  CHECK(judged(deletes + " return true", 10) == Verdict::violated);
  CHECK(judged(counts, 10) == Verdict::holds);
  // The lease ended before: it has removed nothing, and nobody has told it anything.
  CHECK(judged(deletes, 40) == Verdict::holds);
  CHECK(judged(deletes + " return true", 40) == Verdict::violated);
}

TEST_CASE("what a client has sent for an operation that is over", "[parts]") {
  const auto alone = [](const Bodies& bodies) {
    InlineLock lock(bodies);
    lock.model.processes.resize(1);
    lock.model.processes[0].rounds = 2;
    lock.model.budget[static_cast<std::size_t>(sim::Fault::lose)] = 1;
    return lock.judged(Property::reentrancy);
  };
  const std::string take = "redis('SET', self.key, self.token, 'NX', 'PX', 30)";
  SECTION("an acquire() that is asked for twice and granted once comes after the release()") {
    const std::string script =
        "local function ask() return redis('EVAL', [[local owner = redis.call('get', KEYS[1]) if "
        "not owner or owner == ARGV[1] then redis.call('set', KEYS[1], ARGV[1], 'PX', 30) return 1 "
        "end return 0]], 1, self.key, self.token) == 1 end "
        "local heard, granted = pcall(ask) if heard then return granted end return ask()";
    CHECK(alone({kToken + script, test::kCompareAndDelete}) == Verdict::violated);
  }
  SECTION("an acquire() that was given up comes during a later release(): nobody's key") {
    CHECK(alone({kToken + "local heard, answer = pcall(redis, 'SET', self.key, self.token, 'NX', "
                          "'PX', 30) return heard and answer == OK",
                 test::kCompareAndDelete}) == Verdict::holds);
  }
  SECTION("a release() that is asked for twice removes the next round's key") {
    CHECK(alone({kToken + "return " + take + " == OK",
                 "repeat until pcall(redis, 'DEL', self.key) return true"}) == Verdict::violated);
    CHECK(alone({kToken + "return " + take + " == OK",
                 "local own = \"if redis.call('get', KEYS[1]) == ARGV[1] then return "
                 "redis.call('del', KEYS[1]) end return 0\" "
                 "repeat until pcall(redis, 'EVAL', own, 1, self.key, self.token) return true"}) ==
          Verdict::holds);
  }
}

TEST_CASE("a thread that overwrites its client's key has made it", "[parts][many-models]") {
  const auto judged = [](const std::string& otherwise) {
    InlineLock lock({kToken +
                         "if redis('SET', self.key, self.token, 'NX') == OK then return true "
                         "end " +
                         otherwise + " return false",
                     test::kCompareAndDelete});
    lock.model.processes.resize(1);
    lock.model.processes[0].threads = 2;
    return lock.judged(Property::honest_result);
  };
  CHECK(judged("redis('SET', self.key, self.token, 'XX')") == Verdict::violated);
  CHECK(judged("redis('MULTI') redis('DEL', self.key) redis('SET', self.key, self.token) "
               "redis('EXEC')") == Verdict::violated);
  CHECK(judged("redis('SET', self.key, redis('GET', self.key) or '', 'XX')") == Verdict::holds);
}

TEST_CASE("who refreshes another's key extends it, and who appends to it takes it", "[parts]") {
  const auto judged = [](const std::string& otherwise, Property property) {
    return InlineLock({kToken +
                           "if redis('SET', self.key, self.token, 'NX', 'PX', 30) == OK then "
                           "return true end local owner = redis('GET', self.key) "
                           "if owner then " +
                           otherwise + " end return false",
                       test::kCompareAndDelete})
        .judged(property);
  };
  for (const char* refresh :
       {"redis('SET', self.key, owner, 'PX', 40)",
        "redis('COPY', self.key, 'x') redis('PEXPIRE', 'x', 40) redis('RENAME', 'x', self.key)"}) {
    CAPTURE(refresh);
    CHECK(judged(refresh, Property::foreign_extend) == Verdict::violated);
    CHECK(judged(refresh, Property::foreign_release) == Verdict::holds);
  }
  CHECK(judged("redis('APPEND', self.key, 'x')", Property::foreign_release) == Verdict::violated);
}

TEST_CASE("who waits in the key of a holder has nothing of the lock", "[parts][many-models]") {
  const std::string owner =
      "if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 1 then "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end ";
  const std::string permit = "redis.call('hset', KEYS[1], ARGV[1], 1) ";
  const std::string lives_on = "redis.call('pexpire', KEYS[1], ARGV[2]) ";
  const std::string leave =
      "return redis('EVAL', \"if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then"
      " return redis.call('del', KEYS[1]) end return 0\", 1, self.key, self.token) == 1";
  const std::string give = "return redis('HDEL', self.key, self.token) == 1";

  check_right(
      {scripted_acquire(owner + "redis.call('hset', KEYS[1], 'wanted', ARGV[1]) return 0"), leave});
  // All may enter: who comes later lets all live on.
  check_right({scripted_acquire(permit + lives_on + "return 1"), give});
  for (const char* mark : {"redis.call('hincrby', KEYS[1], 'waiters', 1) ",
                           "redis.call('hset', KEYS[1], 'waiter', ARGV[1]) "}) {
    CAPTURE(mark);
    const InlineLock lock({scripted_acquire(owner + mark + lives_on + "return 0"), leave});
    CHECK(lock.judged(Property::foreign_extend) == Verdict::violated);
    CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
    CHECK(lock.judged(Property::honest_result) == Verdict::holds);
  }
  check_wrong(
      {scripted_acquire(permit + "return redis.call('hlen', KEYS[1]) == 1 and 1 or 0"), give},
      Property::honest_result);
  check_wrong({scripted_acquire("redis.call('sadd', KEYS[1], ARGV[1]) " + lives_on +
                                "if redis.call('scard', KEYS[1]) == 1 then return 1 end return 0"),
               "return redis('SREM', self.key, self.token) == 1"},
              Property::foreign_extend);
  const std::string scored = "redis.call('zadd', KEYS[1], 'NX', SCORE, ARGV[1]) " + lives_on +
                             "if redis.call('zrank', KEYS[1], ARGV[1]) == 0 then return 1 end "
                             "return 0";
  const auto with_score = [&](const std::string& score) {
    std::string script = scored;
    return InlineLock({scripted_acquire(script.replace(script.find("SCORE"), 5, score)),
                       "return redis('ZREM', self.key, self.token) == 1"})
        .judged(Property::foreign_extend);
  };
  CHECK(with_score("redis.call('zcard', KEYS[1])") == Verdict::violated);
  // A member with a time as its score has a lease of its own.
  CHECK(with_score("1e12 + redis.call('zcard', KEYS[1])") == Verdict::holds);
}

TEST_CASE("a node that crashes keeps the libraries that it wrote to its file", "[parts]") {
  InlineLock lock(
      {"redis('FUNCTION', 'LOAD', 'REPLACE', [[#!lua name=l\nredis.register_function('take', "
       "function(keys) return redis.call('set', keys[1], 'x', 'NX', 'PX', 30) end)]]) "
       "return redis('FCALL', 'take', 1, self.key) == OK",
       "return redis('DEL', self.key) == 1"});
  lock.model.persistence = sim::Persistence::aof_always;
  lock.model.budget[static_cast<std::size_t>(sim::Fault::node_crash)] = 1;
  CHECK(lock.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("a command that is not known of the version is refused by name", "[parts]") {
  const auto refused = [](const std::string& call, const std::string& name) {
    const InlineLock lock({call + " return true", "return true"});
    const auto says_so = Catch::Contains(name);
    CHECK_THROWS_WITH(checker::explore(lock.model, {}), says_so);
    CHECK_THROWS_WITH(checker::explore_naively(lock.model, {}), says_so);
  };
  refused("redis('OBJECT', 'IDLETIME', self.key)",
          "'object idletime': when a key was last used is not kept");
  refused("redis('DELEX', self.key)",
          "command 'delex': redis-7.0 does not have it; redis-8.4 has it: --server redis-8.4");
  refused(
      "redis('SET', self.key, 'a', 'IFEQ', 'b')",
      "option IFEQ of 'set': redis-7.0 does not have it; redis-8.4, valkey-8.1 and valkey-9 have "
      "it: --server redis-8.4");
  refused(
      "redis('HEXPIRE', self.key, 10, 'FIELDS', 1, 'f')",
      "command 'hexpire': redis-7.0 does not have it; redis-8.0, redis-8.4 and valkey-9 have it, "
      "but it is not simulated");
  refused("redis('XADD', self.key, '*', 'a', 'b')", "'xadd': Redis has it, lockstep does not");
  refused("pcall(redis, 'CLIENT', 'fly')", "'client fly'");
  refused("redis('MULTI') redis('GETT', self.key)", "'gett'");
  refused("pcall(redis, 'EVAL', [[redis.call('delex', KEYS[1])]], 1, self.key)", "'delex'");
  refused("redis('EVAL', [[redis.pcall('delex', KEYS[1]) return 1]], 1, self.key)", "'delex'");
}

TEST_CASE("a lease key that SWAPDB brings prolongs nothing for who had nothing there",
          "[parts][many-models]") {
  InlineLock lock(
      {"redis('SWAPDB', 0, 1) "
       "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1"});
  for (auto& process : lock.model.processes) process.rounds = 2;
  CHECK(lock.judged(Property::foreign_extend) == Verdict::holds);
  CHECK(lock.judged(Property::foreign_release) == Verdict::violated);
}

TEST_CASE("who gives back a share of several, and is told so, is told the truth", "[parts]") {
  InlineLock lock(
      {"if redis('INCRBY', self.key, 2) == 2 then return true end "
       "redis('DECRBY', self.key, 2) return false",
       "redis('DECRBY', self.key, 1) return false"});
  lock.model.processes.resize(1);
  CHECK(lock.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("a key that stays by design is no leak, another one is", "[parts]") {
  const Bodies permit{
      "redis('SETNX', self.key, 1) "
      "if redis('DECR', self.key) >= 0 then return true end "
      "redis('INCR', self.key) return false",
      "redis('INCR', self.key) return true"};
  CHECK(InlineLock(permit, ", permanent = { '{key}' }").judged(Property::leak) == Verdict::holds);
  CHECK(InlineLock(permit).judged(Property::leak) == Verdict::violated);
}

TEST_CASE("who removes the key and says that it has not is not honest", "[parts]") {
  check_wrong({"return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
               "redis('DEL', self.key) return false"},
              Property::honest_result);
}
