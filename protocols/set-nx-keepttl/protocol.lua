-- SET with NX and KEEPTTL: a key that did not exist has no TTL that could be kept, so the lock has none. The
-- article's steps:
--   set key <owner> keepttl nx -> OK: success; nil: give up.
-- Release: eval the script release.lua.
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX KEEPTTL; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "KEEPTTL", "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
