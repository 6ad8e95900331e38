// Whose what several write is: numbers that are times, lists of holders, counts that scripts write.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;
using test::kToken;
using test::scripted_acquire;

TEST_CASE("who adds to when another's lease ends takes it, by whatever command", "[parts]") {
  const auto refused_by = [](const std::string& lease, const std::string& otherwise) {
    const std::string now =
        "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
    InlineLock lock({scripted_acquire(now + "if redis.call('exists', KEYS[1]) == 0 then " + lease +
                                      " redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end " +
                                      otherwise + " return 0"),
                     "redis('DEL', self.key) return true"});
    lock.model.tick_ms = 500;
    return lock.lasting(1000, 500).judged(Property::foreign_release);
  };
  const std::string scored = "redis.call('zadd', KEYS[1], now + ARGV[2], 'owner')";
  CHECK(refused_by(scored, "redis.call('zincrby', KEYS[1], -1000, 'owner')") == Verdict::violated);
  CHECK(refused_by(scored, "redis.call('zscore', KEYS[1], 'owner')") == Verdict::holds);
  const std::string field = "redis.call('hset', KEYS[1], 'ends', now + ARGV[2])";
  CHECK(refused_by(field, "redis.call('hincrby', KEYS[1], 'ends', -1000)") == Verdict::violated);
  CHECK(refused_by(field, "redis.call('hincrby', KEYS[1], 'waiting', 1)") == Verdict::holds);
  const std::string text = "redis.call('set', KEYS[1], now + ARGV[2])";
  CHECK(refused_by(text, "redis.call('decrby', KEYS[1], 1000)") == Verdict::violated);
}

TEST_CASE("who counts under another's token takes what is there", "[parts]") {
  const auto beside = [](const std::string& mark, const std::string& others) {
    return InlineLock({kToken + mark + " for _, owner in ipairs(" + others + " return true",
                       "return true"},
                      ", permits = 2, permanent = { '{key}' }")
        .judged(Property::foreign_release);
  };
  const std::string fields = "redis('HKEYS', self.key)) do ";
  const std::string members = "redis('ZRANGE', self.key, 0, -1)) do ";
  const std::string field = "redis('HSET', self.key, self.token, 1)";
  const std::string member = "redis('ZADD', self.key, 1, self.token)";
  const std::string if_other = "if owner ~= self.token then ";
  CHECK(beside(field, fields + if_other + "redis('HINCRBY', self.key, owner, 1) end end") ==
        Verdict::violated);
  CHECK(beside(field, fields + "if owner == self.token then redis('HINCRBY', self.key, owner, 1) "
                               "end end") == Verdict::holds);
  CHECK(beside(member, members + if_other + "redis('ZINCRBY', self.key, 1, owner) end end") ==
        Verdict::violated);
  CHECK(beside(member, members + "if owner == self.token then redis('ZINCRBY', self.key, 1, owner) "
                                 "end end") == Verdict::holds);
}

TEST_CASE("a list of the holders in one text is each holder's", "[parts]") {
  // `kept`: of what was there; `rest`: what a release() leaves of it.
  const auto judged = [](const std::string& kept, const std::string& rest, Property property) {
    return InlineLock(
               {scripted_acquire(
                    "local v = redis.call('get', KEYS[1]) or '' local _, n = v:gsub(',', ',')"
                    " if n >= 2 then return 0 end"
                    " redis.call('set', KEYS[1], " +
                    kept + " .. ARGV[1] .. ',', 'px', ARGV[2]) return 1"),
                scripted_acquire(
                    "local v, mine, rest = redis.call('get', KEYS[1]) or '', 0, ''"
                    " for m in v:gmatch('[^,]+') do if m == ARGV[1] then mine = 1"
                    " else rest = rest .. m .. ',' end end if mine == 0 then return 0 end " +
                    rest + " return 1")
                    .substr(kToken.size())},
               ", permits = 2")
        .judged(property);
  };
  const std::string leave =
      "if rest == '' then redis.call('del', KEYS[1])"
      " else redis.call('set', KEYS[1], rest, 'keepttl') end";
  for (const Property property : {Property::foreign_release, Property::foreign_extend,
                                  Property::honest_result, Property::leak}) {
    CAPTURE(static_cast<int>(property));
    CHECK(judged("v", leave, property) == Verdict::holds);
  }
  CHECK(judged("''", leave, Property::foreign_release) ==
        Verdict::violated);  // the others' are gone
  CHECK(judged("v", "redis.call('del', KEYS[1])", Property::foreign_release) == Verdict::violated);
  CHECK(judged("v", "", Property::honest_result) == Verdict::violated);
}

