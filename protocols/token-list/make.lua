if redis.call("setnx", KEYS[1], "1") == 1 then
  redis.call("rpush", KEYS[2], "token")
end
return 1
