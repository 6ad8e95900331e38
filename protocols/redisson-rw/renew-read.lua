-- KEYS[1] lock, KEYS[2] what the keys of all readers begin with, ARGV[1] lease in ms, ARGV[2]
-- reader, ARGV[3] "1": this reader's own keys alone
if redis.call("hexists", KEYS[1], ARGV[2]) == 0 then
  return 0
end
redis.call("pexpire", KEYS[1], ARGV[1])
local owners = ARGV[3] == "1" and { ARGV[2] } or redis.call("hkeys", KEYS[1])
for _, owner in ipairs(owners) do
  for i = tonumber(redis.call("hget", KEYS[1], owner)) or 0, 1, -1 do
    redis.call("pexpire", KEYS[2] .. ":" .. owner .. ":rwlock_timeout:" .. i, ARGV[1])
  end
end
return 1
