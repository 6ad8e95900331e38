if redis.call("exists", unpack(KEYS)) > 0 then return 0 end
for _, key in ipairs(KEYS) do redis.call("set", key, ARGV[1], "px", ARGV[2]) end
return 1
