-- KEYS: the lock. ARGV: the owner, the lease in seconds, how often the owner holds the lock by its own count.
-- 1 if locked (again), 0 if another has it, or if the owner's count is not true.
local count = redis.call("HGET", KEYS[1], ARGV[1])
if (count or "0") ~= ARGV[3] then
  return 0
end
if not count and redis.call("EXISTS", KEYS[1]) == 1 then
  return 0
end
redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
redis.call("EXPIRE", KEYS[1], ARGV[2])
return 1
