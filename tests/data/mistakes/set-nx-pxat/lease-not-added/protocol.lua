-- Mistake: the key expires now: the lease is not added.
-- Otherwise as set-nx-pxat. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PXAT by the client's clock; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "PXAT", millis(now()), "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