TEST_CASE("who joins a list of holders and crashes joins it all the same", "[parts]") {
  // The key lives on with each that joins. What has no name of the sender in it is another's.
  const auto judged = [](const std::string& join) {
    InlineLock lock({scripted_acquire("local v = redis.call('get', KEYS[1]) or '' "
                                      "local _, n = v:gsub(',', ',') if n >= 2 then return 0 end " +
                                      join + " return 1"),
                     "return true"},
                    ", permits = 2");
    lock.model.budget[static_cast<std::size_t>(sim::Fault::crash)] = 1;
    return lock.lasting(10, 4).judged(Property::foreign_extend);
  };
  CHECK(judged("redis.call('set', KEYS[1], v .. ARGV[1] .. ',', 'px', ARGV[2])") == Verdict::holds);
  CHECK(judged("if v ~= '' then redis.call('pexpire', KEYS[1], ARGV[2]) else "
               "redis.call('set', KEYS[1], ARGV[1] .. ',', 'px', ARGV[2]) end") ==
        Verdict::violated);
}

TEST_CASE("who removes one name from a list of holders takes nothing from the others", "[parts]") {
  // Who gives up says so, and the next one removes its name.
  const auto judged = [](const std::string& kept) {
    const std::string join =
        "local names = '' for m in (redis.call('get', KEYS[1]) or ''):gmatch('[^,]+') do"
        " if redis.call('sismember', KEYS[2], m) == 0 then names = names .. m .. ',' end end"
        " redis.call('set', KEYS[1], " +
        kept + " .. ARGV[1] .. ',') return 1";
    InlineLock lock({kToken + "redis('EVAL', [[" + join +
                         "]], 2, self.key, self.key .. ':gone', self.token) "
                         "if choose(2) == 1 then return true end "
                         "redis('SADD', self.key .. ':gone', self.token) return false",
                     "return true"},
                    ", permits = 3, permanent = { '{key}', '{key}:gone' }");
    lock.model.processes.resize(3, lock.model.processes[0]);
    return lock.judged(Property::foreign_release);
  };
  CHECK(judged("names") == Verdict::holds);
  CHECK(judged("''") == Verdict::violated);
}

TEST_CASE("a script that writes one more counts, in a lock that several may hold", "[parts]") {
  const auto judged = [](const std::string& more, const std::string& release, int permits,
                         Property property) {
    return InlineLock(
               {scripted_acquire("local n = tonumber(redis.call('get', KEYS[1]) or '0') if n >= " +
                                 std::to_string(permits) +
                                 " then return 0 end redis.call('set', KEYS[1], " + more +
                                 ", 'px', ARGV[2]) return 1"),
                scripted_acquire(release).substr(kToken.size())},
               ", permits = " + std::to_string(permits))
        .judged(property);
  };
  const std::string less =
      "local n = tonumber(redis.call('get', KEYS[1]) or '0') if n < 1 then return 0 end"
      " if n == 1 then redis.call('del', KEYS[1])"
      " else redis.call('set', KEYS[1], n - 1, 'keepttl') end return 1";
  for (const Property property :
       {Property::foreign_release, Property::foreign_extend, Property::honest_result}) {
    CAPTURE(static_cast<int>(property));
    CHECK(judged("n + 1", less, 2, property) == Verdict::holds);
  }
  const std::string all = "redis.call('del', KEYS[1]) return 1";
  CHECK(judged("n + 1", all, 2, Property::foreign_release) == Verdict::violated);
  CHECK(judged("n + 2", less, 3, Property::foreign_release) == Verdict::violated);  // no permit
}

TEST_CASE("what a script removes and writes again is whose it was, if that is named", "[parts]") {
  const auto judged = [](const std::string& skipped) {
    return InlineLock({scripted_acquire(
                           "local all = redis.call('hgetall', KEYS[1]) redis.call('del', KEYS[1])"
                           " for i = " +
                           skipped +
                           ", #all, 2 do redis.call('hset', KEYS[1], all[i], all[i + 1]) end"
                           " redis.call('hset', KEYS[1], ARGV[1], 1)"
                           " redis.call('pexpire', KEYS[1], ARGV[2]) return 1"),
                       "return redis('HDEL', self.key, self.token) == 1"},
                      ", permits = 2")
        .judged(Property::foreign_release);
  };
  CHECK(judged("1") == Verdict::holds);
  CHECK(judged("3") == Verdict::violated);
}

