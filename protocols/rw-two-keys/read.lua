local readKey ,writeKey,timeout = KEYS[1],KEYS[2],ARGV[1]
local wExist = redis.call('EXISTS',writeKey)
if wExist == 1 then
return 0
else
redis.call('SET',readKey,'1','EX',timeout)
end
return 1