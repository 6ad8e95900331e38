-- Mistake: the lease in seconds is given as milliseconds.
-- Otherwise as set-nx-ex. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX EX; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "PX", self.ttl_s, "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
