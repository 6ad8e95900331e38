-- KEYS[1] holders, ARGV[1] limit, ARGV[2] timeout in ms, ARGV[3] holder, ARGV[4] now
redis.call("zremrangebyscore", KEYS[1], "-inf", ARGV[4] - ARGV[2])
if redis.call("zcard", KEYS[1]) >= tonumber(ARGV[1]) then
  return 0
end
redis.call("zadd", KEYS[1], ARGV[4], ARGV[3])
redis.call("pexpire", KEYS[1], ARGV[2])
return 1
