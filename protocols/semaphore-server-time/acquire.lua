-- KEYS[1] holders, ARGV[1] limit, ARGV[2] timeout in ms, ARGV[3] holder
local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("zremrangebyscore", KEYS[1], "-inf", now)
if redis.call("zcard", KEYS[1]) >= tonumber(ARGV[1]) then
  return 0
end
redis.call("zadd", KEYS[1], now + ARGV[2], ARGV[3])
redis.call("pexpire", KEYS[1], ARGV[2])
return 1
