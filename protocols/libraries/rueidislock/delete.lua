-- The commands that rueidislock's script sends, in a script of our own.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
