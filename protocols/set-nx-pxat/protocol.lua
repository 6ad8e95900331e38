-- SET with NX and PXAT: the Unix time in milliseconds at which the lock ends, by the client's clock. The
-- article's steps:
--   set key <owner> pxat <now + milliseconds> nx -> OK: success; nil: give up.
-- Release: eval the script release.lua.
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PXAT by the client's clock; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "PXAT", millis(now()) + self.ttl_ms, "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
