-- KEYS[1] lock, ARGV[1] owner
if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call("hincrby", KEYS[1], ARGV[1], -1) > 0 then
  return 1
end
redis.call("hdel", KEYS[1], ARGV[1])
if redis.call("hlen", KEYS[1]) == 1 then
  redis.call("del", KEYS[1])
end
return 1
