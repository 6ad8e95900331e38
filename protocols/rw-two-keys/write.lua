local readKey ,writeKey,timeout,result = KEYS[1],KEYS[2],ARGV[1]
local rExist = redis.call('EXISTS',readKey)
if rExist == 1 then
return 0
else
result = redis.call('SET',writeKey,'1','EX',timeout,'NX')
if result then
return 1
else return 0
end
end