-- KEYS: the lock, where this call's answer is kept. ARGV: the owner, how many seconds to keep it. nil if not
-- the owner, 1 if released, 0 if still held.
local answer = redis.call("GET", KEYS[2])
if answer then
  return tonumber(answer)
end
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
  return nil
end
answer = 0
if redis.call("HINCRBY", KEYS[1], ARGV[1], -1) == 0 then
  redis.call("DEL", KEYS[1])
  answer = 1
end
redis.call("SET", KEYS[2], answer, "EX", ARGV[2])
return answer
