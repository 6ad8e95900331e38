-- KEYS[1] lock, KEYS[2] queue, ARGV[1] who, ARGV[2] lease in ms
if redis.call("lindex", KEYS[2], 0) ~= ARGV[1] then
  return 0
end
if not redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) then
  return 0
end
redis.call("lpop", KEYS[2])
return 1
