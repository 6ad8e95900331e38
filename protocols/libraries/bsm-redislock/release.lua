-- The commands that redislock's script sends for one key, in a script of our own.
if redis.call("MGET", KEYS[1])[1] ~= ARGV[1] then return false end
redis.call("DEL", KEYS[1])
return redis.status_reply("OK")
