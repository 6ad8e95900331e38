// Logs of real clients, alike and not, beside protocols.
#include "live/wire_check.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "live/stand_ins.hpp"
#include "sim/base/sha1.hpp"
#include "tests/support/inline_lock.hpp"

namespace lockstep::tests {
namespace {

using live::StandIns;
using test::InlineLock;
using test::kCompareAndDelete;

const std::string kScript =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/// A log, a request a line: how long after the one before in ms, the connection, the words; and a
/// script for SCRIPT.
class Log {
 public:
  Log& add(std::int64_t ms, const std::string& connection, sim::Request request) {
    now_us_ += ms * 1000;
    for (auto& word : request)
      if (word == "SCRIPT") word = kScript;
    log.push_back({log.size() + 1, now_us_, 0, connection, std::move(request)});
    return *this;
  }
  std::int64_t now_ms() const { return now_us_ / 1000; }
  std::vector<live::WireRequest> log;

 private:
  std::int64_t now_us_ = 1'767'225'600'000'000;
};

/// A random token, SET NX PX, compare and delete.
InlineLock plain_lock() {
  return InlineLock(
      {"self.token = unique() return redis('SET', self.key, self.token, 'NX', 'PX', "
       "self.ttl_ms) == OK",
       kCompareAndDelete});
}

live::WireLikeness compared(const Log& log, const InlineLock& lock, bool complete = true) {
  return live::compare_with_program(log.log, lock.model, complete);
}

TEST_CASE("a client that sends what the program sends is alike, over whatever connections") {
  const auto lock = plain_lock();
  const auto alike = compared(Log()
                                  .add(0, "a", {"CLIENT", "SETNAME", "x"})
                                  .add(0, "a", {"set", "jobs:9", "tok-1", "nx", "px", "30"})
                                  .add(1, "b", {"SET", "jobs:9", "tok-2", "NX", "PX", "30"})
                                  .add(1, "a", {"GET", "another"})
                                  .add(1, "b", {"EVAL", "SCRIPT", "1", "jobs:9", "tok-1"})
                                  .add(1, "a", {"SET", "jobs:9", "tok-3", "PX", "30", "NX"})
                                  .add(1, "c", {"EVAL", "SCRIPT", "1", "jobs:9", "tok-3"}),
                              lock);
  CHECK_FALSE(alike.difference);
  CHECK(alike.alike == 5);
  CHECK(alike.greetings == 1);
  CHECK(alike.others == 1);
  CHECK(alike.calls.acquired == 2);
  CHECK(alike.calls.refused == 1);
  CHECK(alike.calls.released == 2);
}

TEST_CASE("the first request that the program does not send is the difference") {
  const auto lock = plain_lock();
  const auto first = [&](const sim::Request& release) {
    return compared(Log().add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"}).add(1, "a", release),
                    lock);
  };
  for (const sim::Request& release :
       {sim::Request{"DEL", "k"}, sim::Request{"EVAL", "return 1", "1", "k", "tok-1"},
        sim::Request{"EVAL", "SCRIPT", "1", "k", "tok-2"},
        sim::Request{"EVAL", "SCRIPT", "1", "K", "tok-1"}}) {
    INFO(release[0] << ' ' << release.back());
    const auto differs = first(release);
    REQUIRE(differs.difference);
    CHECK(differs.alike == 1);
    REQUIRE(differs.difference->sent);
    CHECK(differs.difference->sent->line == 2);
    REQUIRE(differs.difference->before.size() == 1);
    REQUIRE_FALSE(differs.difference->possible.empty());
    CHECK(differs.difference->possible[0].request ==
          sim::Request{"EVAL", kScript, "1", "k", "tok-1"});
  }
  CHECK_FALSE(first({"EVAL", "SCRIPT", "1", "k", "tok-1"}).difference);
}

TEST_CASE("of what the client sent before a difference the last requests are shown") {
  Log log;
  for (int i = 0; i < 4; ++i) {
    const std::string token = "tok-" + std::to_string(i);
    log.add(1, "a", {"SET", "k", token, "NX", "PX", "30"});
    log.add(1, "a", {"EVAL", "SCRIPT", "1", "k", token});
  }
  const auto differs = compared(log.add(1, "a", {"DEL", "k"}), plain_lock());
  REQUIRE(differs.difference);
  CHECK(differs.alike == 8);
  const auto& before = differs.difference->before;
  REQUIRE(before.size() == 6);
  CHECK(before.front().line == 3);
  CHECK(before.back().line == 8);
}

TEST_CASE("another lease, another order of arguments, and nothing alike at all") {
  const auto lock = plain_lock();
  const auto lease = compared(Log().add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "31"}), lock);
  REQUIRE(lease.difference);
  CHECK(lease.alike == 0);
  CHECK(lease.difference->possible[0].request ==
        sim::Request{"SET", "<key>", "<token>", "NX", "PX", "30"});
  CHECK(compared(Log().add(0, "a", {"SET", "tok-1", "k", "NX", "PX", "30"}), lock).alike == 1);
  const auto nothing = compared(Log().add(0, "a", {"GET", "k"}).add(0, "a", {"PING"}), lock);
  CHECK_FALSE(nothing.difference);
  CHECK(nothing.alike == 0);
}

