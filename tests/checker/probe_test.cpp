// The probe for deadlock: a fresh client that asks again and again, whatever it draws, beside what
// goes on in the background. Both explorers send it.
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

/// Of deadlock, where one client may be hit once by a fault.
Verdict after(Fault fault, const Bodies& bodies) {
  InlineLock lock(bodies);
  lock.model = test::with_fault(lock.model, fault);
  return lock.judged(Property::deadlock);
}

const std::string kDelete = "return redis('DEL', self.key) == 1";

/// Who crashes with a key that names a window of so many ms is in nobody's way in the next one.
void check_windows_free(int window_ms) {
  INFO(window_ms);
  InlineLock lock({"self.k = self.key .. ':' .. (millis(now()) // " + std::to_string(window_ms) +
                       ") return redis('SETNX', self.k, 'x') == 1",
                   "redis('DEL', self.k) return true"});
  lock.model = test::with_fault(lock.model, Fault::crash);
  lock.model.properties = {Property::deadlock};
  CHECK(checker::explore(lock.model, {}).verdict == Verdict::holds);
}

}  // namespace

TEST_CASE("a client that asks again may get what it was refused", "[probe]") {
  SECTION("a call that began before the lease ended") {
    CHECK(after(Fault::crash,
                {"for i = 1, 3 do if redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK then "
                 "return true end sleep(11) end return false",
                 kDelete}) == Verdict::holds);
  }
  SECTION("it draws again") {
    CHECK(after(Fault::crash, {"self.slot = self.key .. choose(3) "
                               "return redis('SET', self.slot, 'x', 'NX') == OK",
                               "return redis('DEL', self.slot) == 1"}) == Verdict::holds);
  }
  SECTION("it counts its attempts") {
    CHECK(after(Fault::crash,
                {"if redis('SETNX', self.key, 'x') == 1 then return true end "
                 "self.tries = (self.tries or 0) + 1 "
                 "if self.tries == 4 then self.tries = 0 redis('DEL', self.key) end return false",
                 kDelete}) == Verdict::holds);
  }
  SECTION("the server counts them") {
    CHECK(after(Fault::crash, {"if redis('SETNX', self.key, 'x') == 1 then return true end "
                               "if redis('INCR', self.key .. ':n') == 5 then "
                               "redis('DEL', self.key, self.key .. ':n') end return false",
                               kDelete}) == Verdict::holds);
  }
  SECTION("its own WATCH was in its way") {
    CHECK(after(Fault::crash, {"redis('WATCH', self.key) "
                               "if redis('EXISTS', self.key) == 1 then return false end "
                               "redis('MULTI') redis('SET', self.key, 'x', 'PX', 30) "
                               "return redis('EXEC') ~= nil",
                               kDelete}) == Verdict::holds);
  }
}

TEST_CASE("a fresh client that is slow to acquire", "[probe][many-models]") {
  // All that is written is when the lock ends. Only the probe looks at the clock if whoever crashes
  // has not asked yet.
  const std::string asks =
      "redis('EVAL', \"local t = redis.call('TIME') local ms = t[1] * 1000 + math.floor(t[2] / "
      "1000)"
      " local ends = redis.call('hget', KEYS[1], 'ends') if ends and ms < ends + 0 then return 0 "
      "end "
      "redis.call('hset', KEYS[1], 'ends', ms + ARGV[1]) return 1\", 1, self.key, self.ttl_ms) == "
      "1";
  const auto waits = GENERATE_COPY(
      "sleep(2) return " + asks,
      "sleep(7) sleep(8) return " + asks,  // longer than anything that is written matters, twice
      "local mine = " + asks + " sleep(7) sleep(8) return mine");
  INFO(waits);
  InlineLock lock({waits, "return true"});
  lock.lasting(3, 1);
  lock.model = test::with_fault(lock.model, Fault::crash);
  CHECK(lock.judged(Property::deadlock) == Verdict::holds);
}

