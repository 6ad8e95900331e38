if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("set", KEYS[1], ARGV[1], "xx", "px", ARGV[2])
end
return redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
