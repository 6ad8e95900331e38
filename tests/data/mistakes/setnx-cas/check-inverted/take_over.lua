-- KEYS: the lock. ARGV: the expired value that was read, the new one, the lease in milliseconds. 1 if taken
-- over, else 0.
if redis.call("GET", KEYS[1]) == ARGV[1] then
  redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
  return 1
end
return 0
