local owner = redis.call("get", KEYS[1])
if owner == ARGV[1] then
  redis.call("pexpire", KEYS[1], ARGV[2])
  return true
elseif not owner then
  redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
  return true
end
return false
