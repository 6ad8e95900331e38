-- KEYS: the lock. ARGV: the owner's token, the lease in milliseconds. OK if locked (again), nil if another has it.
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
end
return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
