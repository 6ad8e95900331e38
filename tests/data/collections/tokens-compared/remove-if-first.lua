if ARGV[1] < ARGV[2] then redis.call("del", KEYS[1]) end
return 1
