redis.call('set', KEYS[2], ('x'):rep(1e6))
for i = 1, 1e5 do redis.call('copy', KEYS[2], i) end
