-- SET with NX and EXAT: the Unix time, in whole seconds, at which the lock ends. The client computes it from
-- its own clock, and what is left of the current second is lost. The article's steps:
--   set key <owner> exat <this second + seconds> nx -> OK: success; nil: give up.
-- Release: eval the script release.lua.
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX EXAT by the client's clock; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "EXAT", millis(now()) // 1000 + self.ttl_s, "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
