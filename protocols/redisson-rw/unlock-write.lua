-- KEYS[1] lock, KEYS[2] channel, ARGV[1] message, ARGV[2] lease in ms, ARGV[3] writer
local mode = redis.call("hget", KEYS[1], "mode")
if not mode then
  redis.call("publish", KEYS[2], ARGV[1])
  return nil
end
if mode ~= "write" or redis.call("hexists", KEYS[1], ARGV[3]) == 0 then
  return nil
end
if redis.call("hincrby", KEYS[1], ARGV[3], -1) > 0 then
  redis.call("pexpire", KEYS[1], ARGV[2])
  return 0
end
redis.call("hdel", KEYS[1], ARGV[3])
if redis.call("hlen", KEYS[1]) > 1 then
  redis.call("hset", KEYS[1], "mode", "read")
  return 1
end
redis.call("del", KEYS[1])
redis.call("publish", KEYS[2], ARGV[1])
return 1
