-- KEYS: the lock, its owner's name. ARGV: the token.
if redis.call("get", KEYS[2]) ~= ARGV[1] then return 0 end
redis.call("del", KEYS[2])
if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("del", KEYS[1]) end
return 1
