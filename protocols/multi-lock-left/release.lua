local freed = 0
for _, key in ipairs(KEYS) do
  if redis.call("get", key) == ARGV[1] then freed = freed + redis.call("del", key) end
end
return freed
