-- KEYS as in make.lua, KEYS[3] tokens that somebody has, ARGV[1] token
local left = redis.call("pttl", KEYS[1])
if left > 0 and redis.call("hdel", KEYS[3], ARGV[1]) == 1 then
  redis.call("rpush", KEYS[2], ARGV[1])
  redis.call("pexpire", KEYS[2], left)
end
return 1
