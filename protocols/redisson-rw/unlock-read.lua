-- KEYS[1] lock, KEYS[2] channel, KEYS[3] what this reader's own keys begin with, KEYS[4] what those
-- of all readers begin with, ARGV[1] message, ARGV[2] reader
local mode = redis.call("hget", KEYS[1], "mode")
if not mode then
  redis.call("publish", KEYS[2], ARGV[1])
  return nil
end
if redis.call("hexists", KEYS[1], ARGV[2]) == 0 then
  return nil
end
local times = redis.call("hincrby", KEYS[1], ARGV[2], -1)
if times == 0 then
  redis.call("hdel", KEYS[1], ARGV[2])
end
redis.call("del", KEYS[3] .. ":" .. times + 1)
local longest = 0
for _, owner in ipairs(redis.call("hkeys", KEYS[1])) do
  for i = tonumber(redis.call("hget", KEYS[1], owner)) or 0, 1, -1 do
    local own = KEYS[4] .. ":" .. owner .. ":rwlock_timeout:" .. i
    longest = math.max(longest, redis.call("pttl", own))
  end
end
if longest > 0 then
  redis.call("pexpire", KEYS[1], longest)
  return 0
end
if mode == "write" and redis.call("hlen", KEYS[1]) > 1 then
  return 0
end
redis.call("del", KEYS[1])
redis.call("publish", KEYS[2], ARGV[1])
return 1
