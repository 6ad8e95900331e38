-- SET with NX and GET (together from Redis 7.0): the reply is the old value, so that nil, not OK, means
-- success. The article's steps:
--   set key <owner> px milliseconds nx get -> nil: success; a value: somebody has it, give up.
-- Release: eval the script release.lua.
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX GET; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "PX", self.ttl_ms, "NX", "GET") == nil
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
