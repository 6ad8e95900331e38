-- KEYS: the lock. ARGV: the token, the lease in milliseconds. 1 if it was renewed, 0 if the lock is not the sender's.
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0
