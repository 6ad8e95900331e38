-- KEYS[1] lock, KEYS[2] what this reader's own keys begin with, ARGV[1] lease in ms, ARGV[2]
-- reader, ARGV[3] the same thread as a writer
local mode = redis.call("hget", KEYS[1], "mode")
if mode == "write" and redis.call("hexists", KEYS[1], ARGV[3]) == 0 then
  return redis.call("pttl", KEYS[1])
end
if not mode then
  redis.call("hset", KEYS[1], "mode", "read")
end
local times = redis.call("hincrby", KEYS[1], ARGV[2], 1)
redis.call("set", KEYS[2] .. ":" .. times, 1, "px", ARGV[1])
local left_ms = redis.call("pttl", KEYS[1])
redis.call("pexpire", KEYS[1], math.max(left_ms, tonumber(ARGV[1])))
return nil