TEST_CASE("a script that deletes the holder's text and sets it again makes nothing its own",
          "[parts]") {
  const auto judged = [](const std::string& again, Property property) {
    const std::string both = "local v = redis.call('get', KEYS[1]) if v then " + again + " end";
    return InlineLock({kToken +
                           "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) then "
                           "return true end redis('EVAL', [[" +
                           both + "]], 1, self.key, self.ttl_ms) return false",
                       "redis('DEL', self.key) return true"})
        .judged(property);
  };
  for (const char* again :
       {"redis.call('del', KEYS[1]) redis.call('set', KEYS[1], v)",
        "redis.call('del', KEYS[1]) redis.call('set', KEYS[1], v, 'PX', ARGV[1])",
        "redis.call('set', KEYS[1], v)"}) {
    INFO(again);
    CHECK(judged(again, Property::honest_result) == Verdict::holds);
    CHECK(judged(again, Property::foreign_extend) == Verdict::violated);  // it lasts for longer
  }
  const char* const other = "redis.call('del', KEYS[1]) redis.call('set', KEYS[1], v .. '.')";
  CHECK(judged(other, Property::honest_result) == Verdict::violated);
}

TEST_CASE("who is refused and has set again what was there has made nothing", "[parts]") {
  // Whoever made it has heard nothing of it, or is no more: that does not make it the other's.
  const auto judged = [](const std::string& acquire, sim::Fault fault) {
    InlineLock lock({acquire, "return redis('DEL', self.key) == 1"});
    lock.model = test::with_fault(lock.model, fault);
    return lock.judged(Property::honest_result);
  };
  const std::string script = scripted_acquire(
      "if redis.call('set', KEYS[1], 1, 'KEEPTTL', 'GET') then return 0 end "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return 1");
  for (const std::string& acquire :
       {std::string("return redis('GETSET', self.key, 1) == nil"),
        std::string("return redis('HSET', self.key, 'owner', 1) == 1"),
        std::string("return redis('SADD', self.key, 'owner') == 1"), script})
    for (const sim::Fault fault : {sim::Fault::lose, sim::Fault::crash}) {
      INFO(acquire << ' ' << sim::name(fault));
      CHECK(judged(acquire, fault) == Verdict::holds);
    }
  // Another value is another thing.
  CHECK(judged("return redis('GETSET', self.key, unique()) == nil", sim::Fault::crash) ==
        Verdict::violated);
}

TEST_CASE("of two tokens of one client in a text each release() gives back its own", "[parts]") {
  const auto judged = [](const std::string& rest) {
    InlineLock lock(
        {"local own = task_local() own.token = unique()"
         " return redis('EVAL', [[redis.call('set', KEYS[1], (redis.call('get', KEYS[1]) or '')"
         " .. ARGV[1] .. ',') return 1]], 1, self.key, own.token) == 1",
         "return redis('EVAL', [[local rest = '' for m in redis.call('get', "
         "KEYS[1]):gmatch('[^,]+')"
         " do if " +
             rest +
             " then rest = rest .. m .. ',' end end"
             " if rest == '' then redis.call('del', KEYS[1]) else redis.call('set', KEYS[1], rest)"
             " end return 1]], 1, self.key, task_local().token) == 1"},
        ", permits = 2");
    lock.model.processes.resize(1);
    lock.model.processes[0].threads = 2;
    return lock.lasting(6, 2).judged(Property::honest_result);
  };
  CHECK(judged("m ~= ARGV[1]") == Verdict::holds);
  CHECK(judged("true") == Verdict::violated);
}

TEST_CASE("who writes over a constant the same constant extends it, too", "[parts]") {
  // By a refused client's SET with GET, or a script: with a lease, or without.
  const auto refused_by = [](const std::string& acquire, Property property) {
    InlineLock lock({acquire, "redis('DEL', self.key) return true"});
    lock.model.tick_ms = 500;
    return lock.lasting(2000, 500).judged(property);
  };
  const std::string leased = "return redis('SET', self.key, '1', 'PX', self.ttl_ms, 'GET') == nil";
  CHECK(refused_by(leased, Property::foreign_extend) == Verdict::violated);
  CHECK(refused_by(leased, Property::foreign_release) == Verdict::violated);
  const std::string scripted = scripted_acquire(
      "local was = redis.call('getset', KEYS[1], '1') "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return was and 0 or 1");
  CHECK(refused_by(scripted, Property::foreign_extend) == Verdict::violated);
  // GETSET of what stands there, without a lease, is a test-and-set: nobody can tell it happened.
  for (const std::string set :
       {"redis('GETSET', self.key, '1')", "redis('SET', self.key, '1', 'get')"}) {
    CHECK(refused_by("return " + set + " == nil", Property::foreign_release) == Verdict::holds);
    CHECK(refused_by("return " + set + " == nil", Property::honest_result) == Verdict::holds);
  }
  // A blind SET does not know what it writes over.
  const std::string blind =
      "if redis('GET', self.key) then return false end "
      "redis('SET', self.key, '1') return true";
  CHECK(refused_by(blind, Property::foreign_release) == Verdict::violated);
  CHECK(refused_by(blind, Property::foreign_extend) == Verdict::holds);
}
