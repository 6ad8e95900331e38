-- KEYS[1] lock, ARGV[1] lease in ms, ARGV[2] writer
if redis.call("hexists", KEYS[1], ARGV[2]) == 0 then
  return 0
end
redis.call("pexpire", KEYS[1], ARGV[1])
return 1
