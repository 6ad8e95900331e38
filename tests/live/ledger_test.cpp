// The ledger of makers without a server: what a server would show is made up.
#include "live/ledger.hpp"

#include <catch2/catch.hpp>

#include "sim/redis/reply.hpp"

namespace lockstep::tests {
namespace {

using live::kNoExpiry;
using live::kNoKey;
using sim::Reply;

constexpr std::int64_t kStart = 1'800'000'000'000;  // Unix ms
constexpr sim::Maker kMakerA = 1, kMakerB = 2;

bool is_of(const live::KeyState& key, sim::Maker maker) {
  return key.own.any == sim::only_maker(maker);
}

/// A request of a process on one lease key, "lock", as the server shows it at `ms`.
live::Entry entry(std::int64_t order, sim::Maker sender, const sim::Request& request,
                  std::int64_t before, std::int64_t after, const Reply& reply,
                  std::int64_t ms = kStart) {
  live::Entry entry;
  entry.process = static_cast<std::uint8_t>(sender - 1);
  entry.request = request;
  entry.executed = {order, {ms}, {ms}, {before}, {after}, reply};
  return entry;
}

live::Entry set_by_a(std::int64_t order = 1) {
  return entry(order, kMakerA, {"SET", "lock", "a", "NX", "PX", "1000"}, kNoKey, kStart + 1000,
               Reply::ok());
}

/// A ledger of a lock that A has set.
struct SetByA : live::Ledger {
  SetByA() : live::Ledger({"lock"}) {
    add(set_by_a());
    REQUIRE(next());
  }
};

/// What the ledger says when it gets this.
std::string objection(live::Ledger&& ledger, live::Entry next) {
  ledger.add(std::move(next));
  CHECK_FALSE(ledger.next());
  return ledger.lost_because();
}

TEST_CASE("Entries are posted in the server's order, and wait for one that has not come") {
  live::Ledger ledger({"lock"});
  ledger.add(entry(3, kMakerB, {"GET", "lock"}, kNoKey, kNoKey, Reply::null()));
  ledger.add(entry(2, kMakerB, {"DEL", "lock"}, kStart + 1000, kNoKey, Reply::number(1)));
  CHECK_FALSE(ledger.next());
  CHECK(ledger.has_gap());
  ledger.add(set_by_a());
  for (const char* command : {"SET", "DEL", "GET"}) {
    const auto posting = ledger.next();
    REQUIRE(posting);
    CHECK(posting->entry.request[0] == command);
  }
  CHECK_FALSE(ledger.has_gap());
  CHECK(ledger.lost_because().empty());
}

TEST_CASE("A key is whose request made it or overwrote it, not who prolonged it") {
  SetByA ledger;
  CHECK(is_of(ledger.keys()[0], kMakerA));
  ledger.add(entry(2, kMakerB, {"PEXPIRE", "lock", "5000"}, kStart + 1000, kStart + 5000,
                   Reply::number(1)));
  REQUIRE(ledger.next());
  CHECK(is_of(ledger.keys()[0], kMakerA));
  CHECK(ledger.keys()[0].expires == kStart + 5000);
  ledger.add(entry(3, kMakerB, {"SET", "lock", "b"}, kStart + 5000, kNoExpiry, Reply::ok()));
  const auto posting = ledger.next();
  REQUIRE(posting);
  CHECK(is_of(posting->before[0], kMakerA));
  CHECK(is_of(posting->after[0], kMakerB));
}

TEST_CASE("A number of the order that was there before tells that somebody else counts") {
  for (const std::int64_t order : {0, 1}) {
    SetByA ledger;
    ledger.add(set_by_a(order));
    CHECK(ledger.lost_because() == "somebody else has changed the run's counter");
  }
}

TEST_CASE("A key is gone when its time is over, and not before") {
  const auto gone_after = [](std::int64_t ms) {
    SetByA ledger;  // for a second
    ledger.add(entry(2, kMakerB, {"GET", "lock"}, kNoKey, kNoKey, Reply::null(), kStart + ms));
    ledger.next();
    return ledger.lost_because();
  };
  CHECK(gone_after(1001).empty());
  CHECK(gone_after(1000) == "the key lock was gone before its time");
}

TEST_CASE("The server says whether a key has expired, not our clock") {
  const auto end = kStart + 1000;
  SetByA ledger;
  // TIME is read a little after the instant by which the transaction expires keys.
  ledger.add(entry(2, kMakerB, {"EXISTS", "lock"}, end, end, Reply::number(1), end + 1));
  REQUIRE(ledger.next());
  CHECK(is_of(ledger.keys()[0], kMakerA));
  ledger.add(
      entry(3, kMakerB, {"SET", "lock", "b", "NX"}, kNoKey, kNoExpiry, Reply::ok(), end + 2));
  const auto posting = ledger.next();
  REQUIRE(posting);
  CHECK_FALSE(posting->before[0].exists());
  CHECK(is_of(posting->after[0], kMakerB));
}

TEST_CASE("A lease that ends within a transaction may have ended for a script in it") {
  const auto end = kStart + 1000;
  const auto script = [&](const char* body, std::int64_t after, const Reply& reply) {
    auto next = entry(2, kMakerB, {"EVAL", body, "1", "lock"}, end, after, reply, end);
    next.executed.ended.ms += 2;
    return next;
  };
  const char* const set_nx = "return redis.call('set', KEYS[1], 'b', 'nx')";
  const char* const set = "return redis.call('set', KEYS[1], 'b')";
  SetByA taken, lasting;
  taken.add(script(set_nx, kNoExpiry, Reply::ok()));
  const auto after_end = taken.next();
  REQUIRE(after_end);
  CHECK_FALSE(after_end->before[0].exists());
  CHECK(is_of(after_end->after[0], kMakerB));
  lasting.add(script(set_nx, end, Reply::null()));
  const auto before_end = lasting.next();
  REQUIRE(before_end);
  CHECK(before_end->before[0].exists());
  CHECK(is_of(lasting.keys()[0], kMakerA));
  // Whose key it has overwritten, if any, cannot be known.
  CHECK_THAT(objection(SetByA(), script(set, kNoExpiry, Reply::ok())),
             Catch::Contains("just when"));
  // A command has the transaction's clock.
  auto command = entry(2, kMakerB, {"SET", "lock", "b"}, end, kNoExpiry, Reply::ok(), end);
  command.executed.ended.ms += 2;
  SetByA overwritten;
  overwritten.add(command);
  const auto posting = overwritten.next();
  REQUIRE(posting);
  CHECK(is_of(posting->before[0], kMakerA));
}

TEST_CASE("Lifetimes that were read or set within an envelope may differ by its length") {
  SetByA ledger;
  auto ttl = entry(2, kMakerB, {"PTTL", "lock"}, kStart + 1000, kStart + 1000, Reply::number(995));
  ttl.executed.ended.ms += 5;
  ledger.add(ttl);
  CHECK(ledger.next());
  auto longer = entry(3, kMakerB, {"PEXPIRE", "lock", "2000"}, kStart + 1000, kStart + 2005,
                      Reply::number(1));
  longer.executed.ended.ms += 5;
  ledger.add(longer);
  CHECK(ledger.next());
  CHECK(ledger.keys()[0].expires == kStart + 2005);
}

TEST_CASE("Only a number that was read off a lifetime may differ") {
  constexpr auto lives = kStart + 1000;
  const auto answered = [&](const sim::Request& request, std::int64_t number) {
    auto next = entry(2, kMakerB, request, lives, lives, Reply::number(number));
    next.executed.ended.ms += 5;
    return next;
  };
  const auto script = [](const char* body) { return sim::Request{"EVAL", body, "1", "lock"}; };
  const char* const left = "return redis.call('pttl', KEYS[1])";
  const char* const long_enough = "return redis.call('pttl', KEYS[1]) > 900 and 1 or 0";
  for (const auto& request : {sim::Request{"pttl", "lock"}, script(left)}) {
    SetByA ledger;
    ledger.add(answered(request, 996));
    CHECK(ledger.next());
  }
  // An answer, and a number of which the clock says nothing.
  CHECK_THAT(objection(SetByA(), answered(script(long_enough), 0)), Catch::Contains("EVAL"));
  CHECK_THAT(objection(SetByA(), answered(script("return 996"), 995)), Catch::Contains("EVAL"));
  CHECK_THAT(objection(SetByA(), answered({"INCRBY", "count", "996"}, 995)),
             Catch::Contains("INCRBY"));
}

TEST_CASE("What does not agree ends the ledger") {
  const auto lives = kStart + 1000;
  const auto get = [&](std::int64_t before, std::int64_t after, const Reply& reply) {
    return entry(2, kMakerB, {"GET", "lock"}, before, after, reply);
  };
  using Catch::Contains;
  const auto a = Reply::bulk("a");
  CHECK_THAT(objection(SetByA(), get(kNoKey, kNoKey, Reply::null())),
             Contains("gone before its time"));
  CHECK_THAT(objection(SetByA(), get(lives + 1, lives + 1, a)), Contains("by nobody"));
  CHECK_THAT(objection(SetByA(), get(kNoExpiry, kNoExpiry, a)), Contains("by nobody"));
  CHECK_THAT(objection(live::Ledger({"lock"}), entry(1, kMakerA, {"GET", "lock"}, lives, lives, a)),
             Contains("by nobody"));
  CHECK_THAT(objection(SetByA(), get(lives, lives, Reply::null())), Contains("GET"));
  CHECK_THAT(objection(SetByA(), get(lives, lives, Reply::bulk("b"))), Contains("GET"));
  CHECK_THAT(objection(SetByA(), get(lives, lives, Reply::error("ERR no"))), Contains("GET"));
  CHECK_THAT(objection(SetByA(), get(lives, kNoKey, a)), Contains("leave it"));
  CHECK_THAT(objection(SetByA(), get(lives, kNoExpiry, a)), Contains("leave it"));
  CHECK_THAT(
      objection(SetByA(), entry(2, kMakerB, {"DEL", "lock"}, lives, kNoKey, Reply::number(0))),
      Contains("DEL"));
  CHECK_THAT(objection(SetByA(), entry(2, kMakerB, {"MIGRATE", "h", "1", "lock", "0", "10"}, lives,
                                       lives, a)),
             Contains("executed again"));
  CHECK_THAT(objection(SetByA(), set_by_a(1)), Contains("counter"));
}

TEST_CASE("After a disagreement nothing is posted any more") {
  SetByA ledger;
  ledger.add(entry(2, kMakerB, {"GET", "lock"}, kNoKey, kNoKey, Reply::null()));
  ledger.add(entry(3, kMakerB, {"GET", "lock"}, kStart + 1000, kStart + 1000, Reply::bulk("a")));
  CHECK_FALSE(ledger.next());
  CHECK_FALSE(ledger.next());
}

}  // namespace
}  // namespace lockstep::tests
