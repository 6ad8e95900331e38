-- KEYS[1] latch, KEYS[2] channel, KEYS[3] who has counted, ARGV[1] message, ARGV[2] worker
if redis.call("exists", KEYS[1]) == 0 or redis.call("sadd", KEYS[3], ARGV[2]) == 0 then
  return -1
end
local left = redis.call("decr", KEYS[1])
if left == 0 then
  redis.call("del", KEYS[1], KEYS[3])
  redis.call("publish", KEYS[2], ARGV[1])
end
return left
