-- KEYS[1] the semaphore exists, KEYS[2] free tokens, ARGV[1] lifetime in ms
if redis.call("set", KEYS[1], "1", "nx", "px", ARGV[1]) then
  redis.call("rpush", KEYS[2], "0")
  redis.call("pexpire", KEYS[2], ARGV[1])
end
return 1
