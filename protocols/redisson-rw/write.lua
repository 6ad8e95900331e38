-- KEYS[1] lock, ARGV[1] lease in ms, ARGV[2] writer
local left_ms = redis.call("pttl", KEYS[1])
local mode = redis.call("hget", KEYS[1], "mode")
if not mode then
  redis.call("hset", KEYS[1], "mode", "write", ARGV[2], 1)
  redis.call("pexpire", KEYS[1], ARGV[1])
elseif mode == "write" and redis.call("hexists", KEYS[1], ARGV[2]) == 1 then
  redis.call("hincrby", KEYS[1], ARGV[2], 1)
  redis.call("pexpire", KEYS[1], left_ms + ARGV[1])
else
  return left_ms
end
return nil
