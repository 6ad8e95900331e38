local owner = redis.call("get", KEYS[1])
if owner and redis.call("exists", ARGV[3] .. owner) == 1 then return 0 end
redis.call("set", KEYS[1], ARGV[1])
redis.call("set", KEYS[2], 1, "px", ARGV[2])
return 1
