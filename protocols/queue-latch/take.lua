-- KEYS[1] lock, KEYS[2] queue, ARGV[1] who, ARGV[2] lease in ms, ARGV[3] how long one is waited for, in ms,
-- ARGV[4] "1": the answer is a lease, whatever is left
-- nil: it has the lock; else what is left of the lease, in s, rounded up
local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("zremrangebyscore", KEYS[2], "-inf", now)
local first = redis.call("zrange", KEYS[2], 0, 0)[1]
if redis.call("exists", KEYS[1]) == 0 and (not first or first == ARGV[1]) then
  redis.call("zrem", KEYS[2], ARGV[1])
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return nil
end
local ends = redis.call("zscore", KEYS[2], ARGV[1])
if not ends then
  ends = now + ARGV[2] + ARGV[3]
  redis.call("zadd", KEYS[2], ends, ARGV[1])
end
if ARGV[4] == "1" then
  return math.ceil(ARGV[2] / 1000)
end
return math.ceil((ends - ARGV[3] - now) / 1000)
