-- KEYS: the lock, where this call's answer is kept. ARGV: the owner, the lease in seconds. 1 if locked (again), 0 if another
-- has it: nothing has happened then, so that answer need not be kept.
if redis.call("EXISTS", KEYS[2]) == 1 then
  return 1
end
if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
redis.call("EXPIRE", KEYS[1], ARGV[2])
redis.call("SET", KEYS[2], 1, "EX", ARGV[2])
return 1
