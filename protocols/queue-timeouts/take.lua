-- KEYS[1] lock, KEYS[2] queue, KEYS[3] until when each in it is waited for, ARGV[1] who,
-- ARGV[2] lease in ms, ARGV[3] how long one that does not ask stays in the queue, in ms,
-- ARGV[4] the time in ms, "" for the node's
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call("time")
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
while true do
  local first = redis.call("lindex", KEYS[2], 0)
  if not first or tonumber(redis.call("zscore", KEYS[3], first)) > now then
    break
  end
  redis.call("lpop", KEYS[2])
  redis.call("zrem", KEYS[3], first)
end
local first = redis.call("lindex", KEYS[2], 0)
if redis.call("exists", KEYS[1]) == 0 and (not first or first == ARGV[1]) then
  redis.call("lpop", KEYS[2])
  redis.call("zrem", KEYS[3], ARGV[1])
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return 1
end
if redis.call("zadd", KEYS[3], now + ARGV[3], ARGV[1]) == 1 then
  redis.call("rpush", KEYS[2], ARGV[1])
end
return 0
