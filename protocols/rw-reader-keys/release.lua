-- KEYS[1] lock, ARGV[1] owner
if redis.call("hdel", KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call("del", KEYS[1] .. ":" .. ARGV[1])
local longest = -1
for _, name in ipairs(redis.call("hkeys", KEYS[1])) do
  if name ~= "mode" then
    longest = math.max(longest, redis.call("pttl", KEYS[1] .. ":" .. name))
  end
end
if longest > 0 then
  redis.call("pexpire", KEYS[1], longest)
elseif longest < 0 then
  redis.call("del", KEYS[1])
end
return 1
