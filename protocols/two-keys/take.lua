-- KEYS: the lock, its owner's name. ARGV: the token, the lease in milliseconds.
if not redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) then return 0 end
redis.call("set", KEYS[2], ARGV[1])
return 1
