-- KEYS: the lock, the counter. ARGV: the token, the lease in milliseconds. The grant's number, or false.
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return false
