-- KEYS[1] lock, KEYS[2] a writer waits, ARGV[1] owner, ARGV[2] lease in ms, ARGV[3] how long it is
-- known that a writer waits
if redis.call("exists", KEYS[1]) == 1 then
  redis.call("set", KEYS[2], "1", "px", ARGV[3])
  return 0
end
redis.call("del", KEYS[2])
redis.call("hset", KEYS[1], "mode", "write", ARGV[1], 1)
redis.call("pexpire", KEYS[1], ARGV[2])
return 1
