// What hangs on more of lock tokens than which of them are equal (semantics.md, section 5): their
// length, what they begin and end with, what is made of their bytes.
#include <catch2/catch.hpp>
#include <string>

#include "checker/trace/trace.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;

/// SET NX; who is refused takes the lock all the same if `robs`.
std::string unless(const std::string& robs) {
  return test::kToken +
         "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) then return true end"
         " if not (" +
         robs +
         ") then return false end"
         " redis('SET', self.key, self.token, 'PX', self.ttl_ms) return true";
}

/// A client that asks for the lock if its token is as it should be, and is refused if not.
std::string only_with(const std::string& fine) {
  return test::kToken + "if not (" + fine +
         ") then return false end"
         " return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil";
}

checker::Result of(InlineLock&& lock, std::set<Property> properties) {
  lock.model.properties = std::move(properties);
  return checker::explore(lock.model, {});
}

void check_left_open(const std::string& acquire, Property property) {
  INFO(acquire);
  const checker::Result result = of(InlineLock({acquire, kCompareAndDelete}), {property});
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK_THAT(result.why_inconclusive, Catch::Contains("bytes of random tokens"));
}

}  // namespace

TEST_CASE("a lock that is taken from who has a token of some length is left open",
          "[token-bytes]") {
  for (const int length : {7, 16, 20, 21, 22, 24, 26, 27, 28, 32, 36, 40, 43, 44, 64}) {
    const std::string size = std::to_string(length);
    check_left_open(unless("#self.token == " + size), Property::mutual_exclusion);
    check_left_open(unless("#(redis('GET', self.key) or '') == " + size),
                    Property::mutual_exclusion);
    check_left_open(unless("redis('STRLEN', self.key) == " + size), Property::mutual_exclusion);
  }
  check_left_open(
      unless("redis('SET', self.key .. self.token, 1) == nil or redis('KEYS', self.key .. '" +
             std::string(24, '?') + "')[1]"),
      Property::mutual_exclusion);
}

TEST_CASE("so is one that is taken from who has a token that begins or ends with some character",
          "[token-bytes]") {
  for (const char* const first : {"0", "9", "a", "f", "g", "z", "A", "Z", "_"})
    check_left_open(unless("self.token:sub(1, 1) == '" + std::string(first) + "'"),
                    Property::mutual_exclusion);
  for (const char* const last : {"=", "0", "z"})
    check_left_open(unless("self.token:sub(-1) == '" + std::string(last) + "'"),
                    Property::mutual_exclusion);
}

TEST_CASE("a hash has no order any more if tokens are as long as a UUID", "[token-bytes]") {
  const auto first_of = [](const std::string& name) {
    return test::kToken + "local me = '" + name +
           "' .. self.token redis('HSET', self.key, me, 1)"
           " if redis('HKEYS', self.key)[1] == me then return true end"
           " redis('HDEL', self.key, me) return false";
  };
  const std::string release = "return redis('HDEL', self.key, '' .. self.token) == 1";
  const auto verdict = [&](const std::string& name) {
    return of(InlineLock({first_of(name), release}), {Property::mutual_exclusion}).verdict;
  };
  CHECK(verdict("") == Verdict::holds);
  CHECK(verdict("a short host:") == Verdict::holds);
  CHECK(verdict("ip-10-0-12-34.ec2.internal:31337:") == Verdict::inconclusive);
}

TEST_CASE("who refuses tokens of another form than these has not made a lock that is dead",
          "[token-bytes]") {
  check_left_open(only_with("#self.token == 36"), Property::deadlock);
  check_left_open(only_with("#self.token == 24"), Property::deadlock);
  check_left_open(only_with("self.token:match('^%x+%-%x+%-%x+%-%x+%-%x+$')"), Property::deadlock);
  check_left_open(only_with("redis('EVAL', 'return #ARGV[1] > 20 and 1 or 0', 0, self.token) == 1"),
                  Property::deadlock);
  // It is, whatever its token looks like.
  CHECK(of(InlineLock({only_with("self.token == 1"), kCompareAndDelete}), {Property::deadlock})
            .verdict == Verdict::violated);
}

namespace {

/// Whether the shortest run that violates the property is one only with tokens as they are here.
bool hangs_on_tokens(InlineLock&& lock, Property property) {
  lock.lasting(4, 6);  // who works for longer than its lease may delete another's key
  lock.model.properties = {property};
  const checker::Result result = checker::explore(lock.model, {});
  REQUIRE(result.verdict == Verdict::violated);
  return checker::walked(lock.model, result.schedule).hangs_on_tokens();
}

}  // namespace

TEST_CASE("a run that is one only with tokens of some form is told apart", "[token-bytes]") {
  const auto deletes_if = [](const std::string& fine) {
    return InlineLock(
        {test::kToken + "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil",
         "return redis('EVAL', \"local v = redis.call('get', KEYS[1])"
         " if " +
             fine +
             " then return redis.call('del', KEYS[1]) end return 0\", 1, self.key,"
             " self.token) == 1"});
  };
  CHECK(hangs_on_tokens(deletes_if("v and #v ~= 36"), Property::foreign_release));
  CHECK(hangs_on_tokens(InlineLock({unless("#self.token == 9"), kCompareAndDelete}),
                        Property::mutual_exclusion));
  CHECK_FALSE(hangs_on_tokens(deletes_if("v"), Property::foreign_release));
  CHECK_FALSE(hangs_on_tokens(deletes_if("v and #v == #ARGV[1]"), Property::foreign_release));
  // Which of two comes first is anybody's.
  CHECK_FALSE(hangs_on_tokens(
      InlineLock({unless("redis('GET', self.key) < self.token"), kCompareAndDelete}),
      Property::mutual_exclusion));
}

TEST_CASE("what was made of a token is no token's that is drawn afresh", "[token-bytes]") {
  for (const char* const made : {"self.token:reverse()", "self.token:gsub('.', '%0_')",
                                 "redis('EVAL', 'return redis.sha1hex(ARGV[1])', 0, self.token)"}) {
    InlineLock lock(
        {test::kToken + "local made = " + made +
             " if redis('SADD', 'dead', made) == 0 then return true end"
             " return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil",
         kCompareAndDelete});
    for (auto& process : lock.model.processes) process.rounds = 2;
    INFO(made);
    CHECK(of(std::move(lock), {Property::mutual_exclusion}).verdict == Verdict::inconclusive);
  }
}
