-- The commands that redislock's script sends for one key without metadata, in a script of our own. ARGV: the token, the
-- lease in milliseconds. Who has the key already may have it again.
if redis.call("MSETNX", KEYS[1], ARGV[1]) ~= 1 then
  if redis.call("GETRANGE", KEYS[1], 0, -1) ~= ARGV[1] then return false end
  redis.call("MSET", KEYS[1], ARGV[1])
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return redis.status_reply("OK")
