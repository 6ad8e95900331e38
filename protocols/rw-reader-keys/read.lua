-- KEYS[1] lock, ARGV[1] reader, ARGV[2] lease in ms
local mode = redis.call("hget", KEYS[1], "mode")
if mode and mode ~= "read" then
  return 0
end
redis.call("hset", KEYS[1], "mode", "read", ARGV[1], 1)
if redis.call("pttl", KEYS[1]) < tonumber(ARGV[2]) then
  redis.call("pexpire", KEYS[1], ARGV[2])
end
redis.call("set", KEYS[1] .. ":" .. ARGV[1], 1, "px", ARGV[2])
return 1
