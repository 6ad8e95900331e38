-- KEYS: the lock. ARGV: the owner, the lease in milliseconds. 1 if locked (again), 0 if another has it.
local held = redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1
if not held and redis.call("EXISTS", KEYS[1]) == 1 then
  return 0
end
redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
if tonumber(ARGV[2]) > redis.call("PTTL", KEYS[1]) then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 1
