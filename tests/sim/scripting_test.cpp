// Scripts on the fake node and on a real redis-server: the seeds' scripts, and Lua 5.1 snippet by
// snippet.
#include <catch2/catch.hpp>

#include "tests/support/twin.hpp"

namespace {

using lockstep::test::Twin;

TEST_CASE("the seeds' scripts behave as on a real server") {
  Twin twin;
  const std::string compare_and_delete =
      "if redis.call(\"get\",KEYS[1]) == ARGV[1]\nthen\n    return redis.call(\"del\",KEYS[1])\n"
      "else\n    return 0\nend";
  const std::string renew =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire',KEYS[1],ARGV[2]) "
      "else return 0 end";
  const std::string enter =
      "if redis.call('exists' , KEYS[1]) == 0 or redis.call('hexists',KEYS[1],ARGV[1]) == 1 then   "
      "redis.call('hincrby',KEYS[1],ARGV[1],1) redis.call('expire',KEYS[1],ARGV[2])  return 1 else "
      " "
      "return 0 end";
  const std::string leave =
      "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then  return nil elseif "
      "redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then redis.call('del',KEYS[1])  return 1 "
      "else return 0 end";
  const std::vector<lockstep::sim::Request> requests{
      {"SET", "lock", "a", "EX", "10", "NX"},
      {"EVAL", renew, "1", "lock", "a", "300"},
      {"EVAL", renew, "1", "lock", "b", "300"},
      {"EVAL", renew, "1", "lock", "a", "abc"},
      {"PTTL", "lock"},
      {"EVAL", compare_and_delete, "1", "lock", "b"},
      {"EVAL", compare_and_delete, "1", "lock", "a"},
      {"EVAL", compare_and_delete, "1", "lock", "a"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVAL", enter, "1", "h", "thread-2", "300"},
      {"HGETALL", "h"},
      {"EVAL", leave, "1", "h", "thread-2"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"EVAL", leave, "1", "h", "thread-1"},
      {"SET", "h", "text"},
      {"EVAL", enter, "1", "h", "thread-1", "300"},
      {"EVALSHA", lockstep::sim::sha1_hex(compare_and_delete), "1", "h", "text"},
      {"EVALSHA", lockstep::sim::sha1_hex("unknown"), "1", "h", "text"},
  };
  for (const auto& request : requests) CHECK(twin.run(request) == "");
  CHECK(twin.compare_contents() == "");
}

}  // namespace
