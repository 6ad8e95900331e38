-- KEYS[1] lock, KEYS[2] queue, ARGV[1] who, ARGV[2] lease in ms
if redis.call("exists", KEYS[1]) == 0 and redis.call("llen", KEYS[2]) == 0 then
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return 1
end
redis.call("rpush", KEYS[2], ARGV[1])
return 0
