-- Mistake: the TTL is forgotten.
-- Otherwise as set-nx-get. Seen by: --property deadlock --fault lose=1

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX GET; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "GET") == nil
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
