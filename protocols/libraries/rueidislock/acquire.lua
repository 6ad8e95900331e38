-- The commands that rueidislock's script sends, in a script of our own. The GET is for client-side caching.
local answer = redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
redis.call("GET", KEYS[1])
return answer
