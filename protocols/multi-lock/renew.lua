local renewed = 0
for _, key in ipairs(KEYS) do
  if redis.call("get", key) == ARGV[1] then renewed = renewed + redis.call("pexpire", key, ARGV[2]) end
end
return renewed
