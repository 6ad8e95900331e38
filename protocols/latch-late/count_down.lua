-- KEYS[1] latch, KEYS[2] channel, ARGV[1] message
local left = redis.call("decr", KEYS[1])
if left <= 0 then
  redis.call("del", KEYS[1])
end
if left == 0 then
  redis.call("publish", KEYS[2], ARGV[1])
end
return left
