if redis.call("exists", KEYS[1]) == 1 and redis.call("hexists", KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call("hincrby", KEYS[1], ARGV[1], 1)
redis.call("pexpire", KEYS[1], ARGV[2])
return 1