TEST_CASE("a token is the same one again, and a fresh one is a fresh one") {
  const auto lock = plain_lock();
  // A second try with the token of the first, where the program draws another one.
  const auto same = compared(Log()
                                 .add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
                                 .add(1, "b", {"SET", "k", "tok-2", "NX", "PX", "30"})
                                 .add(1, "b", {"SET", "k", "tok-2", "NX", "PX", "30"}),
                             lock);
  REQUIRE(same.difference);
  CHECK(same.difference->sent->line == 3);
  // Two clients with one token.
  CHECK(compared(Log()
                     .add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
                     .add(1, "b", {"SET", "k", "tok-1", "NX", "PX", "30"}),
                 lock)
            .difference);
}

TEST_CASE("a script by its SHA-1 is the script, and sent again where it was not known") {
  const auto lock = plain_lock();
  const auto sha = "35e4bc00dbc1a2c1a1a4d2e12ec1e2c7b8e2cc71";
  CHECK(compared(Log()
                     .add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
                     .add(1, "a", {"EVALSHA", sha, "1", "k", "tok-1"}),
                 lock)
            .difference);  // another script
  const auto again =
      compared(Log()
                   .add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
                   .add(1, "a", {"EVALSHA", sim::sha1_hex(kScript), "1", "k", "tok-1"})
                   .add(1, "a", {"EVAL", "SCRIPT", "1", "k", "tok-1"}),
               lock);
  CHECK_FALSE(again.difference);
  CHECK(again.calls.released == 1);
  // Two that were sent before the first answer came.
  const auto sha_of_release = sim::sha1_hex(kScript);
  const auto both = compared(Log()
                                 .add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
                                 .add(1, "a", {"SET", "l", "tok-2", "NX", "PX", "30"})
                                 .add(1, "a", {"EVALSHA", sha_of_release, "1", "k", "tok-1"})
                                 .add(0, "a", {"EVALSHA", sha_of_release, "1", "l", "tok-2"})
                                 .add(1, "a", {"EVAL", "SCRIPT", "1", "k", "tok-1"})
                                 .add(0, "a", {"EVAL", "SCRIPT", "1", "l", "tok-2"}),
                             lock);
  CHECK_FALSE(both.difference);
  CHECK(both.calls.released == 2);
}

TEST_CASE("what the program sends at once and the client does not is a difference, in the end") {
  const InlineLock lock({"redis('SETNX', self.key, 'x') return redis('EXPIRE', self.key, 1) == 1",
                         "return redis('DEL', self.key) == 1"});
  Log log;
  log.add(0, "a", {"SETNX", "k", "x"}).add(1, "a", {"EXPIRE", "k", "1"}).add(5, "a", {"DEL", "k"});
  CHECK_FALSE(compared(log, lock).difference);
  const InlineLock two({"return redis('SETNX', self.key, 'x') == 1",
                        "redis('DEL', self.key) redis('PUBLISH', self.key, 'x') return true"});
  Log short_log;
  short_log.add(0, "a", {"SETNX", "k", "x"}).add(5, "a", {"DEL", "k"});
  const auto missing = compared(short_log, two);
  REQUIRE(missing.difference);
  CHECK_FALSE(missing.difference->sent);
  CHECK(missing.difference->possible[0].request == sim::Request{"PUBLISH", "k", "x"});
  CHECK_FALSE(compared(short_log, two, false).difference);  // it may still come
}

TEST_CASE("times may be read a little before, and choices are tried") {
  const InlineLock lock(
      {"return redis('SETNX', self.key, millis(now()) + self.ttl_ms + choose(3)) == 1",
       "return redis('DEL', self.key) == 1"});
  const auto at = [&](std::int64_t late_ms) {
    Log log;
    return log.add(0, "a", {"SETNX", "k", std::to_string(log.now_ms() + 32 - late_ms)}).log;
  };
  CHECK_FALSE(live::compare_with_program(at(0), lock.model, true).difference);
  CHECK_FALSE(live::compare_with_program(at(200), lock.model, true).difference);
  CHECK(live::compare_with_program(at(5000), lock.model, true).difference);
}

