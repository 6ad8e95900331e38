local owner = redis.call("get", KEYS[1])
if owner == ARGV[1] then
  return redis.call("pexpire", KEYS[1], ARGV[2])
elseif not owner then
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return 1
end
return 0