TEST_CASE("a key that is another one in the next minute stays nobody's way", "[probe]") {
  for (const int window_ms : {250, 60'000, 3'600'000}) check_windows_free(window_ms);
}

TEST_CASE("a key that is another one in the next part of a second stays nobody's way",
          "[probe][many-models]") {
  check_windows_free(50);
}

TEST_CASE("a key that is another one in a part of a second that divides none stays nobody's way",
          "[probe][many-models][long-models]") {
  check_windows_free(150);
}

TEST_CASE("a timestamp of a clock that has jumped does not stay for ever", "[probe][many-models]") {
  InlineLock lock(
      {"local v = tostring(millis(now()) + self.ttl_ms) "
       "if redis('SETNX', self.key, v) == 1 then return true end "
       "local old = redis('GET', self.key) if not old then return false end "
       "if millis(now()) > tonumber(old) then return redis('GETSET', self.key, v) == old "
       "end return false",
       "redis('DEL', self.key) return true"});
  lock.model = test::with_fault(test::with_fault(lock.model, Fault::crash), Fault::jump);
  lock.model.jumps_ms = {200'000};
  lock.model.properties = {Property::deadlock};
  CHECK(checker::explore(lock.model, {}).verdict == Verdict::holds);
}

TEST_CASE("what comes again and again is waited for, or nothing is said",
          "[probe][many-models][long-models]") {
  const std::string stale = GENERATE("age >= 500 and age % 2 == 0", "age > 100 and age % 7 ~= 0",
                                     "(age // 1000) % 2 == 1", "tostring(age):sub(-1) == '7'");
  INFO(stale);
  InlineLock lock(
      {"local t = millis(now()) "
       "if redis('SETNX', self.key, t) == 1 then return true end "
       "local old = redis('GET', self.key) if not old then return false end "
       "local age = t - tonumber(old) if " +
           stale + " then return redis('GETSET', self.key, t) == old end return false",
       "redis('DEL', self.key) return true"});
  lock.model = test::with_fault(lock.model, Fault::crash);
  lock.model.properties = {Property::deadlock};
  CHECK(checker::explore(lock.model, {}).verdict != Verdict::violated);
}

TEST_CASE("what goes on in the background is no excuse, and no obstacle",
          "[probe][many-models][long-models]") {
  const std::string beat =
      "self.process.beat = self.process.beat or every(10, function() redis('PING') end) ";
  SECTION("a key that stays, while a heart beats for ever") {
    CHECK(after(Fault::lose, {beat + "return redis('SETNX', self.key, 'x') == 1", kDelete}) ==
          Verdict::violated);
  }
  SECTION("a key that goes, while a heart beats for ever") {
    // Short durations: the naive explorer goes ms by ms.
    InlineLock lock({beat + "return redis('SET', self.key, 'x', 'NX', 'PX', 10) == OK", kDelete});
    lock.model = test::with_fault(lock.model, Fault::lose);
    for (auto& process : lock.model.processes) process.workload[1].ms = 1;
    CHECK(lock.judged(Property::deadlock) == Verdict::holds);
  }
  SECTION("a renewal that an error has left behind") {
    CHECK(after(Fault::lose,
                {"self.renewal = every(10, function() redis('PEXPIRE', self.key, 30) end) "
                 "if redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK then return true end "
                 "stop(self.renewal) return false",
                 "stop(self.renewal) " + kDelete}) == Verdict::violated);
  }
}

TEST_CASE("what only a client's own tries add up never lets it in", "[probe][many-models]") {
  const std::string acquire = GENERATE(
      as<std::string>(), "return redis('INCR', self.key) == 1",
      "if redis('INCR', self.key) == 1 then redis('PEXPIRE', self.key, 30) return true end "
      "return false",
      "return redis('RPUSH', self.key, 'x') == 1",
      "redis('INCR', self.key .. ':n') return redis('SETNX', self.key, 'x') == 1");
  INFO(acquire);
  CHECK(after(Fault::crash, {acquire, kDelete}) == Verdict::violated);
}

TEST_CASE("who waits for a key in a retry below another call is shut out, too",
          "[probe][many-models]") {
  CHECK(
      after(Fault::crash, {"local ok = retry(function() if redis('SET', self.key, 'x', 'NX') == OK "
                           "then return true end redis('BLPOP', 'signal', 5) end) return ok",
                           kDelete}) == Verdict::violated);
}

TEST_CASE("who breaks in after many tries is let in", "[probe]") {
  CHECK(after(Fault::crash, {"if redis('INCR', self.key) == 1 then return true end "
                             "if tonumber(redis('GET', self.key)) > 300 then "
                             "redis('SET', self.key, 1) return true end return false",
                             kDelete}) == Verdict::holds);
}

TEST_CASE("a client whose attempts never come back to one place is not judged", "[probe]") {
  const std::string acquire = GENERATE(
      // Time may change something.
      as<std::string>(), "redis('INCR', self.key .. ':n') redis('PEXPIRE', self.key .. ':n', 30) ",
      // Few of all tries were tried.
      "redis('RPUSH', self.key .. ':n', choose(9)) ");
  INFO(acquire);
  InlineLock lock({acquire + "return redis('SETNX', self.key, 'x') == 1", kDelete});
  lock.model = test::with_fault(lock.model, Fault::crash);
  lock.model.properties = {Property::deadlock};
  const checker::Result engine = checker::explore(lock.model, {});
  CHECK(engine.verdict == Verdict::inconclusive);
  CHECK(engine.why_inconclusive.find("comes to no end") != std::string::npos);
}

TEST_CASE("what a client that reads clocks asks twice, it asks at one instant", "[probe]") {
  // Its second SET finds the first. Both explorers, and whoever tells the run, have to know that.
  CHECK(after(Fault::crash, {"local now = monotonic() redis('SET', self.key, 'x', 'NX', 'PX', 30) "
                             "return redis('SET', self.key, 'x', 'NX', 'PX', 30) == OK",
                             kDelete}) == Verdict::violated);
}

TEST_CASE("who writes down a time after many tries may take over later", "[probe][many-models]") {
  // Longer than all that was written when its holder crashed may matter.
  const auto suspects = [](const std::string& since, const std::string& then) {
    return after(Fault::crash,
                 {"return retry(function() if redis('SETNX', self.key, 'x') == 1 then return true "
                  "end if (self.tries or 0) < 40 then self.tries = (self.tries or 0) + 1 return "
                  "false end local now = millis(now()) " +
                      since + " if now - since > 70 then " + then + " end return false end, 20)",
                  "self.tries, self.since = 0, nil redis('DEL', self.key .. ':since') " + kDelete});
  };
  const std::string kept = "self.since = self.since or now local since = self.since",
                    stored =
                        "redis('SETNX', self.key .. ':since', now) "
                        "local since = tonumber(redis('GET', self.key .. ':since'))",
                    takes_over = "redis('DEL', self.key)";
  CHECK(suspects(kept, takes_over) == Verdict::holds);
  CHECK(suspects(stored, takes_over) == Verdict::holds);
  CHECK(suspects(kept, "self.waits = true") == Verdict::violated);
  CHECK(suspects(stored, "self.waits = true") == Verdict::violated);
}

namespace {

/// A number of permits that a script takes one of; who crashes takes it with it.
Bodies counted(int limit) {
  return {"redis('SETNX', self.key, " + std::to_string(limit) +
              ") return redis('EVAL', [[if tonumber(redis.call('get', KEYS[1])) <= 0 then "
              "return 0 end redis.call('decr', KEYS[1]) return 1]], 1, self.key) == 1",
          "return redis('INCR', self.key) > 0"};
}

/// Members with the end of their lease as the score, by the server's clock; `begins`: the score
/// that one has until its client has set another one.
Bodies scored(const std::string& begins) {
  const std::string now =
      "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
  const std::string told = "]], 1, self.key, self.token, self.ttl_ms)";
  return {test::kToken + "if redis('EVAL', [[" + now +
              "redis.call('zremrangebyscore', KEYS[1], '-inf', now) "
              "if redis.call('zcard', KEYS[1]) >= 2 then return 0 end "
              "return redis.call('zadd', KEYS[1], " +
              begins + ", ARGV[1])" + told + " == 0 then return false end redis('EVAL', [[" + now +
              "return redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])" + told + " return true",
          "return redis('ZREM', self.key, self.token) == 1"};
}

Verdict of_permits(int permits, const Bodies& bodies, Fault fault) {
  InlineLock lock(bodies, ", permits = " + std::to_string(permits));
  return lock.alone_with(fault).lasting(4, 2).judged(Property::deadlock);
}

}  // namespace

TEST_CASE("a permit that is lost for ever is told, though others are left", "[probe]") {
  CHECK(InlineLock(counted(2), ", permits = 2").judged(Property::deadlock) == Verdict::holds);
  CHECK(InlineLock(counted(2), ", permits = 3").judged(Property::deadlock) == Verdict::violated);
  CHECK(of_permits(2, counted(2), Fault::crash) == Verdict::violated);
  CHECK(of_permits(2, counted(3), Fault::crash) == Verdict::holds);  // one more than is promised
}

TEST_CASE("permits that one client alone would take are to be had by several at once", "[probe]") {
  // Two places, and each tries both: who is alone has both, two that come at once have one each.
  const auto of_places = [](const std::string& px, Fault fault) {
    const auto take = [&](const std::string& place) {
      return "redis('SET', self.key .. '" + place + "', self.token, 'NX'" + px + ") == OK ";
    };
    InlineLock lock({test::kToken + "local one = " + take("1") + "local two = " + take("2") +
                         "return one or two",
                     "for place = 1, 2 do redis('EVAL', [[if redis.call('get', KEYS[1]) == ARGV[1] "
                     "then return redis.call('del', KEYS[1]) end return 0]], 1, self.key .. place, "
                     "self.token) end return true"},
                    ", permits = 2, leases = { '{key}1', '{key}2' }");
    return lock.alone_with(fault).lasting(4, 2).judged(Property::deadlock);
  };
  CHECK(of_places("", Fault::delay) == Verdict::holds);
  CHECK(of_places("", Fault::crash) == Verdict::violated);
  CHECK(of_places(", 'PX', self.ttl_ms", Fault::crash) == Verdict::holds);
}

TEST_CASE("a permit that several requests take is lost with who crashes between them", "[probe]") {
  const auto counted_after = [](const std::string& mark, const std::string& count,
                                const std::string& take_back, int permits) {
    const std::string back = "redis('" + take_back + "', self.key, self.token)";
    InlineLock lock(
        {test::kToken + "redis(" + mark + ") if redis('" + count + "', self.key) > " +
             std::to_string(permits) + " then " + back + " return false end return true",
         "return " + back + " == 1"},
        ", permits = " + std::to_string(permits));
    lock.model = test::with_fault(lock.model, Fault::crash);
    return lock.judged(Property::deadlock);
  };
  const std::string member = "'SADD', self.key, self.token";
  CHECK(counted_after(member, "SCARD", "SREM", 1) == Verdict::violated);
  CHECK(counted_after(member, "SCARD", "SREM", 2) == Verdict::violated);
  CHECK(counted_after("'HSET', self.key, self.token, 1", "HLEN", "HDEL", 2) == Verdict::violated);
  CHECK(counted_after("'ZADD', self.key, 1, self.token", "ZCARD", "ZREM", 2) == Verdict::violated);
}

TEST_CASE("of three permits that several requests take one is lost", "[probe][many-models]") {
  InlineLock lock(
      {test::kToken + "redis('SADD', self.key, self.token) if redis('SCARD', self.key) > 3 then "
                      "redis('SREM', self.key, self.token) return false end return true",
       "return redis('SREM', self.key, self.token) == 1"},
      ", permits = 3");
  CHECK(lock.judged(Property::deadlock) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::crash);
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
}

/// A fresh client does not wait until another fresh client's lease is over.
TEST_CASE("a permit that comes back by its lease is not lost, one that never does is",
          "[probe][many-models]") {
  CHECK(of_permits(2, scored("now + ARGV[2]"), Fault::crash) == Verdict::holds);
  CHECK(of_permits(2, scored("'inf'"), Fault::crash) == Verdict::violated);
}
