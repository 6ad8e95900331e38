// A seeded random differential: sequences of commands and scripts go to the fake node and to a real
// redis-server. A sequence that differs is shortened before it is reported.
#include <catch2/catch.hpp>
#include <cstdint>

#include "conform/dice.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::conform::Dice;
using lockstep::sim::Request;
using lockstep::test::Twin;

/// Templates: K key, V value, N number, T lifetime in seconds, M in milliseconds, F field, O option
/// of SET, X of EXPIRE.
const std::vector<const char*> kTemplates{
    "GET K",         "SET K V",        "SET K V O",      "SET K V O O",
    "SET K V O O O", "SETNX K V",      "SETEX K T V",    "PSETEX K M V",
    "GETSET K V",    "GETDEL K",       "GETEX K O",      "GETEX K",
    "MGET K K F",    "MSET K V K V",   "MSETNX K V K V", "APPEND K V",
    "STRLEN K",      "GETRANGE K N N", "SETRANGE K 3 V", "INCR K",
    "INCRBY K N",    "DECR K",         "DECRBY K N",     "INCRBYFLOAT K N",
    "HSET K F V",    "HSET K F V F N", "HGET K F",       "HDEL K F",
    "HDEL K F F",    "HGETALL K",      "HINCRBY K F N",  "HINCRBYFLOAT K F N",
    "HSETNX K F V",  "HMGET K F F",    "HEXISTS K F",    "HLEN K",
    "HKEYS K",       "HVALS K",        "HSTRLEN K F",    "EXISTS K K",
    "DEL K",         "DEL K K",        "UNLINK K",       "TYPE K",
    "EXPIRE K T",    "EXPIRE K T X",   "PEXPIRE K M X",  "PEXPIREAT K 4102444800000 X",
    "PERSIST K",     "TTL K",          "PTTL K",         "RENAME K K",
    "RENAMENX K K",  "KEYS *",         "DBSIZE",         "EXPIRETIME K",
};

/// Scripts as protocols use them; each takes one key and two arguments.
const std::vector<const char*> kScripts{
    "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 "
    "end",
    "if redis.call('setnx',KEYS[1],ARGV[1]) == 1 then return redis.call('expire',KEYS[1],ARGV[2]) "
    "end",
    "redis.call('hincrby',KEYS[1],ARGV[1],1) return redis.call('hgetall',KEYS[1])",
    "if redis.call('hexists',KEYS[1],ARGV[1]) == 0 then return nil end return "
    "redis.call('hincrby',KEYS[1],ARGV[1],-1)",
    "return {redis.pcall('incr',KEYS[1]), redis.pcall('hget',KEYS[1],ARGV[1]), "
    "redis.call('type',KEYS[1])}",
    "local n = tonumber(ARGV[2]) or 0 return redis.call('set',KEYS[1],ARGV[1],'PX',n * 1000 / 3)",
    "local t = {} for i = 1, ARGV[2] do t[i] = i .. ':' .. ARGV[1] end return t",
    "return redis.call('set',KEYS[1],ARGV[1] + 1)",
    "return ARGV[1] .. ARGV[2] * 2",
    "local v = redis.call('get',KEYS[1]) return {v, type(v), #ARGV, v == ARGV[1]}",
};

std::string fill(char letter, Dice& dice) {
  switch (letter) {
    case 'K':
      return dice.of({"a", "b", "c"});
    case 'V':
      return dice.of({"x", "1", "-7", "3.5", "", "abc", "10"});
    case 'N':
      return dice.of(
          {"1", "-1", "5", "0", "100", "2.5", "x", "9223372036854775807", "-9223372036854775808"});
    case 'T':
      return dice.of({"100", "200", "0", "-1", "x", "1.5", "9223372036854775"});
    case 'M':
      return dice.of({"100000", "250000", "0", "-5", "x"});
    case 'F':
      return dice.of({"f", "g", "h"});
    case 'O':
      return dice.of({"NX", "XX", "GET", "KEEPTTL", "EX", "PX", "PERSIST", "100", "150000", "ZZ"});
    case 'X':
      return dice.of({"NX", "XX", "GT", "LT", "gt", "ZZ"});
    default:
      return std::string(1, letter);
  }
}

Request random_request(Dice& dice) {
  if (dice.below(5) == 0) {
    return {"EVAL",          dice.of(kScripts), "1",
            fill('K', dice), fill('V', dice),   dice.of({"3", "100", "0", "x"})};
  }
  Request request = lockstep::test::split(dice.of(kTemplates));
  for (std::string& word : request) {
    if (word.size() == 1) word = fill(word[0], dice);
  }
  return request;
}

TEST_CASE("random commands and scripts have the effects that they have on redis-server") {
  constexpr int kSequences = 150;
  constexpr int kLength = 40;
  Twin twin;
  for (std::uint64_t seed = 1; seed <= kSequences; ++seed) {
    Dice dice(seed);
    std::vector<lockstep::conform::Step> steps;
    for (int i = 0; i < kLength; ++i) steps.push_back({0, random_request(dice)});
    const std::string differs = twin.compare(steps);
    if (!differs.empty()) FAIL("seed " << seed << ":\n" << differs);
  }
  SUCCEED();
}

/// A random expression of Lua 5.1 over a few variables; most of them fail somewhere, which is half
/// of the point.
std::string random_expression(Dice& dice, int depth) {
  if (depth == 0 || dice.below(4) == 0) {
    return dice.of({"a",       "b",     "t.x",    "t.s",   "t.none", "up",     "ARGV[1]", "ARGV[2]",
                    "ARGV[9]", "1",     "2",      "0",     "-1",     "0.1",    "1e15",    "1e100",
                    "0x10",    "'3'",   "'0x1f'", "' 4 '", "'x'",    "''",     "'1e1'",   "nil",
                    "true",    "false", "#ARGV",  "f()",   "f(2)",   "none()", "t",       "n"});
  }
  const std::string left = random_expression(dice, depth - 1);
  const std::string right = random_expression(dice, depth - 1);
  switch (dice.below(10)) {
    case 0:
      return "(" + left + ")";
    case 1:
      return dice.of({"-", "not ", "#"}) + left;
    case 2:
      return "type(" + left + ")";
    case 3:
      return "tonumber(" + left + ")";
    default:
      return left + " " +
             dice.of({"+", "-", "*", "/", "%", "^", "..", "..", "..", "==", "~=", "<", "<=", ">",
                      ">=", "and", "or"}) +
             " " + right;
  }
}

TEST_CASE("random expressions give what they give on redis-server, errors included") {
  constexpr int kExpressions = 3000;
  Twin twin;
  Dice dice(7);
  for (int i = 0; i < kExpressions; ++i) {
    const std::string script =
        "local up = 6 local function f(...) local a, b, n, t = 5, '7', nil, {x = 2, s = 'q'} "
        "local function f(x) return x, 9 end local r = " +
        random_expression(dice, 3) +
        " if type(r) == 'table' or type(r) == 'function' then r = type(r) end return tostring(r) "
        "end "
        "return f()";
    CHECK(twin.run({"EVAL", script, "0", "12", "y"}) == "");
  }
}

}  // namespace
