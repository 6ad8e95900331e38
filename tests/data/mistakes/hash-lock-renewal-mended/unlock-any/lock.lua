-- KEYS: the lock, where this call's answer is kept. ARGV: the owner, the lease in seconds. 1 if locked (again),
-- 0 if another has it. That answer is kept too: the first sending of a call may be executed after the second.
local answer = redis.call("GET", KEYS[2])
if answer then
  return tonumber(answer)
end
answer = 0
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1 then
  redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
  redis.call("EXPIRE", KEYS[1], ARGV[2])
  answer = 1
end
redis.call("SET", KEYS[2], answer, "EX", ARGV[2])
return answer
