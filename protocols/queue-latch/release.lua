-- KEYS[1] lock, KEYS[2] queue, ARGV[1] who
if redis.call("get", KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call("del", KEYS[1])
local time = redis.call("time")
redis.call("zremrangebyscore", KEYS[2], "-inf", time[1] * 1000 + math.floor(time[2] / 1000))
local first = redis.call("zrange", KEYS[2], 0, 0)[1]
if first then
  redis.call("publish", KEYS[1] .. ":" .. first, "free")
end
return 1
