-- KEYS[1] lock, ARGV[1] owner, ARGV[2] lease in ms
if redis.call("exists", KEYS[1]) == 1 then
  return 0
end
redis.call("hset", KEYS[1], "mode", "write", ARGV[1], 1)
redis.call("pexpire", KEYS[1], ARGV[2])
return 1