TEST_CASE("of two ways to send a request the one is taken that leads on") {
  // GET is what a renewal begins with, and release(), which is fewer moves away.
  const InlineLock lock(
      {"if redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) ~= OK then return false end "
       "self.timer = every(10, function() if redis('GET', self.key) then "
       "redis('PEXPIRE', self.key, self.ttl_ms) end end) return true",
       "stop(self.timer) if redis('GET', self.key) then redis('DEL', self.key) end return true"});
  Log log;
  log.add(0, "a", {"SET", "k", "x", "NX", "PX", "30"})
      .add(10, "a", {"GET", "k"})
      .add(0, "a", {"PEXPIRE", "k", "30"})
      .add(7, "a", {"GET", "k"})
      .add(0, "a", {"DEL", "k"});
  const auto alike = compared(log, lock);
  CHECK_FALSE(alike.difference);
  CHECK(alike.off_times.empty());
  CHECK(alike.calls.released == 1);
  log.add(1, "a", {"PEXPIRE", "k", "30"});
  CHECK(compared(log, lock).difference);
}

TEST_CASE("where all tasks of a client share a connection, no other client sends on it") {
  const auto keeps_token = [](const std::string& also) {
    return InlineLock({"self.token = self.token or unique() return redis('SET', self.key, "
                       "self.token, 'NX', 'PX', self.ttl_ms) == OK",
                       kCompareAndDelete},
                      also);
  };
  Log log;
  log.add(0, "a", {"SET", "k", "tok-1", "NX", "PX", "30"})
      .add(0, "a", {"EVAL", "SCRIPT", "1", "k", "tok-1"})
      .add(0, "a", {"SET", "k", "tok-2", "NX", "PX", "30"});
  CHECK_FALSE(compared(log, keeps_token("")).difference);  // another client of one pool
  CHECK(compared(log, keeps_token(", shared_connection = true")).difference);
}

TEST_CASE("a message may be heard later than what comes after it on another connection") {
  // The news of its own unlock comes to the first client when it has asked again already.
  const InlineLock lock(
      {"local again = semaphore(0) local heard = listen(self.key .. ':free', function() "
       "again:release() end) local mine = redis('SETNX', self.key, 'x') == 1 "
       "while not mine do again:acquire() mine = redis('SETNX', self.key, 'x') == 1 end "
       "stop(heard) return true",
       "redis('DEL', self.key) redis('PUBLISH', self.key .. ':free', '') return true"});
  Log log;
  log.add(0, "s", {"SUBSCRIBE", "k:free"})
      .add(0, "a", {"SETNX", "k", "x"})
      .add(0, "t", {"SUBSCRIBE", "k:free"})
      .add(1, "b", {"SETNX", "k", "x"})
      .add(5, "a", {"DEL", "k"})
      .add(0, "a", {"PUBLISH", "k:free", ""})
      .add(0, "b", {"SETNX", "k", "x"});
  const auto alike = compared(log, lock);
  CHECK_FALSE(alike.difference);
  CHECK(alike.alike == 7);
  CHECK(alike.calls.acquired == 2);
}

TEST_CASE("a stand-in is bound to what fits, once, and to nothing that is bound already") {
  StandIns stand_ins;
  const auto token = StandIns::fresh_token(1), other = StandIns::fresh_token(2);
  const auto key = StandIns::fresh_key(1);
  CHECK(stand_ins.bind("{" + key + "}:" + token + ":1", "{jobs}:8f:1", {}));
  CHECK(stand_ins.bind(key, "jobs", {}));
  CHECK_FALSE(stand_ins.bind(key, "job", {}));
  CHECK_FALSE(stand_ins.bind(other, "8f", {}));  // another client's
  CHECK_FALSE(stand_ins.bind(other, "", {}));
  CHECK(stand_ins.bind(other, "9e", {}));
  CHECK(stand_ins.as_said("jobs") == key);
  CHECK(stand_ins.as_said("8f") == token);
  CHECK(stand_ins.as_said("18f1") == "18f1");  // too short to be found within a text
  CHECK(stand_ins.as_real(token + "-" + StandIns::fresh_token(3)) == "8f-<token>");
  CHECK(stand_ins.tokens() == std::set<std::string>{"8f", "9e"});
}

}  // namespace
}  // namespace lockstep::tests
