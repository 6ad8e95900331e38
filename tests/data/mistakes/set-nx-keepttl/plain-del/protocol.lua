-- Mistake: release deletes without looking at the owner.
-- Otherwise as set-nx-keepttl. Seen by: --property foreign-release --fault node-crash=1

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
  return redis("DEL", self.key) == 1
end

return Lock
