-- The commands that rueidislock's script sends, in a script of our own. The GET is for client-side caching.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
local answer = redis.call("PEXPIREAT", KEYS[1], ARGV[2])
redis.call("GET", KEYS[1])
return answer
