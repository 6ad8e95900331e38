-- KEYS[1] holders, KEYS[2] number of free permits, ARGV[1..2] two permits, ARGV[3] lease in ms
local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("set", KEYS[2], 2, "nx")
local over = redis.call("zremrangebyscore", KEYS[1], "-inf", now)
redis.call("incrby", KEYS[2], over)
if tonumber(redis.call("get", KEYS[2])) < 2 then
  return 0
end
redis.call("decrby", KEYS[2], 2)
redis.call("zadd", KEYS[1], now + ARGV[3], ARGV[1], now + 2 * ARGV[3], ARGV[2])
return 1
