-- KEYS[1] lock, KEYS[2] signals, ARGV[1] owner, ARGV[2] how long a signal stays, in ms
if redis.call("hdel", KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call("hlen", KEYS[1]) == 1 then
  redis.call("del", KEYS[1])
  redis.call("lpush", KEYS[2], 1)
  redis.call("pexpire", KEYS[2], ARGV[2])
end
return 1
