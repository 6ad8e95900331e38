-- Mistake: if there is no key to be set, it is set without XX.
-- Otherwise as set-xx. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET XX PX; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  local set = redis("SET", self.key, self.token, "PX", self.ttl_ms, "XX")
  return (set or redis("SET", self.key, self.token, "PX", self.ttl_ms)) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
