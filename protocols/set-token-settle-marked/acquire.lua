if redis.call("exists", KEYS[2]) == 1 then
  return 0
end
if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return 1
end
return 0
