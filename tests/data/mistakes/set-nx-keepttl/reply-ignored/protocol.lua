-- Mistake: the reply of SET is not looked at.
-- Otherwise as set-nx-keepttl. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX KEEPTTL; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  redis("SET", self.key, self.token, "KEEPTTL", "NX")
  return true
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
