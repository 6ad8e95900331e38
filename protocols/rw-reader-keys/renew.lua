-- KEYS[1] lock, ARGV[1] reader, ARGV[2] lease in ms, ARGV[3] "1": the reader's own key, too
if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call("pexpire", KEYS[1], ARGV[2])
if ARGV[3] == "1" then
  redis.call("set", KEYS[1] .. ":" .. ARGV[1], 1, "px", ARGV[2])
end
return 1
