-- SET with XX in the place of NX: only a key that exists is set. Nobody ever makes the first one; and if there
-- were one, it would be somebody's. The article's steps:
--   set key <owner> px milliseconds xx -> OK: success; nil: give up.
-- Release: eval the script release.lua.
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET XX PX; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "PX", self.ttl_ms, "XX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
