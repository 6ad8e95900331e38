-- KEYS[1] holders, KEYS[2] number of free permits, ARGV[1] "1": look at both before one is removed,
-- ARGV[2..3] two permits
local function there(permit)
  return redis.call("zscore", KEYS[1], permit)
end
if ARGV[1] == "1" and not (there(ARGV[2]) and there(ARGV[3])) then
  return 0
end
for i = 2, 3 do
  if not there(ARGV[i]) then
    return 0
  end
  redis.call("zrem", KEYS[1], ARGV[i])
end
redis.call("incrby", KEYS[2], 2)
return 1
