-- KEYS[1] lock, KEYS[2] queue, ARGV[1] who, ARGV[2] lease of the next one in ms
if redis.call("get", KEYS[1]) ~= ARGV[1] then
  return 0
end
local first = redis.call("lpop", KEYS[2])
if first then
  redis.call("set", KEYS[1], first, "px", ARGV[2])
  redis.call("lpush", KEYS[1] .. ":" .. first, "yours")
  redis.call("pexpire", KEYS[1] .. ":" .. first, ARGV[2])
else
  redis.call("del", KEYS[1])
end
return 1
